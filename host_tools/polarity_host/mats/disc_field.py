"""Exact fields of discs at the sensors, from magpylib's cylinder.

Only the component along the Hall axis is measured: Bz in the mat's frame, in millitesla. One
call to magpylib serves any number of (disc, sensor) pairs: a call costs far more than a point.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polarity_host.errors import MissingExtra

try:
    from magpylib import core
except ModuleNotFoundError as missing:
    raise MissingExtra("magpylib") from missing

POINTS_PER_CALL = 40_000  # keeps the temporaries of one call within a few megabytes


def bz_mt(
    centre_mm: ArrayLike,
    axis: ArrayLike,
    radius_mm: ArrayLike,
    thickness_mm: ArrayLike,
    polarisation_t: ArrayLike,
    sensor_mm: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Bz of m discs at n sensors, (m, n) in mT.

    `centre_mm` and `axis` (unit vectors) are (m, 3); `radius_mm`, `thickness_mm` and
    `polarisation_t` (tesla along the axis, signed) are (m,) or scalars; `sensor_mm` is (n, 3).
    """
    centre_mm = np.asarray(centre_mm, float).reshape(-1, 3)
    axis = np.asarray(axis, float).reshape(-1, 3)
    m, n = len(centre_mm), len(sensor_mm)
    radius_mm = np.broadcast_to(np.asarray(radius_mm, float), (m,))
    thickness_mm = np.broadcast_to(np.asarray(thickness_mm, float), (m,))
    polarisation_t = np.broadcast_to(np.asarray(polarisation_t, float), (m,))
    out = np.empty((m, n))
    step = max(1, POINTS_PER_CALL // max(1, n))
    for i in range(0, m, step):
        part = slice(i, i + step)
        to_sensor = sensor_mm[None, :, :] - centre_mm[part, None, :]
        out[part] = bz_per_tesla(to_sensor, axis[part], radius_mm[part], thickness_mm[part])
    return out * (1000.0 * polarisation_t)[:, None]


def bz_per_tesla(
    to_sensor_mm: NDArray[np.float64],
    axis: NDArray[np.float64],
    radius_mm: NDArray[np.float64],
    thickness_mm: NDArray[np.float64],
) -> NDArray[np.float64]:
    """(m, n) Bz for unit polarisation, in the unit of the polarisation.

    `to_sensor_mm` (m, n, 3) leads from each disc's centre to sensors of its own; `axis` is (m, 3),
    `radius_mm` and `thickness_mm` are (m,).
    """
    along = np.einsum("mnk,mk->mn", to_sensor_mm, axis)
    radial_z = to_sensor_mm[:, :, 2] - along * axis[:, 2:3]  # z of the part across the axis
    across = np.einsum("mnk,mnk->mn", to_sensor_mm, to_sensor_mm) - along**2
    across = np.sqrt(np.maximum(across, 0.0))
    shape = across.shape
    field = core.magnet_cylinder_axial_Bfield(
        z0=np.repeat(thickness_mm / (2 * radius_mm), shape[1]),
        r=(across / radius_mm[:, None]).ravel(),
        z=(along / radius_mm[:, None]).ravel(),
    )
    radial, axial = field[0].reshape(shape), field[2].reshape(shape)
    outward_z = np.divide(radial_z, across, out=np.zeros(shape), where=across > 1e-9)
    return radial * outward_z + axial * axis[:, 2:3]
