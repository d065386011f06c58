"""The whole position for the wire, made a few pieces at a time: all at once it takes the chip as
long as several frames."""

from .facts import letter
from .wire.messages import Text, json_text

PIECES = 3  # at a time, 4 to 5 ms on the chip


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
    bodies, texts = lying(engine.tracker), []
    for first in range(0, len(bodies), PIECES):
        rows = [row(body, engine.mat.DISC_RADIUS) for body in bodies[first : first + PIECES]]
        texts.append(json_text(rows)[1:-1])
        yield
        if engine.outbox.last != told:
            return
    state = engine.referee.state()
    yield
    if engine.outbox.last == told:
        engine.snapped(Text("[" + ",".join(texts) + "]"), state)


def _by_id(pair):
    return pair[0]
