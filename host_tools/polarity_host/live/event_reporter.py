"""The mat's messages as events for viewers: each with its text in every language."""

from typing import Any, TypeVar

from polarity_host.device.link import Gap
from polarity_host.live.event_log import ViewerEvent
from polarity_host.terminal.reporter import UNREPORTED_FACTS
from polarity_host.wire.lines import Damaged, Message
from polarity_host.wire.messages import FactMessage, GameMessage, LogMessage, RulingMessage
from polarity_host.words import LANGUAGES, Words, clock

MOST_REMEMBERED = 400  # facts and rulings that an explanation or evidence may still name

Texts = dict[str, str]  # by language
T = TypeVar("T")


class EventReporter:
    """Turns messages into events: `k`, `n`, `b`, `t_ms`, `clock` (from the game's begin), `turn`,
    `fields` (those of PROTOCOL.md), `words` and, of a ruling, `why`, by language; `quiet` marks
    facts that are of no interest to a player.
    """

    def __init__(self) -> None:
        self._words = {language: Words(language) for language in LANGUAGES}
        self._facts: dict[int, Texts] = {}
        self._rulings: dict[int, dict[str, Any]] = {}
        self.begin("", 0)

    def begin(self, edition: str, t_ms: int) -> None:
        """A game begins."""
        self._edition, self._begun_ms, self._turn = edition, t_ms, 0

    def report(self, message: Message) -> ViewerEvent:
        """A game, fact, ruling or log message as an event."""
        body = message.body
        if isinstance(body, RulingMessage):
            self._turn = body.turn
        edition = self._edition
        texts = {code: _text(words, message, edition) for code, words in self._words.items()}
        event: ViewerEvent = {
            "k": message.kind,
            "n": message.number,
            "b": message.boot,
            "t_ms": message.t_ms,
            "clock": clock(message.t_ms - self._begun_ms),
            "turn": self._turn,
            "fields": message.as_received(),
            "words": texts,
        }
        if isinstance(body, RulingMessage):
            event["why"] = self._explanation(body)
            _remember(self._rulings, message.number, {"words": texts, "why": event["why"]})
        elif isinstance(body, FactMessage):
            _remember(self._facts, message.number, texts)
            if body.kind in UNREPORTED_FACTS:
                event["quiet"] = True
        return event

    def report_gap(self, gap: Gap, t_ms: int) -> ViewerEvent:
        """Messages that are lost for good, as an event."""
        count = gap.last - gap.first + 1
        span = {"number": count, "first": gap.first, "last": gap.last}
        texts = {code: words.text("lost", count, **span) for code, words in self._words.items()}
        return {
            "k": "lost", "n": gap.last, "b": gap.boot, "t_ms": t_ms,
            "clock": clock(t_ms - self._begun_ms), "turn": self._turn, "fields": span,
            "words": texts,
        }  # fmt: skip

    def report_aside(self, damaged: Damaged, number: int, t_ms: int) -> ViewerEvent:
        """A line that is no message though its checksum is right, as an event: the `number`th."""
        texts = {code: words.aside(damaged.why) for code, words in self._words.items()}
        return {
            "k": "aside", "n": number, "b": 0, "t_ms": t_ms, "clock": clock(t_ms - self._begun_ms),
            "turn": self._turn, "fields": {"why": damaged.why}, "words": texts,
        }  # fmt: skip

    def texts_of(self, number: int, facts: list[int]) -> dict[str, Any]:
        """The texts of a ruling, `words` and `why` by language, and `facts`: the texts of each of
        these, by number.
        """
        known = {n: self._facts[n] for n in facts if n in self._facts}
        return {**self._rulings.get(number, {"words": {}, "why": {}}), "facts": known}

    def _explanation(self, ruling: RulingMessage) -> dict[str, list[str]]:
        """Why the ruling was made: lines, by language."""
        why = {}
        for language, words in self._words.items():
            observed = {number: texts[language] for number, texts in self._facts.items()}
            why[language] = words.explanation(ruling, self._edition, observed)
        return why


def _text(words: Words, message: Message, edition: str) -> str:
    match message.body:
        case RulingMessage() as ruling:
            return words.ruling(ruling, edition)
        case FactMessage() as fact:
            return words.fact(fact)
        case GameMessage(edition, mat):
            return words.game(edition, mat)
        case LogMessage(text=text):
            return words.log(text)
        case _:
            return ""


def _remember(texts: dict[int, T], number: int, text: T) -> None:
    texts[number] = text
    while len(texts) > MOST_REMEMBERED:
        del texts[next(iter(texts))]
