"""A short game, recorded: the red disc, a foundation each, a leaner, faults, and a capture."""

from polarity_host.mat import load_mat
from polarity_host.recording import RecordingWriter
from polarity_host.twin.stage import Stage

EDITION = "temple+starting_point"
WHITE, BLACK = 1, -1
ON_MM = (-100, -40)  # the foundation leaned over; the leaner's rim stands 7 mm from its edge
RIM_MM = (-75.8, -40)
FALLS_MM = (-56, -40)
OTHER_MM = (-15, -80)  # one jump from where the leaner falls
TOWER_MM = (60, 60)


def script(stage):
    yield from stage.rest(0.6)
    yield from stage.place_red()
    laid = []
    for face, xy in ((WHITE, ON_MM), (BLACK, OTHER_MM)):
        disc = stage.new_disc(face)
        yield from stage.carry_in(disc, xy)
        yield from stage.set_flat(disc, xy)
        yield from stage.rest(0.3)
        laid.append(disc)
    leaner = stage.new_disc(WHITE)
    yield from stage.carry_in(leaner, RIM_MM)
    yield from stage.set_leaner(leaner, RIM_MM, azimuth_deg=0, tilt_deg=40, over=laid[:1])
    yield from stage.rest(0.5)
    # black's hand comes too near, and the leaner falls
    yield from visit(stage, BLACK, (-40, 20), 90, stage.fall(leaner, to_xy=FALLS_MM))
    # then white's, and two jump together
    yield from visit(stage, WHITE, (-20, 10), 120, stage.snap_kiss(leaner, laid[1], share=0.5))
    tower = yield from stage.lift_group(laid[1], [leaner])
    yield from stage.carry_to(tower, TOWER_MM, 48.0, speed_mm_s=300)
    yield from stage.set_tower(tower, TOWER_MM, face=BLACK)
    yield from stage.rest(0.8)


def visit(stage, face, xy, from_deg, mishap):
    """A hand brings a disc in, something happens, and it takes the disc out again."""
    disc = stage.new_disc(face)
    yield from stage.carry_in(disc, xy, from_deg=from_deg, height_mm=45.0)
    yield from mishap
    yield from stage.rest(0.3)
    yield from stage.carry_out(disc, from_deg)
    yield from stage.rest(0.6)


def record(path):
    """Plays it on the standard mat; returns how many frames that are."""
    mat = load_mat("standard")
    stage = Stage(mat, seed=5)
    with RecordingWriter(path, mat.id, mat.n, edition=EDITION, seed=5) as recording:
        for t_us, counts in stage.stream(script(stage)):
            recording.write(t_us, counts)
    return recording.frames
