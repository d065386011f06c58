"""A `ruling` message in a sentence or two. An unknown code or reason is shown as it is."""

from collections.abc import Sequence
from typing import Any

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

#: Ends at which the score decides who has won, or may; at the others it does not count.
DECIDED_BY_SCORE = ("reserve_empty", "one_colour")
MAYBE_BY_SCORE = ("no_colour",)
#: Ends that cost one player the game: of three the other two have not lost.
LOST_BY_ONE = ("touched_red", "red_off")


def ruling_words(catalogue: Catalogue, ruling: RulingMessage) -> str:
    """The ruling, and what follows from it: what is to be captured, what goes back."""
    code, why = ruling.code, ruling.why
    values = _values(catalogue, ruling)
    count = max(1, len(ruling.pieces))
    if code in REASONS:
        values["reason"] = reason_words(catalogue, REASONS[code], why, count, values)
    if code == "end":
        values["result"] = game_result(catalogue, ruling)
    if catalogue.has(f"ruling.{code}"):
        sentence = catalogue.say(f"ruling.{code}", why, count, **values)
    else:
        sentence = catalogue.say("ruling.unknown", plainly(why), code=plainly(code), **values)
    return " ".join([sentence, *_follows(catalogue, ruling)])


def game_result(catalogue: Catalogue, end: RulingMessage) -> str:
    """Who won, from an `end` ruling, with the score where that decided it."""
    if end.player or end.seat:
        outcome = catalogue.say("result.won", player=catalogue.seat(end.seat, end.player))
    elif end.why in LOST_BY_ONE:
        outcome = catalogue.say("result.one_lost")
    else:
        outcome = catalogue.say("result.draw")
    score = end.score
    decides = end.why in DECIDED_BY_SCORE or (
        end.why in MAYBE_BY_SCORE and len(score) == 2 and end.player == _leader(score)
    )
    if not score or not decides:
        return outcome
    if len(score) == 2:
        return catalogue.say("result.score", outcome=outcome, white=score[0], black=score[1])
    return catalogue.say("result.scores", outcome=outcome, numbers=catalogue.listed(score))


def _leader(score: Sequence[int]) -> str:
    return "w" if score[0] > score[1] else "b" if score[0] < score[1] else ""


def _values(catalogue: Catalogue, ruling: RulingMessage) -> dict[str, Any]:
    """What the sentences may name."""
    pieces, player = ruling.pieces, ruling.player
    return {
        "player": catalogue.seat(ruling.seat, player),
        "other": catalogue.player(OTHER.get(player, "")),
        "pieces": catalogue.pieces(pieces),
        "rest": catalogue.pieces(pieces[1:]),
        "number": pieces[0] if pieces else "?",
        "colour": catalogue.face(player),
        "reserves": _reserves(catalogue, ruling.reserve),
        "names": ruling.names or "?",
    }


def _reserves(catalogue: Catalogue, reserve: Sequence[int]) -> str:
    """By colour where there are two; where there are more, in the order of the seats."""
    if len(reserve) == 2:
        return catalogue.say("reserves.two", white=reserve[0], black=reserve[1])
    return catalogue.say("reserves.more", numbers=catalogue.listed(reserve))


def reason_words(
    catalogue: Catalogue, section: str, why: str, count: int, values: dict[str, Any]
) -> str:
    """A reason out of a section; one that the catalogue does not know is shown as it is."""
    if catalogue.has(f"{section}.{why}"):
        return catalogue.say(f"{section}.{why}", count=count, **values)
    if catalogue.has(f"{section}.plain"):
        return catalogue.say(f"{section}.plain", plainly(why), count, **values)
    return plainly(why)


def _follows(catalogue: Catalogue, ruling: RulingMessage) -> list[str]:
    """What is to be captured and what goes back. A capture that failed comes after its fault,
    whose sentence already names what is to be captured.
    """
    sentences = []
    for player, pieces in ruling.owed:
        if ruling.code == "fault":
            key = "follows.owed"
        elif ruling.code in ("turn", "captured") and player == ruling.player:
            key = "follows.owed_first"
        else:
            continue
        debtor, group = catalogue.player(player), catalogue.pieces(pieces)
        sentences.append(catalogue.say(key, player=debtor, pieces=group))
    for player, discs in ruling.returns:
        owner = catalogue.player(player)
        sentences.append(catalogue.say("follows.returns", count=discs, player=owner, discs=discs))
    return sentences


def plainly(code: str) -> str:
    """A readable form of a code that no catalogue has."""
    return code.replace("_", " ")
