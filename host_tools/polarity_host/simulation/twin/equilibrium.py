"""Where leaners stand, and how near flat discs can lie: forces from magpylib, and gravity.

A leaner stands when the torque about its rim's contact with the mat vanishes and grows back when it
tips either way, when the mat still carries some of its weight, and when friction at the contact
holds it. Discs are taken as solid ferrite cylinders of the mat's dimensions.
"""

from dataclasses import dataclass
from functools import cache

import magpylib
import numpy as np
from magpylib.magnet import Cylinder
from numpy.typing import NDArray

from polarity_host.mats.description import Disc

DENSITY_KG_M3 = 4800.0  # sintered ferrite, 4.7 to 4.9 g/cm3; the thin plastic shell is left out
FRICTION = 0.6  # ASSUMPTION: plastic rim on a cloth or rubber mat
GRAVITY_M_S2 = 9.81
CELLS = 100  # of the disc on which the force acts; 400 cells change tilts by 0.1 deg
TILTS_DEG = np.arange(10.0, 80.1, 2.5)


@dataclass(frozen=True)
class Lean:
    """A way to lean over a piece lying flat: contact point `distance_mm` from that piece's centre,
    straight away from it, `tilt_deg` from flat; `friction` is the coefficient it needs."""

    distance_mm: float
    tilt_deg: float
    friction: float


@cache
def leans(disc: Disc, stack: int = 1, same_face: bool = True) -> tuple[Lean, ...]:
    """Every Lean that stands beside a lone stack of `stack` discs, by distance, 1 mm apart.

    `disc`: the mat's disc dimensions (mat.disc). `same_face`: the leaner's upper face is that of
    the stack. May be empty. The first call takes a second, more for a stack; the result is cached.
    """
    radius_mm = disc.diameter_mm / 2
    found = []
    for distance_mm in np.arange(3.0 * radius_mm, (4.0 + stack) * radius_mm, 1.0):
        torque, fx, fz = _load(disc, distance_mm, stack, same_face)
        weight = weight_n(disc)
        for i in np.flatnonzero((torque[:-1] > 0) & (torque[1:] <= 0)):
            share = torque[i] / (torque[i] - torque[i + 1])
            pushed = fx[i] + share * (fx[i + 1] - fx[i])
            carried = weight - (fz[i] + share * (fz[i + 1] - fz[i]))
            if carried > 0 and abs(pushed) <= FRICTION * carried:
                tilt = TILTS_DEG[i] + share * (TILTS_DEG[i + 1] - TILTS_DEG[i])
                found.append(Lean(float(distance_mm), float(tilt), float(abs(pushed) / carried)))
    return tuple(found)


def pick_lean(rng: np.random.Generator, disc: Disc, stack: int = 1) -> Lean:
    """One of leans() beside the same face, chosen by a numpy Generator.

    Raises ValueError when nothing stands beside such a stack.
    """
    choice = leans(disc, stack)
    if not choice:
        raise ValueError(f"no leaner stands beside a lone stack of {stack}")
    return choice[rng.integers(len(choice))]


@cache
def resting_distance_mm(disc: Disc) -> float:
    """Least centre distance at which two flat discs stay where they are. When they are nearer,
    magnetic force overcomes friction: opposite faces snap together, same faces slide apart."""
    for distance_mm in np.arange(disc.diameter_mm, 6 * disc.diameter_mm, 0.5):
        fixed = _cylinder(disc)
        other = _cylinder(disc)
        other.position = (distance_mm / 1000.0, 0, 0)
        force, _ = _force_and_torque(fixed, other)
        if abs(force[0]) < FRICTION * weight_n(disc):
            return float(distance_mm)
    raise ValueError("these discs never come to rest beside one another")


def weight_n(disc: Disc) -> float:
    """Weight of one disc in newtons."""
    volume_m3 = np.pi * (disc.diameter_mm / 2000.0) ** 2 * disc.thickness_mm / 1000.0
    return DENSITY_KG_M3 * volume_m3 * GRAVITY_M_S2


def _cylinder(disc: Disc, face: int = 1) -> Cylinder:
    return Cylinder(
        polarization=(0, 0, face * disc.br_t),
        dimension=(disc.diameter_mm / 1000.0, disc.thickness_mm / 1000.0),
    )


def _force_and_torque(
    sources: Cylinder | list[Cylinder], target: Cylinder, squeeze: bool = True
) -> NDArray[np.float64]:
    """(2, ...): force in N and torque in N m of the sources on the target, see magpylib.getFT."""
    return np.asarray(magpylib.getFT(sources, target, meshing=CELLS, squeeze=squeeze), float)


def _load(
    disc: Disc, distance_mm: float, stack: int, same_face: bool
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """(torque about the contact in N m, positive if it raises the tilt; Fx and Fz of the magnets in
    N) for each of TILTS_DEG. The stack is at the origin, the contact on +x."""
    radius, half = disc.diameter_mm / 2000.0, disc.thickness_mm / 2000.0
    tilt = np.radians(TILTS_DEG)
    arm = np.column_stack(
        [
            -(radius * np.cos(tilt) - half * np.sin(tilt)),
            np.zeros_like(tilt),
            radius * np.sin(tilt) + half * np.cos(tilt),
        ]
    )  # from the contact to the leaner's centre, m
    leaner = _cylinder(disc, 1 if same_face else -1)
    leaner.rotate_from_angax(
        TILTS_DEG,
        "y",
        start=0,  # pyright: ignore[reportArgumentType] its default "auto" makes it a str
    )
    leaner.position = arm + np.array([distance_mm / 1000.0, 0, 0])
    below = []
    for level in range(stack):
        one = _cylinder(disc)
        one.position = (0, 0, (2 * level + 1) * half)
        below.append(one)
    force, torque = _force_and_torque(below, leaner, squeeze=False)
    force, torque = force[:, :, 0].sum(axis=0), torque[:, :, 0].sum(axis=0)
    about_contact = torque + np.cross(arm, force)
    return about_contact[:, 1] + arm[:, 0] * weight_n(disc), force[:, 0], force[:, 2]
