"""A picture of one moment of a game: what the engine reports over what is really on the mat."""

from typing import TYPE_CHECKING

from polarity_host.simulation.play.world import World
from polarity_host.simulation.twin.stage import PieceState

from .scene_answers import answer_of, reported_pieces
from .scene_pictures import scene_picture

if TYPE_CHECKING:
    from polarity.engine import Engine


def true_pieces(world: World) -> list[PieceState]:
    """What is on the mat or in a hand, as the twin's scenes have it."""
    return [
        PieceState(
            id=world.witness.id_of(body),
            shape=body.shape,
            face=body.face,
            discs=len(body.discs),
            held=body in [hand.body for hand in world.hands.values()],
            x_mm=lowest[0],
            y_mm=lowest[1],
            z_mm=lowest[2],
            tilt_deg=body.tilt_deg,
            azimuth_deg=body.azimuth_deg,
            contact_xy=body.contact,
        )
        for body in world.bodies
        for lowest in [min(body.disc_centres(), key=lambda centre: centre[2])]
    ]


def picture(world: World, engine: "Engine", title: str) -> str:
    """An SVG: true pieces filled with the colour up, the engine's as outlines, wrong ones red."""
    answered = [answer_of(piece) for piece in reported_pieces(engine)]
    return scene_picture(true_pieces(world), answered, world.mat, title)
