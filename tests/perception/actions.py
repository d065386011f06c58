"""Steps that several scripts share: generators on a stage of the twin, as its own actions are."""

SETTLED_S = 0.5  # longer than any settled fact may take


def lay(stage, face, xy, seconds=SETTLED_S):
    """A disc is carried in and set flat at `xy`. -> Piece"""
    disc = stage.new_disc(face)
    yield from stage.carry_in(disc, xy, height_mm=30.0, speed_mm_s=700.0)
    yield from stage.set_flat(disc, xy)
    yield from stage.rest(seconds)
    return disc


def lean(stage, face, contact_xy, azimuth_deg, tilt_deg):
    """A disc is carried in and set to lean. -> Piece"""
    disc = stage.new_disc(face)
    yield from stage.carry_in(disc, contact_xy, speed_mm_s=700.0)
    yield from stage.set_leaner(disc, contact_xy, azimuth_deg, tilt_deg)
    yield from stage.rest(SETTLED_S)
    return disc


def appear(stage, face, xy, discs=1, azimuth_deg=None, tilt_deg=None):
    """A piece lies there from the next frame on, brought by no hand. -> Piece

    With a tilt it leans, its low rim at `xy`.
    """
    return stage.appear(face, xy, discs, azimuth_deg=azimuth_deg or 0.0, tilt_deg=tilt_deg)
