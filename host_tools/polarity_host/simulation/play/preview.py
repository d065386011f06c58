"""What would become of the disc in a hand if it were set down where it is now, leaning."""

import math
from typing import TypedDict

from polarity_host.simulation.players.foresight import HOPELESS, Foresight

from .body import Body
from .hand import Hand
from .world import World

LEANS_DEG = 5.0  # a disc that is held with less tilt will lie
STANDS = 1.0  # of the strain of Foresight: from here on it falls, slides or disturbs others
FELT = 0.03  # of weight times radius: a pull that matters
MOST_PULLS = 4


class Preview(TypedDict):
    """`stands`: whether it would; `x`, `y` its contact with the mat (mm), `tilt` and `azimuth`
    (degrees) at which it would, or at which it is held. `pulls`: [body, torque] of what raises it,
    below 0 of what presses it down; 1 is its weight times radius."""

    stands: bool
    x: float
    y: float
    tilt: float
    azimuth: float
    pulls: list[tuple[int, float]]


def preview(world: World, hand: Hand) -> Preview | None:
    """That of what the hand holds; None unless it is one disc that is held at a slant."""
    body = hand.body
    if body is None or len(body.discs) > 1 or body.is_red or body.tilt_deg < LEANS_DEG:
        return None
    contact = _contact(body)
    foresight, disc, face = Foresight(world), body.discs[0], body.face
    azimuth, tilt = body.azimuth_deg, body.tilt_deg
    strain, rest_azimuth, rest_tilt = foresight.leaning(disc, face, contact, azimuth)
    if strain < HOPELESS:
        azimuth, tilt = rest_azimuth, rest_tilt
    pulls = sorted(
        foresight.pulls(disc, face, contact, azimuth, tilt), key=lambda one: -abs(one[1])
    )
    return {
        "stands": strain < STANDS,
        "x": round(contact[0], 1),
        "y": round(contact[1], 1),
        "tilt": round(tilt, 1),
        "azimuth": round(azimuth % 360.0, 1),
        "pulls": [
            (other.id, round(torque, 2))
            for other, torque in pulls[:MOST_PULLS]
            if abs(torque) > FELT
        ],
    }


def _contact(body: Body) -> tuple[float, float]:
    """Where its rim would touch the mat below."""
    body_tilt, azimuth = math.radians(body.tilt_deg), math.radians(body.azimuth_deg)
    back = body.radius * math.cos(body_tilt) - body.height / 2 * math.sin(body_tilt)
    return (
        body.centre[0] + back * math.cos(azimuth),
        body.centre[1] + back * math.sin(azimuth),
    )
