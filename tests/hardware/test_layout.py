"""The boards: every pad where and joined as it must be, checked on the files as written."""

import math
import re
from pathlib import Path

import pytest

from hardware.tools import boards, build, copper, design_rules, drawings, route, trace, tracks
from hardware.tools.lands import Land, land
from hardware.tools.layout import Layout, Pad, Placed
from hardware.tools.outline import Box, Sector
from hardware.tools.parts import part_kinds
from polarity_host.mats.description import load_mat

LIBRARY = Path("/usr/share/kicad/footprints")


def netlist(name):
    return (build.HARDWARE / "netlists" / f"{name}.net").read_text(encoding="utf-8")


def laid_out(name):
    return boards.layout_of(name, load_mat("standard"), netlist(name))


@pytest.fixture(scope="module")
def layout():
    return laid_out("tile")


@pytest.fixture
def routed():
    return tracks.stored("tile")


# ---- the board as it is written
def branches(tree, name):
    return [b for b in tree if isinstance(b, list) and b and b[0] == name]


def turned(part, x, y):
    """A place of a footprint on KiCad's sheet: its y points down, angles are counter-clockwise."""
    at = [float(v) for v in branches(part, "at")[0][1:]]
    for _ in range(round(at[2] if len(at) > 2 else 0) // 90):
        x, y = y, -x
    return at[0] + x, at[1] + y


def board_file(name):
    return build.HARDWARE / "boards" / f"{name}.kicad_pcb"


def read_board(name):
    """{reference: (side, {pad: (x, y, net)})} of a board's file, x and y in mm on its sheet."""
    tree = trace.parse(board_file(name).read_text(encoding="utf-8"))
    found = {}
    for part in branches(tree, "footprint"):
        name = next(text[2] for text in branches(part, "fp_text") if text[1] == "reference")
        pads = {}
        for pad in branches(part, "pad"):
            x, y = (float(v) for v in branches(pad, "at")[0][1:3])
            net = branches(pad, "net")
            pads[pad[1]] = (*turned(part, x, y), net[0][2] if net else "")
        found[name] = branches(part, "layer")[0][1][0], pads
    return found


@pytest.fixture(scope="module")
def written():
    return read_board("tile")


@pytest.mark.parametrize("name", boards.LAID_OUT)
def test_every_pin_of_the_netlist_is_a_pad_on_its_net(name):
    on_board = {
        (ref, int(number)): net
        for ref, (_, pads) in read_board(name).items()
        for number, (_, _, net) in pads.items()
        if number.isdigit() and net
    }
    assert on_board == trace.read(netlist(name)).net


def test_the_sensors_stand_on_the_mats_grid_on_the_upper_side(written):
    """Offsets within a whole tile, from mat.toml's grid."""
    mat = load_mat("standard")
    tile = next(t for t in mat.tiles if t.name == "C3")
    middle = {ref: pads["5"][:2] for ref, (_, pads) in written.items() if "5" in pads}
    left, low = middle["U101"]
    for index, channel in tile.sensors:
        side, _ = written[f"U{101 + channel}"]
        x, y = middle[f"U{101 + channel}"]
        first, _ = tile.sensors[0]
        offset = mat.sensor_xyz_mm[index, :2] - mat.sensor_xyz_mm[first, :2]
        assert side == "F" and (x - left, low - y) == pytest.approx(tuple(offset))
    assert len(tile.sensors) == 16


def test_a_straight_cable_joins_pin_k_of_out_to_pin_17_minus_k_of_in(written):
    (side_in, one), (side_out, other) = written["J1"], written["J2"]
    assert side_in == side_out == "B"
    for k in range(1, 17):
        assert other[str(k)][0] == pytest.approx(one[str(17 - k)][0])
    assert one["1"][1] > other["1"][1]  # IN is nearer to the carrier, y down


def test_pins_go_round_a_mirrored_part_the_other_way(written):
    """Seen from above, pins of a part below go round clockwise: shoelace over 1, 12, 13, 24."""

    def area(ref, pins):
        at = [written[ref][1][str(n)][:2] for n in pins]
        return sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(at, at[1:] + at[:1]))

    assert area("U1", (1, 12, 13, 24)) > 0  # y down: clockwise
    assert area("U101", (1, 2, 3, 4)) < 0


def test_only_low_parts_are_on_the_side_that_the_top_plate_lies_on(layout):
    """The sensor is 0.4 mm high, the capacitor 0.55; hardware/drawings/section.svg gives 0.5."""
    assert {p.kind for p in layout.parts if p.layer == "F"} == {"sensor", "c100n_low"}
    assert "0.55 mm high at most" in part_kinds()["c100n_low"].what


# ---- an arc and the carrier
def test_an_arcs_lights_stand_on_the_ring_and_the_data_go_round_it():
    """Six degrees apart, 247 mm from the mat's middle; from above the data go counter-clockwise:
    an LED's DIN (pin 4) lies to the right of its DOUT (pin 2), the next LED to the left."""
    mat, parts = load_mat("standard"), read_board("led_arc")
    ring = boards.arc_outline(mat)
    lights = [parts[f"D{k}"][1] for k in range(1, 6)]
    middles = [tuple(sum(pad[i] for pad in p.values()) / 4 for i in (0, 1)) for p in lights]
    turns = []
    for x, y in middles:
        u, v = x - 50.0 - ring.x, 150.0 - y - ring.y
        assert math.hypot(u, v) == pytest.approx(247.0, abs=1e-3)
        turns.append(math.degrees(math.atan2(v, u)))
    assert turns == pytest.approx([78.0, 84.0, 90.0, 96.0, 102.0], abs=1e-3)
    assert all(pads["4"][0] > pads["2"][0] for pads in lights)
    assert lights[0]["4"][2] == parts["J1"][1]["2"][2] == "D0"
    assert parts["J1"][1]["2"][0] > middles[0][0] > middles[-1][0] > parts["J2"][1]["2"][0]


def test_nothing_is_below_an_arc_for_it_lies_on_the_tiles():
    assert {side for side, _ in read_board("led_arc").values()} == {"F"}
    assert {track.layer for track in tracks.stored("led_arc").tracks} <= {"F", "B"}


def test_arcs_fit_into_the_top_plates_slots():
    """A slot's ends as the drawing cuts them, round the middle of the mat."""
    mat = load_mat("standard")
    ring = boards.arc_outline(mat)
    slots = [shape for shape in drawings.top_plate(mat).shapes if shape[:2] == ("arc", "cut")]
    inner, outer = slots[0][3:], slots[1][3:]
    assert inner[0] < ring.inner < ring.outer < outer[0]
    assert ring.to_deg - ring.from_deg < inner[2] - inner[1]


def test_the_carriers_cables_leave_it_as_they_must():
    """All below; the nearest chain's upwards, the others' downwards, and none meets a spacer."""
    mat, parts = load_mat("standard"), read_board("carrier_standard")
    for k in range(6):
        side, pads = parts[f"J{k + 1}"]
        downwards = pads["1"][1] < pads["MP"][1]  # the pins are away from the opening; y down
        assert side == "B" and downwards == (k > 0)
        assert (pads["1"][0] > pads["16"][0]) == downwards
    for x, y, turn in boards.cable_ends_mm(mat):
        for u, v in boards.carrier_holes_mm(mat):
            below, above = (y, 84.0) if turn == 0 else (0.0, y)
            assert abs(u - x) > 8.5 + 3.0 or not below - 3.0 < v < above + 3.0


@pytest.mark.parametrize("chain", range(6))
def test_a_folded_cable_brings_each_wire_to_its_pin(chain):
    """From above: each fold at 45 degrees mirrors the cable. A straight one keeps a wire's place;
    two folds, down to right to up, take what was so far right of the middle as far to the left."""
    ours = read_board("carrier_standard")[f"J{chain + 1}"][1]
    theirs = read_board("tile")["J1"][1]

    def aside(pads, pin):
        return pads[str(pin)][0] - (pads["1"][0] + pads["16"][0]) / 2

    for wire in range(1, 17):
        arrives = aside(ours, wire) * (1 if chain == 0 else -1)
        assert aside(theirs, 17 - wire) == pytest.approx(arrives, abs=1e-6)


def test_the_picos_plug_is_at_the_carriers_lower_edge():
    """Pins 1 and 40 are at the plug's end (Pico datasheet, 2.1); y points down on the sheet."""
    _, pads = read_board("carrier_standard")["U1"]
    assert pads["1"][1] == pads["40"][1] > pads["20"][1]
    assert pads["1"][0] > pads["40"][0]  # from above, plug down: pin 1 is at the right


# ---- their copper
@pytest.mark.parametrize("name", boards.LAID_OUT)
def test_the_tracks_join_every_net_and_keep_their_distances(name):
    assert copper.findings(laid_out(name), tracks.stored(name)) == []


def test_what_feeds_the_mat_is_nowhere_thin():
    """1.1 A at the fuse: what brings it is 0.3 mm wide or more, which by IPC-2221, 6.2 (outer
    layer, 35 um) grows 13 K warmer by it."""
    for name, nets in (("carrier_standard", ("VBUS", "FUSED", "VCC5")), ("led_arc", ("VCC5",))):
        widths = [track.width for track in tracks.stored(name).tracks if track.net in nets]
        assert min(widths) >= design_rules.WIDE_MM


def test_the_router_still_finds_the_tracks_that_lie_in_the_tree():
    """The arc's, which take a second; the larger boards' are checked against their parts above."""
    written = tracks.path_of("led_arc").read_text(encoding="utf-8")
    assert tracks.as_text(route.routed("led_arc")) == written


def test_copper_that_is_wrong_is_found(layout, routed):
    found = routed.tracks
    del found[next(k for k, track in enumerate(found) if track.net == "Y5")]
    found[:] = [t._replace(width=2.0) if t.net == "EN" else t for t in found]
    net, x, y = routed.vias[0]
    routed.vias[0] = tracks.Via(net, x + 3.0, y)
    found.append(tracks.Track("A0", "F", 0.2, 0.5, 40.0, 0.5, 41.0))
    found.append(tracks.Track("A1", "F", 0.2, 8.5, 6.0, 9.5, 6.0))
    said = " | ".join(copper.findings(layout, routed))
    assert "Y5 is in 2 pieces" in said and "A0 is in 2 pieces" in said
    assert "track of EN and" in said and f"via of {net}" in said
    assert "track of A0 is too near to the edge" in said
    assert "track of A1 is under a screw's head" in said


def test_parts_that_overlap_are_found(layout, routed):
    from dataclasses import replace

    parts = [replace(p, x=p.x - 4.0) if p.ref == "C2" else p for p in layout.parts]
    assert "U2 and C2 overlap" in copper.findings(replace(layout, parts=tuple(parts)), routed)


def test_a_moved_sensor_makes_the_stored_tracks_wrong(routed):
    """So a change of mat.toml that moves parts cannot keep old tracks."""
    from polarity_bench.designs.variant import variant

    moved = boards.layout_of("tile", variant(pitch_mm=21.5), netlist("tile"))
    assert copper.findings(moved, routed)


# ---- the router
def crossing_board():
    """Two nets whose pads lie crosswise, all on the upper side: one must go below the other."""
    part = Placed("X1", "sensor", "", "F", 5.0, 5.0, 0, Land("", (), (-1, -1, 1, 1)))
    at = {"1": (2.0, 5.0, "a"), "2": (8.0, 5.0, "a"), "3": (5.0, 2.0, "b"), "4": (5.0, 8.0, "b")}
    pads = [Pad("X1", n, net, "F", x, y, 1.0, 1.0) for n, (x, y, net) in at.items()]
    walls = [
        Pad("X1", f"w{k}", "", "F", x, y, 0.4, 0.4)
        for k, (x, y) in enumerate([(1.0, 1.0), (9.0, 9.0)])
    ]
    return Layout("cross", Box(0.0, 0.0, 10.0, 10.0), (), (part,), (*pads, *walls))


def test_the_router_takes_a_net_below_another():
    board = crossing_board()
    found = route.Router(board).run()
    assert copper.findings(board, found) == []
    assert {track.net for track in found.tracks} == {"a", "b"}


def test_a_wide_net_keeps_its_distance_from_the_others():
    board = crossing_board()
    found = route.Router(board, wide=("a",)).run()
    assert copper.findings(board, found) == []
    assert {(track.net, track.width) for track in found.tracks} == {("a", 0.3), ("b", 0.2)}


def test_how_far_a_line_is_from_a_sectors_edge():
    """A quarter of a ring from 10 to 20: a chord comes nearest to the inner edge in its middle."""
    ring = Sector(0.0, 0.0, 10.0, 20.0, 0.0, 90.0)
    assert ring.line_inside_mm((15.0, 1.0), (15.0, 3.0)) == pytest.approx(1.0)
    chord = (15.0, 4.0), (4.0, 15.0)
    assert ring.line_inside_mm(*chord) == pytest.approx(19.0 / math.sqrt(2) - 10.0)
    assert ring.inside_mm(9.0, 3.0) < 0 < ring.inside_mm(11.0, 3.0)
    assert ring.extent() == pytest.approx((0.0, 0.0, 20.0, 20.0))


def test_a_board_that_cannot_be_routed_is_refused():
    board = crossing_board()
    ring = [
        Pad("X1", f"r{k}", "", layer, x, y, w, h)
        for layer in "FB"
        for k, (x, y, w, h) in enumerate(
            [(2.0, 3.5, 3.4, 0.4), (2.0, 6.5, 3.4, 0.4), (0.4, 5.0, 0.4, 3.4), (3.6, 5.0, 0.4, 3.4)]
        )
    ]
    closed = Layout("closed", board.outline, (), board.parts, (*board.pads, *ring))
    with pytest.raises(route.NoRoute, match="a: no way"):
        route.Router(closed).run()


# ---- KiCad's own word, where it is installed
@pytest.mark.skipif(not LIBRARY.exists(), reason="KiCad's footprints are not installed")
@pytest.mark.parametrize(
    "kind",
    ["resistor", "c100n", "c100n_low", "c4u7", "c100u", "inverter", "mux", "decoder", "regulator",
     "switch", "fuse", "led", "leads2", "leads3", "tvs", "esd", "power_led", "testpoint"],
)  # fmt: skip
def test_land_patterns_are_those_of_kicads_library(kind):
    library, _, name = part_kinds()[kind].footprint.partition(":")
    path = LIBRARY / f"{library}.pretty" / f"{name}.kicad_mod"
    theirs = sorted(
        (pad[1], *(float(v) for v in pad.groups()[1:]))
        for pad in re.finditer(
            r'\(pad "(\w+)" smd \w+ \(at (\S+) (\S+)\) \(size (\S+) (\S+)\)',
            path.read_text(encoding="utf-8"),
        )
    )
    assert sorted(land(part_kinds()[kind].footprint).pads) == theirs
