"""Two players at the twin's mat: set-up, hands that come and go, and turns that go well.

A *plan* is a method that takes the player and returns a generator to run, or None when there is no
room or no disc for it. It looks before anything moves, so plans can be tried until one fits. Every
plan acts on the stage and enters in the books what the rules make of it.
"""

import numpy as np

from .books import BLACK, FOUNDATIONS, WHITE, Books
from .captures import Captures
from .mishaps import Mishaps
from .sites import Sites, unit

CROWD_HEIGHT_MM = (48.0, 60.0)  # hands pass over standing discs at this height


class Table(Captures, Mishaps):
    """One stage, its books and its players. `pace` stretches the pauses (1: brisk play)."""

    def __init__(self, stage, rng, pace=1.0):
        self.stage = stage
        self.rng = rng
        self.pace = pace
        self.books = Books(lambda: stage.truth.facts[-1].t_us)
        self.sites = Sites(stage, rng, self.books)
        self.in_place = []  # towers that the next action disc declares captured where they stand
        self.uncaptured = set()  # towers that a fault made and nobody has captured since
        self.stuck = False  # nobody can do anything any more
        self.restated = {}  # (kind, piece, others) of the stage's facts -> fields told otherwise

    # ---- set-up
    def bare_mat(self, seconds=1.2):
        """Nothing on the mat yet."""
        yield from self.stage.rest(seconds)

    def lay_red(self, face):
        """The red disc goes on its dot."""
        red = yield from self.stage.place_red((0.0, 0.0), face)
        self.books.red_placed(red.id)
        yield from self.pause(0.3)

    def lay_foundation(self, player, xy):
        """A disc is laid flat, the player's colour up. Returns its piece."""
        disc = self.stage.new_disc(player)
        yield from self.stage.carry_in(disc, xy, 45.0, speed_mm_s=self.speed(520))
        yield from self.stage.set_flat(disc, xy, self.rng.uniform(0.3, 0.45))
        self.books.foundation(player, disc.id)
        yield from self.pause(0.28)
        return disc

    def set_up(self, spare_one=False):
        """Red disc, five white, then five black foundations (001 Setup). `spare_one`: one of them
        lies one jump from the red disc and is spared for that."""
        yield from self.bare_mat()
        yield from self.lay_red(int(self.rng.choice((1, -1))))
        for player in (WHITE, BLACK):
            for i in range(FOUNDATIONS):
                first = spare_one and player == WHITE and i == 0
                near = self._neighbour(-player) if self.rng.random() < 0.6 else None
                xy = self.sites.foundation(player, self.stage.red if first else near)
                disc = yield from self.lay_foundation(player, xy)
                if first:
                    self.sites.spared.add(disc)
        yield from self.pause(0.4)

    def _neighbour(self, face):
        """One of the flat pieces that show `face`, or None."""
        return next(iter(self.sites.shuffled(self.sites.flats(face))), None)

    # ---- hands
    def pause(self, seconds):
        """A rest of about `seconds`."""
        yield from self.stage.rest(seconds * self.pace * self.rng.uniform(0.8, 1.3))

    def speed(self, mm_s):
        """About `mm_s`, as hands vary."""
        return float(mm_s * self.rng.uniform(0.85, 1.15))

    def bring(self, player, xy, height_mm=None):
        """The player's action disc comes in and hovers over `xy`. Returns it.

        This begins his turn, and declares captured what he left in place.
        """
        disc = self.stage.new_disc(player)
        height = self.rng.uniform(*CROWD_HEIGHT_MM)
        yield from self.stage.carry_in(disc, xy, height, speed_mm_s=self.speed(420))
        if self.books.active != player:
            self.books.turn(player, disc.id, self.books.clock())
        self.books.in_hand = 1
        for tower in self.in_place:
            self.uncaptured.discard(tower)
            self.books.captured("in_place", tower.id, {tower.id})
        self.in_place = []
        if height_mm:
            yield from self.stage.carry_to(disc, xy, height_mm, speed_mm_s=150.0)
        return disc

    def approach(self, player, near_xy):
        """The action disc is brought close to the discs that it is about to disturb."""
        off = self.sites.mm(self.rng.uniform(4, 14)) * unit(self.rng.uniform(0, 360))
        at = np.add(near_xy, off)
        disc = yield from self.bring(player, tuple(at), self.rng.uniform(38, 48))
        yield from self.pause(0.2)
        return disc

    def withdraw(self, disc):
        """The hand leaves with the action disc, which goes back to the reserve."""
        yield from self.pause(0.35)
        yield from self.stage.carry_to(disc, disc.xy, 55.0, speed_mm_s=250.0)
        yield from self.stage.carry_out(disc, speed_mm_s=self.speed(480))

    def stand(self, disc, site):
        """The action disc in the hand is made to lean: the turn is played."""
        base, contact, azimuth, tilt = site
        yield from self.stage.carry_to(
            disc, contact, 42.0, tilt_deg=tilt * 0.7, azimuth_deg=azimuth, speed_mm_s=220.0
        )
        yield from self.stage.set_leaner(
            disc, contact, azimuth, tilt, over=(base,), seconds=self.rng.uniform(0.5, 0.8)
        )
        self.sites.over[disc] = base
        self.books.leaner_placed(disc.id)
        if 0 in self.books.reserve:
            self.books.reserve_empty(self.tower_discs())
        yield from self.pause(0.45)

    def tower_discs(self):
        """(white, black): discs in towers that show the colour."""
        towers = [p for p in self.stage.resting() if len(p.discs) > 1]
        return tuple(sum(len(p.discs) for p in towers if p.face == c) for c in (WHITE, BLACK))

    # ---- plans of turns that go well
    def plan_leaner(self, player, keep=(), not_on=()):
        """A leaner is placed (`keep`, `not_on`: see Sites.leaner)."""
        site = self.sites.leaner(player, keep, not_on)
        return site and self._leaner(player, site)

    def _leaner(self, player, site):
        disc = yield from self.bring(player, site[1])
        yield from self.stand(disc, site)

    def plan_try_again(self, player, keep=(), not_on=()):
        """The action disc falls flat with nothing reacting; picked up again, it leans."""
        site = self.sites.leaner(player, keep, not_on)
        drop = site and self.sites.beside(site[0], keep=(site[1], *keep))
        return drop and self._try_again(player, site, drop)

    def _try_again(self, player, site, drop):
        disc = yield from self.bring(player, drop)
        yield from self.stage.drop_flat(disc, drop)
        self.books.try_again(disc.id)
        yield from self.pause(0.7)
        yield from self.stage.lift(disc)
        self.books.taken_up()
        yield from self.stand(disc, site)

    def plan_idle_hand(self, player):
        """The hand comes, does nothing, leaves, and comes again."""
        site = self.sites.leaner(player)
        return site and self._idle_hand(player, site)

    def _idle_hand(self, player, site):
        disc = yield from self.bring(player, site[1])
        yield from self.pause(0.4)
        yield from self.withdraw(disc)
        yield from self.pause(0.5)
        yield from self._leaner(player, site)

    def plan_nudge(self, player):
        """A flat piece slides by less than its diameter, which is no fault; then a leaner."""
        least, most = (float(self.sites.radius_mm * f) for f in (1.1, 1.7))
        for piece in self.sites.shuffled(self.sites.flats(player, movable=True)):
            to = self.sites.slide(piece, least, most)
            site = to and self.sites.leaner(player, keep=(to,), not_on=(piece,))
            if site:
                return self._nudge(player, piece, to, site)
        return None

    def _nudge(self, player, piece, to, site):
        disc = yield from self.approach(player, piece.xy)
        yield from self.stage.slide(piece, to)
        yield from self.pause(0.5)
        yield from self.stand(disc, site)

    def plan_roll(self, player):
        """A leaner rolls but still leans, which is no fault; then a leaner is placed."""
        for leaner in self.sites.shuffled(self.sites.leaners()):
            roll = self.sites.roll(leaner)
            site = roll and self.sites.leaner(player, keep=(roll[0],))
            if site:
                return self._roll(player, leaner, roll, site)
        return None

    def _roll(self, player, leaner, roll, site):
        disc = yield from self.approach(player, leaner.contact_xy)
        yield from self.stage.roll(leaner, *roll)
        yield from self.pause(0.5)
        yield from self.stand(disc, site)

    def plan_late_fall(self, player):
        """A leaner is placed, the hand is gone, and then some leaner falls by itself."""
        site = self.sites.leaner(player)
        if site:
            for leaner in self.sites.shuffled(self.sites.leaners()):
                landing = self.sites.landing(leaner, keep=(site[1],))
                if landing:
                    return self._late_fall(player, site, leaner, landing)
        return None

    def _late_fall(self, player, site, leaner, landing):
        yield from self._leaner(player, site)
        yield from self.pause(0.8)
        yield from self.topple(leaner, landing)
