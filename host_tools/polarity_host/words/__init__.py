"""What the mat reports, in words a player understands, in the languages of the game's rulebooks.

The mat sends codes; `Words` renders them from the catalogue of one language.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from polarity_host.errors import Said, SaidError
from polarity_host.wire.messages import FactMessage, RulingMessage
from polarity_host.words import explain, facts, rulings
from polarity_host.words.catalogue import DEFAULT, LANGUAGES, catalogue, language_of
from polarity_host.words.said import translator

__all__ = ["LANGUAGES", "Words", "clock", "language_of"]


class Words:
    """The words of one of LANGUAGES. No field of the right type makes any of these fail."""

    def __init__(self, language: str = DEFAULT):
        self.language = language
        self._catalogue = catalogue(language)

    def ruling(self, ruling: RulingMessage, edition: str = "") -> str:
        """A ruling as a sentence, with what follows from it. `edition`: as on the wire; it says
        whether the score decided a game.
        """
        return rulings.ruling_words(self._catalogue, ruling, edition)

    def fact(self, fact: FactMessage) -> str:
        """A fact as a short phrase."""
        return facts.fact_words(self._catalogue, fact)

    def result(self, end: RulingMessage, edition: str = "") -> str:
        """Who won, from an `end` ruling, with the score where that decided it."""
        return rulings.game_result(self._catalogue, end, edition)

    def explanation(
        self, ruling: RulingMessage, edition: str, facts: Mapping[int, str]
    ) -> list[str]:
        """Why, in lines: the rule by its edition and point, what was observed, who owes what now.

        `facts`: the observations, in words, by number of the message.
        """
        return explain.explanation(self._catalogue, ruling, edition, facts)

    def health(self, why: str) -> str:
        """What is wrong with the mat, from a `health` message; a reason that no catalogue has is
        shown as it is.
        """
        return self._catalogue.say("program.mat_says", why=self._complaint(why))

    def log(self, text: str) -> str:
        """A text that the mat has logged: one of the reasons of its health in words, any other, in
        English, as it is.
        """
        return self.health(text) if self._complaint(text) != text else text

    def _complaint(self, why: str) -> str:
        key = f"health.{why.split(':')[0]}"
        return self._catalogue.say(key) if self._catalogue.has(key) else why

    def heading(self, tag: str) -> str:
        """The name of a record's tag, such as `White`; one that no catalogue has as it is."""
        key = f"stats.{tag.lower()}"
        return self._catalogue.say(key) if self._catalogue.has(key) else tag

    def edition(self, name: str) -> str:
        """The name of an edition and its options, as on the wire."""
        return self._catalogue.edition(name)

    def day_and_time(self, moment: str) -> str:
        """A moment (ISO 8601) as the language writes it, in this computer's time; what is none as
        it is."""
        try:
            return self._catalogue.day_and_time(datetime.fromisoformat(moment).astimezone())
        except (ValueError, OverflowError):
            return moment

    def said(self, text: str | Said | SaidError, /, **values: object) -> str:
        """A text that stands in the code in English: see words/said.py."""
        said = Said(text, **values) if isinstance(text, str) else text
        return said.by(translator(self.language))

    def text(self, key: str, count: int = 1, **values: Any) -> str:
        """A text of the program's own, by its name in the catalogue's section `program`."""
        return self._catalogue.say(f"program.{key}", count=count, **values)


def clock(t_ms: int) -> str:
    """A time as minutes and seconds, mm:ss."""
    seconds = max(0, t_ms) // 1000
    return f"{seconds // 60:02d}:{seconds % 60:02d}"
