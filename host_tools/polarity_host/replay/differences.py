"""A frame's counts as what has changed since the frame before, in a form that deflate makes small.

Two frames that follow each other differ by noise. Written as they are, counts have all of a
sensor's level in them, and deflate saves a quarter; their differences have the noise alone.

A difference is taken modulo 2^16, as a number from -32768 to 32767, and folded: 0, -1, 1, -2 and so
on become 0, 1, 2, 3. The low bytes of all sensors come first, then all high bytes, nearly all 0.
"""

import numpy as np
from numpy.typing import NDArray

#: The raw counts of a frame, in frame order.
Counts = NDArray[np.uint16]


def folded(counts: Counts, before: Counts) -> bytes:
    """The 2 n bytes that stand for the n counts of a frame, by those of the frame before."""
    step = (counts - before).view(np.int16)
    code = ((step << 1) ^ (step >> 15)).view(np.uint16)
    return np.concatenate([code & 0xFF, code >> 8]).astype(np.uint8).tobytes()


def unfolded(data: bytes, before: Counts) -> Counts:
    """The counts of the frame that `data` stands for; reverses `folded`."""
    low, high = np.frombuffer(data, np.uint8).astype(np.uint16).reshape(2, -1)
    code = high << 8 | low
    return (before + ((code >> 1) ^ -(code & 1))).astype(np.uint16)
