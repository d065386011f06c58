"""Which discs that lie side by side touch."""

import math
from types import SimpleNamespace

import pytest

from polarity.perception.body import RESTING, Body
from polarity.perception.contacts import Contacts, inside
from polarity.rules.ending import SURE
from tests.perception.actions import lay

MM, RADIUS = 256, 17 * 256


def disc(x_mm, face):
    body = Body(6 * MM)
    body.pose[0], body.pose[5] = round(x_mm * MM), 4096 * face
    return body


@pytest.mark.parametrize(
    ("gap_mm", "faces", "jumped", "touches"),
    [
        (0.3, (1, -1), False, True),
        (1.0, (1, -1), False, False),  # friction may hold them apart
        (1.5, (1, -1), True, True),  # but a pull that has moved one does not end short of the other
        (3.0, (1, -1), True, False),
        (0.1, (1, 1), False, True),
        (1.0, (1, 1), True, False),  # like faces push each other away
    ],
)
def test_touching_side_by_side(gap_mm, faces, jumped, touches):
    a, b = disc(0.0, faces[0]), disc(34.0 + gap_mm, faces[1])
    assert (inside(a, b, RADIUS, jumped) > 0) is touches


@pytest.mark.parametrize("face", [1, -1])
def test_a_tower_in_a_crease_touches_with_its_foot(face):
    """Seven discs of 6 mm, tipped by 2 degrees away from a disc that the lowest one touches: the
    middle, three discs higher, is 18 mm * sin 2 deg = 0.63 mm further off."""
    tower, other = disc(34.0 + 0.63, face), disc(0.0, 1)
    tower.pose[3], tower.pose[7] = round(4096 * math.sin(math.radians(2.0))) * face, 7
    assert inside(tower, other, RADIUS) == pytest.approx(0.6 * MM if face < 0 else 0.5 * MM, abs=4)


@pytest.mark.parametrize(("has_red", "asked"), [(False, ["unsure"]), (True, ["touched_red"])])
def test_what_the_field_does_not_decide_is_asked(play, has_red, asked):
    """Opposite faces 0.6 mm apart, half-way between touching and lying 1.2 mm apart."""

    def script(stage):
        yield from stage.rest(0.4)
        if has_red:
            yield from stage.place_red()
        else:
            yield from lay(stage, 1, (0.0, 0.0), 0.8)
        yield from lay(stage, -1, (34.6, 0.0), 0.8)
        yield from stage.rest(0.6)

    told = play(script, has_red=has_red)
    (fact,) = [f for f in told.facts if f.kind in (*asked, "contact")]
    assert fact.kind == asked[0] and fact.confidence < SURE
    if not has_red:
        assert fact.why == "contact" and sorted(fact.others) == [1, 2]


def test_what_touched_is_held_together_until_it_is_clearly_apart():
    """A pull that has brought two faces together keeps them there, whatever a later look adds."""
    a, b = disc(0.0, 1), disc(34.2, -1)
    a.id, b.id, a.state, b.state = 1, 2, RESTING, RESTING
    contacts = Contacts()
    contacts.update(b, [a, b], RADIUS)
    assert contacts.joined == [1]
    for gap_mm, parted in ((1.2, []), (3.0, [1])):
        b.pose[0] = round((34.0 + gap_mm) * MM)
        contacts.update(b, [a, b], RADIUS)
        assert contacts.parted == parted and contacts.doubts == []


def test_of_two_that_come_to_rest_together_the_last_one_tells_of_their_contact():
    """While one still slides its pose is a guess, and the other may only seem to be touched."""
    a, b = disc(0.0, 1), disc(34.1, -1)
    a.id, b.id, a.state, b.state = 1, 2, RESTING, RESTING
    b.slot = SimpleNamespace(left=True)  # it still slides
    contacts = Contacts()
    contacts.update(a, [a, b], RADIUS)
    assert (contacts.joined, contacts.doubts) == ([], []) and not contacts.touches(1)
    b.slot = None
    contacts.update(b, [a, b], RADIUS)
    assert contacts.joined == [1] and contacts.touches(1)
