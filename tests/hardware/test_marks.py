"""Fiducials, test points, what keeps sparks out, and the copper that keeps away from the Pico's
own: on the files as they are written."""

from dataclasses import replace

import pytest

from hardware.tools import boards, build, copper, route, trace, tracks
from hardware.tools.lands import land
from hardware.tools.parts import part_kinds
from tests.hardware.test_layout import LIBRARY, branches, laid_out, netlist, turned

#: Where the Pico's test point TP6 is bare, in the land pattern of KiCad 9,
#: `RaspberryPi_Pico_SMD_HandSolder`, zone "Pad Keep Out TP6": left, top, right, bottom, y down.
TP6_MM = (-3.45, -14.25, -1.55, -10.05)
KICAD_9_PICO = LIBRARY / "Module.pretty" / "RaspberryPi_Pico_SMD_HandSolder.kicad_mod"


def tree_of(name):
    path = build.HARDWARE / "boards" / f"{name}.kicad_pcb"
    return trace.parse(path.read_text(encoding="utf-8"))


def numbers(branch, name):
    return [float(word) for word in branches(branch, name)[0][1:3]]


# ---- the Pico's own bare copper
def test_no_via_and_no_track_is_below_the_picos_tp6():
    """On the written file: from the Pico's place and turn, every via's ring, and every track of the
    upper side, followed in steps of 0.05 mm."""
    tree = tree_of("carrier_standard")
    pico = next(p for p in branches(tree, "footprint") if "RaspberryPi_Pico" in p[1])
    xs, ys = zip(turned(pico, *TP6_MM[:2]), turned(pico, *TP6_MM[2:]))

    def away(x, y):
        dx = max(min(xs) - x, 0, x - max(xs))
        dy = max(min(ys) - y, 0, y - max(ys))
        return (dx * dx + dy * dy) ** 0.5

    vias = branches(tree, "via")
    rings = [away(*numbers(via, "at")) - float(branches(via, "size")[0][1]) / 2 for via in vias]
    assert len(rings) > 50 and min(rings) > 0
    for track in branches(tree, "segment"):
        if branches(track, "layer")[0][1] == "F.Cu":
            (x, y), (u, v) = numbers(track, "start"), numbers(track, "end")
            half = float(branches(track, "width")[0][1]) / 2
            steps = 2 + int((abs(u - x) + abs(v - y)) / 0.05)
            for k in range(steps):
                at = k / (steps - 1)
                assert away(x + at * (u - x), y + at * (v - y)) > half


def test_copper_below_the_pico_is_found():
    """A via of ground, which the rules of distance alone would let be there."""
    layout = laid_out("carrier_standard")
    pico = next(part for part in layout.parts if part.kind == "pico")
    x, y = pico.at(-2.5, -12.0)
    routing = tracks.stored("carrier_standard")
    routing.vias.append(tracks.Via("GND", x, y))
    said = copper.findings(layout, routing)
    assert any(line.startswith("via of GND is below U1's TP6") for line in said)


@pytest.mark.skipif(not KICAD_9_PICO.exists(), reason="KiCad 7's library or later is not installed")
def test_the_areas_below_the_pico_are_those_of_kicads_library():
    theirs = {}
    for zone in branches(trace.parse(KICAD_9_PICO.read_text(encoding="utf-8")), "zone"):
        name = branches(zone, "name")[0][1]
        if name.startswith("Pad Keep Out"):
            points = [[float(v) for v in p[1:]] for p in branches(zone, "polygon")[0][1][1:]]
            theirs.setdefault(name.split()[-1], []).extend(points)
    ours = land(part_kinds()["pico"].footprint).keep_out
    for _, points in theirs.items():
        for x, y in points:
            assert any(
                left - 0.01 <= x <= right + 0.01 and top - 0.01 <= y <= bottom + 0.01
                for _, (left, top, right, bottom) in ours
            )


# ---- fiducials
@pytest.mark.parametrize(
    ("name", "sides"), [("tile", "BF"), ("led_arc", "F"), ("carrier_standard", "BF")]
)
def test_three_fiducials_on_each_side_that_a_machine_fills(name, sides):
    """Not in a line."""
    found = {}
    for part in branches(tree_of(name), "footprint"):
        if part[1].startswith("Fiducial:"):
            found.setdefault(branches(part, "layer")[0][1][0], []).append(numbers(part, "at"))
    assert "".join(sorted(found)) == sides
    for dots in found.values():
        (a, b), (c, d), (e, f) = dots
        assert abs((c - a) * (f - b) - (e - a) * (d - b)) > 20.0
    bought = {p.layer for p in laid_out(name).parts if part_kinds()[p.kind].mpn}
    assert bought == set(sides)


def test_copper_on_a_fiducial_is_found():
    layout = laid_out("tile")
    dot = next(dot for dot in layout.fiducials if dot.layer == "F")
    routing = tracks.stored("tile")
    routing.tracks.append(tracks.Track("A0", "F", 0.2, dot.x + 0.9, dot.y, dot.x + 0.9, dot.y + 1))
    assert any("fiducial F" in line for line in copper.findings(layout, routing))
    moved = [replace(p, x=dot.x, y=dot.y) if p.ref == "C101" else p for p in layout.parts]
    said = copper.findings(replace(layout, parts=tuple(moved)), tracks.stored("tile"))
    assert "C101 stands on a fiducial" in said


# ---- test points
@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ("tile", {"3V3": "+3V3", "GND": "GND", "AOUT": "AOUT", "EN": "EN", "SEL": "S0"}),
        ("carrier_standard", {
            "USB": "VBUS", "FUSE": "FUSED", "5V": "VCC5", "3V3": "+3V3", "GND": "GND",
            "LEDs": "LED_OUT", "IN0": "BUS0", "IN1": "BUS1", "IN2": "BUS2",
        }),
    ],
)  # fmt: skip
def test_each_test_point_is_on_the_net_that_is_printed_beside_it(name, printed):
    """Below the board, where they can be reached while the mat lies face down; without paste."""
    tree = tree_of(name)
    words = {
        word[1]: numbers(word, "at")
        for word in branches(tree, "gr_text")
        if branches(word, "layer")[0][1] == "B.SilkS"
    }
    found = {}
    for part in branches(tree, "footprint"):
        if part[1].startswith("TestPoint:"):
            (pad,) = branches(part, "pad")
            assert branches(pad, "layers")[0][1:] == ["B.Cu", "B.Mask"]
            x, y = numbers(part, "at")
            beside = min(words, key=lambda w: abs(words[w][0] - x) + abs(words[w][1] - y))
            found[beside] = branches(pad, "net")[0][2]
    assert found == printed


# ---- sparks
def test_what_comes_in_by_a_lead_meets_its_clamp_before_the_pico():
    """On the netlist: a button's lead goes to U6 and a resistor, and the Pico's pin to that
    resistor only; the plug's 5 V to D1's cathode."""
    for name in ("carrier_standard", "carrier_small"):
        board = trace.read(netlist(name))
        for ref, pins in (("J21", (1, 6)), ("J22", (3, 4))):
            lead = board.net[ref, 1]
            assert {board.net["U6", pin] for pin in pins} == {lead}
            others = [node for node in board.on[lead] if node[0] not in ("U6", ref)]
            ((resistor, pin),) = others
            assert board.kind[resistor] == "resistor"
            far = board.on[board.net[resistor, 3 - pin]]
            assert sorted(board.kind[ref] for ref, _ in far) == ["pico", "resistor"]
        assert board.net["U6", 2] == "GND" and board.net["U6", 5] == "+3V3"
        assert (board.net["D1", 1], board.net["D1", 2]) == ("VBUS", "GND")  # 1 is the cathode
        assert board.net["D2", 1] == "GND"


# ---- the router that keeps what lies
def test_the_router_lays_what_is_missing_and_leaves_the_rest():
    layout = laid_out("led_arc")
    whole = tracks.stored("led_arc")
    less = tracks.Routing(
        [track for track in whole.tracks if track.net != "D3"],
        [via for via in whole.vias if via.net != "D3"],
    )
    found = route.Router(layout, boards.WIDE_NETS["led_arc"][0], keep=less).run()
    assert copper.findings(layout, found) == []
    ways = [{(t.net, t.layer, *t[3:]) for t in routing.tracks if t.net not in ("D3", "VCC5", "GND")}
            for routing in (less, found)]  # fmt: skip
    assert ways[0] == ways[1] and any(track.net == "D3" for track in found.tracks)
