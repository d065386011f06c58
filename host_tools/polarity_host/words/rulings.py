"""A `ruling` message in a sentence or two. An unknown code or reason is shown as it is."""

from collections.abc import Sequence
from typing import Any

from polarity.rules.editions import rules_of
from polarity_host.wire.messages import RulingMessage
from polarity_host.words.catalogue import Catalogue

OTHER = {"w": "b", "b": "w"}

#: The codes whose sentence wants a reason, and the section of the catalogue that has the reasons.
REASONS = {
    "fault": "reasons",
    "irregular": "irregularities",
    "unsure": "questions",
    "end": "endings",
}

#: Ends that no score decides, and that no rule of an edition makes one decide.
NEVER_SCORED = ("touched_red", "red_off", "passed", "declared")


def ruling_words(catalogue: Catalogue, ruling: RulingMessage, edition: str = "") -> str:
    """The ruling, and what follows from it: what is to be captured, what goes back.

    `edition`: as on the wire, "" where it is not known.
    """
    code, why = ruling.code, ruling.why
    values = _values(catalogue, ruling)
    count = max(1, len(ruling.pieces))
    if code in REASONS:
        manner = _manner(ruling) if code == "irregular" else ""
        values["reason"] = reason_words(catalogue, REASONS[code], why, count, values, manner)
    if code == "end":
        values["result"] = game_result(catalogue, ruling, edition)
    if catalogue.has(f"ruling.{code}"):
        sentence = catalogue.say(f"ruling.{code}", why, count, **values)
    else:
        sentence = catalogue.say("ruling.unknown", plainly(why), code=plainly(code), **values)
    sentences = [sentence]
    if code == "irregular" and catalogue.has(f"remedies.{why}") and not ruling.returns:
        sentences.append(catalogue.say(f"remedies.{why}", count=count, **values) + ".")
    return " ".join(sentences + _follows(catalogue, ruling))


def game_result(catalogue: Catalogue, end: RulingMessage, edition: str = "") -> str:
    """Who won, from an `end` ruling, with the score where that decided it. `edition`: as on the
    wire, "" where it is not known.
    """
    score = end.score
    if end.player or end.seat:
        outcome = catalogue.say("result.won", player=catalogue.seat(end.seat, end.player))
    elif len(score) == 3 and end.why not in ("reserve_empty", "declared"):
        outcome = catalogue.say("result.one_lost")
    else:
        outcome = catalogue.say("result.draw")
    if not score or not score_decides(end, edition):
        return outcome
    if len(score) == 2:
        white, black = map(_signed, score)
        return catalogue.say("result.score", outcome=outcome, white=white, black=black)
    numbers = catalogue.listed(map(_signed, score))
    return catalogue.say("result.scores", outcome=outcome, numbers=numbers, players=len(score))


def score_decides(end: RulingMessage, edition: str) -> bool:
    """Whether the score decided who has won. Where the edition is not known: whether it may have,
    as the one who has won leads.
    """
    why, score = end.why, end.score
    rules = rules_of(edition)
    if rules is None:
        if why == "reserve_empty":
            return True
        return why not in NEVER_SCORED and len(score) == 2 and end.player == _leader(score)
    if why == "reserve_empty":
        return rules["score"] != "emptier"
    if why == "no_colour":
        return rules["no_colour"] == "ends"
    return why == "one_colour" and rules["one_colour_score"] == "towers"


def _leader(score: Sequence[int]) -> str:
    return "w" if score[0] > score[1] else "b" if score[0] < score[1] else ""


def _signed(points: int) -> str:
    return str(points).replace("-", "\u2212")


def _values(catalogue: Catalogue, ruling: RulingMessage) -> dict[str, Any]:
    """What the sentences may name."""
    pieces, player = ruling.pieces, ruling.player
    return {
        "player": catalogue.seat(ruling.seat, player),
        "other": catalogue.player(OTHER.get(player, "")),
        "pieces": catalogue.pieces(pieces),
        "rest": catalogue.pieces(pieces[1:]),
        "captured": _group(catalogue, ruling, pieces),
        "number": pieces[0] if pieces else "?",
        "colour": catalogue.face(player),
        "reserves": _reserves(catalogue, ruling.reserve),
        "names": ruling.names or "?",
    }


def _reserves(catalogue: Catalogue, reserve: Sequence[int]) -> str:
    """By colour where there are two; where there are more, in the order of the seats."""
    if len(reserve) == 2:
        return catalogue.say("reserves.two", white=reserve[0], black=reserve[1])
    numbers = catalogue.listed(reserve)
    return catalogue.say("reserves.more", numbers=numbers, players=len(reserve))


def _manner(ruling: RulingMessage) -> str:
    """Which of an irregularity's texts fits: discs go back with it, or it is about what is to be
    captured.
    """
    if ruling.returns:
        return "returned"
    owed = {piece for _, group in ruling.owed for piece in group}
    return "captured" if owed.intersection(ruling.pieces) else ""


def _group(catalogue: Catalogue, ruling: RulingMessage, pieces: Sequence[int]) -> str:
    """What is to be captured. A group of one piece is a tower, or a single disc that flipped; not
    every ruling shows which.
    """
    named = catalogue.pieces(pieces)
    if len(pieces) != 1:
        return named.group
    code, why = ruling.code, ruling.why
    returned = sum(discs for _, discs in ruling.returns)
    if code == "fault" and why in ("contact", "flipped") and pieces[0] in ruling.pieces:
        return named.tower if why == "contact" else named.disc
    if code == "capture_failed" and returned:
        return named.tower if returned > 1 else named.disc
    return named.group


def reason_words(
    catalogue: Catalogue,
    section: str,
    why: str,
    count: int,
    values: dict[str, Any],
    manner: str = "",
) -> str:
    """A reason out of a section; one that the catalogue does not know is shown as it is. `manner`
    chooses among its texts where it has several.
    """
    if catalogue.has(f"{section}.{why}"):
        return catalogue.say(f"{section}.{why}", manner, count, **values)
    if catalogue.has(f"{section}.plain"):
        return catalogue.say(f"{section}.plain", plainly(why), count, **values)
    return plainly(why)


def _follows(catalogue: Catalogue, ruling: RulingMessage) -> list[str]:
    """What is to be captured and what goes back. A capture that failed comes after its fault,
    whose sentence already names what is to be captured.
    """
    sentences = []
    for player in dict.fromkeys(debtor for debtor, _ in ruling.owed):
        if ruling.code == "fault":
            key = "follows.owed"
        elif ruling.code in ("turn", "captured") and player == ruling.player:
            key = "follows.owed_first"
        else:
            continue
        groups = catalogue.groups(
            _group(catalogue, ruling, group) for debtor, group in ruling.owed if debtor == player
        )
        sentences.append(catalogue.say(key, player=catalogue.player(player), groups=groups))
    for player, discs in ruling.returns:
        own = len(ruling.reserve) > 2 and player == ruling.player
        owner = catalogue.seat(ruling.seat if own else 0, player)
        sentences.append(catalogue.say("follows.returns", count=discs, player=owner, discs=discs))
    return sentences


def plainly(code: str) -> str:
    """A readable form of a code that no catalogue has."""
    return code.replace("_", " ")
