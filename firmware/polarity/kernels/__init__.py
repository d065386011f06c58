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
)

try:
    from polarity_settings import FORCE_REFERENCE  # pyright: ignore[reportMissingImports]
except ImportError:
    FORCE_REFERENCE = False

try:
    if FORCE_REFERENCE:
        raise ImportError
    from . import _viper as _kernels
except (ImportError, SyntaxError, ValueError):  # not the chip: no viper, or code for another core
    from . import _reference as _kernels
    from . import _reference_fit as _fits
else:
    _fits = _kernels

IN_PLACE = _kernels.IN_PLACE
above = _kernels.above
add = _kernels.add
add_at = _kernels.add_at
add_size = _kernels.add_size
advance = _kernels.advance
average = _kernels.average
body_field = _kernels.body_field
body_gradient = _kernels.body_gradient
bulge = _kernels.bulge
clear = _kernels.clear
copy = _kernels.copy
cost = _kernels.cost
distance = _kernels.distance
enter = _kernels.enter
exchange = _kernels.exchange
fit = _fits.fit
follow = _kernels.follow
gap = _kernels.gap
haze_at = _kernels.haze_at
height_of_centre = _fits.height_of_centre
isqrt = _kernels.isqrt
learn_course = _kernels.learn_course
leave = _kernels.leave
lock_heap = _kernels.lock_heap
loudest_first = _kernels.loudest_first
misfit = _kernels.misfit
misfit_at = _kernels.misfit_at
mismatch = _kernels.mismatch
near = _kernels.near
noise_bits = _kernels.noise_bits
normal_equations = _kernels.normal_equations
normalise = _kernels.normalise
offer = _kernels.offer
pick = _kernels.pick
put = _fits.put
record = _fits.record
remember = _kernels.remember
restore = _kernels.restore
rival = _kernels.rival
rows_of = _kernels.rows_of
scan = _kernels.scan
solve = _kernels.solve
span = _kernels.span
strayed = _kernels.strayed
strongest = _kernels.strongest
surprise = _kernels.surprise
tangents = _kernels.tangents
tip = _fits.tip
turned = _kernels.turned
unite = _kernels.unite
unlock_heap = _kernels.unlock_heap
weigh = _kernels.weigh

__all__ = (
    "AX", "AY", "AZ", "BROKEN", "DISCS", "HAZE", "IN_PLACE", "MOMENT", "QUIET_NOISE", "SATURATED",
    "THICKNESS", "X", "Y", "Z", "above", "add", "add_at", "add_size", "advance", "average",
    "body_field", "body_gradient", "bulge", "clear", "copy", "cost", "distance", "enter",
    "exchange", "fit", "follow", "gap", "haze_at", "height_of_centre", "isqrt", "learn_course",
    "leave", "lock_heap", "loudest_first", "misfit", "misfit_at", "mismatch", "near", "noise_bits",
    "normal_equations", "normalise", "offer", "pick", "put", "record", "remember", "restore",
    "rival", "rows_of", "scan", "solve", "span", "strayed", "strongest", "surprise", "tangents",
    "tip", "turned", "unite", "unlock_heap", "weigh",
)  # fmt: skip
