"""A picture of one moment of a game: what somebody believes over what is really on the mat."""

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from polarity_host.simulation.play.world import World
from polarity_host.simulation.players.match import Match

from .scene_answers import Answer, answer_of, reported_pieces
from .scene_pictures import SIZE_MM, scene_picture

if TYPE_CHECKING:
    from polarity.engine import Engine

LINE = 88  # characters of a line of words


def picture(world: World, answers: Sequence[Answer], title: str, what: str = "") -> str:
    """An SVG: true pieces filled with the colour up, the `answers` as outlines, wrong ones red;
    below `what` is wrong, in words."""
    drawn = scene_picture(world.scene(), answers, world.mat, escape(title))
    edge, top = -SIZE_MM / 2 + 8, -SIZE_MM / 2 + 16
    lines = [what[at : at + LINE] for at in range(0, len(what), LINE)]
    words = "".join(
        f'<text x="{edge}" y="{top + 14 * k}" fill="#c00">{escape(line)}</text>\n'
        for k, line in enumerate(lines)
    )
    return drawn.replace("</svg>", words + "</svg>")


def by_engine(engine: "Engine") -> list[Answer]:
    """The pieces that the firmware's engine reports."""
    return [answer_of(piece) for piece in reported_pieces(engine)]


def answers_of(match: Match) -> list[Answer]:
    """The pieces of the oracle's position; how a leaner leans, which no rule asks for, as it
    truly does."""
    found: list[Answer] = []
    for ident, piece in match.oracle.referee.position.pieces.items():
        body = match.body_of(ident)
        leans = piece.kind == "leaner" and body is not None
        found.append(
            {
                "id": ident,
                "shape": piece.kind,
                "face": piece.face,
                "x": piece.x_cmm / 100,
                "y": piece.y_cmm / 100,
                "discs": piece.discs,
                "tilt": body.tilt_deg if body and leans else 0.0,
                "azimuth": body.azimuth_deg if body and leans else 0.0,
            }
        )
    return found
