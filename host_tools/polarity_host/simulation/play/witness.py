"""The truth of a game that physics decides: what really happened, in the words of the facts.

The witness looks at the bodies of a world after every frame, and notes in a TruthLog what changed:
with the true time and place, as `twin/truth.py` describes. Nothing here knows rules or sensors.

What a hand lets go of is *loose* until it has come to rest, touches another body, or is gone. Only
then it is a piece on the mat: `placed`, or named by the `contact` that it ended in. A loose disc
that leaves the circle was never placed: its hand_out is noted.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from polarity_host.mats.description import Mat
from polarity_host.simulation.twin.pieces import FLAT, LEANER, RED, TOWER
from polarity_host.simulation.twin.truth import KISS, MIX, STACK, TruthLog

from .body import RESTING, Body, BodyState
from .collisions import Collisions, MagnetEvent
from .dynamics import on_rim
from .magnets import Magnets

NOTICEABLE_MM = 1.0  # smaller displacements are not noted
PARTED_MM, LIFTED_MM = 1.0, 10.0  # what touched before is apart; so is what a hand lifts
TREMBLE_MM = 2.0  # a held body that sways by less over the circle's line has not gone out
STANDS_US = 300_000  # a leaner that moves less than NOTICEABLE_MM in this time stands
THEN_US = 1000  # between two facts of one frame whose order says what happened
ON_ITS_SIDE_DEG = 82.0  # a stack that is tilted by so much shows no face
FACELESS = ("contact", "placed", "lifted", "left_circle", "rolled")
CARRIES_SHARE = 0.25  # of the torque that holds a leaner up: a body that gives less holds nothing


@dataclass
class Track:
    """What is known of a body: its `id` in the truth (0: none), where it last came to rest."""

    id: int = 0
    held: bool = False
    within: bool = False  # its centre has been inside the circle since a hand took it
    loose: bool = False  # let go, and not at rest yet
    outside: bool = False  # lies entirely outside the circle
    kind: str = ""  # as it last rested
    face: int = 0
    at: tuple[float, float] = (0.0, 0.0)
    unclaimed: bool = False  # magnets made it a stack, which no hand has lifted since
    stacked: tuple[int, ...] = ()  # ids of which it consists, as long as such a stack leans yet
    stood: tuple[float, float, float] | None = None  # where a loose leaner has been for a while
    stood_us: int = 0  # since when

    def name(self, piece_id: int) -> None:
        """It has this id from now on; 0: it is no piece any more."""
        self.id = piece_id

    def come_in(self, piece_id: int) -> None:
        """It came into the circle by itself."""
        self.id, self.loose = piece_id, True

    def go_out(self) -> None:
        """It is gone before it was a piece."""
        self.id, self.loose = 0, False

    def hold_within(self, within: bool) -> None:
        """It is in a hand, its centre inside the circle or gone out of that."""
        self.within = within

    def stands(self, centre: tuple[float, float, float], t_us: int) -> bool:
        """Whether it has been there for long enough to stand, to all appearances."""
        if self.stood is None or math.dist(centre, self.stood) >= NOTICEABLE_MM:
            self.stood, self.stood_us = centre, t_us
        return t_us - self.stood_us >= STANDS_US

    def grip(self, face: int) -> None:
        """A hand holds it, with that face up."""
        self.held, self.loose, self.face = True, False, face

    def lift(self, face: int) -> None:
        """A hand takes hold of it where it rests."""
        self.outside = self.unclaimed = self.within = False
        self.grip(face)

    def let_go(self) -> None:
        """The hand has let go of it."""
        self.held, self.loose, self.stood = False, bool(self.id), None

    def land(self) -> None:
        """What it does from now on it does as a piece."""
        self.loose = False

    def lie_outside(self) -> None:
        """It lies entirely outside the circle."""
        self.outside = True

    def catch(self, ids: Iterable[int]) -> None:
        """Magnets made it a stack of these, which is noted when it lies."""
        self.unclaimed = True
        self.stacked = tuple(sorted({*self.stacked, *ids}))

    def take_stacked(self) -> tuple[int, ...]:
        """Of which it consists, for the fact that says so."""
        stacked, self.stacked = self.stacked, ()
        return stacked

    def split_from(self, left: "Track", piece_id: int, face: int) -> None:
        """It was the top of a stack."""
        self.id = piece_id if left.id else 0
        self.outside, self.kind, self.face = left.outside, FLAT, face

    def rest(self, kind: str, face: int, at: tuple[float, float] | None) -> None:
        """It rests like this; `at` None: where it rested before, what it moves yet is a shift."""
        self.kind, self.face, self.loose = kind, face, False
        self.at = self.at if at is None else at


@dataclass
class Apart:
    """Bodies that touched and were separated: noted once it is clear that they stay apart."""

    body: Body
    others: list[Body] = field(default_factory=list)


class Witness:
    """Notes in `truth` what happens to the bodies of one world.

    `look` is to be called after every frame; `lifted` and `gone` when a hand takes hold of a body
    or a body leaves the table.
    """

    def __init__(self, mat: Mat, truth: TruthLog, magnets: Magnets, collisions: Collisions):
        self.truth = truth
        self._circle_mm = mat.circle_radius_mm
        self._off_mm = mat.dot_radius_mm + mat.red_disc.diameter_mm / 2
        self._magnets = magnets
        self._collisions = collisions
        self._tracks: dict[Body, Track] = {}
        self._pairs: set[frozenset[Body]] = set()
        self._apart: list[Apart] = []
        self._quiet: set[Body] = set()  # still, and looked at since
        self._red_off = False
        self._ends_at_circle = True
        self._joining: Counter[Body] = Counter()  # discs that snap to it in this frame, not noted
        self._frame_us = self._then_us = 0  # what is noted now, and how much later in that frame

    def play_beyond_circle(self) -> None:
        """What lies outside the circle is in play as well (003 Game Play 6.4: off the mat)."""
        self._ends_at_circle = False

    # ---- which piece is which
    def id_of(self, body: Body) -> int:
        """The truth's id of a body; 0 while it has none."""
        track = self._tracks.get(body)
        return track.id if track else 0

    def body_of(self, piece_id: int) -> Body | None:
        """The body on the table that has this id; None if there is none."""
        return next((b for b, t in self._tracks.items() if t.id == piece_id and piece_id), None)

    def lies_outside(self, body: Body) -> bool:
        """Whether it lies entirely outside the circle."""
        return _innermost_mm(body) > self._circle_mm

    def supports(self, leaner: Body, bodies: Iterable[Body]) -> list[Body]:
        """The bodies whose field holds a leaner up: those with a good part of the torque about its
        rim that raises it."""
        raising: dict[Body, float] = {}
        none = on_rim(leaner, [0.0] * 6).turning
        for body in bodies:
            if body is not leaner and body.state in RESTING:
                wrench = self._magnets.wrench[leaner.slot, body.slot].tolist()
                raising[body] = on_rim(leaner, wrench).turning - none
        enough = CARRIES_SHARE * sum(torque for torque in raising.values() if torque > 0.0)
        return [body for body, torque in raising.items() if torque > max(enough, 1e-6)]

    # ---- what hands do
    def lifted(self, t_us: int, body: Body, left: Body | None, touched: Sequence[Body]) -> None:
        """A hand takes hold of a resting body. `left`: what stayed of the stack that it was the top
        of; `touched`: the bodies that it touched."""
        before = len(self.truth.facts)
        self._has_landed(t_us, body if left is None else left)
        self._note_stack(t_us, body if left is None else left)
        if len(self.truth.facts) > before:
            self._then()
        track = self._track(body)
        if left is not None:
            new_id = self.truth.new_id() if self.id_of(left) else 0
            track.split_from(self._track(left), new_id, body.face)
        if self._is_out(track):
            track.name(0)
        elif track.id and not track.loose:
            stayed = (self.id_of(left),) if left is not None else ()
            self._note("lifted", t_us, body, others=stayed, tilt_deg=body.tilt_deg)
        if touched and track.id:
            self._apart.append(Apart(body, [b for b in touched if self.id_of(b)]))
        self._pairs = {pair for pair in self._pairs if body not in pair}
        track.lift(body.face)

    def gone(self, t_us: int, body: Body) -> None:
        """A body is taken off the table."""
        track = self._tracks.get(body)
        if track and track.id and not (track.held or track.loose or track.outside):
            if self.lies_outside(body) and not body.is_red:  # it flew or rolled there
                self._leaves(t_us, body)
        self._note_stack(t_us, body)
        if track and track.id and not body.is_red and (track.held or track.loose):
            self._note("hand_out", t_us, body)
        self._forget(body)

    # ---- after every frame
    def look(self, t_us: int, bodies: Sequence[Body], events: Sequence[MagnetEvent]) -> None:
        """Notes what happened in the frame that ends at `t_us`."""
        for event in events:
            self._quiet -= {event.body, event.other}  # it may be still again by now
            if event.kind == "snap":
                self._joining[event.body] += len(event.other.discs)
        moved = [body for body in bodies if body not in self._quiet or not body.still]
        for body in moved:
            self._cross(t_us, body)
        for event in events:
            self._magnets_did(t_us, event)
        for body in moved:
            if body in self._tracks:
                self._rest(t_us, body, bodies)
        self._quiet.difference_update(moved)
        self._quiet.update(body for body in moved if body.still)
        if self._pairs != self._collisions.joined:
            self._pairs_now()
        if self._apart:
            self._note_parted(t_us, bodies)

    # ---- the circle
    def _cross(self, t_us: int, body: Body) -> None:
        track = self._track(body)
        now = math.hypot(body.centre[0], body.centre[1])
        circle = self._circle_mm
        if body.state is BodyState.HELD:
            if now < circle:
                if not track.id:
                    track.name(self.truth.new_id())
                    if not body.is_red:
                        self._note("hand_in", t_us, body, z_mm=body.centre[2])
                track.hold_within(True)
            elif track.id and not body.is_red and (track.within or self._ends_at_circle):
                # What lay across the line is inside until all of it has left.
                if now > circle + (TREMBLE_MM if track.within else body.radius):
                    self._note("hand_out", t_us, body, z_mm=body.centre[2])
                    track.name(0)
                    track.hold_within(False)
            track.grip(body.face)
            return
        if track.held:
            track.let_go()
        if not track.id:
            if body.still and now <= circle + body.radius:  # it came in by itself
                track.come_in(self.truth.new_id())
            elif now < circle:
                self._comes_in(t_us, body)
            return
        if body.is_red:
            jumps = body.state is BodyState.JUMPING  # to what it then touches
            if track.kind == RED and not (jumps or self._red_off) and now > self._off_mm:
                self._red_off = True
                self._note("red_off", t_us, body)
            return
        if now > circle + body.radius and not track.outside:
            if track.loose and self._ends_at_circle:
                self._note("hand_out", t_us, body, z_mm=body.centre[2])
                track.go_out()
            elif body.state is BodyState.LYING and not track.loose:
                self._leaves(t_us, body)

    def _leaves(self, t_us: int, body: Body) -> None:
        """A piece, or a stack that nobody has claimed yet, is outside now."""
        track = self._track(body)
        self._note_stack(t_us, body)
        self._has_landed(t_us, body)
        if body.face != track.face and body.state is BodyState.LYING:
            self._note("flipped", t_us, body)
            self._settle(body)
        self._note("left_circle", t_us, body)
        track.lie_outside()

    def _comes_in(self, t_us: int, body: Body) -> None:
        """It was let go outside, and comes in by itself."""
        track = self._track(body)
        track.come_in(self.truth.new_id())
        track.grip(body.face)
        track.let_go()
        if not body.is_red:
            self._note("hand_in", t_us, body, z_mm=body.centre[2])

    # ---- magnets
    def _magnets_did(self, t_us: int, event: MagnetEvent) -> None:
        body, other = event.body, event.other
        if event.kind == "kiss":
            self._has_landed(t_us, body)
            self._has_landed(t_us, other)
            self._kiss(t_us, body, other)
        elif event.kind == "stack":
            self._stack(t_us, body, other)
        elif event.kind == "snap":
            self._snap(t_us, body, other)

    def _kiss(self, t_us: int, body: Body, other: Body) -> None:
        if body.is_red or other.is_red:
            self._touches_red(t_us, other if body.is_red else body)
            return
        pair = frozenset((body, other))
        self._pairs.add(pair)
        bounced = [apart for apart in self._apart if {apart.body, *apart.others} == pair]
        if bounced:  # they were never far enough apart to have parted
            for apart in bounced:
                self._apart.remove(apart)
            return
        cluster = [b for b in self._collisions.cluster(body) if self.id_of(b)]
        turned = []  # in their fall, which the contact does not say
        for one in cluster:
            self._note_stack(t_us, one)
            track = self._track(one)
            if track.loose and one.face != track.face:
                turned.append(one)
            elif track.kind and one.face != track.face:  # magnets have flung it
                self._note("flipped", t_us, one)
                self._settle(one, keep_place=True)
        if len(cluster) > 1:
            caught = any(self._track(b).unclaimed for b in cluster)
            first = min(cluster, key=self.id_of)
            self._note(
                "contact",
                t_us,
                first,
                others=tuple(sorted(map(self.id_of, cluster))),
                shape=MIX if caught else KISS,
                discs=sum(len(b.discs) for b in cluster),
                face=0,
            )
        for one in turned:
            self._note("placed", t_us, one, shape=_kind(one))
        for one in cluster if len(cluster) > 1 else turned:
            self._settle(one, keep_place=not self._track(one).loose)

    def _stack(self, t_us: int, into: Body, gone: Body) -> None:
        """`gone` is part of `into` now. The fact names what became the stack alone, even if that
        touches others: otherwise it would not say which piece ceased to exist. It is noted when the
        stack lies, as only then it is certain which face shows."""
        mine, its = self._track(into), self._track(gone)
        if mine.id and not (its.id or self._is_out(mine) or gone.is_red):  # it was let go outside
            self._comes_in(t_us, gone)
        attracted_out = self._is_out(mine) and its.id and not its.outside
        if attracted_out:  # the stack goes by the name of the piece that was in play yet
            was, now = mine.id, its.id
            mine.name(now)
            its.name(was)
        if into.is_red:
            red_was = "red" if mine.kind == RED else ""
            self._touches_red(t_us, gone if red_was else into, its.id if red_was else mine.id)
        elif mine.id and its.id:
            mine.catch((mine.id, its.id, *its.stacked))
            if into.state is BodyState.LYING:
                self._note_stack(t_us, into)
            left = [b for pair in self._pairs if gone in pair for b in pair if b is not gone]
            self._apart += [Apart(into, [b]) for b in left if b is not into]
        elif its.id:  # it jumped to what lay outside
            self._note("hand_out" if its.loose else "left_circle", t_us, into, piece=its.id)
        self._forget(gone)
        if mine.id:
            self._settle(into, keep_place=not mine.loose)
        if attracted_out:
            self._note("left_circle", t_us, into)

    def _note_stack(self, t_us: int, body: Body) -> None:
        """Notes of a body that it is a stack, unless that is noted: with the face that shows, as a
        tower where it is now. One that stands on its side then is a leaner besides."""
        track = self._tracks.get(body)
        if track and track.stacked:
            self._note("contact", t_us, body, others=track.take_stacked(), shape=STACK)
            track.rest(TOWER, body.face, body.spot if track.loose else None)

    def _snap(self, t_us: int, held: Body, gone: Body) -> None:
        self._note_stack(t_us, gone)
        self._has_landed(t_us, gone)
        self._joining[held] -= len(gone.discs)
        mine, its = self._track(held), self._track(gone)
        if its.id and (mine.id or not self._is_out(its)):
            if not mine.id:
                mine.name(self.truth.new_id())
            if its.kind == RED or mine.kind == RED:
                self._touches_red(t_us, held)
            else:
                self._note("snapped", t_us, held, others=(its.id,))
            touched = [b for pair in self._pairs if gone in pair for b in pair if b is not gone]
            if touched:
                self._apart.append(Apart(held, [b for b in touched if b is not held]))
        self._forget(gone)

    def _touches_red(self, t_us: int, body: Body, piece: int = 0) -> None:
        self._note_stack(t_us, body)
        self._note("touched_red", t_us, body, piece=piece or self.id_of(body))
        self._track(body).land()

    # ---- rest
    def _has_landed(self, t_us: int, body: Body) -> None:
        """A leaner that has come to lie: what follows comes after its fall. (That one falls flat on
        its way into a stack, or in one, is part of that contact.)"""
        track = self._tracks.get(body)
        if track and track.id and track.kind == LEANER and body.state is BodyState.LYING:
            if track.stacked:
                self._note_stack(t_us, body)
            else:
                self._note("fell" if body.face == track.face else "flipped", t_us, body)
            self._settle(body)

    def _rest(self, t_us: int, body: Body, bodies: Sequence[Body]) -> None:
        track = self._track(body)
        if not track.id or body.state not in RESTING or body.pinned:
            return
        stands = body.still
        if track.loose and body.state is BodyState.LEANING and not track.stacked:
            # One that creeps in a soft equilibrium for seconds stands as well.
            stands = track.stands(body.centre, t_us) or stands
        if not stands and not track.unclaimed:
            return
        if not track.loose:
            self._has_landed(t_us, body)
        if not stands:
            return
        self._note_stack(t_us, body)
        if track.loose:
            self._placed(t_us, body, bodies)
            return
        if not track.kind or self._is_out(track):
            return
        here = body.spot
        moved = math.dist(here, track.at)
        kind = _kind(body)
        if kind == LEANER != track.kind:  # magnets have raised it
            self._placed(t_us, body, bodies)
            return
        if body.face != track.face:
            self._note("flipped", t_us, body)
            if kind == LEANER:  # over its edge, to its other rim
                self._placed(t_us, body, bodies)
                return
        elif moved >= NOTICEABLE_MM and not body.is_red:
            self._note("rolled" if kind == LEANER else "shifted", t_us, body, d_mm=moved)
        else:
            if kind != track.kind:
                self._settle(body, keep_place=True)
            return
        self._settle(body)
        self._leans_outside(t_us, body)

    def _placed(self, t_us: int, body: Body, bodies: Sequence[Body]) -> None:
        self._leans_outside(t_us, body)
        kind = _kind(body)
        fields = {}
        if kind == LEANER:
            under = sorted(self.id_of(b) for b in self.supports(body, bodies) if self.id_of(b))
            fields = {
                "others": tuple(under),
                "tilt_deg": body.tilt_deg,
                "azimuth_deg": body.azimuth_deg,
            }
        self._note("placed", t_us, body, shape=kind, **fields)
        if body.is_red:
            self._red_off = math.hypot(*body.centre[:2]) > self._off_mm
        self._settle(body)

    def _leans_outside(self, t_us: int, body: Body) -> None:
        """A leaner at rest that does not reach over the line is out like a disc that lies there."""
        track = self._track(body)
        if body.state is BodyState.LEANING and not track.outside and self.lies_outside(body):
            self._note("left_circle", t_us, body)
            track.lie_outside()

    def _settle(self, body: Body, keep_place: bool = False) -> None:
        """It is a piece that rests like this. `keep_place`: what it moves yet is a shift."""
        track = self._track(body)
        track.rest(_kind(body), body.face, None if keep_place else body.spot)

    # ---- contacts
    def _pairs_now(self) -> None:
        """Pairs that no hand separated and that do not touch any more."""
        for pair in self._pairs - self._collisions.joined:
            self._pairs.discard(pair)
            a, b = pair
            if self.id_of(a) and self.id_of(b):
                self._apart.append(Apart(a, [b]))

    def _note_parted(self, t_us: int, bodies: Sequence[Body]) -> None:
        for apart in self._apart[:]:
            body = apart.body
            others = [b for b in apart.others if b in bodies and self.id_of(b)]
            if body not in bodies or not self.id_of(body) or not others:
                self._apart.remove(apart)
                continue
            if any(b.pinned or b.state is BodyState.JUMPING for b in (body, *others)):
                continue
            clear_mm = LIFTED_MM if body.state is BodyState.HELD else PARTED_MM
            if all(_gap_mm(body, b) > clear_mm for b in others):
                ids = sorted([self.id_of(body), *map(self.id_of, others)])
                self.truth.add("parted", self._moment(t_us), others=tuple(ids))
                self._apart.remove(apart)

    # ---- steps
    def _is_out(self, track: Track) -> bool:
        """Whether it lies outside, and that is out of play."""
        return track.outside and self._ends_at_circle

    def _track(self, body: Body) -> Track:
        return self._tracks.setdefault(body, Track())

    def _forget(self, body: Body) -> None:
        self._tracks.pop(body, None)
        self._joining.pop(body, None)
        self._quiet.discard(body)
        self._pairs = {pair for pair in self._pairs if body not in pair}

    def _note(self, kind: str, t_us: int, body: Body, **fields: object) -> None:
        x, y = self.truth.slipped(*body.spot)
        values = {
            "piece": self.id_of(body),
            "face": 0 if kind in FACELESS and _on_its_side(body) else body.face,
            "discs": max(1, sum(not d.is_red for d in body.discs) - self._joining[body]),
            "x_mm": x,
            "y_mm": y,
        }
        self.truth.add(kind, self._moment(t_us), **{**values, **fields})

    def _moment(self, t_us: int) -> int:
        """The time of a fact of the frame that ends at `t_us`."""
        if t_us != self._frame_us:
            self._frame_us, self._then_us = t_us, 0
        return t_us + self._then_us

    def _then(self) -> None:
        """What is noted from now on in this frame came after what was noted before. Facts of one
        moment are judged in an order of their own (polarity.facts.SAME_MOMENT)."""
        self._then_us += THEN_US


def _kind(body: Body) -> str:
    if body.is_red:
        return RED
    if body.state is BodyState.LEANING:
        return LEANER
    return TOWER if len(body.discs) > 1 else FLAT


def _on_its_side(body: Body) -> bool:
    return len(body.discs) > 1 and body.tilt_deg >= ON_ITS_SIDE_DEG


def _innermost_mm(body: Body) -> float:
    """How far from the circle's centre the part of a body is that is nearest to it, seen from
    above: of a cylinder with axis n in the direction u, r sqrt(1 - (n u)^2) + h/2 |n u|."""
    x, y, _ = body.centre
    far = math.hypot(x, y)
    along = abs(body.axis[0] * x + body.axis[1] * y) / far if far else 0.0
    across = math.sqrt(max(0.0, 1.0 - along * along))
    return far - body.radius * across - body.height / 2 * along


def _gap_mm(a: Body, b: Body) -> float:
    """How far apart the rims of two bodies are at least, were they spheres' great circles."""
    flat = math.dist(a.centre[:2], b.centre[:2]) - a.radius - b.radius
    high = abs(a.centre[2] - b.centre[2]) - (a.height + b.height) / 2
    return max(flat, high)
