"""Everything has room, by the parts' own sizes, and can be reached when the guide needs it."""

import re
from dataclasses import replace

import pytest

from hardware.tools import build, clearances
from polarity_host.mats.description import load_mat


def changed(**lengths):
    mat = load_mat()
    return replace(mat, build={**mat.build, **lengths})


def test_nothing_of_either_mat_lacks_room(mat):
    assert clearances.findings(mat) == []


def test_the_room_between_the_plates_by_hand():
    """Standoffs of 10, tiles of 1.6, and the capacitors of 0.55 that the top plate lies on; an
    overmould of 8.5 mm, whose middle is 4 + 1.6 + 1.0 + 1.3 above the base, is 12.15 high: it
    would just touch the plate, which has a notch there."""
    assert clearances.room_mm(load_mat()) == pytest.approx(12.15)
    assert 4.0 + 1.6 + 1.0 + 1.3 + 8.5 / 2 == pytest.approx(12.15)


@pytest.mark.parametrize(
    ("lengths", "what"),
    [
        ({"notch_mm": [8.0, 22.0]}, "USB plug's overmould in the top plate's notch"),
        ({"notch_mm": [16.0, 15.0]}, "the notch reaches the Pico's socket"),
        ({"notch_mm": [100.0, 22.0]}, "the notch from the screws' holes"),
        ({"carrier_screw_mm": 10.0}, "the carrier's screws out of their nuts"),
        ({"carrier_screw_mm": 20.0}, "feet below the carrier's screws"),
        ({"edge_standoff_mm": 10.0}, "an edge standoff against the room"),
        ({"screw_mm": 5.0}, "thread of the base's screw in a standoff"),
        ({"screw_mm": 8.0}, "between both screws in a standoff"),
        ({"plate_mm": 1.5}, "head of a tile's screw below the cloth"),
        ({"plate_mm": 2.0}, "LEDs below the top plate's upper side"),
        ({"standoff_mm": 9.0}, "capacitor C15 below the top plate"),
        ({"spacer_mm": 3.0}, "carrier's connectors above the base"),
        ({"base_seam_mm": 70.0}, "screws of the tiles that bridge the base's seam"),
        ({"foot_mm": 3.0}, "feet below the heads of the base's screws"),
        ({"gap_mm": 0.1}, "tiles side by side"),
    ],
)
def test_a_length_that_does_not_fit_is_found(lengths, what):
    assert any(line.startswith(what) for line in clearances.findings(changed(**lengths)))


def test_a_screw_moved_onto_a_part_is_found(monkeypatch):
    """Under the carrier's second row of connectors."""
    monkeypatch.setattr(clearances.boards, "carrier_holes_mm", lambda mat: [(36.8, 15.8)])
    found = clearances.findings(load_mat())
    assert any(line.startswith("spacers beside the parts below the carrier") for line in found)


def test_every_size_names_its_source():
    for name, listed in clearances._sizes().items():
        assert float(listed["value"]) > 0 and len(listed["source"]) > 8, name


def guide():
    return (build.HARDWARE / "BUILD.md").read_text(encoding="utf-8")


def test_the_guide_puts_the_mat_together_in_an_order_that_can_be_done():
    """Face down: what is reached from below is done before the base closes it."""
    join = guide().partition("## 6. Join")[2].partition("\n## ")[0]
    order = [
        "Lay the top plate face down",
        "Lay the arcs into the slots",
        "Glue the buttons",
        "Lay the tiles, sensors down",
        "the lights' plug into J20",  # on the carrier's upper side, which then lies below
        "lay the carrier, Pico down",
        "Connect the cables from tile to tile",
        "Connect the cables from the carrier",
        "polarity doctor PORT --tile A1",  # while every connector can still be reached
        "Lower the base",
        "Turn the mat over",
        "Lay the cloth",
    ]
    found = [join.find(words) for words in order]
    assert -1 not in found and found == sorted(found), dict(zip(order, found))


def test_the_guide_names_the_screws_that_were_computed():
    mat, text = load_mat(), guide()
    for name, words in (
        ("standoff_mm", "standoffs of {:g} mm"), ("screw_mm", "screws of {:g} mm"),
        ("carrier_screw_mm", "screws of {:g} mm"), ("edge_standoff_mm", "standoffs of {:g} mm"),
        ("spacer_mm", "spacers of {:g} mm"), ("foot_mm", "feet of {:g} mm"),
    ):  # fmt: skip
        assert words.format(mat.build[name]) in text, name
    screws = len(clearances.drawings.tile_screws_mm(mat))
    assert re.search(rf"\b{screws} of the 128 holes", text)
