"""The mechanical drawings of a mat, all from hardware/mat.toml."""

import math
from collections.abc import Callable, Iterable, Mapping

from polarity_host.mats.description import Mat

from . import boards, places
from .boards import ARC_SPARE_DEG, FFC_DEEP_MM, FFC_IN_MM, tile_holes_mm, tile_parts
from .design_rules import HOLE_MM
from .drawing import Drawing, mirrored, split
from .layout import Placed
from .outline import Box, Point
from .schematic import CABLE, LEDS_AN_ARC, SELECTS, WAYS, chains

SCREW_IN_MM = 5.0  # the plates' screws from their edges
LEAD_HOLE_MM, BUTTON_HOLE_MM = 8.0, 13.0
HEAD_HOLE_MM = 7.0  # in the top plate, over the head of a tile's screw
FOOT_MM = 16.0  # diameter of a foot below the base


def half_mm(mat: Mat) -> float:
    """Half the side of the square plates."""
    corners = [places.corner_mm(mat, tile) for tile in mat.tiles]
    side = places.side(mat) * mat.pitch_mm
    return max(max(-x, -y, x + side, y + side) for x, y in corners) + mat.build["edge_mm"]


def carrier_corner_mm(mat: Mat) -> Point:
    """The carrier's lower left corner: the corner of the plate that has no tile."""
    low = -half_mm(mat) + mat.build["edge_mm"]
    return low, low


def lead_mm(mat: Mat, chain: int) -> int:
    """Length of the cable from the carrier to a chain's first tile, in whole tens: along its path,
    and 25 mm to be pushed in at both ends and to rise."""
    path = lead_path_mm(mat, chain)
    length = sum(math.dist(a, b) for a, b in zip(path, path[1:]))
    return max(60, math.ceil((length + 25) / 10) * 10)


def lead_path_mm(mat: Mat, chain: int) -> list[tuple[float, float]]:
    """The middle of that cable: straight up, or folded twice along the plate's edge."""
    x, y = places.corner_mm(mat, chains(mat)[chain][0])
    x, y = x + places.side(mat) * mat.pitch_mm / 2, y + FFC_IN_MM - FFC_DEEP_MM
    cx, cy = carrier_corner_mm(mat)
    u, v, turn = boards.cable_ends_mm(mat)[chain]
    u, v = cx + u, cy + v + (FFC_DEEP_MM if turn == 0 else -FFC_DEEP_MM)
    if turn == 0:
        return [(u, v), (x, y)]
    edge = -half_mm(mat) + mat.build["edge_mm"] / 2
    return [(u, v), (u, edge), (x, edge), (x, y)]


def tile_screws_mm(mat: Mat) -> list[tuple[float, float]]:
    """Where tiles have screws: their holes, but for those under the LED arcs, which lie there."""
    ring, clear = mat.build["led_radius_mm"], (mat.build["slot_mm"] + HEAD_HOLE_MM) / 2 + 1.0
    holes = [
        (x + dx, y + dy)
        for x, y in (places.corner_mm(mat, tile) for tile in mat.tiles)
        for dx, dy in tile_holes_mm(mat)
    ]
    return [hole for hole in holes if abs(math.hypot(*hole) - ring) > clear]


def led_lead_mm(mat: Mat) -> tuple[float, float]:
    """Where the lights' lead comes up through the top plate: at the right, by the first arc."""
    side = places.side(mat) * mat.pitch_mm
    right = max(places.corner_mm(mat, tile)[0] for tile in mat.tiles) + side
    return right + mat.build["edge_mm"] / 2, -mat.build["edge_mm"]


def buttons_mm(mat: Mat) -> list[tuple[float, float]]:
    """The buttons' holes in the top plate: in the lower right corner, where there is no tile."""
    away = half_mm(mat) - mat.build["edge_mm"] - 22.0
    return [(away - 26.0, -away), (away, -away)]


def _board(
    title: str,
    outline: Box,
    holes: Iterable[Point],
    parts: Mapping[str, Placed],
    words: Mapping[str, str],
) -> Drawing:
    """A board from above: parts on its upper side thin, those below it dark; names beside the
    small ones. `words`: a part's name where it is not its reference."""
    drawing = Drawing(title)
    for side in outline.sides():
        drawing.line("cut", side.start, side.end)
    for at in holes:
        drawing.circle("drill", at, HOLE_MM / 2)
    for part in parts.values():
        left, bottom, right, top = part.box()
        wide, high = right - left, top - bottom
        drawing.box("part" if part.layer == "F" else "note", (left, bottom), (wide, high))
        name = words.get(part.ref, part.ref)
        if part.kind == "sensor":
            drawing.circle("part", (part.x, part.y), 0.2)
            drawing.text((part.x, part.y - 4), name, 2.5)
        elif part.kind == "c100n_low":
            continue
        elif min(wide, high) < 3.0:
            drawing.text((right + 0.9 * len(name) * 0.6 + 0.9, (bottom + top) / 2), name, 1.6)
        else:
            drawing.text((part.x, part.y), name, 2.2)
    return drawing


def tile(mat: Mat) -> Drawing:
    """One tile from above; all but sensors and their capacitors is on its underside."""
    side = places.side(mat) * mat.pitch_mm - mat.build["gap_mm"]
    words = {"J1": "J1 in (below)", "J2": "J2 out (below)", "U1": "U1 (below)"}
    return _board(
        f"tile of {mat.id}: {side:g} mm square, from above", boards.tile_outline(mat),
        tile_holes_mm(mat), tile_parts(mat), words,
    )  # fmt: skip


def carrier(mat: Mat) -> Drawing:
    """The carrier from above; its cables' connectors are on its underside."""
    width, height = mat.build["carrier_mm"]
    parts = boards.carrier_parts(mat)
    words = {
        part.ref: f"{part.ref}, chain {chr(64 + int(part.ref[1:]))} (below)"
        for part in parts.values()
        if part.kind == "ffc"
    }
    return _board(
        f"carrier of {mat.id}: {width:g} x {height:g} mm, from above",
        boards.carrier_outline(mat), boards.carrier_holes_mm(mat), parts, words,
    )  # fmt: skip


def plan(mat: Mat) -> Drawing:
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
        path = lead_path_mm(mat, number)
        for a, b in zip(path, path[1:]):
            drawing.line("note", a, b)
        drawing.text((x + side / 2, y + 9), f"J{number + 1}: {lead_mm(mat, number)} mm", 4)
        for one in chain[1:]:
            x, y = places.corner_mm(mat, one)
            drawing.line("note", (x + side / 2, y - 5), (x + side / 2, y + 5))
    for k in range(mat.led_count):
        drawing.circle("part", _led_mm(mat, k), 2.5)
    x, y = led_lead_mm(mat)
    drawing.circle("drill", (x, y), LEAD_HOLE_MM / 2)
    drawing.text((x - 2, y - 9), "LED lead", 4)
    for number, (x, y) in enumerate(buttons_mm(mat), 1):
        drawing.circle("drill", (x, y), BUTTON_HOLE_MM / 2)
        drawing.text((x, y + 10), f"button {number}", 4)
    return drawing


def _led_mm(mat: Mat, k: int) -> Point:
    angle, r = 2 * math.pi * k / mat.led_count, mat.build["led_radius_mm"]
    return r * math.cos(angle), r * math.sin(angle)


def plate_screws_mm(mat: Mat) -> list[tuple[float, float]]:
    """Screws through both plates: none at the middle of the lower edge, where the cables run."""
    d = half_mm(mat) - SCREW_IN_MM
    return [(x, y) for x in (-d, 0.0, d) for y in (-d, 0.0, d) if (x, y) not in ((0, 0), (0, -d))]


def cloth_radius_mm(mat: Mat) -> float:
    """Of the cloth, which lies within the lights' slot."""
    return mat.build["led_radius_mm"] - mat.build["slot_mm"] / 2 - 1.0


def marks(mat: Mat) -> list[tuple[Point, Point]]:
    """What the top plate is marked with so that the cloth lies right: a cross at the middle, for a
    pin through the cloth's dot, and four ticks beyond the lights, which stay visible."""
    near = mat.build["led_radius_mm"] + mat.build["slot_mm"] / 2 + 2.0
    found: list[tuple[Point, Point]] = [((-5.0, 0.0), (5.0, 0.0)), ((0.0, -5.0), (0.0, 5.0))]
    for x, y in ((1, 0), (0, 1), (-1, 0), (0, -1)):
        found.append(((near * x, near * y), ((near + 8.0) * x, (near + 8.0) * y)))
    return found


def cloth(mat: Mat) -> Drawing:
    """What is printed on the cloth: the playing circle, the dot with a cross for the pin, and ticks
    at the edge every 30 degrees, of which the four long ones point at the top plate's marks."""
    edge = cloth_radius_mm(mat)
    drawing = Drawing(f"cloth of {mat.id}, 1:1; cut along the outer circle of {2 * edge:g} mm")
    drawing.circle("cut", (0, 0), edge)
    drawing.circle("ink", (0, 0), mat.circle_radius_mm)
    drawing.circle("ink", (0, 0), mat.dot_radius_mm, filled=True)
    for a, b in (((-15.0, 0.0), (15.0, 0.0)), ((0.0, -15.0), (0.0, 15.0))):
        drawing.line("score", a, b)
    for k in range(12):
        turn, quarter = math.pi / 6 * k, k % 3 == 0
        inner = edge - (10.0 if quarter else 5.0)
        c, s = math.cos(turn), math.sin(turn)
        drawing.line("ink" if quarter else "score", (inner * c, inner * s), (edge * c, edge * s))
    drawing.text((0, -edge + 16.0 if edge > 200 else -edge + 8.0), "players' edge: plug here", 4)
    return drawing


def plug_mm(mat: Mat) -> float:
    """x of the Pico's plug."""
    return carrier_corner_mm(mat)[0] + boards.PICO_MM[0]


def notch_mm(mat: Mat) -> tuple[float, float, float]:
    """(left, right, top) of the top plate's notch for the plug's overmould, at its lower edge."""
    (width, deep), x = mat.build["notch_mm"], plug_mm(mat)
    return x - width / 2, x + width / 2, -half_mm(mat) + deep


def feet_mm(mat: Mat) -> list[Point]:
    """The feet below the base: nine, away from screws."""
    d = half_mm(mat) - 30.0
    step = mat.pitch_mm / 2  # the middle of a tile, where no screw comes through
    return [(x + step, y + step) for x in (-d, 0.0, d - 22.0) for y in (-d, 0.0, d - 22.0)]


def top_plate(mat: Mat) -> Drawing:
    """The plate under the cloth, with slots for the LED arcs and bridges between them."""
    half, build = half_mm(mat), mat.build
    drawing = Drawing(
        f"top plate of {mat.id}: {build['plate_mm']:g} mm, {2 * half:g} mm square, from above"
    )
    left, right, top = notch_mm(mat)
    corners = [
        (-half, -half), (left, -half), (left, top), (right, top), (right, -half), (half, -half),
        (half, half), (-half, half),
    ]  # fmt: skip
    for a, b in zip(corners, corners[1:] + corners[:1]):
        drawing.line("cut", a, b)
    for screw in plate_screws_mm(mat):
        drawing.circle("drill", screw, HOLE_MM / 2)
    for hole in tile_screws_mm(mat):
        drawing.circle("drill", hole, HEAD_HOLE_MM / 2)
    drawing.circle("drill", led_lead_mm(mat), LEAD_HOLE_MM / 2)
    for hole in buttons_mm(mat):
        drawing.circle("drill", hole, BUTTON_HOLE_MM / 2)
    for a, b in marks(mat):
        drawing.line("score", a, b)
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


def base_plate(mat: Mat) -> Drawing:
    """The plate that the tiles stand on."""
    half = half_mm(mat)
    drawing = Drawing(
        f"base plate of {mat.id}: {mat.build['base_mm']:g} mm, {2 * half:g} mm square, from above"
    )
    drawing.box("cut", (-half, -half), (2 * half, 2 * half))
    for screw in plate_screws_mm(mat):
        drawing.circle("drill", screw, HOLE_MM / 2)
    for one in mat.tiles:
        x, y = places.corner_mm(mat, one)
        for dx, dy in tile_holes_mm(mat):
            drawing.circle("drill", (x + dx, y + dy), HOLE_MM / 2)
        middle = places.side(mat) * mat.pitch_mm / 2
        drawing.text((x + middle, y + middle), one.name, 9)
    cx, cy = carrier_corner_mm(mat)
    width, height = mat.build["carrier_mm"]
    for dx, dy in boards.carrier_holes_mm(mat):
        drawing.circle("drill", (cx + dx, cy + dy), HOLE_MM / 2)
    drawing.text((cx + width / 2, cy + height / 2), "carrier", 6)
    for x, y in feet_mm(mat):
        drawing.circle("score", (x, y), FOOT_MM / 2)
    return drawing


def led_arc(mat: Mat) -> Drawing:
    """One board of the LED ring, from above; the ring's middle is below it."""
    ring = boards.arc_outline(mat)
    drawing = Drawing(f"LED arc of {mat.id}, 1 mm, from above; data come in at the right (J1)")
    for radius in (ring.inner, ring.outer):
        drawing.arc("cut", (ring.x, ring.y), radius, ring.from_deg, ring.to_deg)
    for angle in (ring.from_deg, ring.to_deg):
        drawing.line("cut", ring.at(ring.inner, angle), ring.at(ring.outer, angle))
    for part in boards.arc_parts(mat).values():
        left, bottom, right, top = part.box()
        drawing.box("part", (left, bottom), (right - left, top - bottom))
        if part.kind != "c100n":
            drawing.text((part.x, part.y), part.ref, 2.0)
    return drawing


def section(mat: Mat) -> Drawing:
    """The layers on top of each other, ten times as high as they are."""
    build, by = mat.build, 10.0
    layers = [
        ("base plate", build["base_mm"]),
        ("standoffs; below the tiles cables, connectors, chips", build["standoff_mm"]),
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


def cable(mat: Mat) -> Drawing:
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


def folds(mat: Mat) -> Drawing:
    """How a cable from the carrier is folded, from above: creases, and where its wire 1 runs."""
    drawing = Drawing("a cable from the carrier, folded twice; from above; red: creases")
    half, wire, far, up = WAYS / 2 + 0.5, WAYS / 2 - 0.5, 90.0, 45.0
    for x in (-half, half):
        drawing.line("part", (x, up), (x, half))
        drawing.line("part", (far + x, half), (far + x, up))
    drawing.line("part", (half, half), (far - half, half))
    drawing.line("part", (half, -half), (far - half, -half))
    drawing.line("cut", (-half, half), (half, -half))
    drawing.line("cut", (far - half, -half), (far + half, half))
    path = [(wire, up), (wire, -wire), (far - wire, -wire), (far - wire, up)]
    for a, b in zip(path, path[1:]):
        drawing.line("score", a, b)
    for x, words in ((0.0, "carrier's J2 ... J6"), (far, "tile's J1")):
        drawing.text((x, up + 5), words, 4)
    drawing.text((far / 2, 2), "turned over: the other face is up", 3)
    drawing.text((far / 2, half + 4), "along the plate's lower edge", 3)
    drawing.text(
        (far / 2, -half - 5), "green: wire 1, left of the middle at both ends as the cable runs", 3
    )
    return drawing


def plan_below(mat: Mat) -> Drawing:
    """The plan as it lies while it is put together: face down, so left is right."""
    half = half_mm(mat)
    title = f"plan of {mat.id}, face down, as it is put together: {2 * half:g} mm square"
    return mirrored(plan(mat), title)


def panels(mat: Mat) -> dict[str, Drawing]:
    """The plates in two panels each, for a laser cutter that takes no whole one."""
    found = {}
    for name, whole, seam in (
        ("top_plate", top_plate(mat), mat.build["top_seam_mm"]),
        ("base_plate", base_plate(mat), mat.build["base_seam_mm"]),
    ):
        half = half_mm(mat)
        left, right = split(whole, seam, -half, half)
        found |= {f"{name}_left": left, f"{name}_right": right}
    return found


def drawings(mat: Mat) -> dict[str, Drawing]:
    """Every drawing of a mat by its file's name."""
    drawn: dict[str, Callable[[Mat], Drawing]] = {
        "plan": plan, "tile": tile, "carrier": carrier, "top_plate": top_plate,
        "base_plate": base_plate, "led_arc": led_arc, "section": section, "cable": cable,
        "folds": folds, "plan_below": plan_below, "cloth": cloth,
    }  # fmt: skip
    return {name: draw(mat) for name, draw in drawn.items()} | panels(mat)
