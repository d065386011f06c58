"""How sure a decision is: by how far, in its own spread, what was measured lies from the limit."""

from .parameters import MOST_PERCENT, PUZZLING_PERCENT, PUZZLING_UT

# chance that a normal error is smaller than 0, 1/4, 2/4, ... times its rms, in percent
_NORMAL = (50, 60, 69, 77, 84, 89, 93, 96, 98)


def chance(margin: int, rms: int) -> int:
    """Confidence, 50..99, in a decision that was `margin` away from its limit, of the same unit as
    the `rms` error."""
    quarters = 4 * margin // rms
    if quarters >= len(_NORMAL):
        return MOST_PERCENT
    return _NORMAL[max(0, quarters)]


def understood(misfit: int) -> int:
    """Confidence in a fact about a body that leaves `misfit` (µT) over."""
    return MOST_PERCENT if misfit < PUZZLING_UT else PUZZLING_PERCENT
