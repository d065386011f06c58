"""The hot loops of perception: viper on the chip, the plain reference everywhere else.

`_reference` defines what each kernel returns. `FORCE_REFERENCE = True` in a module named
`polarity_settings` makes the chip use it too.
"""

from ._reference import (
    AX,
    AY,
    AZ,
    BROKEN,
    DISCS,
    HAZE,
    MOMENT,
    QUIET_NOISE,
    SATURATED,
    THICKNESS,
    X,
    Y,
    Z,
    add_at,
    add_size,
    body_field,
    body_gradient,
    bulge,
    cost,
    follow,
    gap,
    isqrt,
    mismatch,
    near,
    normal_equations,
    scan,
    solve,
    surprise,
)

__all__ = (
    "AX", "AY", "AZ", "BROKEN", "DISCS", "HAZE", "MOMENT", "QUIET_NOISE", "SATURATED", "THICKNESS",
    "X", "Y", "Z",
    "add_at", "add_size", "body_field", "body_gradient", "bulge", "cost", "follow", "gap", "isqrt",
    "mismatch", "near", "normal_equations", "scan", "solve", "surprise",
)  # fmt: skip
