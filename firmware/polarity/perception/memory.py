"""The scene as it lay, to go on from after the power was away."""

from ..kernels._records import POSE_WORDS
from . import pose as geometry
from .body import MOVING, RESTING, Body
from .parameters import LIVED_WITH_UT, SETTLED_UT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .tracker import Tracker

_LEANING, _RED, _WEIGHED, _OUT = 1, 2, 4, 8


def remembered(tracker: "Tracker") -> "Iterator[tuple[int, ...]]":
    """A generator: (id, marks, *pose) of each piece that lies on the mat: ints, for `recall`."""
    for body in tracker.scene.bodies[:]:
        if body.state >= MOVING and body.id:
            marks = _LEANING * body.leaning | _RED * body.is_red
            marks |= _WEIGHED * body.weighed | _OUT * body.out_told
            yield (body.id, marks) + tuple(body.pose)


def recall(tracker: "Tracker", kept: "Sequence[Sequence[int]]", counts: "Sequence[int]") -> int:
    """Puts what `remembered` gave into the scene of a new tracker whose offsets are known. Returns
    how many bodies the frame `counts` contradicts; they are news, and will be told as that.
    """
    scene = tracker.scene
    field = scene.field
    tracker.ready = True
    field.scan(counts)
    for entry in kept:
        body = Body(scene.mat.DISC_THICKNESS)
        body.id, marks = entry[0], entry[1]
        for k in range(POSE_WORDS):
            body.pose[k] = entry[2 + k]
        geometry.copy(body.rest, body.pose)
        body.state = RESTING
        body.leaning = bool(marks & _LEANING)
        body.weighed = bool(marks & _WEIGHED)
        if marks & _OUT:
            body.out_told = True
        if marks & _RED:
            body.is_red = True
            scene.red = body
        scene.bodies.append(body)
        field.put_in(body.pose)
    for body in scene.bodies:
        field.take_out(body.pose)
        field.put_in(body.pose)
        field.accept(LIVED_WITH_UT)
    field.settle(LIVED_WITH_UT)
    elsewhere = 0
    for body in scene.bodies:
        if scene.fitter.misfit(body.pose) > SETTLED_UT:
            elsewhere += 1
        scene.contacts.update(body, scene.bodies, scene.mat.DISC_RADIUS)
        scene.named(body.id)
    return elsewhere
