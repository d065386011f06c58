"""The search over seeds: the reference of `refine` in share.c."""

from ._records import (
    BODY_EXPECTED,
    BODY_HEIGHT,
    BODY_MODE,
    BODY_NEAR,
    BODY_POSE,
    BODY_STRICT,
    BODY_SUNK,
    BODY_TURN,
    FIT_BODIES,
    FIT_USED,
    FLAT,
    FREE,
    KEPT,
    REGION_COSTS,
    REGION_COUNT,
    REGION_FIT,
    REGION_FLAT_SEEDS,
    REGION_FROM_X,
    REGION_FROM_Y,
    REGION_MODE,
    REGION_PLACES,
    REGION_SEEDS,
    SEED,
    X,
    Y,
)
from ._reference import copy
from ._reference_fit import fit, look
from ._reference_kernels import rival

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array

    from ._reference_kernels import Record

ROUNDS = 5  # of a fit
UNTRIED = 1 << 29  # more than any cost
EXPLAINED = 1  # (64 µT)^2 a sensor: noise, than which no other seed can explain more


def refine(r: "Record", pose: "array[int]", found: "array[int]") -> int:
    """Fits one body from each of the seeds that `offer` has left in COSTS and PLACES, until one
    explains all, with the discs, the thickness and the moment of `pose`, which is scratch. Returns
    what the best leaves in the region, its pose in `found`, its mode in REGION_MODE."""
    best, f = UNTRIED, r[REGION_FIT]
    r[REGION_MODE] = FREE
    for number in _in_order(r):
        if best <= EXPLAINED * r[REGION_COUNT]:
            break
        for i in range(SEED):
            pose[i] = r[REGION_SEEDS][number * SEED + i]
        pose[X] += r[REGION_FROM_X]
        pose[Y] += r[REGION_FROM_Y]
        mode = FLAT if number < r[REGION_FLAT_SEEDS] else FREE
        f[FIT_USED], f[FIT_BODIES + BODY_MODE], f[FIT_BODIES + BODY_STRICT] = 1, mode, 0
        for word in (BODY_SUNK, BODY_NEAR, BODY_HEIGHT, BODY_TURN):
            f[FIT_BODIES + word] = 1
        f[FIT_BODIES + BODY_POSE], f[FIT_BODIES + BODY_EXPECTED] = pose, 0
        look(f)
        fit(f, ROUNDS)
        cost = rival(r, pose, UNTRIED)
        # the same disc, free to be a little above or tipped, must be clearly better
        if r[REGION_MODE] == FLAT and mode == FREE and cost > best - (best >> 2):
            continue
        if cost < best:
            best, r[REGION_MODE] = cost, mode
            copy(found, pose)
    return best


def _in_order(r: "Record") -> list[int]:
    """The numbers of the best seeds: those of a disc that lies first, the better ones first."""
    kept = [k for k in range(KEPT) if r[REGION_COSTS][k] != UNTRIED]
    ranks = [(r[REGION_PLACES][k] >= r[REGION_FLAT_SEEDS], r[REGION_COSTS][k], k) for k in kept]
    return [r[REGION_PLACES][k] for _, _, k in sorted(ranks)]
