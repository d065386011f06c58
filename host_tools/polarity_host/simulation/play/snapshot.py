"""What lay on the mat at some time, so that it can be laid there again."""

from dataclasses import dataclass
from typing import TypeAlias

from polarity_host.simulation.twin.pieces import TwinDisc
from polarity_host.simulation.twin.truth import LETTER

from .body import Body, BodyState, Vec3
from .physics import Physics

Seen: TypeAlias = tuple[str, str, int, float, float]
"""(shape, face, discs, x, y) of a piece, the place as a fact reports it, mm."""


@dataclass(frozen=True)
class Pose:
    """A body at rest, as it was; `side` is the tray that it came from."""

    discs: list[TwinDisc]
    side: str
    leaning: bool
    centre: Vec3
    axis: Vec3
    seen: Seen

    @classmethod
    def of(cls, body: Body) -> "Pose":
        """That of a body now."""
        leaning = body.state is BodyState.LEANING
        return cls(list(body.discs), body.side, leaning, body.centre, body.axis, as_seen(body))

    def put(self, physics: Physics) -> None:
        """Puts such a body on the mat again, where a finger holds it."""
        body = physics.add(self.discs, self.centre, 1)
        body.place(axis=self.axis)
        body.taken_from(self.side)
        if self.leaning:
            body.become(BodyState.LEANING)
            body.lean()
            body.rest()
        body.pin()


@dataclass(frozen=True)
class Snapshot:
    """What lay on the mat, and the discs in the `reserves`."""

    lying: list[Pose]
    reserves: dict[str, list[TwinDisc]]

    def has(self, body: Body) -> bool:
        """Whether one of the body's discs lay on the mat."""
        lay = {id(disc) for pose in self.lying for disc in pose.discs}
        return any(id(disc) in lay for disc in body.discs)


def as_seen(body: Body) -> Seen:
    """What the referee would have of a body."""
    face = "" if body.is_red else LETTER[body.face]
    return body.shape, face, len(body.discs), *body.spot
