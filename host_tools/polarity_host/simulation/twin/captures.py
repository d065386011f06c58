"""Captures: the groups that a player has to gather after a fault, done well or badly.

Books: 001 Capturing Faults; 004 Successful Capture, Unsuccessful Capture, FAQ.
"""

from collections.abc import Generator, Sequence

from .pieces import Piece
from .sites import XY
from .stage_state import Action
from .table import Table


class Captures(Table):
    """Captures at the start of a turn."""

    def captures(self, player: int, clumsiness: float = 0.2) -> Generator[None, None, bool]:
        """All groups that `player` owes, one by one. Returns whether his turn goes on.

        `clumsiness`: how often a capture fails that could succeed.
        """
        self.in_place = []
        for owner, ids in list(self.books.owed):
            if owner != player:
                continue
            pieces = [p for p in self.stage.resting() if p.id in ids]
            if self._stands_in_place(player, pieces) and self.rng.random() < 0.7:
                self.in_place.append(pieces[0])
                continue
            good = yield from self._gather(player, pieces, clumsiness)
            if not good:
                self.in_place = []
                return False
            yield from self.pause(0.5)
        return True

    def _stands_in_place(self, player: int, pieces: Sequence[Piece]) -> bool:
        """Whether the group is one tower of the player's colour already."""
        return len(pieces) == 1 and len(pieces[0].discs) > 1 and pieces[0].face == player

    def _gather(
        self, player: int, pieces: Sequence[Piece], clumsiness: float
    ) -> Generator[None, None, bool]:
        """One group. Returns whether it was captured."""
        falling = self._leaner_that_falls(pieces, self.rng.random() < clumsiness)
        if falling:
            yield from self._fails_by_fall(player, pieces, *falling)
            return False
        if len(pieces) > 1 and self.rng.random() < clumsiness:
            yield from self._fails_by_leaving(player, pieces)
            return False
        ids = {p.id for p in pieces}
        stack = yield from self._take_up(player, self.sites.shuffled(pieces))
        how = "flip" if len(stack.discs) == 1 else "lifted"
        yield from self.pause(0.25)
        site = self.sites.flat()
        yield from self.stage.carry_to(stack, site, 48.0, speed_mm_s=self.speed(300))
        yield from self.stage.set_tower(stack, site, face=player)
        self.uncaptured.discard(stack)
        self.books.captured(how, stack.id, ids)
        yield from self.pause(0.4)
        return True

    def _take_up(self, player: int, pieces: Sequence[Piece]) -> Generator[None, None, Piece]:
        """A bare hand lifts the first piece, which begins the turn; the rest snap up under it.
        Returns the stack in the hand."""
        first, *rest = pieces
        if self.books.active != player:
            self.books.turn(player, first.id, self.stage.t_us - self.stage.frame_us)
        if rest:
            return (yield from self.stage.lift_group(first, rest))
        return (yield from self.stage.lift(first))

    def _leaner_that_falls(self, pieces: Sequence[Piece], clumsy: bool) -> tuple[Piece, XY] | None:
        """(leaner, landing) that falls during this capture, or None.

        A leaner over a piece of the group must; a clumsy hand fells some other one.
        """
        held_up = [leaner for piece in pieces for leaner in self.sites.leaners_on(piece)]
        others = self.sites.shuffled(self.sites.leaners()) if clumsy else []
        for leaner in [*held_up, *others]:
            landing = self.sites.landing(leaner, ignore=pieces)
            if landing:
                return leaner, landing
        return None

    def _fails_by_fall(
        self, player: int, pieces: Sequence[Piece], leaner: Piece, landing: XY
    ) -> Action:
        """A leaner falls while the group is in the hand."""
        ids = {p.id for p in pieces}
        stack = yield from self._take_up(player, self.sites.shuffled(pieces))
        yield from self.pause(0.2)
        yield from self.stage.fall(leaner, to_xy=landing)
        self.sites.over.pop(leaner, None)
        self.books.capture_failed("leaner_fell", [leaner.id], ids, len(stack.discs), ids)
        yield from self.withdraw(stack)

    def _fails_by_leaving(self, player: int, pieces: Sequence[Piece]) -> Action:
        """One piece is lifted and the rest of the group stays behind on the mat."""
        ids = {p.id for p in pieces}
        ends = [p for p in pieces if len(self.stage.contacts.neighbours(p)) == 1]
        lifted = self.sites.shuffled(ends)[0]
        left = [p for p in pieces if p is not lifted]
        caught = len(left) > 1 or left[0] in self.uncaptured
        left_ids = sorted(p.id for p in left)
        yield from self._take_up(player, [lifted])
        still_owed = left_ids if caught else ()
        self.books.capture_failed(
            "stayed_behind", left_ids, {lifted.id}, len(lifted.discs), ids, still_owed
        )
        yield from self.withdraw(lifted)
