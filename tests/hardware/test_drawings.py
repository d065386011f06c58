"""The drawings: to scale, whole, and such that what they draw fits together."""

import math
import re

import ezdxf
import pytest

from hardware.tools import boards, build, drawings, places, schematic
from hardware.tools.drawing import Drawing, split
from polarity_host.mats.description import load_mat

SIDES = ("width", "height")


def circles(drawing, layer):
    return [shape[2:4] for shape in drawing.shapes if shape[:2] == ("circle", layer)]


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


def test_the_layers_add_up_to_the_hall_plane(mat):
    above = mat.build["cloth_mm"] + mat.build["plate_mm"] + 0.5  # the rest: package and air
    assert above == pytest.approx(-mat.sensor_xyz_mm[0, 2])


def test_the_plan_from_below_has_the_first_chain_at_the_right():
    """As the tiles lie while the mat is put together, face down."""
    plan = drawings.drawings(load_mat())["plan_below"]
    words = {shape[3]: shape[2] for shape in plan.shapes if shape[0] == "text"}
    assert words["A1"][0] > words["F1"][0] and words["carrier"][0] > 0
    assert words["A1"][1] < words["A4"][1]


@pytest.mark.parametrize("name", ["top_plate", "base_plate"])
def test_two_panels_are_the_plate_and_fit_a_laser_cutter(mat, name):
    """All holes once; 600 x 400 mm is a common bed."""
    drawn = drawings.drawings(mat)
    left, right = (drawn[f"{name}_{side}"] for side in ("left", "right"))
    both = sorted(circles(left, "drill") + circles(right, "drill"))
    assert both == sorted(circles(drawn[name], "drill"))
    for panel in (left, right):
        cut = Drawing("", [shape for shape in panel.shapes if shape[1] == "cut"])
        (x, low), (u, high) = cut.extent()
        assert u - x <= 400.0 and high - low <= 600.0

    def cut_mm(drawing):
        return sum(
            math.dist(shape[2], shape[3])
            for shape in drawing.shapes
            if shape[:2] == ("line", "cut")
        )

    seams = 2 * 2 * drawings.half_mm(mat)
    assert cut_mm(left) + cut_mm(right) == pytest.approx(cut_mm(drawn[name]) + seams)


def test_a_seam_through_a_hole_is_refused():
    drawing = Drawing("a plate")
    drawing.circle("drill", (10.0, 0.0), 1.6)
    with pytest.raises(ValueError, match="meets a hole"):
        split(drawing, 9.0, -5.0, 5.0)


def test_a_circle_and_an_arc_are_cut_where_the_seam_meets_them():
    drawing = Drawing("rings")
    drawing.circle("score", (0.0, 0.0), 10.0)
    drawing.arc("cut", (0.0, 0.0), 20.0, 45.0, 315.0)
    left, right = split(drawing, 5.0, -30.0, 30.0)
    spans = {(s[3], round(s[4], 3), round(s[5], 3)) for s in left.shapes if s[0] == "arc"}
    turn = round(math.degrees(math.acos(0.25)), 3)
    assert spans == {(10.0, 60.0, 300.0), (20.0, turn, round(360.0 - turn, 3))}
    spans = {(s[3], round(s[4], 3), round(s[5], 3)) for s in right.shapes if s[0] == "arc"}
    assert spans == {
        (10.0, -60.0, 60.0), (20.0, 45.0, turn), (20.0, round(360.0 - turn, 3), 315.0),
    }  # fmt: skip
