"""Bodies in flight that snap together: one stack, or two that happen to be close."""

from .. import facts as f
from ..kernels import DISCS, MOMENT, THICKNESS, X, Y, Z
from . import pose as geometry
from .solver import FREE

_MM = 256
LIFTED = 3 * _MM  # a stack this clear of the mat is in a hand
STACKED_FRAMES = 3  # how often two bodies that are close are tried as one stack
ONE_MOST = 12  # (64 µT)^2 a sensor: what one stack may leave over at most
ONE_BONUS = 3  # (64 µT)^2 a sensor: how much worse one stack may explain than two bodies


class Stacking:
    """Joins the bodies of one Tracker that have become one."""

    def __init__(self, tracker):
        self.tracker = tracker
        self.mat = tracker.mat

    def over_another(self, body):
        """True while a body in flight seems to lie on another: raised by what is under it, not by
        a hand."""
        pose = body.pose
        low = geometry.clearance(pose, self.mat.DISC_RADIUS, self.mat.SENSOR_Z)
        for other in self.tracker.bodies:
            if other is body or other.held or other.is_red:
                continue
            if geometry.distance(pose, other.pose) < 14 * _MM:
                if low < (other.pose[DISCS] + 1) * other.pose[THICKNESS]:
                    return True
        return False

    def merge_in_flight(self, body):
        """Joins two bodies in flight that one stack explains as well; True when `body` is no
        more."""
        tracker = self.tracker
        for other in tracker.flying:
            if other is body or not self._close(body, other):
                if other is body.near:
                    body.near = None
                continue
            if body.near is not other:
                body.near, body.near_frames = other, 0
            body.near_frames += 1
            if body.near_frames % STACKED_FRAMES or not self._one_will_do(body, other):
                continue
            if body.held and other.held:
                keep = body if body.age_frames > other.age_frames else other
            elif body.held or other.held:
                keep = body if body.held else other
            else:
                keep = other if self._came_further(body, other) else body
                mat = self.mat
                if (
                    geometry.clearance(tracker.search.best[0], mat.DISC_RADIUS, mat.SENSOR_Z)
                    > LIFTED
                ):
                    # a bare hand lifts the upper one, and the other has snapped up to it
                    keep = body if body.pose[Z] > other.pose[Z] else other
                    tracker.hands.lift(keep)
            gone = other if keep is body else body
            self._join(keep, gone)
            return gone is body
        return False

    def _close(self, a, b):
        """True when two bodies in flight may be one stack."""
        if a.is_red or b.is_red or geometry.distance(a.pose, b.pose) > 26 * _MM:
            return False
        return abs(a.pose[Z] - b.pose[Z]) < (a.discs + b.discs + 3) * self.mat.DISC_THICKNESS

    def _one_will_do(self, a, b):
        """Compares one stack with the two bodies as they are tracked. True: its pose is in
        search.best[0]."""
        tracker, search = self.tracker, self.tracker.search
        first, second = (a, b) if a.held or not b.held else (b, a)
        p, q = first.pose, second.pose
        n, m = p[DISCS], q[DISCS]
        search.region((p[X] + q[X]) >> 1, (p[Y] + q[Y]) >> 1, 64 * _MM)
        apart = search.cost()
        tracker.fitter.leave(a.slot)
        tracker.fitter.leave(b.slot)
        best = 1 << 30
        for share in (0, 1, 2):
            trial = search.trials[0]
            geometry.copy(trial.pose, p)
            for k in (X, Y, Z):
                trial.pose[k] += (q[k] - p[k]) * share >> 1
            trial.pose[DISCS] = n + m
            trial.pose[MOMENT] = (p[MOMENT] * n + q[MOMENT] * m) // (n + m)
            trial.mode = FREE
            cost = search.evaluate(1, 6)
            if cost < best:
                best = cost
                geometry.copy(search.best[0], trial.pose)
        tracker.fitter.enter(a.slot, p)
        tracker.fitter.enter(b.slot, q)
        limit = min(apart + (apart >> 1) + ONE_BONUS * search.count, ONE_MOST * search.count)
        return best <= limit

    def _came_further(self, a, b):
        return geometry.distance(a.pose, a.rest) > geometry.distance(b.pose, b.rest)

    def _join(self, into, body):
        """`body` is part of `into` from now on, at the pose in search.best[0]."""
        pose = self.tracker.search.best[0]
        if into.held:
            self.join_hand(into, body, pose)
            return
        # two pieces have snapped together on the mat: one piece, told when it has settled
        into.parts = tuple(sorted(set(into.parts + body.parts + (into.id, body.id))))
        self._unite(into, body, pose)
        self.tracker.contacts.rename(body.id, into.id)
        self.tracker.drop(body)
        self.tracker.fitter.enter(into.slot, into.pose)

    def join_hand(self, hand, body, pose, discs=0):
        """`body` has snapped to the one in the hand, which has `pose` from now on; `discs` were
        then in the hand, if others snapped to it at the same time."""
        tracker = self.tracker
        self._unite(hand, body, pose)
        number = body.id
        tracker.drop(body)
        tracker.fitter.enter(hand.slot, hand.pose)
        tracker.tell(f.SNAPPED, hand, tracker.now_ms, (number,), discs=discs)

    def _unite(self, into, body, pose):
        """`into` takes the pose of the stack of both; its field is left in the residual."""
        self.tracker.fitter.leave(into.slot)
        n, m = into.discs, body.discs
        moment = (into.pose[MOMENT] * n + body.pose[MOMENT] * m) // (n + m)
        geometry.copy(into.pose, pose)
        into.pose[MOMENT] = moment
        into.still_frames = into.lost_frames = 0
        into.near = None
