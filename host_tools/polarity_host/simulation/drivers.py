"""What moves the discs of a simulated game: a script, or physics and hands. Both have the same
instruments and the same form of truth (play/PHYSICS.md).
"""

from polarity_host.errors import BAD_INPUT, HostError
from polarity_host.replay.engine import check_edition

SCRIPTED, PHYSICS = "scripted", "physics"
DRIVERS = (SCRIPTED, PHYSICS)
SCRIPTED_EDITION = "temple"  # the edition whose rules the scripts' books follow


def driver_of(edition: str, wanted: str = "") -> str:
    """The driver of a game by that edition: `wanted`; "": a script if there is one, else physics.

    HostError BAD_INPUT when there is no such edition, or no script for it.
    """
    check_edition(edition)
    if wanted == SCRIPTED and edition != SCRIPTED_EDITION:
        raise HostError(
            BAD_INPUT,
            "scripts play by the {SCRIPTED_EDITION} edition only, not by {edition!r}: "
            "choose the driver {PHYSICS}",
            SCRIPTED_EDITION=SCRIPTED_EDITION,
            edition=edition,
            PHYSICS=PHYSICS,
        )
    return wanted or (SCRIPTED if edition == SCRIPTED_EDITION else PHYSICS)
