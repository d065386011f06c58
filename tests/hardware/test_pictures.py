"""The boards in 3D, their pictures and their pages: of the boards as they are."""

import pytest

from hardware.tools import bodies, parts_pages, picture_state
from hardware.tools.clearances import size
from polarity_host.mats.description import MAT_TOML, load_mat
from tests.hardware.test_layout import laid_out


def drawn():
    return {name: laid_out(name) for name in ("tile", "led_arc", "carrier_standard")}


def test_the_pictures_are_of_the_boards_as_they_are():
    assert picture_state.stale() == [], "run `make pictures`"


def test_a_part_that_moved_makes_its_pictures_stale(monkeypatch):
    from hardware.tools import boards

    monkeypatch.setattr(boards, "CAPACITOR_LEFT_MM", 1.95)
    assert picture_state.stale() == ["tile", "exploded"]


def test_the_pages_of_parts_are_of_the_boards_as_they_are():
    assert parts_pages.stale() == [], "run `make parts_pages`"


def test_the_guide_shows_every_picture_and_leads_to_every_page():
    guide = (MAT_TOML.parent / "BUILD.md").read_text(encoding="utf-8")
    for folder, end in (("pictures", "webp"), ("parts_pages", "html")):
        names = [path.name for path in (MAT_TOML.parent / folder).glob(f"*.{end}")]
        assert names and all(f"({folder}/{name})" in guide for name in names)


def test_a_boards_bodies_are_where_its_parts_are():
    """A tile's sensors on its upper side, within their courtyards; what is below hangs from 0."""
    layout = laid_out("tile")
    found = {body.name: body for body in bodies.board_bodies(layout)}
    assert set(found) >= {part.ref for part in layout.parts if part.kind != "testpoint"}
    for part in layout.parts:
        if part.kind == "testpoint":
            continue
        left, low, right, top = part.box()
        xs, ys = zip(*(side.start for side in found[part.ref].sides))
        assert left <= min(xs) and max(xs) <= right and low <= min(ys) and max(ys) <= top
        body = found[part.ref]
        assert body.low == layout.thick_mm if part.layer == "F" else body.high == 0.0


def test_the_stack_is_as_high_as_the_mat():
    """From the feet's lower side to the cloth's upper one: feet 8, base 3, standoffs 10, tile 1.6,
    capacitors 0.55, plate 2.5, cloth 2 mm. And each thing lies on the next."""
    items = bodies.stack(load_mat("standard"), drawn())
    low = {item.name: item.z + min(body.low for body in item.bodies) for item in items}
    high = {item.name: item.z + max(body.high for body in item.bodies) for item in items}
    whole = max(high.values()) - min(low.values())
    assert whole == pytest.approx(8 + 3 + 10 + 1.6 + 0.55 + 2.5 + 2)
    assert round(high["feet"] - low["base plate"], 6) == 0
    assert round(low["top plate"] - high["tile A1"], 6) == 0
    assert sum(item.name.startswith("tile") for item in items) == 32
    assert high["LED arc 1"] < low["cloth"] and high["carrier"] < low["top plate"]
    above_tile = low["LED arc 1"] - high["tile A1"] + size("capacitor_0402_high")
    assert above_tile == pytest.approx(size("tape_thick"))
