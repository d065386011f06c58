"""What is wrong with the mat and its connection, in the form that viewers get."""

from typing import TypedDict

from polarity_host.errors import SaidError
from polarity_host.wire.messages import HealthMessage
from polarity_host.words import LANGUAGES, Words
from polarity_host.words.said import in_all_languages


class Health(TypedDict):
    """The part `health` of the state that viewers get (API.md)."""

    why: str
    words: dict[str, str]
    masked: list[int]
    lost: int
    unsent: int
    damaged: int
    ill: dict[str, list[int]]


class MatHealth:
    """`shown` is what viewers get."""

    def __init__(self) -> None:
        self.shown: Health = {
            "why": "", "words": {}, "masked": [], "lost": 0, "unsent": 0, "damaged": 0, "ill": {},
        }  # fmt: skip

    def take(self, health: HealthMessage) -> None:
        """Takes what the mat reports of itself."""
        if health.why != self.shown["why"]:
            words = {code: Words(code).complaint(health.why) for code in LANGUAGES}
            self.shown["words"] = words if health.why else {}
        self.shown["why"], self.shown["masked"] = health.why, list(health.masked)
        self.shown["lost"], self.shown["unsent"] = health.lost, health.unsent

    def count_damaged(self) -> None:
        """A line came damaged."""
        self.shown["damaged"] += 1

    def complain(self, error: SaidError) -> None:
        """The host found this wrong."""
        self.shown["why"], self.shown["words"] = error.message, in_all_languages(error)

    def look_at(self, ill: dict[str, list[int]]) -> bool:
        """Takes the sensors that look ill to the host; returns whether these are others."""
        changed = ill != self.shown["ill"]
        self.shown["ill"] = ill
        return changed
