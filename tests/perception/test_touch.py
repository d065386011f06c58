"""Which discs that lie side by side touch."""

import pytest

from polarity.perception.body import Body
from polarity.perception.contacts import touch

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
    assert touch(a, b, RADIUS, jumped) is touches
