"""Events as viewers are told them: the message itself, and what it says in every language."""

from polarity_host.device.link import Gap
from polarity_host.terminal.reporter import UNTOLD_FACTS
from polarity_host.wire.lines import Message
from polarity_host.wire.messages import FactMessage, GameMessage, LogMessage, RulingMessage
from polarity_host.words import LANGUAGES, Words, clock

KEPT = 400  # facts and rulings that an explanation or evidence may still name


class EventReporter:
    """Turns messages into events: `k`, `n`, `b`, `t_ms`, `clock` (from the game's begin), `turn`,
    `fields` (those of PROTOCOL.md), `words` and, of a ruling, `why`, by language; `quiet` for what
    a reader need not be told.
    """

    def __init__(self):
        self._words = {language: Words(language) for language in LANGUAGES}
        self._facts: dict[int, dict[str, str]] = {}
        self._rulings: dict[int, dict] = {}
        self.begin("", 0)

    def begin(self, edition: str, t_ms: int) -> None:
        """A game begins."""
        self._edition, self._begun_ms, self._turn = edition, t_ms, 0

    def message(self, message: Message) -> dict:
        """A game, fact, ruling or log message as an event."""
        body, words, why = message.body, {}, {}
        if isinstance(body, RulingMessage):
            self._turn = body.turn
        for language, say in self._words.items():
            words[language] = self._said(say, message)
            if isinstance(body, RulingMessage):
                seen = {number: told[language] for number, told in self._facts.items()}
                why[language] = say.explanation(body, self._edition, seen)
        if message.kind == "fact":
            _remember(self._facts, message.number, words)
        event = {
            "k": message.kind,
            "n": message.number,
            "b": message.boot,
            "t_ms": message.t_ms,
            "clock": clock(message.t_ms - self._begun_ms),
            "turn": self._turn,
            "fields": message.as_received(),
            "words": words,
        }
        if message.kind == "ruling":
            event["why"] = why
            _remember(self._rulings, message.number, {"words": words, "why": why})
        if isinstance(body, FactMessage) and body.kind in UNTOLD_FACTS:
            event["quiet"] = True
        return event

    def gap(self, gap: Gap, t_ms: int) -> dict:
        """Messages that are lost for good, as an event."""
        count = gap.last - gap.first + 1
        span = {"number": count, "first": gap.first, "last": gap.last}
        words = {code: say.told("lost", count, **span) for code, say in self._words.items()}
        return {
            "k": "lost", "n": gap.last, "b": gap.boot, "t_ms": t_ms,
            "clock": clock(t_ms - self._begun_ms), "turn": self._turn, "fields": span,
            "words": words,
        }  # fmt: skip

    def told(self, number: int, facts: list[int]) -> dict:
        """What was told of a ruling, `words` and `why` by language, and `facts`: the same of each
        of these, by number.
        """
        seen = {n: self._facts[n] for n in facts if n in self._facts}
        return {**self._rulings.get(number, {"words": {}, "why": {}}), "facts": seen}

    def _said(self, say: Words, message: Message) -> str:
        match message.body:
            case RulingMessage() as ruling:
                return say.ruling(ruling)
            case FactMessage() as fact:
                return say.fact(fact)
            case GameMessage(edition, mat):
                return say.told("game", edition=edition, mat=mat)
            case LogMessage(text=text):
                return text
            case _:
                return ""


def _remember(kept: dict, number: int, what: dict) -> None:
    kept[number] = what
    while len(kept) > KEPT:
        del kept[next(iter(kept))]
