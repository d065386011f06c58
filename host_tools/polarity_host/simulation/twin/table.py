"""Two players at the twin's mat: the set-up, and hands that come and go.

What is played in a turn derives from Table: GoodTurns, Captures, Mishaps. A *plan* is a method that
takes the player and returns a generator to run, or None when there is no room or no disc for it. It
looks before anything moves, so plans can be tried until one fits. Every plan acts on the stage and
enters in the books what the rules make of it.
"""

from collections.abc import Generator
from typing import Any, TypeAlias

import numpy as np

from polarity_host.simulation.draw import one_of

from .books import BLACK, FOUNDATIONS, WHITE, Books
from .motion import Place
from .pieces import Piece
from .sites import XY, LeanerSite, Sites, unit
from .stage import Stage
from .stage_state import Action

Plan: TypeAlias = Action | None
CROWD_HEIGHT_MM = (48.0, 60.0)  # hands pass over standing discs at this height


class Table:
    """One stage, its books and its players. `pace` stretches the pauses (1: brisk play)."""

    def __init__(self, stage: Stage, rng: np.random.Generator, pace: float = 1.0):
        self.stage = stage
        self.rng = rng
        self.pace = pace
        self.books = Books(lambda: stage.truth.facts[-1].t_us)
        self.sites = Sites(stage, rng, self.books)
        # towers that the next action disc declares captured where they stand
        self.in_place: list[Piece] = []
        # towers that a fault made and nobody has captured since
        self.uncaptured: set[Piece] = set()
        self.stuck = False  # no player can do anything any more
        # (kind, piece, others) of a fact of the stage -> fields with other values in the truth
        self.restated: dict[tuple[str, int, tuple[int, ...]], dict[str, Any]] = {}

    def get_stuck(self) -> None:
        """No player can do anything any more: the game stops."""
        self.stuck = True

    # ---- set-up
    def bare_mat(self, seconds: float = 1.2) -> Action:
        """Nothing on the mat yet."""
        yield from self.stage.rest(seconds)

    def lay_red(self, face: int) -> Action:
        """The red disc goes on its dot."""
        red = yield from self.stage.place_red((0.0, 0.0), face)
        self.books.red_placed(red.id)
        yield from self.pause(0.3)

    def lay_foundation(self, player: int, xy: XY) -> Generator[None, None, Piece]:
        """A disc is laid flat, the player's colour up. Returns its piece."""
        disc = self.stage.new_disc(player)
        yield from self.stage.carry_in(disc, xy, 45.0, speed_mm_s=self.speed(520))
        yield from self.stage.set_flat(disc, xy, self.rng.uniform(0.3, 0.45))
        self.books.foundation(player, disc.id)
        yield from self.pause(0.28)
        return disc

    def set_up(self, spare_one: bool = False) -> Action:
        """Red disc, five white, then five black foundations (001 Setup). `spare_one`: one of them
        lies one jump from the red disc and takes part in nothing else."""
        yield from self.bare_mat()
        yield from self.lay_red(one_of(self.rng, (1, -1)))
        for player in (WHITE, BLACK):
            for i in range(FOUNDATIONS):
                first = spare_one and player == WHITE and i == 0
                near = self._neighbour(-player) if self.rng.random() < 0.6 else None
                xy = self.sites.foundation(player, self.stage.red if first else near)
                disc = yield from self.lay_foundation(player, xy)
                if first:
                    self.sites.spared.add(disc)
        yield from self.pause(0.4)

    def _neighbour(self, face: int) -> Piece | None:
        """One of the flat pieces that show `face`, or None."""
        return next(iter(self.sites.shuffled(self.sites.flats(face))), None)

    # ---- hands
    def pause(self, seconds: float) -> Action:
        """A rest of about `seconds`."""
        yield from self.stage.rest(seconds * self.pace * self.rng.uniform(0.8, 1.3))

    def speed(self, mm_s: float) -> float:
        """About `mm_s`, with the spread of hands."""
        return float(mm_s * self.rng.uniform(0.85, 1.15))

    def bring(
        self, player: int, xy: Place, height_mm: float | None = None
    ) -> Generator[None, None, Piece]:
        """The player's action disc comes in and hovers over `xy`. Returns it.

        This begins his turn, and declares the towers that he left in place captured.
        """
        disc = self.stage.new_disc(player)
        height = self.rng.uniform(*CROWD_HEIGHT_MM)
        yield from self.stage.carry_in(disc, xy, height, speed_mm_s=self.speed(420))
        if self.books.active != player:
            self.books.turn(player, disc.id, self.books.clock())
        self.books.brought()
        for tower in self.in_place:
            self.uncaptured.discard(tower)
            self.books.captured("in_place", tower.id, {tower.id})
        self.in_place = []
        if height_mm:
            yield from self.stage.carry_to(disc, xy, height_mm, speed_mm_s=150.0)
        return disc

    def approach(self, player: int, near_xy: Place) -> Generator[None, None, Piece]:
        """The action disc is brought close to the discs that it is about to disturb."""
        off = self.sites.mm(self.rng.uniform(4, 14)) * unit(self.rng.uniform(0, 360))
        at = np.add(near_xy, off)
        disc = yield from self.bring(player, tuple(at), self.rng.uniform(38, 48))
        yield from self.pause(0.2)
        return disc

    def withdraw(self, disc: Piece) -> Action:
        """The hand leaves with the action disc, which goes back to the reserve."""
        yield from self.pause(0.35)
        yield from self.stage.carry_to(disc, disc.xy, 55.0, speed_mm_s=250.0)
        yield from self.stage.carry_out(disc, speed_mm_s=self.speed(480))

    def stand(self, disc: Piece, site: LeanerSite) -> Action:
        """The action disc in the hand is set to lean: the turn is played."""
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

    def tower_discs(self) -> tuple[int, int]:
        """(white, black): discs in towers that show the colour."""
        towers = [p for p in self.stage.resting() if len(p.discs) > 1]
        white, black = (
            sum(len(p.discs) for p in towers if p.face == face) for face in (WHITE, BLACK)
        )
        return white, black
