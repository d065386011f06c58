"""The whole position for the wire, made a few pieces at a time: all at once it takes the chip as
long as several frames."""

from .facts import letter

PIECES = 4  # at a time, 4 ms on the chip


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
    rows = []
    for body in lying(engine.tracker):
        rows.append(row(body, engine.mat.DISC_RADIUS))
        if len(rows) % PIECES == 0:
            yield
            if engine.outbox.last != told:
                return
    state = engine.referee.state()
    yield
    if engine.outbox.last == told:
        engine.snapped(rows, state)


def _by_id(pair):
    return pair[0]
