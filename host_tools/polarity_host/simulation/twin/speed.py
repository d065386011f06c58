"""How fast the twin runs: 40 discs on the mat, two of them moving, as a factor of real time."""

import time

from polarity_host.mats.description import load_mat

from .stage import Stage


def measure(mat=None, seed=1, seconds=10.0, resting=40, moving=2):
    """Returns {"realtime_factor", "frames", "resting", "moving", "seconds"} of one run."""
    mat = mat or load_mat()
    stage = Stage(mat, seed)
    frames = 0
    started = None
    script = _script(stage, seconds, resting, moving)
    for t_us, _ in stage.stream(script):
        if started is None and t_us >= stage.frame_us * 50:  # the first chunk computes every disc
            started, frames = time.perf_counter(), 0
        frames += 1
    spent = time.perf_counter() - started
    return {
        "realtime_factor": round(frames / mat.frame_hz / spent, 1),
        "frames": frames,
        "resting": resting,
        "moving": moving,
        "seconds": round(spent, 2),
    }


def _script(stage, seconds, resting, moving):
    pitch = stage.mat.disc.diameter_mm * 1.6
    side = int(stage.mat.circle_radius_mm // pitch)
    steps = [k * pitch for k in range(-side, side + 1)]
    places = [(x, y) for x in steps for y in steps]
    places.sort(key=lambda xy: xy[0] ** 2 + xy[1] ** 2)
    for k in range(resting):
        piece = stage.new_disc(1 if k % 2 else -1)
        piece.centre = (*places[k], piece.thickness_mm / 2)
        stage.let_go(piece)
        stage.enter(piece)
    yield from stage.rest(0.5)
    held = [stage.new_disc(face) for face in (1, -1, 1, -1)[:moving]]
    yield from stage.together(*(stage.carry_in(p, (50.0 * k, 0.0)) for k, p in enumerate(held)))
    yield from stage.rest(seconds)
