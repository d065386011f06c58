"""The whole position for the wire, made a few pieces at a time: all at once it takes the chip as
long as several frames."""

from json import dumps

from .facts import letter
from .wire.messages import Text, json_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator
    from typing import Any

    from .game import Game
    from .perception.body import Body
    from .perception.tracker import Tracker

    Row = list[Any]  # id, shape, face, discs, x, y, tilt, azimuth

PIECES = 2  # in one step: with what else there is to do, 6 ms on the chip


def row(body: "Body", radius: int) -> "Row":
    """[id, shape, face, discs, x, y, tilt, azimuth] of a resting body, 1/100 mm and degrees;
    `radius` is a disc's, Q8 mm."""
    x, y = body.spot_cmm(radius)
    face, discs = letter(body.face), body.discs
    return [body.id, body.shape, face, discs, x, y, body.tilt_deg(), body.azimuth_deg()]


def sorted_resting(tracker: "Tracker") -> "list[Body]":
    """The bodies that lie on the mat, in the order of their ids."""
    found = [(body.id, body) for body in tracker.bodies if body.lying]
    found.sort(key=_by_id)
    return [body for _, body in found]


def steps(game: "Game") -> "Generator[None, None, tuple[Text, Text] | None]":
    """A generator: makes a snapshot step by step and returns it in the last one, as texts for the
    wire: the pieces, and Referee.state. When anything was recorded in between, which the snapshot
    would only half contain, it returns None.
    """
    outbox, radius = game.outbox, game.mat.DISC_RADIUS
    recorded = outbox.last
    bodies, pieces = sorted_resting(game.tracker), []
    yield
    for first in range(0, len(bodies), PIECES):
        if outbox.last != recorded:
            return None
        pieces.append(_items([row(body, radius) for body in bodies[first : first + PIECES]], first))
        yield
    if outbox.last != recorded:
        return None
    known, state = game.referee.state(), []
    yield
    for name in sorted(known):
        rows = known[name]
        state.append(("," if state else "{") + '"' + name + '":')
        if name != "pieces" or not isinstance(rows, list):
            state.append(json_text(rows))
            continue
        for first in range(0, len(rows), 2 * PIECES):
            state.append(_items(rows[first : first + 2 * PIECES], first))
            yield
        state.append("]" if rows else "[]")
    pieces.append("]" if pieces else "[]")
    state.append("}")
    yield
    return (Text(pieces), Text(state)) if outbox.last == recorded else None


def _items(rows: "list[Row]", first: int) -> str:
    """Rows of numbers and plain words as JSON: the items of a list from number `first` on."""
    return ("," if first else "[") + dumps(rows, separators=(",", ":"))[1:-1]


def _by_id(pair: "tuple[int, Body]") -> int:
    return pair[0]
