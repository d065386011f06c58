"""The mechanical drawings of a mat, all from hardware/mat.toml."""

import math

from . import places
from .drawing import Drawing
from .layout import FFC_IN_MM, tile_parts
from .schematic import CABLE, LEDS_AN_ARC, SELECTS, WAYS, chains

HOLE_MM = 3.2  # for M3
HOLE_IN_MM = 6.0  # a tile's holes from its edges: between the sensors
SCREW_IN_MM = 5.0  # the plates' from theirs
ARC_SPARE_DEG = 1.5  # of an LED arc, beyond its outermost LEDs


def half_mm(mat) -> float:
    """Half the side of the square plates."""
    corners = [places.corner_mm(mat, tile) for tile in mat.tiles]
    side = places.side(mat) * mat.pitch_mm
    return max(max(-x, -y, x + side, y + side) for x, y in corners) + mat.build["edge_mm"]


def tile_holes_mm(mat):
    """A tile's four holes, from its lower left corner."""
    side = places.side(mat) * mat.pitch_mm
    low, high = HOLE_IN_MM, side - HOLE_IN_MM
    return [(low, low), (high, low), (low, high), (high, high)]


def carrier_corner_mm(mat):
    """The carrier's lower left corner: the corner of the plate that has no tile."""
    low = -half_mm(mat) + mat.build["edge_mm"]
    return low, low


def lead_mm(mat, chain: int) -> int:
    """Length of the cable from the carrier to a chain's first tile, in whole tens."""
    x, y = places.corner_mm(mat, chains(mat)[chain][0])
    cx, cy = carrier_corner_mm(mat)
    width, height = mat.build["carrier_mm"]
    side = places.side(mat) * mat.pitch_mm
    away = abs(x + side / 2 - cx - width / 2) + abs(y - cy - height)
    return max(60, math.ceil((away + FFC_IN_MM + 30) / 10) * 10)


def tile(mat) -> Drawing:
    """One tile from above; all but sensors and their capacitors is on its underside."""
    side = places.side(mat) * mat.pitch_mm
    gap, edge = mat.build["gap_mm"] / 2, places.side(mat) * mat.pitch_mm
    drawing = Drawing(f"tile of {mat.id}: {side - 2 * gap:g} mm square, from above")
    drawing.box("cut", (gap, gap), (edge - 2 * gap, edge - 2 * gap))
    for hole in tile_holes_mm(mat):
        drawing.circle("drill", hole, HOLE_MM / 2)
    for part in tile_parts(mat).values():
        left, bottom, right, top = part.box()
        layer = "part" if part.layer == "F" else "note"
        drawing.box(layer, (left, bottom), (right - left, top - bottom))
        if part.kind == "sensor":
            drawing.circle("part", (part.x, part.y), 0.2)
            drawing.text((part.x, part.y - 4), part.ref, 2.5)
        elif part.layer == "B":
            words = {"J1": "J1 in (below)", "J2": "J2 out (below)"}.get(part.ref, part.ref)
            drawing.text((part.x, part.y), words, 2.2)
    return drawing


def plan(mat) -> Drawing:
    """The whole mat from above: tiles by name, cables, sensors, circle, lights, carrier."""
    half, build = half_mm(mat), mat.build
    drawing = Drawing(f"plan of {mat.id}: {2 * half:g} mm square, from above; USB plug below")
    drawing.box("cut", (-half, -half), (2 * half, 2 * half))
    drawing.circle("score", (0, 0), mat.circle_radius_mm)
    drawing.circle("score", (0, 0), mat.dot_radius_mm)
    side, gap = places.side(mat) * mat.pitch_mm, build["gap_mm"] / 2
    for one in mat.tiles:
        x, y = places.corner_mm(mat, one)
        drawing.box("part", (x + gap, y + gap), (side - 2 * gap, side - 2 * gap))
        drawing.text((x + side / 2, y + side / 2), one.name, 9)
    for x, y, _ in mat.sensor_xyz_mm:
        drawing.circle("part", (x, y), 0.7)
    cx, cy = carrier_corner_mm(mat)
    width, height = build["carrier_mm"]
    drawing.box("note", (cx, cy), (width, height))
    drawing.text((cx + width / 2, cy + height / 2), "carrier", 6)
    for number, chain in enumerate(chains(mat)):
        x, y = places.corner_mm(mat, chain[0])
        drawing.text((x + side / 2, y + 9), f"J{number + 1}: {lead_mm(mat, number)} mm", 4)
        for one in chain[1:]:
            x, y = places.corner_mm(mat, one)
            drawing.line("note", (x + side / 2, y - 5), (x + side / 2, y + 5))
    for k in range(mat.led_count):
        drawing.circle("part", _led_mm(mat, k), 2.5)
    return drawing


def _led_mm(mat, k):
    angle, r = 2 * math.pi * k / mat.led_count, mat.build["led_radius_mm"]
    return r * math.cos(angle), r * math.sin(angle)


def _plate_screws(mat):
    d = half_mm(mat) - SCREW_IN_MM
    return [(x, y) for x in (-d, 0.0, d) for y in (-d, 0.0, d) if (x, y) != (0.0, 0.0)]


def top_plate(mat) -> Drawing:
    """The plate under the cloth, with slots for the LED arcs and bridges between them."""
    half, build = half_mm(mat), mat.build
    drawing = Drawing(f"top plate of {mat.id}: {build['plate_mm']:g} mm, {2 * half:g} mm square")
    drawing.box("cut", (-half, -half), (2 * half, 2 * half))
    for screw in _plate_screws(mat):
        drawing.circle("drill", screw, HOLE_MM / 2)
    drawing.circle("score", (0, 0), mat.circle_radius_mm)
    step = 360.0 / mat.led_count
    inner = build["led_radius_mm"] - build["slot_mm"] / 2
    outer = inner + build["slot_mm"]
    for first in range(0, mat.led_count, LEDS_AN_ARC):
        last = min(first + LEDS_AN_ARC, mat.led_count) - 1
        a, b = first * step - ARC_SPARE_DEG, last * step + ARC_SPARE_DEG
        for radius in (inner, outer):
            drawing.arc("cut", (0, 0), radius, a, b)
        for angle in (a, b):
            c, s = math.cos(math.radians(angle)), math.sin(math.radians(angle))
            drawing.line("cut", (inner * c, inner * s), (outer * c, outer * s))
    return drawing


def base_plate(mat) -> Drawing:
    """The plate that the tiles stand on."""
    half = half_mm(mat)
    drawing = Drawing(
        f"base plate of {mat.id}: {mat.build['base_mm']:g} mm, {2 * half:g} mm square, from above"
    )
    drawing.box("cut", (-half, -half), (2 * half, 2 * half))
    for screw in _plate_screws(mat):
        drawing.circle("drill", screw, HOLE_MM / 2)
    for one in mat.tiles:
        x, y = places.corner_mm(mat, one)
        for dx, dy in tile_holes_mm(mat):
            drawing.circle("drill", (x + dx, y + dy), HOLE_MM / 2)
        middle = places.side(mat) * mat.pitch_mm / 2
        drawing.text((x + middle, y + middle), one.name, 9)
    cx, cy = carrier_corner_mm(mat)
    width, height = mat.build["carrier_mm"]
    for dx in (4.0, width - 4.0):
        for dy in (4.0, height - 4.0):
            drawing.circle("drill", (cx + dx, cy + dy), HOLE_MM / 2)
    drawing.text((cx + width / 2, cy + height / 2), "carrier", 6)
    return drawing


def led_arc(mat) -> Drawing:
    """One board of the LED ring; its first LED is on the x axis."""
    step, build = 360.0 / mat.led_count, mat.build
    a, b = 0.3 - ARC_SPARE_DEG, (LEDS_AN_ARC - 1) * step + ARC_SPARE_DEG - 0.3
    inner = build["led_radius_mm"] - build["slot_mm"] / 2 + 0.3
    outer = build["led_radius_mm"] + build["slot_mm"] / 2 - 0.3
    drawing = Drawing(f"LED arc of {mat.id}, 1 mm, from above")
    for radius in (inner, outer):
        drawing.arc("cut", (0, 0), radius, a, b)
    for angle in (a, b):
        c, s = math.cos(math.radians(angle)), math.sin(math.radians(angle))
        drawing.line("cut", (inner * c, inner * s), (outer * c, outer * s))
    for k in range(LEDS_AN_ARC):
        x, y = _led_mm(mat, k)
        drawing.box("part", (x - 2.5, y - 2.5), (5.0, 5.0))
        drawing.text((x, y), f"D{k + 1}", 2.5)
    return drawing


def section(mat) -> Drawing:
    """What lies on what, ten times as high as it is."""
    build, by = mat.build, 10.0
    layers = [
        ("base plate", build["base_mm"]),
        ("standoffs; cables, connectors, U1", build["standoff_mm"]),
        ("tile", 1.6),
        ("sensors; Hall plane %g mm below the surface" % -mat.sensor_xyz_mm[0, 2], 0.5),
        ("top plate", build["plate_mm"]), ("cloth", build["cloth_mm"]),
        (f"disc, {mat.disc.diameter_mm:g} mm", mat.disc.thickness_mm),
    ]  # fmt: skip
    drawing, y = Drawing(f"section of {mat.id}; heights ten times enlarged"), 0.0
    for words, thick in layers:
        wide = mat.disc.diameter_mm * 3 if words.startswith("disc") else 300.0
        drawing.box("cut", (-wide / 2, y), (wide, by * thick))
        at = (0.0 if wide < 300 else 60.0, y + by * thick / 2)
        if by * thick < 8:  # too thin for words
            at = (205.0, at[1])
            drawing.line("note", (150.0, at[1]), (153.0, at[1]))
        drawing.text(at, f"{words}: {thick:g} mm", 5 if by * thick >= 8 else 4)
        y += by * thick
    for x in range(-140, 0, int(mat.pitch_mm * 3)):
        bottom = by * (build["base_mm"] + build["standoff_mm"] + 1.6)
        drawing.box("part", (x, bottom), (4.2, by * 0.4))
    return drawing


def cable(mat) -> Drawing:
    """A flat cable between two tiles, from below: which wire is which pin, and carries what."""
    drawing = Drawing("cable from a tile's J2 to the next tile's J1; wire by wire, not to scale")
    drawing.text((-30.0, WAYS * 6 + 6.0), "J2 of the tile before", 4)
    drawing.text((30.0, WAYS * 6 + 6.0), "J1 of this tile", 4)
    for wire, name in enumerate(CABLE, 1):
        y = (WAYS - wire) * 6.0
        drawing.line("part", (-30.0, y), (30.0, y))
        drawing.text((-36.0, y), str(wire), 4)
        drawing.text((36.0, y), str(WAYS + 1 - wire), 4)
        sent = f"S{int(name[1]) + 1}" if name[0] == "S" and name != f"S{SELECTS - 1}" else name
        drawing.text((-52.0, y), "-" if name == f"S{SELECTS - 1}" else sent, 4)
        drawing.text((52.0, y), name, 4)
    return drawing


def drawings(mat) -> dict[str, Drawing]:
    """Every drawing of a mat by its file's name."""
    return {
        draw.__name__: draw(mat)
        for draw in (plan, tile, top_plate, base_plate, led_arc, section, cable)
    }
