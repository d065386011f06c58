"""Turns that go well: a leaner is placed, perhaps after something that is no fault."""

from collections.abc import Collection

from .mishaps import Mishaps
from .motion import Place
from .pieces import Piece
from .sites import XY, LeanerSite, RollSite
from .stage_state import Action
from .table import Plan


class GoodTurns(Mishaps):
    """Plans of turns that end with a leaner; see Table for what a plan is."""

    def plan_leaner(
        self, player: int, keep: Collection[Place] = (), not_on: Collection[Piece] = ()
    ) -> Plan:
        """A leaner is placed (`keep`, `not_on`: see Sites.leaner)."""
        site = self.sites.leaner(player, keep, not_on)
        return site and self._leaner(player, site)

    def _leaner(self, player: int, site: LeanerSite) -> Action:
        disc = yield from self.bring(player, site.contact_xy)
        yield from self.stand(disc, site)

    def plan_try_again(
        self, player: int, keep: Collection[Place] = (), not_on: Collection[Piece] = ()
    ) -> Plan:
        """The action disc falls flat with nothing reacting; picked up again, it leans."""
        site = self.sites.leaner(player, keep, not_on)
        if site is None:
            return None
        drop = self.sites.beside(site.base, keep=(site.contact_xy, *keep))
        return drop and self._try_again(player, site, drop)

    def _try_again(self, player: int, site: LeanerSite, drop: XY) -> Action:
        disc = yield from self.bring(player, drop)
        yield from self.stage.drop_flat(disc, drop)
        self.books.try_again(disc.id)
        yield from self.pause(0.7)
        yield from self.stage.lift(disc)
        self.books.taken_up()
        yield from self.stand(disc, site)

    def plan_idle_hand(self, player: int) -> Plan:
        """The hand comes, does nothing, leaves, and comes again."""
        site = self.sites.leaner(player)
        return site and self._idle_hand(player, site)

    def _idle_hand(self, player: int, site: LeanerSite) -> Action:
        disc = yield from self.bring(player, site.contact_xy)
        yield from self.pause(0.4)
        yield from self.withdraw(disc)
        yield from self.pause(0.5)
        yield from self._leaner(player, site)

    def plan_nudge(self, player: int) -> Plan:
        """A flat piece slides by less than its diameter, which is no fault; then a leaner."""
        least, most = (float(self.sites.radius_mm * f) for f in (1.1, 1.7))
        for piece in self.sites.shuffled(self.sites.flats(player, movable=True)):
            to = self.sites.slide(piece, least, most)
            site = to and self.sites.leaner(player, keep=(to,), not_on=(piece,))
            if to and site:
                return self._nudge(player, piece, to, site)
        return None

    def _nudge(self, player: int, piece: Piece, to: XY, site: LeanerSite) -> Action:
        disc = yield from self.approach(player, piece.xy)
        yield from self.stage.slide(piece, to)
        yield from self.pause(0.5)
        yield from self.stand(disc, site)

    def plan_roll(self, player: int) -> Plan:
        """A leaner rolls but still leans, which is no fault; then a leaner is placed."""
        for leaner in self.sites.shuffled(self.sites.leaners()):
            roll = self.sites.roll(leaner)
            site = roll and self.sites.leaner(player, keep=(roll.contact_xy,))
            if roll and site:
                return self._roll(player, leaner, roll, site)
        return None

    def _roll(self, player: int, leaner: Piece, roll: RollSite, site: LeanerSite) -> Action:
        disc = yield from self.approach(player, leaner.contact_xy)
        yield from self.stage.roll(leaner, *roll)
        yield from self.pause(0.5)
        yield from self.stand(disc, site)

    def plan_late_fall(self, player: int) -> Plan:
        """A leaner is placed and the hand withdrawn; then some leaner falls by itself."""
        site = self.sites.leaner(player)
        if site:
            for leaner in self.sites.shuffled(self.sites.leaners()):
                landing = self.sites.landing(leaner, keep=(site.contact_xy,))
                if landing:
                    return self._late_fall(player, site, leaner, landing)
        return None

    def _late_fall(self, player: int, site: LeanerSite, leaner: Piece, landing: XY) -> Action:
        yield from self._leaner(player, site)
        yield from self.pause(0.8)
        yield from self.topple(leaner, landing)
