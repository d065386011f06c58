"""The drawings: to scale, whole, and such that what they draw fits together."""

import math
import re

import ezdxf
import pytest

from hardware.tools import boards, build, drawings, places, schematic
from hardware.tools.drawing import Drawing
from polarity_host.mats.description import load_mat

SIDES = ("width", "height")


def circles(drawing, layer):
    return [shape[2:] for shape in drawing.shapes if shape[:2] == ("circle", layer)]


def test_a_unit_of_the_svg_is_a_millimetre():
    drawing = Drawing("a box")
    drawing.box("cut", (-20.0, 10.0), (100.0, 50.0))
    text = drawing.svg()
    width, height = (float(re.search(f'{name}="([^m]*)mm"', text)[1]) for name in SIDES)
    box = [float(word) for word in re.search(r'viewBox="([^"]*)"', text)[1].split()]
    assert (width, height) == (box[2], box[3]) == (124.0, 82.0)
    assert "M-20.00 -10.00L80.00 -10.00" in text  # y goes up in the drawing, down in the picture


@pytest.mark.parametrize("name", ["plan", "tile", "carrier", "top_plate", "base_plate", "led_arc"])
def test_the_dxf_has_what_the_drawing_has(name):
    drawing = drawings.drawings(load_mat())[name]
    document = ezdxf.readfile(build.HARDWARE / "drawings" / f"{name}.dxf")
    kinds = {"line": "LINE", "circle": "CIRCLE", "arc": "ARC", "text": "TEXT"}
    for kind, entity in kinds.items():
        wanted = sum(shape[0] == kind for shape in drawing.shapes)
        assert len(document.modelspace().query(entity)) == wanted
    assert not document.audit().has_errors


def test_the_plan_shows_every_sensor_where_it_is(mat):
    small = [at for at, radius in circles(drawings.plan(mat), "part") if radius < 1]
    shown = {(round(x, 3), round(y, 3)) for x, y in small}
    assert shown == {(round(x, 3), round(y, 3)) for x, y, _ in mat.sensor_xyz_mm}


def test_tiles_and_plates_fit(mat):
    half = drawings.half_mm(mat)
    side = places.side(mat) * mat.pitch_mm
    corners = [places.corner_mm(mat, tile) for tile in mat.tiles]
    for x, y in corners:
        assert -half < x and x + side < half and -half < y and y + side < half
    for n, (x, y) in enumerate(corners):
        assert all(abs(x - u) >= side or abs(y - v) >= side for u, v in corners[:n])
    assert side <= 100.0  # what a cheap board may measure


def test_the_carrier_lies_where_no_tile_is(mat):
    x, y = drawings.carrier_corner_mm(mat)
    width, height = mat.build["carrier_mm"]
    side = places.side(mat) * mat.pitch_mm
    for u, v in (places.corner_mm(mat, tile) for tile in mat.tiles):
        assert x + width <= u or u + side <= x or y + height <= v or v + side <= y


def test_no_hole_of_a_tile_meets_a_sensor(mat):
    for hole in boards.tile_holes_mm(mat):
        for channel in range(places.side(mat) ** 2):
            away = math.dist(hole, places.sensor_on_tile_mm(mat, channel))
            assert away > drawings.HOLE_MM / 2 + 2.5


def test_the_lights_lie_outside_the_circle_and_beside_the_sensors(mat):
    inner = mat.build["led_radius_mm"] - mat.build["slot_mm"] / 2
    assert inner > mat.circle_radius_mm
    assert all(math.hypot(x, y) + 0.9 < inner for x, y, _ in mat.sensor_xyz_mm)
    slots = [shape for shape in drawings.top_plate(mat).shapes if shape[0] == "arc"]
    assert len(slots) == 2 * -(-mat.led_count // 5)
    spans = sorted((s[4], s[5]) for s in slots if s[3] < mat.build["led_radius_mm"])
    assert all(b < c for (_, b), (c, _) in zip(spans, spans[1:]))  # bridges hold the middle


def test_no_screws_head_lies_under_the_lights_or_the_plate(mat):
    """The top plate has a hole over each head, and none of them meets a slot or another hole."""
    ring, half = mat.build["led_radius_mm"], mat.build["slot_mm"] / 2
    drilled = circles(drawings.top_plate(mat), "drill")
    for x, y in drawings.tile_screws_mm(mat):
        assert ((x, y), 3.5) in drilled and abs(math.hypot(x, y) - ring) > half + 3.5
    for k, (a, r) in enumerate(drilled):
        assert all(math.dist(a, b) > r + s + 1.0 for b, s in drilled[:k])
    corners = [places.corner_mm(mat, tile) for tile in mat.tiles]
    side = places.side(mat) * mat.pitch_mm
    for x, y in [*drawings.buttons_mm(mat), drawings.led_lead_mm(mat)]:
        assert not any(u < x < u + side and v < y < v + side for u, v in corners)


def test_no_screw_or_standoff_stands_in_a_cables_way():
    """A cable of 16 wires is 17 mm wide; standoffs and spacers are 6 mm across. (The small mat's
    carrier has no layout.)"""
    mat = load_mat("standard")
    corners = [places.corner_mm(mat, tile) for tile in mat.tiles]
    posts = drawings.plate_screws_mm(mat)
    posts += [(x + u, y + v) for x, y in corners for u, v in boards.tile_holes_mm(mat)]
    cx, cy = drawings.carrier_corner_mm(mat)
    posts += [(cx + u, cy + v) for u, v in boards.carrier_holes_mm(mat)]
    for chain in range(len(schematic.chains(mat))):
        path = drawings.lead_path_mm(mat, chain)
        for (x, y), (u, v) in zip(path, path[1:]):
            left, right, low, high = min(x, u), max(x, u), min(y, v), max(y, v)
            for a, b in posts:
                aside = max(left - a, a - right, 0.0), max(low - b, b - high, 0.0)
                assert math.hypot(*aside) > 8.5 + 3.0, (chain, (a, b))


def test_what_stands_under_the_top_plate_has_room():
    """mm above the base plate: the carrier's spacers are 4, its board 1.6, its highest part the
    capacitor of 5.8; the Pico is 1.0, the middle of its plug 1.3 above that, a cable's 8 round it.
    Below it hang connectors of 2.5, and a cable under them."""
    build = load_mat("standard").build
    room = build["standoff_mm"] + 1.6 + 0.5
    assert 4.0 + 1.6 + 5.8 < room and 4.0 + 1.6 + 1.0 + 1.3 + 4.0 < room
    assert 2.5 + 0.3 < 4.0


def test_the_layers_add_up_to_the_hall_plane(mat):
    above = mat.build["cloth_mm"] + mat.build["plate_mm"] + 0.5  # the rest: package and air
    assert above == pytest.approx(-mat.sensor_xyz_mm[0, 2])
