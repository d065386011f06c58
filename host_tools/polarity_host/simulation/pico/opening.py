"""A short game of the twin's: the red disc, a foundation each, a leaner, two faults, a capture."""

from typing import NamedTuple

from polarity_host.mats.description import load_mat
from polarity_host.simulation.twin.pieces import Piece
from polarity_host.simulation.twin.sites import XY
from polarity_host.simulation.twin.stage import Counts, Stage
from polarity_host.simulation.twin.stage_state import Action

MAT, EDITION = "standard", "temple+starting_point"
SEED = 5
WHITE, BLACK = 1, -1
ON_MM = (-100, -40)  # the foundation leaned over; the leaner's rim stands 7 mm from its edge
RIM_MM = (-75.8, -40)
FALLS_MM = (-56, -40)
OTHER_MM = (-15, -80)  # one jump from where the leaner falls
TOWER_MM = (60, 60)

# The rulings it leads to, in the rulebook's words: code, player, why.
RULINGS: list[tuple[str, str, str]] = [
    ("red_placed", "", ""),
    ("foundation", "w", ""),
    ("foundation", "b", ""),
    ("setup_done", "", ""),
    ("turn", "w", ""),
    ("leaner_placed", "w", ""),
    ("turn", "b", ""),
    ("fault", "b", "leaner_fell"),
    ("turn", "w", ""),
    ("fault", "w", "contact"),
    ("turn", "b", ""),
    ("captured", "b", "lifted"),
]


class Pace(NamedTuple):
    """The hands' speeds, mm/s at most, and pauses, s."""

    bare_s: float
    lay_mm_s: float
    red_s: float
    laid_s: float
    leaned_s: float
    in_mm_s: float
    before_s: float  # a mishap
    after_s: float
    out_mm_s: float
    gone_s: float
    tower_mm_s: float
    end_s: float


CALM = Pace(0.6, 400, 0.0, 0.3, 0.5, 400, 0.0, 0.3, 450, 0.6, 300, 0.8)
# For watching: each second of the chip's takes ten to emulate. The chip does not keep up with these
# hands if the host asks for bodies in flight.
BRISK = Pace(0.5, 800, 0.2, 0.2, 0.3, 500, 0.3, 0.6, 500, 0.3, 400, 0.6)


def played(pace: Pace) -> tuple[list[tuple[int, Counts]], list[str]]:
    """((t_us, counts) of every frame, the kinds of the true facts)."""
    stage = Stage(load_mat(MAT), seed=SEED)
    frames = [(t_us, counts.copy()) for t_us, counts in stage.stream(script(stage, pace))]
    return frames, [fact.kind for fact in stage.truth.facts]


def script(stage: Stage, pace: Pace) -> Action:
    """The actions of the game."""
    yield from stage.rest(pace.bare_s)
    red = stage.new_disc(WHITE, is_red=True)
    yield from lay(stage, red, (0, 0), pace.lay_mm_s)
    yield from stage.rest(pace.red_s)
    laid = []
    for face, xy in ((WHITE, ON_MM), (BLACK, OTHER_MM)):
        disc = stage.new_disc(face)
        yield from lay(stage, disc, xy, pace.lay_mm_s)
        yield from stage.rest(pace.laid_s)
        laid.append(disc)
    leaner = stage.new_disc(WHITE)
    yield from stage.carry_in(leaner, RIM_MM, speed_mm_s=pace.lay_mm_s)
    yield from stage.set_leaner(leaner, RIM_MM, azimuth_deg=0, tilt_deg=40, over=laid[:1])
    yield from stage.rest(pace.leaned_s)
    # black's hand comes too near, and the leaner falls
    falls = stage.fall(leaner, to_xy=FALLS_MM)
    yield from visit(stage, pace, BLACK, (-40, 20), 90, falls)
    # then white's, and two jump together
    jump = stage.snap_kiss(leaner, laid[1], share=0.5)
    yield from visit(stage, pace, WHITE, (-20, 10), 120, jump)
    tower = yield from stage.lift_group(laid[1], [leaner])
    yield from stage.carry_to(tower, TOWER_MM, 48.0, speed_mm_s=pace.tower_mm_s)
    yield from stage.set_tower(tower, TOWER_MM, face=BLACK)
    yield from stage.rest(pace.end_s)


def lay(stage: Stage, disc: Piece, xy: XY, speed_mm_s: float) -> Action:
    """A hand brings a disc and lays it flat."""
    yield from stage.carry_in(disc, xy, speed_mm_s=speed_mm_s)
    yield from stage.set_flat(disc, xy)


def visit(stage: Stage, pace: Pace, face: int, xy: XY, from_deg: float, mishap: Action) -> Action:
    """A hand brings a disc in, something happens, and it takes the disc out again."""
    disc = stage.new_disc(face)
    yield from stage.carry_in(disc, xy, from_deg=from_deg, height_mm=45.0, speed_mm_s=pace.in_mm_s)
    yield from stage.rest(pace.before_s)
    yield from mishap
    yield from stage.rest(pace.after_s)
    yield from stage.carry_out(disc, from_deg, speed_mm_s=pace.out_mm_s)
    yield from stage.rest(pace.gone_s)
