"""Bodies in flight: where each frame has them. The work is done by the kernels `fly` and `expect`
(kernels/_reference_flight.py), on a record of the bodies in flight."""

from array import array

from .. import kernels
from ..kernels._records import (
    CHANGED,
    FLIGHT_FLYERS,
    FLIGHT_NOW,
    FLIGHT_PASSED,
    FLIGHT_UNFITTED,
    FLIGHT_USED,
    FLYER_ANNOUNCED,
    FLYER_HELD,
    FLYER_INSIDE,
    FLYER_LEANING,
    FLYER_LEFT,
    FLYER_LYING,
    FLYER_RED,
    FLYER_STATE,
    FLYER_TOUCHES,
    FLYER_WEIGHED,
    KNOWN,
    MOST_FLYING,
    MOVED,
    SURVEYED,
    VIEW_WORDS,
)
from ..units import CLOCK
from .body import HELD, MOVING, TENTATIVE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .body import Body
    from .contacts import Contacts
    from .field import Field
    from .solver import Solver


class Flight:
    """Moves the bodies that are `flying`, a list that its owner changes."""

    def __init__(
        self, field: "Field", solver: "Solver", flying: "list[Body]", contacts: "Contacts"
    ) -> None:
        self.field = field
        self.flying = flying
        self.contacts = contacts
        self.view = array("i", [0] * VIEW_WORDS)  # of one body: VIEW_STRONGEST to VIEW_HAZE
        self._contacts = 0  # how often they had changed when the bodies' flags were noted
        self._listed = False  # whether the record has those that fly now
        self._record = kernels.record(
            [field.record, solver.record]
            + kernels.links()
            + [field.mat.CIRCLE_RADIUS, 1, 0, 0, 0]
            + [0] * MOST_FLYING
        )

    def follow(self, passed: int, unfitted: bool) -> int:
        """Moves every body in flight to where this frame has it, `passed` frames after the last;
        `unfitted`: that has woken one which it had no time to fit.
        Returns PUZZLED if one that no hand holds has only now come not to be understood, else
        0."""
        self._note(passed)
        self._record[FLIGHT_UNFITTED] = unfitted
        return kernels.fly(self._record, 0)

    def join(self, passed: int) -> None:
        """Fits the body that has only now been woken, the last of those that fly, and those near
        it."""
        self._note(passed)
        kernels.fly(self._record, 1)

    def expect(self, body: "Body") -> None:
        """Sets where the body should be in this frame, from its predicted pose."""
        self._note_body(body)
        kernels.expect(self._record, body.slot.flyer)

    def assess(self, body: "Body") -> None:
        """Sets `view` to what is asked of a body each frame."""
        kernels.assess(self._record, body.slot.flyer, self.view)

    def survey(self, first: int, now_ms: int) -> int:
        """Asks each body in flight, from number `first` on, what every frame asks. Returns the
        number of the first of which more must be asked, how many they are if there is none. The
        numbers are those of when `first` was 0, whatever flies since."""
        if first == 0:
            self._list()
            self._record[FLIGHT_NOW] = now_ms & CLOCK
        self._recall()
        found = kernels.survey(self._record, first)
        if found & MOVED:
            self.field.moved()
        return found & SURVEYED

    def update(self, body: "Body") -> None:
        """More was asked of the body: what is known of it now holds until it changes, unless it
        is doubted, or something has joined it: such are asked in every frame."""
        if body.slot is not None and not (body.doubted or body.parts):
            self._note_body(body)
            body.slot.flyer[FLYER_STATE] = KNOWN

    def _note(self, passed: int) -> None:
        """The record says what flies, and how."""
        self._list()
        for body in self.flying:
            if body.slot.flyer[FLYER_STATE] == CHANGED:
                self._note_body(body)
        self._record[FLIGHT_PASSED] = passed

    def changed(self) -> None:
        """Others fly than before."""
        self._listed = False

    def _list(self) -> None:
        if self._listed:
            return
        at = FLIGHT_FLYERS
        for body in self.flying:
            self._record[at] = body.slot.at
            at += 1
        self._record[FLIGHT_USED] = at - FLIGHT_FLYERS
        self._listed = True

    def _recall(self) -> None:
        """Which pieces touch may have changed for all."""
        times = self.contacts.changes
        if times != self._contacts:
            self._contacts = times
            for body in self.flying:
                body.slot.changed()

    def _note_body(self, body: "Body") -> None:
        flyer = body.slot.flyer
        flyer[FLYER_HELD], flyer[FLYER_LYING] = body.state <= HELD, body.state >= MOVING
        flyer[FLYER_LEANING], flyer[FLYER_LEFT] = body.leaning, body.slot.left
        flyer[FLYER_ANNOUNCED], flyer[FLYER_INSIDE] = body.state != TENTATIVE, body.inside
        flyer[FLYER_RED], flyer[FLYER_WEIGHED] = body.is_red, body.weighed
        flyer[FLYER_TOUCHES] = self.contacts.touches(body.id)
