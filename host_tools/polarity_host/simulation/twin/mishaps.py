"""Turns that end in a fault: falls, flips, jumps, shifts, discs forced out; losing by the red disc.

Table says what a plan is. Every fault counts against the player whose turn lasts (001 Faults;
004 Multiple Reactions: several at once all apply).
"""

from collections.abc import Collection, Iterable, Sequence
from typing import TypeAlias

from polarity_host.simulation.draw import one_of

from .pieces import Piece
from .sites import XY, apart
from .stage_state import Action
from .table import Plan, Table

Kiss: TypeAlias = tuple[Piece, Piece, float]
"""(a, b, share of the way that b comes): two flat pieces that can jump together."""
JUMP_MM = 31.0  # no disc of a jump moves further (for a 34 mm disc): a jump is not also a shift


class Mishaps(Table):
    """Plans of faults and of games lost by the red disc."""

    # ---- steps
    def topple(self, leaner: Piece, to_xy: XY, flip: bool = False) -> Action:
        """A leaner falls, on its own face or (flip) on the other; enters the fault."""
        owner = leaner.face
        yield from self.stage.fall(leaner, flip=flip, to_xy=to_xy)
        self.sites.over.pop(leaner, None)
        if flip:
            self.books.flipped(leaner.id, owner)
        else:
            self.books.leaner_fell(leaner.id)

    def kiss(self, a: Piece, b: Piece, share: float = 0.0) -> Action:
        """`a` and `b` jump together and touch; enters the fault."""
        ids = {p.id for p in (*self.stage.group_of(a), *self.stage.group_of(b))}
        yield from self.stage.snap_kiss(a, b, share)
        self.books.contact(ids)

    def stack(self, a: Piece, b: Piece) -> Action:
        """`a` jumps on `b`, which is their tower from then on; enters the fault.

        The truth names the two that merged and not the others that `b` touches; otherwise the fact
        would not say which piece ceased to exist.
        """
        ids = (a.id, b.id)
        group = tuple(sorted(p.id for p in (*self.stage.group_of(a), *self.stage.group_of(b))))
        self.restated["contact", b.id, group] = {
            "shape": "stack",
            "others": tuple(sorted(ids)),
            "discs": len(a.discs) + len(b.discs),
            "face": b.face,
        }
        yield from self.stage.snap_stack(a, b)
        self.sites.over.pop(a, None)
        self.uncaptured.add(b)
        self.books.contact(ids, gone=ids[0])

    # ---- leaners that fall
    def plan_conversion(self, player: int) -> Plan:
        """The player fells his own leaner on purpose: a fault, and good play (001 Conversions)."""
        return self._plan_fall(player, player)

    def plan_drop_opponent(self, player: int) -> Plan:
        """The opponent's leaner falls and still shows the opponent's colour."""
        return self._plan_fall(player, -player)

    def plan_flip_opponent(self, player: int) -> Plan:
        """The opponent's leaner falls and shows the faulter's colour: to be captured back."""
        return self._plan_fall(player, -player, flip=True)

    def plan_flip_own(self, player: int) -> Plan:
        """His own leaner falls and shows the opponent's colour: it stays."""
        return self._plan_fall(player, player, flip=True)

    def _plan_fall(self, player: int, owner: int, flip: bool = False) -> Plan:
        for leaner in self.sites.shuffled(self.sites.leaners(owner)):
            landing = self.sites.landing(leaner, flip)
            if landing:
                return self._fall(player, leaner, landing, flip)
        return None

    def _fall(self, player: int, leaner: Piece, landing: XY, flip: bool) -> Action:
        disc = yield from self.approach(player, leaner.xy)
        yield from self.stage.carry_to(disc, disc.xy, 34.0, speed_mm_s=180.0)
        yield from self.topple(leaner, landing, flip)
        yield from self.withdraw(disc)

    # ---- contact
    def plan_kiss(self, player: int, pair: Kiss | None = None) -> Plan:
        """Two flat pieces jump together side by side (`pair`: see pair_to_kiss)."""
        pair = pair or self.pair_to_kiss()
        return pair and self._kiss(player, *pair)

    def pair_to_kiss(self) -> Kiss | None:
        """Two flat pieces that can jump together, or None."""
        flats = self.sites.shuffled(self.sites.flats())
        for a in flats:
            if self.sites.leaners_on(a):
                continue
            for b in flats:
                if not self.sites.can_kiss(a, b):
                    continue
                gap = self.sites.gap(a.xy, b)
                if gap <= JUMP_MM:
                    return a, b, 0.0
                if gap <= 2 * JUMP_MM and not self.sites.leaners_on(b):
                    return a, b, 0.5
        return None

    def _kiss(self, player: int, a: Piece, b: Piece, share: float) -> Action:
        disc = yield from self.approach(player, a.xy)
        yield from self.kiss(a, b, share)
        yield from self.withdraw(disc)

    def plan_stack(self, player: int) -> Plan:
        """A leaner slips and snaps down on what it leaned over."""
        for leaner in self.sites.shuffled(self.sites.leaners()):
            base = self.sites.base_of(leaner)
            if base and self.sites.leaners_on(base) == [leaner]:
                return self._stack(player, leaner, base)
        return None

    def _stack(self, player: int, leaner: Piece, base: Piece) -> Action:
        disc = yield from self.approach(player, leaner.xy)
        yield from self.stack(leaner, base)
        yield from self.withdraw(disc)

    def plan_mix(self, player: int) -> Plan:
        """Three pieces: two kiss, and a leaner snaps down on one of them."""
        for leaner in self.sites.shuffled(self.sites.leaners()):
            base = self.sites.base_of(leaner)
            if not base or self.sites.leaners_on(base) != [leaner]:
                continue
            for a in self.sites.flats(-base.face, movable=True):
                if self._jumps(a, base, ignore=(leaner,)):
                    return self._mix(player, a, base, leaner)
        return None

    def _mix(self, player: int, a: Piece, base: Piece, leaner: Piece) -> Action:
        disc = yield from self.approach(player, a.xy)
        yield from self.kiss(a, base)
        yield from self.pause(0.6)
        yield from self.stack(leaner, base)
        yield from self.withdraw(disc)

    def plan_chain(self, player: int) -> Plan:
        """Three pieces in a row: two kiss, then a third one comes to one of them."""
        flats = self.sites.shuffled(self.sites.flats(movable=True))
        for a in flats:
            for b in (b for b in flats if self._jumps(a, b)):
                end = self.sites.kissing_place(a.xy, b)
                for c in (c for c in flats if c is not a and self._jumps(c, b, (a,), (end,))):
                    return self._chain(player, a, b, c)
        return None

    def _jumps(
        self,
        a: Piece,
        b: Piece,
        ignore: Collection[Piece] = (),
        keep: Collection[XY] = (),
    ) -> bool:
        """Whether `a` can jump to `b` without shifting too far."""
        near = a is not b and self.sites.gap(a.xy, b) <= JUMP_MM
        return near and self.sites.can_kiss(a, b, None, ignore, keep)

    def _chain(self, player: int, a: Piece, b: Piece, c: Piece) -> Action:
        disc = yield from self.approach(player, a.xy)
        yield from self.kiss(a, b)
        yield from self.pause(0.6)
        yield from self.kiss(c, b)
        yield from self.withdraw(disc)

    def plan_fall_kiss(self, player: int) -> Plan:
        """A leaner falls, and from where it lies jumps against a disc of the other face."""
        for leaner in self.sites.shuffled(self.sites.leaners()):
            for landing in (self.sites.landing(leaner) for _ in range(6)):
                if landing is None:
                    continue
                for b in self.sites.flats(-leaner.face):
                    if self.sites.gap(landing, b) <= JUMP_MM and self.sites.can_kiss(
                        leaner, b, from_xy=landing
                    ):
                        return self._fall_kiss(player, leaner, landing, b)
        return None

    def _fall_kiss(self, player: int, leaner: Piece, landing: XY, b: Piece) -> Action:
        disc = yield from self.approach(player, leaner.xy)
        yield from self.topple(leaner, landing)
        yield from self.pause(0.5)
        yield from self.kiss(leaner, b)
        yield from self.withdraw(disc)

    def plan_snap_to_hand(self, player: int) -> Plan:
        """One or two of his own discs jump up to the action disc."""
        flats = self.sites.shuffled(self.sites.flats(player, movable=True))
        singles = [p for p in flats if p.shape == "flat"]
        if len(singles) < 4:
            return None
        return self._snap_to_hand(player, singles[: one_of(self.rng, (1, 1, 2))])

    def _snap_to_hand(self, player: int, victims: Sequence[Piece]) -> Action:
        disc = yield from self.approach(player, victims[0].xy)
        for victim in victims:
            yield from self.stage.carry_to(disc, victim.xy, 46.0, speed_mm_s=250.0)
            yield from self.stage.carry_to(disc, victim.xy, 22.0, speed_mm_s=150.0)
            gone = victim.id
            yield from self.stage.snap_to_hand(disc, victim)
            self.books.snapped(disc.id, gone, 1)
            yield from self.stage.carry_to(disc, disc.xy, 52.0, speed_mm_s=250.0)
        yield from self.withdraw(disc)

    # ---- shifts
    def plan_shift(self, player: int) -> Plan:
        """A flat piece is pushed further than its diameter and stays where it is."""
        diameter = 2 * self.sites.radius_mm
        for piece in self.sites.shuffled(self.sites.flats(movable=True)):
            to = self.sites.slide(piece, 1.15 * diameter, 1.8 * diameter)
            if to:
                return self._shift(player, piece, to)
        return None

    def _shift(self, player: int, piece: Piece, to: XY) -> Action:
        disc = yield from self.approach(player, piece.xy)
        yield from self.stage.slide(piece, to, self.rng.uniform(0.15, 0.3))
        self.books.shifted(piece.id)
        yield from self.withdraw(disc)

    def plan_out(self, player: int) -> Plan:
        """A piece near the circle is forced out; it goes to the faulter's reserve."""
        for piece in self.sites.shuffled(self.sites.flats(movable=True)):
            to = self.sites.outside(piece)
            if to:
                return self._out(player, piece, to)
        return None

    def _out(self, player: int, piece: Piece, to: XY) -> Action:
        disc = yield from self.approach(player, piece.xy)
        gone, discs = piece.id, len(piece.discs)
        yield from self.stage.slide(piece, to, self.rng.uniform(0.2, 0.35))
        self.books.out(gone, discs)
        yield from self.withdraw(disc)
        yield from self.pause(0.3)
        yield from self.stage.take_away(piece)

    def plan_several(self, player: int) -> Plan:
        """Two faults in one movement: a leaner falls while a flat piece is pushed far away."""
        diameter = 2 * self.sites.radius_mm
        for leaner in self.sites.shuffled(self.sites.leaners()):
            landing = self.sites.landing(leaner)
            if not landing:
                continue
            for piece in self.sites.shuffled(self.sites.flats(movable=True)):
                to = self.sites.slide(piece, 1.15 * diameter, 1.8 * diameter, (landing,))
                if to and apart(piece.xy, landing) > self.sites.mm(60):
                    return self._several(player, leaner, landing, piece, to)
        return None

    def _several(self, player: int, leaner: Piece, landing: XY, piece: Piece, to: XY) -> Action:
        disc = yield from self.approach(player, leaner.xy)
        yield from self.stage.together(
            self.topple(leaner, landing), self._pushed_far(piece, to, seconds=0.25)
        )
        yield from self.withdraw(disc)

    def _pushed_far(self, piece: Piece, to: XY, seconds: float) -> Action:
        yield from self.stage.slide(piece, to, seconds)
        self.books.shifted(piece.id)

    # ---- the end of a game
    def plan_touch_red(self, player: int, pieces: Iterable[Piece] | None = None) -> Plan:
        """A disc (one of `pieces`, or any) slides against the red one: the player loses (001 End of
        the Game)."""
        red, spared = self._red(), self.sites.spared
        for piece in pieces or [*spared, *self.sites.shuffled(self.sites.flats(movable=True))]:
            if self.sites.gap(piece.xy, red) <= JUMP_MM and self.sites.can_kiss(piece, red):
                return self._touch_red(player, piece, red)
        return None

    def _touch_red(self, player: int, piece: Piece, red: Piece) -> Action:
        disc = yield from self.approach(player, piece.xy)
        yield from self.stage.snap_kiss(piece, red, seconds=0.12)
        self.books.lost("touched_red", piece.id, self.tower_discs())
        yield from self.withdraw(disc)

    def plan_red_off(self, player: int) -> Plan:
        """The red disc is pushed completely off its dot: the player loses."""
        red = self._red()
        off = self.stage.mat.dot_radius_mm + red.radius_mm
        to = self.sites.slide(red, off + self.sites.mm(5), off + self.sites.mm(16))
        return to and self._red_off(player, red, to)

    def _red_off(self, player: int, red: Piece, to: XY) -> Action:
        disc = yield from self.approach(player, red.xy)
        yield from self.stage.slide(red, to)
        self.books.lost("red_off", red.id, self.tower_discs())
        yield from self.withdraw(disc)

    def _red(self) -> Piece:
        red = self.stage.red
        if red is None:
            raise ValueError("the red disc is not on the mat yet: set the game up first")
        return red
