"""The tile's board: every pad where and joined as it must be, checked on the written board file."""

import copy
import json
import re
import subprocess
from pathlib import Path

import pytest

from hardware import build
from polarity_host.hardware import copper, route, trace
from polarity_host.hardware.lands import Land, land
from polarity_host.hardware.layout import Layout, Pad, Placed, tile_layout
from polarity_host.hardware.parts import part_kinds
from polarity_host.mat import load_mat

BOARD = build.HERE / "boards" / "tile.kicad_pcb"
KICAD_PYTHON, LIBRARY = Path("/usr/bin/python3"), Path("/usr/share/kicad/footprints")


def netlist():
    return (build.HERE / "netlists" / "tile.net").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def layout():
    return tile_layout(load_mat("standard"), netlist())


@pytest.fixture
def routed():
    return copy.deepcopy(route.kept())


# ---- the board as it is written
def branches(tree, name):
    return [b for b in tree if isinstance(b, list) and b and b[0] == name]


def turned(part, x, y):
    """A place of a footprint on KiCad's sheet: its y points down, angles are counter-clockwise."""
    at = [float(v) for v in branches(part, "at")[0][1:]]
    for _ in range(round(at[2] if len(at) > 2 else 0) // 90):
        x, y = y, -x
    return at[0] + x, at[1] + y


@pytest.fixture(scope="module")
def written():
    """{reference: (side, {pad: (x, y, net)})} of the board's file, x and y in mm on its sheet."""
    tree = trace._parse(BOARD.read_text(encoding="utf-8"))
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


def test_every_pin_of_the_netlist_is_a_pad_on_its_net(written):
    read = trace.read(netlist())
    on_board = {
        (ref, int(number)): net
        for ref, (_, pads) in written.items()
        for number, (_, _, net) in pads.items()
        if number.isdigit() and net
    }
    assert on_board == read.net


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


# ---- its copper
def test_the_tracks_join_every_net_and_keep_their_distances(layout, routed):
    assert copper.findings(layout, routed) == []


def test_copper_that_is_wrong_is_found(layout, routed):
    def first(net):
        return next(k for k, track in enumerate(routed["tracks"]) if track[0] == net)

    del routed["tracks"][first("Y5")]
    routed["tracks"][first("EN")][2] = 2.0
    net, x, y = routed["vias"][0]
    routed["vias"][0] = [net, x + 3.0, y]
    routed["tracks"].append(["A0", "F", 0.2, 0.5, 40.0, 0.5, 41.0])
    routed["tracks"].append(["A1", "F", 0.2, 8.5, 6.0, 9.5, 6.0])
    said = " | ".join(copper.findings(layout, routed))
    assert "Y5 is in 2 pieces" in said and "A0 is in 2 pieces" in said
    assert "track of EN and" in said and f"via of {net}" in said
    assert "track of A0 is too near to the edge" in said
    assert "track of A1 is under a screw's head" in said


def test_parts_that_overlap_are_found(layout, routed):
    from dataclasses import replace

    parts = [replace(p, x=p.x - 4.0) if p.ref == "C2" else p for p in layout.parts]
    assert "U2 and C2 overlap" in copper.findings(replace(layout, parts=tuple(parts)), routed)


def test_a_moved_sensor_makes_the_kept_tracks_wrong(routed):
    """So a change of mat.toml that moves parts cannot keep old tracks."""
    from polarity_host.hardware.variant import variant

    moved = tile_layout(variant(pitch_mm=21.5), netlist())
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
    return Layout("cross", (0.0, 0.0, 10.0, 10.0), (), (part,), (*pads, *walls))


def test_the_router_takes_a_net_below_another():
    board = crossing_board()
    found = route.Router(board).run()
    assert copper.findings(board, found) == []
    straight = {(t[1], t[3], t[4]) for t in found["tracks"]}
    assert straight and {t[0] for t in found["tracks"]} == {"a", "b"}


def test_a_board_that_cannot_be_routed_is_refused():
    board = crossing_board()
    ring = [
        Pad("X1", f"r{k}", "", layer, x, y, w, h)
        for layer in "FB"
        for k, (x, y, w, h) in enumerate(
            [(2.0, 3.5, 3.4, 0.4), (2.0, 6.5, 3.4, 0.4), (0.4, 5.0, 0.4, 3.4), (3.6, 5.0, 0.4, 3.4)]
        )
    ]
    closed = Layout("closed", board.box, (), board.parts, (*board.pads, *ring))
    with pytest.raises(route.NoRoute, match="a: no way"):
        route.Router(closed).run()


# ---- KiCad's own word, where it is installed
@pytest.mark.skipif(not LIBRARY.exists(), reason="KiCad's footprints are not installed")
@pytest.mark.parametrize("kind", ["resistor", "c100n", "c100n_low", "inverter", "mux"])
def test_land_patterns_are_those_of_kicads_library(kind):
    library, _, name = part_kinds()[kind].footprint.partition(":")
    path = LIBRARY / f"{library}.pretty" / f"{name}.kicad_mod"
    theirs = {}
    for pad in re.finditer(r'\(pad "(\w+)" smd \w+ \(at (\S+) (\S+)\) \(size (\S+) (\S+)\)',
                           path.read_text(encoding="utf-8")):  # fmt: skip
        theirs[pad[1]] = tuple(float(v) for v in pad.groups()[1:])
    ours = {n: tuple(where) for n, *where in land(part_kinds()[kind].footprint).pads}
    assert ours == theirs


def kicad_is_installed():
    if not KICAD_PYTHON.exists():
        return False
    return not subprocess.run([KICAD_PYTHON, "-c", "import pcbnew"], capture_output=True).returncode


@pytest.mark.skipif(not kicad_is_installed(), reason="KiCad is not installed")
def test_kicads_design_rules_check_has_nothing_against_the_board(tmp_path):
    done = subprocess.run(
        [KICAD_PYTHON, build.HERE / "kicad_check.py", BOARD, tmp_path],
        capture_output=True, text=True, env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    said = json.loads(done.stdout.splitlines()[-1])
    assert (done.returncode, said["findings"], said["parts"]) == (0, 0, 44), done.stderr
    files = {path.name for path in tmp_path.iterdir()}
    assert {"tile-F_Cu.gtl", "tile-B_Cu.gbl", "tile-Edge_Cuts.gm1", "tile-PTH.drl"} <= files
    assert "U101,TMAG5253BA3IQDMRR" in (tmp_path / "places.csv").read_text(encoding="utf-8")
