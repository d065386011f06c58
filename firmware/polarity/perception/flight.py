"""Bodies in flight: where each frame has them. The work is done by the kernels `fly`, `explain` and
`expect` (kernels/_reference_flight.py), on a record of the bodies in flight."""

from array import array

from .. import kernels
from ..kernels._records import (
    FLIGHT_FLYERS,
    FLIGHT_PASSED,
    FLIGHT_USED,
    FLYER_AGE,
    FLYER_HELD,
    FLYER_LEANING,
    FLYER_LEFT,
    FLYER_LYING,
    MOST_FLYING,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .body import Body
    from .tracker import Tracker

UNDERSTOOD = 3  # (64 µT)^2 a sensor: what a fit of flat bodies may leave, else they may fly
HURRIED = 2  # frames since the last: optional refinement is skipped when behind


class Flight:
    """Moves the bodies in flight of one Tracker."""

    def __init__(self, tracker: "Tracker") -> None:
        self.tracker = tracker
        self.view = array("i", [0] * 7)  # of one body: VIEW_STRONGEST to VIEW_HAZE
        self._record = kernels.record(
            [tracker.field.record, tracker.solver.record]
            + kernels.links()
            + [tracker.mat.CIRCLE_RADIUS, 1, 0]
            + [0] * MOST_FLYING
        )

    def follow(self) -> None:
        """Moves every body in flight to where this frame has it."""
        self._note()
        kernels.fly(self._record)

    def join(self, body: "Body") -> None:
        """Fits a body that has only now been woken, and those near it."""
        self._note()
        kernels.explain(self._record, body.slot.flyer)

    def expect(self, body: "Body") -> None:
        """Sets where the body should be in this frame, from its predicted pose."""
        _note(body)
        kernels.expect(self._record, body.slot.flyer)

    def assess(self, body: "Body") -> None:
        """Sets `view` to what is asked of a body each frame."""
        kernels.assess(self._record, body.slot.flyer, self.view)

    def _note(self) -> None:
        """The record says what flies, and how."""
        record, at = self._record, FLIGHT_FLYERS
        for body in self.tracker.flying:
            record[at] = body.slot.at
            at += 1
            _note(body)
        record[FLIGHT_USED], record[FLIGHT_PASSED] = at - FLIGHT_FLYERS, self.tracker.passed


def _note(body: "Body") -> None:
    flyer = body.slot.flyer
    flyer[FLYER_HELD], flyer[FLYER_LYING] = body.held, body.lying
    flyer[FLYER_LEANING], flyer[FLYER_LEFT] = body.leaning, body.slot.left
    flyer[FLYER_AGE] = body.age_frames
