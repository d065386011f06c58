"""Forces and torques between stacks of discs, for all of them at once.

A cylinder magnetised along its axis is two charged discs; each is taken as CHARGES point charges
(Gauss-Legendre in the square of the radius, evenly round it). Farther than NEAR_RADII apart, two
stacks are two dipoles. Millimetres, newtons, newton millimetres; poles in ampere metres.
"""

import numpy as np

NEAR_RADII = 6.0
SOFT_MM = 0.5  # added in square to every distance, so that charges that meet do not explode
PARALLEL = 0.96  # cosine of the angle between axes that count as parallel
RINGS, ROUND = 2, 7
CHARGES = RINGS * ROUND
N_PER_AM2 = 0.1  # mu0 / 4 pi in N mm2 / (A m)2
MU0 = 4e-7 * np.pi
WRENCH = 6  # components: force, then torque about the own centre


def _unit_charges():
    """(CHARGES, 2) places in a unit disc, and the share of each."""
    x, w = np.polynomial.legendre.leggauss(RINGS)
    places, shares = [], []
    for ring, (square, weight) in enumerate(zip((x + 1) / 2, w / 2)):
        angle = 2 * np.pi * (np.arange(ROUND) + ring / RINGS) / ROUND
        places.append(np.sqrt(square) * np.column_stack([np.cos(angle), np.sin(angle)]))
        shares += [weight / ROUND] * ROUND
    return np.concatenate(places), np.array(shares)


PLACES, SHARES = _unit_charges()


def pole_am(disc):
    """Pole strength of a twin TwinDisc, signed along its white face: polarisation x area / mu0."""
    return disc.polarisation_t * np.pi * (disc.radius_mm / 1000.0) ** 2 / MU0


class Magnets:
    """The magnets on a table, in slots 0 .. capacity-1.

    `wrench[i, j]` (N, N mm) is what the magnet in slot j does to the one in slot i, about the
    latter's centre; it is true after `update` of every slot that moved.
    """

    def __init__(self, capacity, radius_mm):
        self.radius_mm = radius_mm
        self.centre = np.zeros((capacity, 3))
        self.axis = np.zeros((capacity, 3))
        self.there = np.zeros(capacity, bool)
        self.wrench = np.zeros((capacity, capacity, WRENCH))
        self._moment = np.zeros((capacity, 3))  # A m2
        self._at = np.zeros((capacity, 2 * CHARGES, 3))  # charges, from the centre
        self._pole = np.zeros((capacity, 2 * CHARGES))
        turn = np.arange(capacity) * 2.4  # so that charges of aligned discs do not face each other
        self._cos, self._sin = np.cos(turn), np.sin(turn)

    def place(self, slot, centre, axis, height_mm, pole):
        """Puts a stack of `height_mm` and signed `pole` there; `axis` is a unit vector."""
        self.there[slot] = True
        self.centre[slot] = centre
        self.axis[slot] = axis = np.asarray(axis, float)
        side = np.array([axis[2], axis[0], axis[1]])
        u = _cross(axis, side)
        u /= np.sqrt(u @ u)
        v = _cross(axis, u)
        c, s = self._cos[slot], self._sin[slot]
        disc = self.radius_mm * (PLACES[:, :1] * (c * u + s * v) + PLACES[:, 1:] * (c * v - s * u))
        self._at[slot, :CHARGES] = disc + height_mm / 2 * axis
        self._at[slot, CHARGES:] = disc - height_mm / 2 * axis
        self._pole[slot, :CHARGES] = pole * SHARES
        self._pole[slot, CHARGES:] = -pole * SHARES
        self._moment[slot] = pole * height_mm / 1000.0 * axis

    def remove(self, slot):
        """Nothing is in that slot any more."""
        self.there[slot] = False
        self.wrench[slot] = self.wrench[:, slot] = 0.0

    def update(self, slots, far=True):
        """Computes anew what the magnets in `slots` do and suffer; far ones only with `far`."""
        slots = np.asarray(slots, int)
        if not len(slots):
            return
        others = np.flatnonzero(self.there)
        apart = self.centre[others][None] - self.centre[slots][:, None]
        square = np.einsum("ijk,ijk->ij", apart, apart)
        near = square < (NEAR_RADII * self.radius_mm) ** 2
        i, j = np.broadcast_arrays(slots[:, None], others[None])
        told = np.zeros(len(self.there), bool)
        told[slots] = True
        once = (i != j) & ~((j < i) & told[j])
        self._set(i[near & once], j[near & once], self._near)
        if far:
            self._set(i[~near & once], j[~near & once], self._far)

    def total(self, slot):
        """The wrench on one magnet, (6,)."""
        return self.wrench[slot].sum(axis=0)

    def _set(self, i, j, law):
        if len(i):
            force, on_i, on_j = law(i, j)
            self.wrench[i, j, :3], self.wrench[i, j, 3:] = force, on_i
            self.wrench[j, i, :3], self.wrench[j, i, 3:] = -force, on_j

    def _near(self, i, j):
        """Charges against charges: force on i, torque on i, torque on j, each (pairs, 3)."""
        a = self._at[i]
        b = self._at[j]
        apart = (self.centre[j] - self.centre[i])[:, None]
        b_from_i = b + apart
        square = -2.0 * (a @ b_from_i.transpose(0, 2, 1))
        square += np.einsum("pnk,pnk->pn", a, a)[:, :, None]
        square += np.einsum("pnk,pnk->pn", b_from_i, b_from_i)[:, None]
        square += SOFT_MM**2
        pull = self._pole[i][:, :, None] * self._pole[j][:, None]
        pull /= square * np.sqrt(square)
        pull *= N_PER_AM2
        on_a = pull.sum(axis=2)[:, :, None] * a - pull @ b_from_i
        on_b = pull.sum(axis=1)[:, :, None] * b_from_i - pull.transpose(0, 2, 1) @ a
        force = self._in_plane(i, j, on_a.sum(axis=1), apart[:, 0])
        return force, _cross(a, on_a).sum(axis=1), _cross(b, on_b).sum(axis=1)

    def _in_plane(self, i, j, force, apart):
        """By symmetry, discs that face the same way or opposite ways do not push each other out of
        the plane of their axes; but charges, which are not quite round, do."""
        parallel = np.abs(np.einsum("pk,pk->p", self.axis[i], self.axis[j])) > PARALLEL
        across = _cross(self.axis[i], apart)
        square = np.einsum("pk,pk->p", across, across)
        share = np.einsum("pk,pk->p", force, across) / np.maximum(square, 1.0)
        return force - (share * parallel)[:, None] * across

    def _far(self, i, j):
        """The same for dipoles (Griffiths, Introduction to Electrodynamics, 5.89 and 6.3)."""
        apart = (self.centre[i] - self.centre[j]) / 1000.0
        r = np.sqrt(np.einsum("pk,pk->p", apart, apart))[:, None]
        e, m, n = apart / r, self._moment[i], self._moment[j]
        me, ne, mn = (np.einsum("pk,pk->p", a, b)[:, None] for a, b in ((m, e), (n, e), (m, n)))
        force = 3e-7 / r**4 * (me * n + ne * m + mn * e - 5.0 * me * ne * e)
        at_i, at_j = (1e-7 / r**3 * (3.0 * k * e - d) for k, d in ((ne, n), (me, m)))
        return force, 1000.0 * _cross(m, at_i), 1000.0 * _cross(n, at_j)


def _cross(a, b):
    """np.cross for (..., 3) without its overhead."""
    out = np.empty(np.broadcast_shapes(a.shape, b.shape))
    out[..., 0] = a[..., 1] * b[..., 2] - a[..., 2] * b[..., 1]
    out[..., 1] = a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2]
    out[..., 2] = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    return out
