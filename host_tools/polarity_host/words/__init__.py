"""What the mat reports, in words a player understands, in the languages of the game's rulebooks.

The mat sends codes; `Words` renders them from the catalogue of one language.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from polarity_host.errors import Said, SaidError
from polarity_host.wire.messages import FactMessage, RulingMessage
from polarity_host.words import explain, facts, mat_lines, rulings
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
        """What is wrong with the mat, from a `health` message, as a line on a terminal."""
        return self._catalogue.say("program.mat_says", why=self.complaint(why))

    def log(self, text: str) -> str:
        """A text that the mat has logged."""
        return self.health(text) if self._reason(text) else self.complaint(text)

    def complaint(self, why: str) -> str:
        """What is wrong with the mat, by the `why` of a `health` message, "" for nothing. What
        nobody knows is shown as it is."""
        return self._reason(why) or mat_lines.in_language(why, self.language)

    def aside(self, why: str) -> str:
        """That a line of the mat is set aside, and why."""
        return self.text("aside", why=mat_lines.in_language(why, self.language))

    def _reason(self, why: str) -> str:
        """Of its health, in words; "" where it is none of these."""
        key = f"health.{why.split(':')[0]}"
        return self._catalogue.say(key) if self._catalogue.has(key) else ""

    def heading(self, tag: str) -> str:
        """The name of a record's tag, such as `White`; one that no catalogue has as it is."""
        key = f"stats.{tag.lower()}"
        return self._catalogue.say(key) if self._catalogue.has(key) else tag

    def game(self, edition: str, mat: str) -> str:
        """That a game begins, by the names of its rules and of its mat on the wire."""
        of_mat = self._catalogue.section("mats")(mat)
        return self.text("game", edition=self.edition(edition), mat=of_mat)

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
