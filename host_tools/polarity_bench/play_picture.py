"""A picture of one moment of a game: what the engine reports over what is really on the mat."""

from typing import TYPE_CHECKING

from polarity_host.simulation.play.world import World

from .scene_answers import answer_of, reported_pieces
from .scene_pictures import scene_picture

if TYPE_CHECKING:
    from polarity.engine import Engine


def picture(world: World, engine: "Engine", title: str) -> str:
    """An SVG: true pieces filled with the colour up, the engine's as outlines, wrong ones red."""
    answered = [answer_of(piece) for piece in reported_pieces(engine)]
    return scene_picture(world.scene(), answered, world.mat, title)
