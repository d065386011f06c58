"""How sure a decision is: by how far, in its own spread, what was measured lies from the limit."""

DOUBTED = 40  # the field does not decide: the referee asks
MOST = 99
# chance that a normal error is smaller than 0, 1/4, 2/4, ... times its rms, in percent
_NORMAL = (50, 60, 69, 77, 84, 89, 93, 96, 98)


def chance(margin, rms):
    """Confidence, 50..99, in a decision that was `margin` away from its limit, of the same unit as
    the `rms` error."""
    quarters = 4 * margin // rms
    return _NORMAL[quarters] if 0 <= quarters < len(_NORMAL) else MOST if quarters > 0 else 50
