"""A threshold at each sensor, as boards use that sense a fixed square: the simplest rival.

A sensor is covered when its field is at least 0.3 of what a disc lying on it makes: with less, the
fields beside discs count as pieces, with more, more leaners are missed (seeds 102-106). Covered
sensors side by side that see the same face are one piece, at the sensor that sees most.
"""

import numpy as np
from numpy.typing import NDArray

from polarity_host.mats.description import Mat

SHARE = 0.3


def pieces(field_mt: NDArray[np.float64], mat: Mat) -> list[tuple[float, float, int]]:
    """[(x_mm, y_mm, face)] of the pieces that a threshold finds in `field_mt` (n,)."""
    radius, thickness, depth = (
        mat.disc.diameter_mm / 2, mat.disc.thickness_mm, -mat.sensor_xyz_mm[0, 2],
    )  # fmt: skip
    far = depth + thickness
    on_axis = far / np.hypot(far, radius) - depth / np.hypot(depth, radius)
    limit_mt = SHARE * 1000.0 * mat.disc.br_t / 2 * on_axis
    left = set(np.flatnonzero(np.abs(field_mt) >= limit_mt))
    xy = mat.sensor_xyz_mm[:, :2]
    found = []
    while left:
        group = [left.pop()]
        for i in group:
            near = [
                j
                for j in left
                if field_mt[i] * field_mt[j] > 0
                and np.abs(xy[i] - xy[j]).max() < 1.1 * mat.pitch_mm
            ]
            group += near
            left -= set(near)
        most = max(group, key=lambda i: abs(field_mt[i]))
        face = int(np.sign(field_mt[most])) * mat.disc.white_up_counts
        found.append((float(xy[most, 0]), float(xy[most, 1]), face))
    return found
