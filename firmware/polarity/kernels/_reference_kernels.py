"""The kernels' reference: each is the arithmetic of _reference.py on the words of a record.

A record is a list here. Its words are numbered in _records.py, and kernels.h says what they hold.
"""

from array import array

from . import _reference as plain
from ._limits import FURTHEST_MM_Q8, NEAR_BODY_MM_Q8
from ._records import (
    ALONE_BELOW,
    ALONE_MORE,
    ALONE_MOST,
    AX,
    AY,
    AZ,
    BROKEN,
    DISCS,
    EACH,
    FAR,
    FAR_NOISE,
    FAR_UT,
    INPUTS_FAR,
    INPUTS_LAST,
    INPUTS_ORDER,
    INPUTS_TALLIES,
    KEPT,
    LEAST_NOISE,
    ODD_NOISE_UT,
    ODD_UT,
    QUIET_NOISE,
    REGION_COSTS,
    REGION_COUNT,
    REGION_FROM_X,
    REGION_FROM_Y,
    REGION_INDEX,
    REGION_PLACES,
    REGION_SCENE,
    REGION_SEED_COUNT,
    REGION_SEEDS,
    REGION_WEIGHT,
    SCENE_BASE,
    SCENE_BIAS,
    SCENE_CENTRE_X,
    SCENE_CENTRE_Y,
    SCENE_FIELD,
    SCENE_GAIN,
    SCENE_GRID,
    SCENE_HIGH,
    SCENE_LOW,
    SCENE_MOVING,
    SCENE_N,
    SCENE_NOISE,
    SCENE_OFFSET,
    SCENE_PITCH,
    SCENE_RESIDUAL,
    SCENE_ROWS,
    SCENE_SIDE,
    SCENE_WITHIN,
    SCENE_X,
    SCENE_Y,
    SEED,
    SHARE_COUNT,
    SHARE_INDEX,
    SHARE_MARKED,
    SHARE_MOST,
    SHARE_REACH,
    SHARE_VALUES,
    SILENT,
    TALLIES,
    TALLY_BEYOND,
    TALLY_FAR,
    TALLY_ODD,
    TALLY_SAMPLE,
    TALLY_SAMPLED,
    TALLY_SOUND,
    USUAL,
    WATCH_AT,
    WATCH_BEFORE,
    WATCH_BEYOND,
    WATCH_END,
    WATCH_FAR,
    WATCH_LOOKS,
    WATCH_LOW,
    WATCH_MOST,
    WATCH_SAME,
    WATCH_STILL,
    WATCH_TOTAL,
    X,
    Y,
    Z,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    #: Numbers and buffers by the numbers of _records.py; where kernels are compiled an array, with
    #: the buffers' addresses.
    Record = list[Any]


def scan(s: "Record", counts: "Sequence[int]") -> int:
    """A frame's counts to field, residual and moving field; returns the largest |residual|."""
    return plain.scan(
        counts, s[SCENE_OFFSET], s[SCENE_GAIN], s[SCENE_BASE], s[SCENE_FIELD], s[SCENE_RESIDUAL],
        s[SCENE_MOVING], s[SCENE_NOISE], s[SCENE_N], s[SCENE_LOW], s[SCENE_HIGH],
    )  # fmt: skip


def watch(s: "Record", w: "Record", counts: "array[int]") -> None:
    """Looks at some sensors' counts: by how much the low eight bits differ from the last look, and
    how often in succession they did not; below 0, how much a sensor is noisy all alone."""
    low, same, before = w[WATCH_LOW], w[WATCH_SAME], w[WATCH_BEFORE]
    for i in range(w[WATCH_AT], w[WATCH_END]):
        step = _step(w, counts, i)
        own = _rated(s, i, step)
        low[i] = counts[i] & 255
        if own == SILENT:
            same[i] = 0
        elif own == FAR:
            same[i] = min(same[i], 0)
            after = _rated(s, i + 1, _step(w, counts, i + 1)) if i + 1 < s[SCENE_N] else SILENT
            if before <= USUAL and after <= USUAL and before + after:
                if abs(s[SCENE_FIELD][i]) < ALONE_BELOW:
                    same[i] = max(same[i] - ALONE_MORE, -ALONE_MOST)
        elif step:
            same[i] = min(same[i] + 1, 0)
        elif same[i] < w[WATCH_MOST]:
            same[i] = max(same[i], 0) + 1
        before = own
        if own != SILENT:
            w[WATCH_LOOKS] += 1
            w[WATCH_STILL] += not step
            w[WATCH_BEYOND] += step > w[WATCH_FAR]
            w[WATCH_TOTAL] += step
    w[WATCH_AT], w[WATCH_BEFORE] = w[WATCH_END], before


def _step(w: "Record", counts: "array[int]", i: int) -> int:
    """By how much a count's low eight bits differ from the last look."""
    return abs((counts[i] - w[WATCH_LOW][i] + 128 & 255) - 128)


def _rated(s: "Record", i: int, step: int) -> int:
    """SILENT, or whether a step is USUAL, LARGE or FAR for this sensor's own noise."""
    noise = s[SCENE_NOISE][i]
    if noise == BROKEN:
        return SILENT
    step_ut = step * abs(s[SCENE_GAIN][i]) >> 10
    far = max(noise, LEAST_NOISE) * FAR_NOISE + FAR_UT
    return USUAL + (step_ut * 3 > far * 2) + (step_ut > far)


def tally(s: "Record", w: "Record", counts: "array[int]") -> None:
    """Sums up what each ADC input's sensors show: TALLY_SAMPLED to TALLY_FAR. Their counts are kept
    for the next far steps, unless INPUTS_FAR is below 0."""
    sums, last, far, noise = w[INPUTS_TALLIES], w[INPUTS_LAST], w[INPUTS_FAR], s[SCENE_NOISE]
    for k in range(len(sums)):
        sums[k] = 0
    for k in range(0, s[SCENE_N], TALLY_SAMPLE):
        i, at = w[INPUTS_ORDER][k] & 0x3FFF, (w[INPUTS_ORDER][k] >> 14) * TALLIES
        sums[at + TALLY_SAMPLED] += 1
        sums[at + TALLY_BEYOND] += counts[i] < s[SCENE_LOW] or counts[i] > s[SCENE_HIGH]
        if noise[i] != BROKEN:
            most = ODD_UT + (noise[i] * ODD_NOISE_UT if noise[i] > QUIET_NOISE else 0)
            sums[at + TALLY_SOUND] += 1
            sums[at + TALLY_ODD] += abs(s[SCENE_RESIDUAL][i]) > most
        if far >= 0:
            sums[at + TALLY_FAR] += abs(counts[i] - last[k // TALLY_SAMPLE]) > far
            last[k // TALLY_SAMPLE] = counts[i]


def surprise(s: "Record", threshold: int) -> int:
    """The sensor whose residual most exceeds what it may be; -1: none."""
    return plain.surprise(s[SCENE_RESIDUAL], s[SCENE_MOVING], s[SCENE_FIELD], s[SCENE_N], threshold)


def bulge(s: "Record", threshold: int) -> int:
    """The sensor round which the mean residual most exceeds what it may be; -1: none."""
    return plain.bulge(
        s[SCENE_RESIDUAL], s[SCENE_MOVING], s[SCENE_FIELD], s[SCENE_GRID], s[SCENE_SIDE], threshold
    )


def follow(s: "Record", limit: int) -> None:
    """The base follows slow drift."""
    plain.follow(
        s[SCENE_BASE], s[SCENE_BIAS], s[SCENE_RESIDUAL], s[SCENE_MOVING], s[SCENE_FIELD],
        s[SCENE_NOISE], s[SCENE_N], limit,
    )  # fmt: skip


def near(s: "Record", index: "array[int]", most: int) -> int:
    """Fills `index` with the sensors in the scene's circle; returns how many, `most` at most."""
    return _near(s, index, most, s[SCENE_CENTRE_X], s[SCENE_CENTRE_Y], s[SCENE_WITHIN])


def _near(s: "Record", index: "array[int]", most: int, x: int, y: int, within: int) -> int:
    return plain.near(index, s[SCENE_GRID], s[SCENE_SIDE], s[SCENE_PITCH], x, y, within, most)


def weigh(s: "Record", weight: "bytearray | array[int]", index: "array[int]", count: int) -> None:
    """weight[j] = how many bits sensor index[j] counts less."""
    plain.weigh(weight, index, count, s[SCENE_FIELD], s[SCENE_MOVING], s[SCENE_NOISE])


def loudest_first(s: "Record", index: "array[int]", count: int) -> None:
    """Sorts the first `count` sensors of `index` by |residual|, the largest first."""
    plain.loudest_first(index, count, s[SCENE_RESIDUAL])


def _feel(s: "Record", share: "Record", pose: "array[int]") -> int:
    """Sets a share to what a body at `pose` does, as far as its field reaches. Returns to how many
    sensors."""
    index, within = share[SHARE_INDEX], share[SHARE_REACH][min(pose[DISCS], 8) - 1]
    count = _near(s, index, share[SHARE_MOST], pose[X], pose[Y], within)
    plain.body_field(share[SHARE_VALUES], index, count, s[SCENE_X], s[SCENE_Y], s[SCENE_ROWS], pose)
    share[SHARE_COUNT] = count
    return count


def enter(s: "Record", share: "Record", pose: "array[int]") -> int:
    """Takes a body's field out of the residual, and adds its size to the moving field if its share
    is marked. Returns from how many sensors."""
    _feel(s, share, pose)
    add_at(s[SCENE_RESIDUAL], share, -1)
    if share[SHARE_MARKED]:
        add_size(s[SCENE_MOVING], share, 1)
    return share[SHARE_COUNT]


def leave(s: "Record", share: "Record") -> None:
    """Undoes `enter`; the share is empty then."""
    add_at(s[SCENE_RESIDUAL], share, 1)
    if share[SHARE_MARKED]:
        add_size(s[SCENE_MOVING], share, -1)
    share[SHARE_COUNT] = 0


def add_at(target: "array[int]", share: "Record", times: int) -> None:
    """Adds a share, so many times, to one number a sensor."""
    plain.add_at(target, share[SHARE_INDEX], share[SHARE_VALUES], share[SHARE_COUNT], times)


def add_size(target: "array[int]", share: "Record", sign: int) -> None:
    """Adds the size of a share to one number a sensor, or takes it away."""
    plain.add_size(target, share[SHARE_INDEX], share[SHARE_VALUES], share[SHARE_COUNT], sign)


def above(share: "Record", limit: int) -> int:
    """Leaves of a share what is larger than `limit`; returns how much that is."""
    share[SHARE_COUNT] = plain.above(
        share[SHARE_INDEX], share[SHARE_VALUES], share[SHARE_COUNT], limit
    )
    return share[SHARE_COUNT]


def unlearn(s: "Record", share: "Record", kept: "array[int]") -> None:
    """The body of this share lies there no longer: its part of the bias, by what its field is of
    all that lies there, ends. It becomes the share's values, and is set aside in `kept`. Each value
    must be 64 µT or more."""
    index, values = share[SHARE_INDEX], share[SHARE_VALUES]
    base, bias = s[SCENE_BASE], s[SCENE_BIAS]
    for j in range(share[SHARE_COUNT]):
        i, own = index[j], abs(values[j]) >> 6
        part = bias[i] * own // (own + (abs(base[i] - bias[i]) >> 6))
        kept[j] = values[j] = part
        bias[i] -= part
        base[i] -= part
        s[SCENE_RESIDUAL][i] += part


def strongest(share: "Record") -> int:
    """The largest |value| of a share."""
    return plain.strongest(share[SHARE_VALUES], share[SHARE_COUNT])


def misfit(s: "Record", pose: "array[int]") -> int:
    """The largest |residual| within 48 mm of a pose beyond 1/16 of the moving field there."""
    index = array("H", [0] * EACH)
    count = _near(s, index, EACH, pose[X], pose[Y], NEAR_BODY_MM_Q8)
    return plain.misfit(s[SCENE_RESIDUAL], s[SCENE_MOVING], index, count)


def left_over(s: "Record", pose: "array[int]", fine: int) -> int:
    """Weighted squared residual near a body, the wider the higher it is: (64 µT)^2 a sensor, mean;
    if `fine` (8 µT)^2 of all together. Each is cut at 32 mT."""
    index, weight = array("H", [0] * EACH), bytearray(EACH)
    within = min(NEAR_BODY_MM_Q8 + (pose[Z] >> 1), FURTHEST_MM_Q8)
    count = _near(s, index, EACH, pose[X], pose[Y], within)
    weigh(s, weight, index, count)
    if not fine:
        return plain.cost(s[SCENE_RESIDUAL], index, weight, count) // (count or 1)
    total = 0
    for j in range(count):
        v = s[SCENE_RESIDUAL][index[j]] >> (weight[j] + 3)
        v = max(-4095, min(4095, v))
        total += v * v
    return total


def haze(s: "Record", pose: "array[int]") -> int:
    """How many bits noisier than a sound sensor the one nearest to a pose is."""
    side, pitch, grid = s[SCENE_SIDE], s[SCENE_PITCH], s[SCENE_GRID]
    column = (pose[X] + (pitch >> 1)) // pitch + (side >> 1)
    row = (pose[Y] + (pitch >> 1)) // pitch + (side >> 1)
    if not (0 <= column < side and 0 <= row < side) or grid[row * side + column] == 0xFFFF:
        return 0
    return plain.noise_bits(s[SCENE_NOISE][grid[row * side + column]])


def cost(r: "Record") -> int:
    """What the residual leaves in a region, (64 µT)^2 summed."""
    return plain.cost(
        r[REGION_SCENE][SCENE_RESIDUAL], r[REGION_INDEX], r[REGION_WEIGHT], r[REGION_COUNT]
    )


def rival(r: "Record", pose: "array[int]", most: int) -> int:
    """What the residual would leave in a region without the field of a body at `pose`, or `most`
    where it reaches that."""
    s, index, count = r[REGION_SCENE], r[REGION_INDEX], r[REGION_COUNT]
    values = array("i", [0] * count)
    plain.body_field(values, index, count, s[SCENE_X], s[SCENE_Y], s[SCENE_ROWS], pose)
    left = plain.mismatch(s[SCENE_RESIDUAL], index, values, r[REGION_WEIGHT], count)
    return min(most, left)


def offer(r: "Record", pose: "array[int]") -> None:
    """Looks at each of a region's seeds (x and y from FROM_X and FROM_Y, z, the axis; none for one
    that is to be passed over) with the discs, the thickness and the moment of `pose`, which is
    scratch. Where one is a better rival() than the worst in COSTS, it takes that one's place there,
    and its number in PLACES."""
    seeds, costs = r[REGION_SEEDS], r[REGION_COSTS]
    worst = 0
    for n in range(r[REGION_SEED_COUNT]):
        seed = seeds[n * SEED : n * SEED + SEED]
        if not (seed[AX] or seed[AY] or seed[AZ]):
            continue
        for k in range(SEED):
            pose[k] = seed[k]
        pose[X] += r[REGION_FROM_X]
        pose[Y] += r[REGION_FROM_Y]
        cost = rival(r, pose, costs[worst])
        if cost < costs[worst]:
            costs[worst] = cost
            r[REGION_PLACES][worst] = n
            worst = 0
            for k in range(1, KEPT):
                if costs[k] > costs[worst]:
                    worst = k
