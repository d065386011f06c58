"""What frames show: the bare mat first, then one disc drawn over it, and discs that lie still.

A *view* is one disc, or a stack, seen by the sensors around it: from one frame while it was drawn,
from the mean of many while it lay.
"""

from dataclasses import dataclass

import numpy as np

from polarity_host.errors import BAD_INPUT, FAILED, HostError

from . import codes

BARE_S = 0.5  # so much of the bare mat at least
PRESENT_MT = 4.0  # a disc on the mat gives more than that at the nearest sensor
BARE_MT = 1.0  # and a bare mat less
FAR_MT = 10.0  # no sensor's zero is so far off: a disc lies there
A_DISC = 3  # sensors that see it
STEP = 0.15  # diameters after which a drawn disc is looked at again
MOST_DRAWN = 3000
LAG_S = 0.2
LYING_S = 0.6  # discs that lie still for so long are looked at
STILL_SIGMAS = 2.5
MARGIN_S = 0.15  # before and after, left out
LOOK_FRAMES = 64  # more are no better: the converter's errors stay
SENSORS = 21  # nearest ones that a view is made of
NOISY_COUNTS = 60.0  # rms of a frame; a sound sensor has about 6


@dataclass
class Survey:
    """One mat as the frames show it; arrays by sensor are in frame order.

    `offset_counts`, `noise_counts` (n,) are from the bare mat; `broken` is sensor -> why;
    `code_width_lsb` and its doubt: see codes.py. The views:
    `t_us` (m,), `sensors` (m, k) indices, `counts` (m, k), `xy_mm` (m, 2) roughly where, `face`
    (m,) +1 where counts rise, `frames` (m,) how many each is the mean of, `lying` (m,) bool.
    """

    offset_counts: np.ndarray
    noise_counts: np.ndarray
    broken: dict
    code_width_lsb: float
    code_doubt_lsb: float
    t_us: np.ndarray
    sensors: np.ndarray
    counts: np.ndarray
    xy_mm: np.ndarray
    face: np.ndarray
    frames: np.ndarray
    lying: np.ndarray
    drawn_s: float


def survey(frames, mat) -> Survey:
    """Reads (t_us, counts) of one calibration. HostError when the mat was not bare at first or no
    disc was shown."""
    t_us, counts = [], []
    for t, values in frames:
        t_us.append(t)
        counts.append(values)
    if len(t_us) < 10:
        raise HostError(BAD_INPUT, "too few frames to calibrate by; record the whole calibration")
    t_us, counts = np.array(t_us, np.int64), np.array(counts)
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
    runs = _lying(t_us, counts, offset, noise, present, sound, mat)
    drawn = _drawn(where, present, runs, STEP * mat.disc.diameter_mm)
    views = [(i, i + 1, False) for i in drawn] + [(a, b, True) for a, b in runs]
    nearest = _nearest(mat, sound)
    rows = []
    for a, b, lying in views:
        middle = (a + b) // 2
        use = nearest(where[middle])
        b = min(b, a + LOOK_FRAMES)
        rows.append((t_us[middle], use, counts[a:b, use].mean(axis=0), where[middle], sign[middle],
                     b - a, lying))  # fmt: skip
    columns = [np.array(column) for column in zip(*rows)]
    steps = np.diff(t_us[drawn])
    drawn_s = float(steps[steps < 1_000_000].sum() / 1e6)
    moving = present.copy()
    for a, b in runs:
        moving[a:b] = False
    width = codes.width_lsb(counts[moving][:, sound] / mat.oversample)
    return Survey(offset, noise, broken, *width, *columns, drawn_s)


def _bare(t_us, counts, mat):
    """(offsets, noise, broken sensors) of the mat before anything is brought."""
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
    broken = {}
    for i in range(mat.n):
        if not bare[:, i].any():
            broken[i] = "dead"
        elif noise[i] == 0.0:
            broken[i] = "stuck"
        elif noise[i] > NOISY_COUNTS or moved[i] > BARE_MT:
            broken[i] = "noisy"
    if 4 * len(broken) > mat.n:
        raise HostError(
            FAILED, f"{len(broken)} of {mat.n} sensors are broken; check the mat's wiring"
        )
    return offset, noise, broken


def _lying(t_us, counts, offset, noise, present, sound, mat):
    """[first, end) frames of each time that a disc lay still."""
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


def _drawn(where, present, runs, step_mm):
    """Frames of a disc on its way, so far apart."""
    lying = np.zeros(len(present), bool)
    for a, b in runs:
        lying[a:b] = True
    found, last = [], None
    for i in np.flatnonzero(present & ~lying):
        if last is None or np.hypot(*(where[i] - where[last])) >= step_mm:
            found.append(i)
            last = i
    if len(found) > MOST_DRAWN:
        found = [found[i] for i in np.linspace(0, len(found) - 1, MOST_DRAWN).astype(int)]
    return np.array(found, int)


def _nearest(mat, sound):
    """A function from a place to its SENSORS nearest sound sensors."""
    xy, index = mat.sensor_xyz_mm[sound, :2], np.flatnonzero(sound)

    def nearest(place):
        apart = np.hypot(*(xy - place).T)
        return index[np.argpartition(apart, SENSORS)[:SENSORS]]

    return nearest
