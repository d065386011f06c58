"""A `ruling` message in a sentence or two. An unknown code or reason is shown as it is."""

from polarity_host.words.catalogue import Catalogue

OTHER = {"w": "b", "b": "w"}

#: The codes whose sentence wants a reason, and the section of the catalogue that has the reasons.
REASONS = {
    "fault": "reasons",
    "irregular": "irregularities",
    "unsure": "questions",
    "end": "endings",
}

#: Ends at which the score says who has won; at the others it is over at once, whatever the score.
DECIDED_BY_SCORE = ("reserve_empty", "one_colour")


def ruling_words(catalogue: Catalogue, fields: dict) -> str:
    """The ruling, and what follows from it: what is to be captured, what goes back."""
    code, why = fields["code"], fields["why"]
    values = _values(catalogue, fields)
    count = max(1, len(fields["pieces"]))
    if code in REASONS:
        values["reason"] = reason_words(catalogue, REASONS[code], why, count, values)
    if code == "end":
        values["result"] = game_result(catalogue, fields)
    if catalogue.has(f"ruling.{code}"):
        said = catalogue.say(f"ruling.{code}", why, count, **values)
    else:
        said = catalogue.say("ruling.unknown", plainly(why), code=plainly(code), **values)
    return " ".join([said, *_follows(catalogue, fields)])


def game_result(catalogue: Catalogue, end: dict) -> str:
    """Who won, from an `end` ruling's fields, with the score where that decided it."""
    seat = end.get("seat", 0)
    if end["player"] or seat:
        outcome = catalogue.say("result.won", player=catalogue.seat(seat, end["player"]))
    else:
        outcome = catalogue.say("result.draw")
    score = end.get("score")
    if not score or end["why"] not in DECIDED_BY_SCORE:
        return outcome
    if len(score) == 2:
        return catalogue.say("result.score", outcome=outcome, white=score[0], black=score[1])
    return catalogue.say("result.scores", outcome=outcome, numbers=catalogue.listed(score))


def _values(catalogue: Catalogue, fields: dict) -> dict:
    """What the sentences may name."""
    pieces, player = fields["pieces"], fields["player"]
    return {
        "player": catalogue.seat(fields.get("seat", 0), player),
        "other": catalogue.player(OTHER.get(player, "")),
        "pieces": catalogue.pieces(pieces),
        "rest": catalogue.pieces(pieces[1:]),
        "number": pieces[0] if pieces else "?",
        "colour": catalogue.face(player),
        "reserves": _reserves(catalogue, fields["reserve"]),
        "names": fields.get("names", 0) or "?",
    }


def _reserves(catalogue: Catalogue, reserve) -> str:
    """By colour where there are two; where there are more, in the order of the seats."""
    if len(reserve) == 2:
        return catalogue.say("reserves.two", white=reserve[0], black=reserve[1])
    return catalogue.say("reserves.more", numbers=catalogue.listed(reserve))


def reason_words(catalogue: Catalogue, section: str, why: str, count: int, values: dict) -> str:
    """A reason out of a section; one that the catalogue does not know is shown as it is."""
    if catalogue.has(f"{section}.{why}"):
        return catalogue.say(f"{section}.{why}", count=count, **values)
    if catalogue.has(f"{section}.plain"):
        return catalogue.say(f"{section}.plain", plainly(why), count, **values)
    return plainly(why)


def _follows(catalogue: Catalogue, fields: dict) -> list[str]:
    """What is to be captured and what goes back. A capture that failed is preceded by the fault,
    which has told what is to be captured.
    """
    said = []
    for player, pieces in fields["owed"]:
        values = {"player": catalogue.player(player), "pieces": catalogue.pieces(pieces)}
        if fields["code"] == "fault":
            said.append(catalogue.say("follows.owed", **values))
        elif fields["code"] in ("turn", "captured") and player == fields["player"]:
            said.append(catalogue.say("follows.owed_first", **values))
    for player, discs in fields["returns"]:
        values = {"player": catalogue.player(player), "discs": discs}
        said.append(catalogue.say("follows.returns", count=discs, **values))
    return said


def plainly(code: str) -> str:
    """A code that no catalogue knows, readable."""
    return code.replace("_", " ")
