"""Why a ruling was made: the rule, what was observed, and who owes what now."""

from collections.abc import Iterable, Mapping

from polarity_host.wire.messages import RulingMessage
from polarity_host.words.catalogue import Catalogue
from polarity_host.words.points import points_of, rule_words

#: The codes that are explained; the sentence of any other says everything.
EXPLAINED = ("fault", "capture_failed", "captured", "end", "irregular", "unsure")
#: Of these, the ones after which captures may be owed.
OWING = ("fault", "capture_failed", "captured")


def explanation(
    catalogue: Catalogue, ruling: RulingMessage, edition: str, facts: Mapping[int, str]
) -> list[str]:
    """One line for each reason. `facts`: the observations, in words, by number of the message."""
    code = ruling.code
    if code not in EXPLAINED:
        return []
    lines = []
    for point in points_of(ruling):
        if rule := rule_words(catalogue, point, edition):
            lines.append(catalogue.say("explain.rule", text=rule))
    for number in ruling.facts:
        if number in facts:
            lines.append(catalogue.say("explain.seen", number=number, text=facts[number]))
    if code in OWING:
        owed = _owed(catalogue, ruling.owed)
        lines.append(catalogue.say("explain.owed", text=owed))
    return lines


def _owed(catalogue: Catalogue, owed: Iterable[tuple[str, tuple[int, ...]]]) -> str:
    parts = []
    for letter in ("w", "b"):
        player = catalogue.player(letter)
        groups = [pieces for debtor, pieces in owed if debtor == letter]
        for pieces in groups:
            named = catalogue.pieces(pieces)
            parts.append(catalogue.say("explain.owes", player=player, pieces=named))
        if not groups:
            parts.append(catalogue.say("explain.owes_nothing", player=player))
    return catalogue.groups(parts)
