"""What it means that a body has come to rest: the facts of where, how and beside whom it lies."""

from .. import facts as f
from ..kernels import AZ, DISCS, MOMENT, X, Y, Z
from ..kernels._limits import LIFT_MM_Q8
from ..kernels._records import FLYER_LOST, FLYER_LOW, FLYER_SINCE, FLYER_UNEASY, VIEW_CLEAR
from ..units import CMM_Q6
from . import pose as geometry
from .body import HELD, MOVING, TENTATIVE
from .contacts import group_shape, pair_of
from .parameters import (
    DOT_MM_Q8,
    DOUBTED_PERCENT,
    EDGE_SPREAD_MM_Q8,
    GAP_SPREAD_MM_Q8,
    JUMPED_MM_Q8,
    LEANS_OVER_10THS,
    MOST_PERCENT,
    ON_MAT_MM_Q8,
    OUT_FRAMES,
    SEEN_TO_COME_MM_Q8,
    SLIDES_MM_Q8,
    STACKED_MS,
    THROWN_MM_Q8,
    TOUCHED_MS,
    TUMBLES_SINE_Q12,
    UNMOVED_LEANER_MM_Q8,
    UNMOVED_MM_Q8,
    UPRIGHT_SINE_Q12,
)
from .solver import lay_flat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .body import Body
    from .scene import Scene

# chance that a normal error is smaller than 0, 1/4, 2/4, ... times its rms, in percent
_NORMAL = (50, 60, 69, 77, 84, 89, 93, 96, 98, MOST_PERCENT)


class Resting:
    """Tells what bodies at rest have become, for one Scene. `ends`: what lies outside the circle is
    out of play."""

    def __init__(self, scene: "Scene", ends: bool) -> None:
        self.scene, self._ends = scene, ends
        self.mat = scene.mat
        # the piece that seemed to be on or under the red disc, or 0; and that was last told of
        self._on_red = self._told = 0
        self.uncounted: "list[Body]" = []  # have come to rest, and were not counted again yet

    def rest(self, body: "Body", leaning: bool, under: "Body | None") -> None:
        """A body lies still, leaning or not, on the piece `under` it or (None) on the mat."""
        scene = self.scene
        t_ms = scene.time_of(body.slot.flyer[FLYER_SINCE])
        was_held, was_leaning = body.state <= HELD, body.leaning
        body.leaning = leaning
        distance = geometry.distance(body.pose, body.rest)
        parts, steps = body.parts, body.steps
        if parts:
            body.parts = body.steps = ()
        if was_held:
            self._arrives(body)
            if not parts:
                # what leans is held still for a while before it is let go
                self._let_go(body, scene.now_ms if leaning else t_ms)
        elif not parts and under is None:  # else it is told below, as the contact that it is
            self._changed(body, was_leaning, distance, t_ms)
        geometry.copy(body.rest, body.pose)
        scene.put_down(body)
        if under is not None:
            self._merge_lying(body, under)
            parts = tuple(sorted(set(parts + (body.id, under.id))))
            body = under
        self._count_later(body)
        lies_ms = 0
        if parts:
            lies_ms = self._stacked(body, t_ms, parts, steps)
            if leaning:  # a stack that stands on its edge
                self._placed(body, t_ms)
        self._bounds(body, t_ms, was_held and not leaning)
        by_itself = not was_held and distance >= JUMPED_MM_Q8
        self.touches(body, max(lies_ms, t_ms - TOUCHED_MS if by_itself else t_ms), by_itself)

    def _stacked(
        self, body: "Body", t_ms: int, parts: "tuple[int, ...]", steps: "tuple[Any, ...]"
    ) -> int:
        """Tells of which pieces a stack consists, those first that snapped together first. Returns
        since when it lies, as far as is known."""
        for joined_ms, discs, number, ids in sorted(steps):
            self.scene.tell(
                f.CONTACT, body, joined_ms, ids, shape=f.STACK, discs=discs, number=number
            )
        lies_ms = min(t_ms, max(body.joined_ms, t_ms - STACKED_MS))
        self.scene.tell(f.CONTACT, body, lies_ms, parts, shape=f.STACK)
        return lies_ms

    def _count_later(self, body: "Body") -> None:
        """It is to be counted again; what is no body any more is not."""
        others = [o for o in self.uncounted if o is not body and o in self.scene.bodies]
        self.uncounted = others + [body]

    def _changed(self, body: "Body", was_leaning: bool, distance: int, t_ms: int) -> None:
        """Tells how a body that no hand held lies otherwise than before, `distance` (Q8 mm) off."""
        scene, leaning = self.scene, body.leaning
        upright = min(abs(body.pose[AZ]), abs(body.rest[AZ])) < UPRIGHT_SINE_Q12
        if body.face != geometry.face(body.rest) and not upright:
            scene.tell(f.FLIPPED, body, t_ms)
            if leaning:  # over its edge, to its other rim
                scene.tell(f.PLACED, body, t_ms, self._leans_over(body))
        elif was_leaning and not leaning:
            scene.tell(f.FELL, body, t_ms)
        elif leaning and not was_leaning:
            scene.tell(f.PLACED, body, t_ms)
        elif leaning:
            rim = geometry.rim_moved(body.pose, body.rest, self.mat.DISC_RADIUS)
            if rim >= UNMOVED_LEANER_MM_Q8:
                scene.tell(f.ROLLED, body, t_ms, d=rim * CMM_Q6 >> 6)
        elif distance >= UNMOVED_MM_Q8 and self._over(body) <= 0:
            scene.tell(f.SHIFTED, body, t_ms, d=distance * CMM_Q6 >> 6)

    def _arrives(self, body: "Body") -> None:
        """A hand has let go of it."""
        scene = self.scene
        if scene.has_red and scene.red is None:
            if geometry.span(body.pose[X], body.pose[Y]) < DOT_MM_Q8:
                body.is_red, body.state = True, HELD
                scene.red = body
        if body.state == TENTATIVE:
            if body.crossed_ms >= 0 or geometry.distance(body.pose, body.rest) > SEEN_TO_COME_MM_Q8:
                scene.announce(body)
            body.state = HELD
        body.inside = True

    def _let_go(self, body: "Body", t_ms: int) -> None:
        """A hand has let go of it: what came to lie outside the circle has not been played."""
        least = self.mat.CIRCLE_RADIUS + self.mat.DISC_RADIUS + EDGE_SPREAD_MM_Q8
        if self._ends and not body.is_red and geometry.span(body.pose[X], body.pose[Y]) > least:
            body.out_told = True
            self.scene.tell(f.HAND_OUT, body, t_ms)
        else:
            self._placed(body, t_ms)

    def _placed(self, body: "Body", t_ms: int) -> None:
        others = self._leans_over(body) if body.leaning else ()
        self.scene.tell(f.PLACED, body, t_ms, others)

    def _leans_over(self, body: "Body") -> tuple[int]:
        """Ids of the lying pieces on the raised side of a leaner, nearest first, within 1.7
        diameters."""
        pose = body.pose
        rx, ry = geometry.low_rim(pose, self.mat.DISC_RADIUS)
        found = []
        for other in self.scene.bodies:
            if other is body or other.state < MOVING or other.is_red:
                continue
            dx, dy = other.pose[X] - pose[X], other.pose[Y] - pose[Y]
            d = geometry.span(dx, dy)
            ahead = (dx >> 4) * (pose[X] - rx >> 4) + (dy >> 4) * (pose[Y] - ry >> 4)
            if d * 10 < self.mat.DISC_RADIUS * LEANS_OVER_10THS and ahead > 0:
                found.append((d, other.id))
        found.sort()
        return tuple([number for _, number in found])

    def _bounds(self, body: "Body", t_ms: int, laid: bool = False) -> None:
        """Tells once when a piece lies entirely outside the circle, or the red disc off its dot.
        Where that is in play, what a hand has `laid` there has not left anything."""
        over, spread = self._over(body), EDGE_SPREAD_MM_Q8 << body.leaning
        kind, ends = f.RED_OFF if body.is_red else f.LEFT_CIRCLE, self._ends
        if over >= spread:
            if not (body.out_told if ends else laid or body.out_asked):
                self.scene.tell(kind, body, t_ms, confidence=chance(over, spread))
            if ends:
                body.out_told = True
            else:
                body.out_asked = True
        elif ends and over > -spread and not body.out_told:  # the players are asked once
            if not body.out_asked:
                self.scene.tell(kind, body, t_ms, confidence=DOUBTED_PERCENT)
                body.out_asked = True
        elif body.out_asked or body.out_told:
            body.out_asked = body.out_told = False

    def flew_out(self, body: "Body") -> bool:
        """What no hand holds has been followed until it was outside the circle, and no sensor sees
        it any more: tells that it is out or, where that is in play, that a hand has taken it from
        where it lay: little leaves the mat by itself. Returns whether that is so."""
        if self._is_in(body):
            return False
        scene = self.scene
        if self._ends:
            self._goes_out(body)
        scene.drop(body)
        if not self._ends:
            geometry.copy(body.pose, body.rest)
            scene.tell(f.LIFTED, body, scene.now_ms)
            scene.go_astray(body)
        return True

    def slides_out(self, body: "Body") -> None:
        """What no hand holds has been outside the circle for some frames: tells that it is out,
        though it may not come to rest for long. To be asked in each frame."""
        low = self.scene.flight.view[VIEW_CLEAR] < LIFT_MM_Q8
        told = body.out_told or body.is_red or body.parts or body.face != geometry.face(body.rest)
        gone = body.slot.left and low and not (told or self._is_in(body))
        flyer = body.slot.flyer
        flyer[FLYER_LOW] = flyer[FLYER_LOW] + 1 if gone else 0
        if flyer[FLYER_LOW] >= OUT_FRAMES:
            self._goes_out(body)

    def _is_in(self, body: "Body") -> bool:
        """Whether what flies may not be outside the circle: a track that goes there far over the
        mat, or below it, or slides on as if nothing braked it, has run away. What lay out there
        before, in play, only seems to slide as it is lifted."""
        flyer, speed = body.slot.flyer, body.slot.velocity
        if flyer[FLYER_LOST] or self._over(body) < EDGE_SPREAD_MM_Q8 << 1:
            return True
        if body.is_red:
            return False
        slides = geometry.sine(body.pose) < TUMBLES_SINE_Q12 and not body.out_asked
        if slides and geometry.span(speed[X], speed[Y]) > SLIDES_MM_Q8:
            return True
        return not -ON_MAT_MM_Q8 < self.scene.flight.view[VIEW_CLEAR] < THROWN_MM_Q8

    def _goes_out(self, body: "Body") -> None:
        """Tells that it is outside."""
        t_ms = self.scene.now_ms
        if body.leaning:
            body.leaning = False
            self.scene.tell(f.FELL, body, t_ms)
        self._bounds(body, t_ms)

    def _over(self, body: "Body") -> int:
        """How far (Q8 mm) a piece lies entirely outside the circle, or the red disc off its dot,
        seen from above; below 0: how much of it is still in. A leaner that touches the mat beyond
        the line and reaches over it is not *entirely* outside (001 Faults 5, 002 Start 7.2)."""
        mat = self.mat
        limit = mat.DOT_RADIUS if body.is_red else mat.CIRCLE_RADIUS
        return geometry.innermost(body.pose, mat.DISC_RADIUS) - limit

    # ------------------------------------------------------------------ contacts
    def touches(self, body: "Body", t_ms: int, jumped: bool) -> None:
        """Tells what the body touches now, and touches no more; `jumped` as for contacts.inside."""
        scene, contacts = self.scene, self.scene.contacts
        contacts.update(body, scene.bodies, self.mat.DISC_RADIUS, jumped)
        sure = chance(contacts.least, GAP_SPREAD_MM_Q8)
        for other in contacts.doubts:
            self._doubt_contact(body, other, t_ms)
        if contacts.parted:
            group = tuple(sorted([body.id] + contacts.parted))
            scene.tell(f.PARTED, body, t_ms, group, confidence=sure)
        joined = contacts.joined
        if not joined:
            return
        red = scene.red
        if red is not None and (red.id in joined or body is red):
            other = body if body is not red else self._named(joined[0])
            scene.tell(f.TOUCHED_RED, other, t_ms, (red.id,), confidence=sure)
        self._tell_group(body, t_ms, sure)

    def watch_red(self) -> None:
        """Tells that something has snapped to the red disc, though it may not come to rest for
        long: to be asked every few frames. It is seen twice before it is told."""
        red, contacts, found = self.scene.red, self.scene.contacts, 0
        if red is None:
            return
        for other in self.scene.flying:
            far = geometry.distance(red.pose, other.pose)
            far = geometry.span(far, red.pose[Z] - other.pose[Z]) * 2
            reach = (other.discs + 2) * self.mat.DISC_THICKNESS  # half a disc more than they need
            if other is not red and other.id and far < reach and not other.slot.flyer[FLYER_UNEASY]:
                found = other.id
                if found == self._on_red and found != self._told and red.state > HELD:
                    self._told = found
                    contacts.pairs.add(pair_of(found, red.id))
                    self.scene.tell(f.TOUCHED_RED, other, self.scene.now_ms, (red.id,))
        self._on_red = found

    def _doubt_contact(self, body: "Body", other: int, t_ms: int) -> None:
        """The field does not tell whether two pieces touch: the players are asked."""
        red = self.scene.red
        if red is not None and (red is body or red.id == other):
            touching = self._named(other) if red is body else body
            self.scene.tell(f.TOUCHED_RED, touching, t_ms, (red.id,), confidence=DOUBTED_PERCENT)
        else:
            pair = pair_of(body.id, other)
            self.scene.tell(f.UNSURE, body, t_ms, pair, why="contact", confidence=DOUBTED_PERCENT)

    def _tell_group(self, body: "Body", t_ms: int, sure: int) -> None:
        scene = self.scene
        group = list(scene.contacts.group(body.id))
        if scene.red is not None and scene.red.id in group:
            group.remove(scene.red.id)
        if len(group) < 2:
            return
        discs = 0
        for number in group:
            other = self._named(number)
            discs += other.discs
            if other.parts and other.state >= MOVING:  # a stack that was none before touches it
                self._stacked(other, t_ms, other.parts, other.steps)
                other.parts = other.steps = ()
        first = self._named(group[0])
        scene.tell(
            f.CONTACT, first, t_ms, tuple(group), shape=group_shape(group), discs=discs,
            confidence=sure,
        )  # fmt: skip

    def _named(self, number: int) -> "Body":
        for other in self.scene.bodies:
            if other.id == number:
                return other
        return None  # pyright: ignore[reportReturnType]  # numbers come from the scene

    def _merge_lying(self, upper: "Body", lower: "Body") -> None:
        """Two lying bodies become one in the base, which keeps their fields as they were fitted."""
        scene, pose, its = self.scene, lower.pose, upper.pose
        n, m = pose[DISCS], its[DISCS]
        for lain in (pose, its):
            scene.field.take_out(lain)
            scene.field.forget(lain)
        for k in (X, Y, MOMENT):
            pose[k] = (pose[k] * n + its[k] * m) // (n + m)
        pose[DISCS] = n + m
        lay_flat(pose, self.mat, geometry.face(its))
        scene.field.put_in(pose)
        scene.field.accept()
        geometry.copy(lower.rest, pose)
        lower.jolted = False
        lower.leaning = False
        scene.contacts.rename(upper.id, lower.id)
        scene.bodies.remove(upper)


def chance(margin: int, rms: int) -> int:
    """Confidence, 50..99, in a decision that was `margin` away from its limit, of the same unit as
    the `rms` error."""
    return _NORMAL[min(max(0, 4 * margin // rms), len(_NORMAL) - 1)]
