"""How sure a decision is: by how far, in its own spread, what was measured lies from the limit."""

PUZZLING_UT = 400  # what a body leaves over that is then not quite understood
PUZZLING = 93  # so many of a hundred facts about such bodies were right, in games
DOUBTED = 40  # percent: the field does not decide: the referee asks
MOST = 99  # percent: nothing is surer
# chance that a normal error is smaller than 0, 1/4, 2/4, ... times its rms, in percent
_NORMAL = (50, 60, 69, 77, 84, 89, 93, 96, 98)


def chance(margin: int, rms: int) -> int:
    """Confidence, 50..99, in a decision that was `margin` away from its limit, of the same unit as
    the `rms` error."""
    quarters = 4 * margin // rms
    return _NORMAL[quarters] if 0 <= quarters < len(_NORMAL) else MOST if quarters > 0 else 50


def understood(misfit: int) -> int:
    """Confidence in a fact about a body that leaves `misfit` (µT) over."""
    return MOST if misfit < PUZZLING_UT else PUZZLING
