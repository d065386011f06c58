"""Finds in frames the bare mat, then one disc drawn over it, and discs that lie still.

A *view* is one disc, or a stack, as the sensors around it measure it: in one frame while it was
drawn, in the mean of many while it lay.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polarity_host.device.calibration import TimedFrame
from polarity_host.errors import BAD_INPUT, FAILED, HostError
from polarity_host.mats.description import Mat

from . import codes

BARE_S = 0.5  # the least time of the bare mat
PRESENT_MT = 4.0  # a disc on the mat gives more than this at the nearest sensor
BARE_MT = 1.0  # and a bare mat less than this
FAR_MT = 10.0  # no sensor's zero is this far off: a disc lies there
A_DISC = 3  # sensors that a disc reaches at least
STEP = 0.15  # diameters between two views of a drawn disc
MOST_DRAWN = 3000  # views
LAG_S = 0.2  # between two frames that are compared to see whether a disc lies still
LYING_S = 0.6  # discs that lie still for this long make a view
STILL_SIGMAS = 2.5
MARGIN_S = 0.15  # left out before and after
VIEW_FRAMES = 64  # more do not help: the converter's errors remain
SENSORS = 21  # the nearest ones make a view
NOISY_COUNTS = 60.0  # rms of a frame; a sound sensor has about 6

_Floats = NDArray[np.float64]
_Ints = NDArray[np.int_]
_Bools = NDArray[np.bool_]
_Run = tuple[int, int]  # [first, end) frames


@dataclass
class Survey:
    """One mat as the frames show it; arrays by sensor are in frame order.

    `offset_counts`, `noise_counts` (n,) are from the bare mat; `broken` gives the reason by sensor;
    `code_width_lsb` and `code_doubt_lsb`, its standard error: see codes.py. The views:
    `t_us` (m,), `sensors` (m, k) indices, `counts` (m, k), `xy_mm` (m, 2) its approximate place,
    `face` (m,) +1 where counts rise, else -1, `frames` (m,) how many each is the mean of, `lying`
    (m,) whether the disc lay still. `drawn_s` is how long a disc was drawn.
    """

    offset_counts: _Floats
    noise_counts: _Floats
    broken: dict[int, str]
    code_width_lsb: float
    code_doubt_lsb: float
    t_us: NDArray[np.int64]
    sensors: _Ints
    counts: _Floats
    xy_mm: _Floats
    face: _Ints
    frames: _Ints
    lying: _Bools
    drawn_s: float


def survey_of(frames: Iterable[TimedFrame], mat: Mat) -> Survey:
    """Reads the frames of one calibration. HostError when the mat was not bare at first or no disc
    was shown."""
    times, values = [], []
    for t, one in frames:
        times.append(t)
        values.append(one)
    if len(times) < 10:
        raise HostError(BAD_INPUT, "too few frames to calibrate by; record the whole calibration")
    t_us, counts = np.array(times, np.int64), np.array(values)
    offset, noise, broken = _bare(t_us, counts, mat)
    sound = np.array([i not in broken for i in range(mat.n)])
    peak = np.empty(len(t_us))
    where = np.empty((len(t_us), 2))
    sign = np.empty(len(t_us), int)
    for i, frame in enumerate(counts):
        mt = np.where(sound, frame - offset, 0.0) / mat.counts_per_mt
        top = int(np.argmax(np.abs(mt)))
        peak[i], sign[i] = abs(mt[top]), 1 if mt[top] > 0 else -1
        share = np.clip(mt * sign[i] - 0.3 * peak[i], 0.0, None)
        where[i] = share @ mat.sensor_xyz_mm[:, :2] / max(share.sum(), 1e-9)
    present = peak > PRESENT_MT
    if not present.any():
        raise HostError(FAILED, "no disc was seen on the mat; draw one over all of it, lying flat")
    runs = _lying(t_us, counts, offset, noise, present, sound)
    drawn = _drawn(where, present, runs, STEP * mat.disc.diameter_mm)
    views = [(i, i + 1, False) for i in drawn] + [(a, b, True) for a, b in runs]
    nearest = _nearest(mat, sound)
    middles = np.array([(a + b) // 2 for a, b, _ in views])
    sensors = np.array([nearest(where[middle]) for middle in middles])
    runs_used = [(a, min(b, a + VIEW_FRAMES)) for a, b, _ in views]
    means = [counts[a:b, used].mean(axis=0) for (a, b), used in zip(runs_used, sensors)]
    steps = np.diff(t_us[drawn])
    drawn_s = float(steps[steps < 1_000_000].sum() / 1e6)
    moving = present.copy()
    for a, b in runs:
        moving[a:b] = False
    width_lsb, doubt_lsb = codes.width_lsb(counts[moving][:, sound] / mat.oversample)
    return Survey(
        offset_counts=offset,
        noise_counts=noise,
        broken=broken,
        code_width_lsb=width_lsb,
        code_doubt_lsb=doubt_lsb,
        t_us=t_us[middles],
        sensors=sensors,
        counts=np.array(means),
        xy_mm=where[middles],
        face=sign[middles],
        frames=np.array([b - a for a, b in runs_used]),
        lying=np.array([lying for _, _, lying in views]),
        drawn_s=drawn_s,
    )


def _bare(
    t_us: NDArray[np.int64], counts: NDArray[np.uint16], mat: Mat
) -> tuple[_Floats, _Floats, dict[int, str]]:
    """(offsets, noise, broken sensors) of the mat before a disc comes."""
    first = int(np.searchsorted(t_us, t_us[0] + BARE_S * 1e6))
    bare = counts[:first].astype(float)
    if first < 5:
        raise HostError(BAD_INPUT, "too few frames of the bare mat; leave it bare for a second")
    half = len(bare) // 2
    moved = np.abs(bare[:half].mean(axis=0) - bare[half:].mean(axis=0)) / mat.counts_per_mt
    offset, noise = bare.mean(axis=0), bare.std(axis=0)
    far = np.abs(offset - mat.zero_count) / mat.counts_per_mt > FAR_MT
    if np.sum(moved > BARE_MT / 2) >= A_DISC or np.sum(far & (noise > 0)) >= A_DISC:
        raise HostError(FAILED, "the mat was not bare and still at first; take all discs away")
    broken: dict[int, str] = {}
    for i in range(mat.n):
        if not bare[:, i].any():
            broken[i] = "dead"
        elif noise[i] == 0.0:
            broken[i] = "stuck"
        elif noise[i] > NOISY_COUNTS or moved[i] > BARE_MT:
            broken[i] = "noisy"
    if 4 * len(broken) > mat.n:
        raise HostError(
            FAILED,
            "{broken} of {n} sensors are broken; check the mat's wiring",
            broken=len(broken),
            n=mat.n,
        )
    return offset, noise, broken


def _lying(
    t_us: NDArray[np.int64],
    counts: NDArray[np.uint16],
    offset: _Floats,
    noise: _Floats,
    present: _Bools,
    sound: _Bools,
) -> list[_Run]:
    """The times that a disc lay still."""
    period = np.median(np.diff(t_us))
    lag = max(1, round(LAG_S * 1e6 / period))
    usual = float(np.median(noise[sound])) * np.sqrt(2.0)
    still = np.zeros(len(t_us), bool)
    for i in range(lag, len(t_us)):
        if present[i] and present[i - lag]:
            mt = np.abs(counts[i] - offset) * sound
            strong = np.argpartition(mt, -8)[-8:]
            change = counts[i, strong].astype(float) - counts[i - lag, strong]
            still[i] = np.sqrt(np.mean(change**2)) < STILL_SIGMAS * usual
    edges = np.flatnonzero(np.diff(np.concatenate([[0], still, [0]])))
    margin = round(MARGIN_S * 1e6 / period)
    runs = [(a + margin, b - margin) for a, b in edges.reshape(-1, 2)]
    shortest = LYING_S * 1e6 / period - 2 * margin - lag
    return [(a, b) for a, b in runs if b - a > max(0.0, shortest)]


def _drawn(where: _Floats, present: _Bools, runs: list[_Run], step_mm: float) -> _Ints:
    """Indices of frames of a disc on its way, at least `step_mm` from one another."""
    lying = np.zeros(len(present), bool)
    for a, b in runs:
        lying[a:b] = True
    found: list[int] = []
    last: int | None = None
    for i in np.flatnonzero(present & ~lying).tolist():
        if last is None or np.hypot(*(where[i] - where[last])) >= step_mm:
            found.append(i)
            last = i
    if len(found) > MOST_DRAWN:
        found = [found[i] for i in np.linspace(0, len(found) - 1, MOST_DRAWN).astype(int)]
    return np.array(found, int)


def _nearest(mat: Mat, sound: _Bools) -> Callable[[_Floats], _Ints]:
    """A function that returns the SENSORS sound sensors nearest to a place."""
    xy, index = mat.sensor_xyz_mm[sound, :2], np.flatnonzero(sound)

    def nearest(place: _Floats) -> _Ints:
        apart = np.hypot(*(xy - place).T)
        return index[np.argpartition(apart, SENSORS)[:SENSORS]]

    return nearest
