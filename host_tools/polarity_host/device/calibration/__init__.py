"""Measuring one mat: its sensors' gains, its converter's codes and the real discs.

`capture` gets frames, while `guide` leads the player. `survey` finds the views of a disc in them.
`fit` solves for the gains and the disc by the model of `views`. `measure` does all of it, and
reports how good the result is.
"""

import numpy as np
from numpy.typing import NDArray

#: A frame: its time in µs, and one raw count a sensor, in frame order.
TimedFrame = tuple[int, NDArray[np.uint16]]
