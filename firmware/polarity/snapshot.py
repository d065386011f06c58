"""The whole position for the wire, made a few pieces at a time: all at once it takes the chip as
long as several frames."""

from json import dumps

from .facts import letter
from .wire.messages import Text, json_text

PIECES = 2  # at a time: with what else there is to do, 6 ms on the chip


def row(body, radius):
    """[id, shape, face, discs, x, y, tilt, azimuth] of a body that lies there, 1/100 mm and
    degrees; `radius` is a disc's."""
    x, y = body.spot_cmm(radius)
    face, discs = letter(body.face), body.discs
    return [body.id, body.shape, face, discs, x, y, body.tilt_deg(), body.azimuth_deg()]


def lying(tracker):
    """The bodies that lie on the mat, by their ids."""
    found = [(body.id, body) for body in tracker.bodies if body.lying]
    found.sort(key=_by_id)
    return [body for _, body in found]


def slices(engine):
    """A generator: it makes a snapshot step by step and hands it to `engine.snapped` in the last
    one. When anything was told in between, which the snapshot would know half of, it ends without.
    """
    told = engine.outbox.last
    bodies, pieces = lying(engine.tracker), []
    yield
    for first in range(0, len(bodies), PIECES):
        if engine.outbox.last != told:
            return
        rows = [row(body, engine.mat.DISC_RADIUS) for body in bodies[first : first + PIECES]]
        pieces.append(_listed(rows, first))
        yield
    if engine.outbox.last != told:
        return
    known, state = engine.referee.state(), []
    yield
    for name in sorted(known):
        rows = known[name]
        state.append(("," if state else "{") + '"' + name + '":')
        if name != "pieces":
            state.append(json_text(rows))
            continue
        for first in range(0, len(rows), 2 * PIECES):
            state.append(_listed(rows[first : first + 2 * PIECES], first))
            yield
        state.append("]" if rows else "[]")
    pieces.append("]" if pieces else "[]")
    state.append("}")
    yield
    if engine.outbox.last == told:
        engine.snapped(Text(pieces), Text(state))


def _listed(rows, first):
    """Rows of numbers and plain words as JSON, as they stand in a list from number `first` on."""
    return ("," if first else "[") + dumps(rows, separators=(",", ":"))[1:-1]


def _by_id(pair):
    return pair[0]
