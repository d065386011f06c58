"""How fast the twin runs: 40 discs on the mat, two of them moving, as a factor of real time."""

import time

from polarity_host.mats.description import Mat, load_mat

from .stage import Stage
from .stage_state import Action


def measure(
    mat: Mat | None = None,
    seed: int = 1,
    seconds: float = 10.0,
    resting: int = 40,
    moving: int = 2,
) -> dict[str, float]:
    """Returns {"realtime_factor", "frames", "resting", "moving", "seconds"} of one run."""
    mat = mat or load_mat()
    stage = Stage(mat, seed)
    frames = 1  # the one after that chunk
    stream = stage.stream(_script(stage, seconds, resting, moving))
    for t_us, _ in stream:
        if t_us >= stage.frame_us * 50:  # the first chunk computes every disc
            break
    started = time.perf_counter()
    for _ in stream:
        frames += 1
    spent = time.perf_counter() - started
    return {
        "realtime_factor": round(frames / mat.frame_hz / spent, 1),
        "frames": frames,
        "resting": resting,
        "moving": moving,
        "seconds": round(spent, 2),
    }


def _script(stage: Stage, seconds: float, resting: int, moving: int) -> Action:
    pitch = stage.mat.disc.diameter_mm * 1.6
    side = int(stage.mat.circle_radius_mm // pitch)
    steps = [k * pitch for k in range(-side, side + 1)]
    places = [(x, y) for x in steps for y in steps]
    places.sort(key=lambda xy: xy[0] ** 2 + xy[1] ** 2)
    for k in range(resting):
        stage.appear(1 if k % 2 else -1, places[k])
    yield from stage.rest(0.5)
    held = [stage.new_disc(face) for face in (1, -1, 1, -1)[:moving]]
    yield from stage.together(*(stage.carry_in(p, (50.0 * k, 0.0)) for k, p in enumerate(held)))
    yield from stage.rest(seconds)
