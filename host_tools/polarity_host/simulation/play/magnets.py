"""Forces and torques between stacks of discs, for all of them at once.

A cylinder magnetised along its axis is two charged discs; each is taken as CHARGES point charges
(Gauss-Legendre in the square of the radius, evenly around it). Farther than NEAR_RADII apart, two
stacks are two dipoles. Millimetres, newtons, newton millimetres; poles in ampere metres.
"""

import math
from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polarity_host.simulation.twin.pieces import TwinDisc

Floats: TypeAlias = NDArray[np.float64]
Slots: TypeAlias = NDArray[np.int_]
Law: TypeAlias = Callable[[Slots, Slots], tuple[Floats, Floats, Floats]]
"""(i, j) -> force on i, torque on i, torque on j, each (pairs, 3)."""

NEAR_RADII = 6.0
SOFT_MM = 0.5  # added in square to every distance, so that charges that meet do not explode
PARALLEL = 0.96  # cosine of the angle between axes that count as parallel
RINGS, ROUND = 2, 7
CHARGES = RINGS * ROUND
N_PER_AM2 = 0.1  # mu0 / 4 pi in N mm2 / (A m)2
MU0 = 4e-7 * np.pi
WRENCH = 6  # components: force, then torque about the own centre


def _unit_charges() -> tuple[Floats, Floats]:
    """(CHARGES, 2) places in a unit disc, and the share of each."""
    x, w = np.polynomial.legendre.leggauss(RINGS)
    places, shares = [], []
    for ring, (square, weight) in enumerate(zip((x + 1) / 2, w / 2)):
        angle = 2 * np.pi * (np.arange(ROUND) + ring / RINGS) / ROUND
        places.append(np.sqrt(square) * np.column_stack([np.cos(angle), np.sin(angle)]))
        shares += [weight / ROUND] * ROUND
    return np.concatenate(places), np.array(shares)


PLACES, SHARES = _unit_charges()


def pole_am(disc: TwinDisc) -> float:
    """Pole strength of a disc, signed along its white face: polarisation x area / mu0."""
    return disc.polarisation_t * np.pi * (disc.radius_mm / 1000.0) ** 2 / MU0


class Magnets:
    """The magnets on a table, in slots 0 .. capacity-1.

    `wrench[i, j]` (N, N mm) is what the magnet in slot j does to the one in slot i, about the
    latter's centre; it is valid after `update` of every slot that moved.
    """

    def __init__(self, capacity: int, radius_mm: float):
        self.radius_mm = radius_mm
        self.centre = np.zeros((capacity, 3))
        self.axis = np.zeros((capacity, 3))
        self.there = np.zeros(capacity, bool)
        self.wrench = np.zeros((capacity, capacity, WRENCH))
        self._moment = np.zeros((capacity, 3))  # A m2
        self._at = np.zeros((capacity, 2 * CHARGES, 3))  # charges, from the centre
        self._pole = np.zeros((capacity, 2 * CHARGES))
        turn = np.arange(capacity) * 2.4  # so that charges of aligned discs do not face each other
        self._turn = list(zip(np.cos(turn).tolist(), np.sin(turn).tolist()))

    def place(
        self,
        slot: int,
        centre: ArrayLike,
        axis: ArrayLike,
        height_mm: float,
        pole: float,
        probe: bool = False,
    ) -> None:
        """Puts a stack of `height_mm` and signed `pole` there; `axis` is a unit vector. A `probe`
        is subject to the others, but not to other probes."""
        self.there[slot] = not probe
        self.centre[slot] = centre
        self.axis[slot] = along = np.asarray(axis, float)
        ax, ay, az = along.tolist()
        ux, uy, uz = ay * ay - az * ax, az * az - ax * ay, ax * ax - ay * az  # along x (z, x, y)
        size = math.sqrt(ux * ux + uy * uy + uz * uz)
        ux, uy, uz = ux / size, uy / size, uz / size
        vx, vy, vz = ay * uz - az * uy, az * ux - ax * uz, ax * uy - ay * ux
        c, s = self._turn[slot]
        across = self.radius_mm * np.array(
            (
                (c * ux + s * vx, c * uy + s * vy, c * uz + s * vz),
                (c * vx - s * ux, c * vy - s * uy, c * vz - s * uz),
            )
        )
        disc = PLACES @ across
        half = height_mm / 2 * along
        self._at[slot, :CHARGES] = disc + half
        self._at[slot, CHARGES:] = disc - half
        self._pole[slot, :CHARGES] = pole * SHARES
        self._pole[slot, CHARGES:] = -pole * SHARES
        self._moment[slot] = pole * height_mm / 1000.0 * along

    def remove(self, slot: int) -> None:
        """Empties that slot."""
        self.there[slot] = False
        self.wrench[slot] = self.wrench[:, slot] = 0.0

    def update(self, slots: Sequence[int], far: bool = True) -> None:
        """Computes the wrenches on and by the magnets in `slots`; of far pairs only with `far`."""
        moved = np.asarray(slots, int)
        if not len(moved):
            return
        others = np.flatnonzero(self.there)
        apart = self.centre[others][None] - self.centre[moved][:, None]
        square = np.einsum("ijk,ijk->ij", apart, apart)
        near = square < (NEAR_RADII * self.radius_mm) ** 2
        i, j = np.broadcast_arrays(moved[:, None], others[None])
        has_moved = np.zeros(len(self.there), bool)
        has_moved[moved] = True
        once = (i != j) & ~((j < i) & has_moved[j])
        self._set(i[near & once], j[near & once], self._near)
        if far:
            self._set(i[~near & once], j[~near & once], self._far)

    def total(self, slot: int) -> Floats:
        """The wrench on one magnet, (6,)."""
        return self.wrench[slot].sum(axis=0)

    def _set(self, i: Slots, j: Slots, law: Law) -> None:
        if len(i):
            force, on_i, on_j = law(i, j)
            self.wrench[i, j, :3], self.wrench[i, j, 3:] = force, on_i
            self.wrench[j, i, :3], self.wrench[j, i, 3:] = -force, on_j

    def _near(self, i: Slots, j: Slots) -> tuple[Floats, Floats, Floats]:
        """Charges against charges. All forces are central: what turns the one turns the other back,
        with the moment of the force between their centres."""
        a = self._at[i]
        apart = self.centre[j] - self.centre[i]
        b = self._at[j] + apart[:, None]
        square = a @ b.transpose(0, 2, 1)
        square *= -2.0
        square += np.einsum("pnk,pnk->pn", a, a)[:, :, None] + SOFT_MM**2
        square += np.einsum("pnk,pnk->pn", b, b)[:, None]
        pull = (N_PER_AM2 * self._pole[i])[:, :, None] * self._pole[j][:, None]
        pull /= square * np.sqrt(square)
        force = (pull.sum(axis=2)[:, None] @ a - pull.sum(axis=1)[:, None] @ b)[:, 0]
        across = a.transpose(0, 2, 1) @ (pull @ b)  # of a place in i and a place in j, weighted
        on_i = np.empty_like(force)
        on_i[:, 0] = across[:, 2, 1] - across[:, 1, 2]
        on_i[:, 1] = across[:, 0, 2] - across[:, 2, 0]
        on_i[:, 2] = across[:, 1, 0] - across[:, 0, 1]
        on_j = _cross(apart, force) - on_i
        return self._in_plane(i, j, force, apart), on_i, on_j

    def _in_plane(self, i: Slots, j: Slots, force: Floats, apart: Floats) -> Floats:
        """By symmetry, parallel or antiparallel discs do not push each other out of the plane of
        their axes. The point charges, which are not quite round, would: that part is removed."""
        parallel = np.abs(np.einsum("pk,pk->p", self.axis[i], self.axis[j])) > PARALLEL
        across = _cross(self.axis[i], apart)
        square = np.einsum("pk,pk->p", across, across)
        share = np.einsum("pk,pk->p", force, across) / np.maximum(square, 1.0)
        return force - (share * parallel)[:, None] * across

    def _far(self, i: Slots, j: Slots) -> tuple[Floats, Floats, Floats]:
        """Dipole against dipole (Griffiths, Introduction to Electrodynamics, 5.89 and 6.3)."""
        apart = (self.centre[i] - self.centre[j]) / 1000.0
        r = np.sqrt(np.einsum("pk,pk->p", apart, apart))[:, None]
        e, m, n = apart / r, self._moment[i], self._moment[j]
        me, ne, mn = (np.einsum("pk,pk->p", a, b)[:, None] for a, b in ((m, e), (n, e), (m, n)))
        force = 3e-7 / r**4 * (me * n + ne * m + mn * e - 5.0 * me * ne * e)
        at_i, at_j = (1e-7 / r**3 * (3.0 * k * e - d) for k, d in ((ne, n), (me, m)))
        return force, 1000.0 * _cross(m, at_i), 1000.0 * _cross(n, at_j)


def _cross(a: Floats, b: Floats) -> Floats:
    """np.cross for (n, 3) without its overhead."""
    out = np.empty_like(b)
    out[:, 0] = a[:, 1] * b[:, 2] - a[:, 2] * b[:, 1]
    out[:, 1] = a[:, 2] * b[:, 0] - a[:, 0] * b[:, 2]
    out[:, 2] = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
    return out
