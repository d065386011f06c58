"""The schematics: electrical rules, what lies in the tree, and every wire against the firmware."""

import pytest

from hardware.tools import build, places, schematic, trace
from hardware.tools.netlist import findings
from polarity import mat_data

BOARDS = ["tile", "led_arc", "carrier_standard", "carrier_small"]


@pytest.mark.parametrize("name", BOARDS)
def test_the_electrical_rules_have_nothing_against_a_board(boards, name):
    assert findings(boards[name]) == []


def test_the_electrical_rules_bite():
    board = schematic.Board("wrong")
    for ref in ("U1", "U2"):
        board.put("inverter", ref, A="in", Y="out", GND="GND", VCC="+3V3")
    said = " ".join(findings(board))
    assert "out" in said and "in" in said


def test_the_files_in_the_tree_are_what_is_built(texts):
    for name, text in texts.items():
        path = build.HARDWARE / name
        assert path.exists() and path.read_text(encoding="utf-8") == text, (
            f"{name} is stale: run `make hardware`"
        )


def test_nothing_else_lies_there(texts):
    for folder in {name.split("/")[0] for name in texts if "/" in name}:
        files = {f"{folder}/{path.name}" for path in (build.HARDWARE / folder).iterdir()}
        assert files == {name for name in texts if name.startswith(folder + "/")}


# ---- wire by wire
def written(name):
    return (build.HARDWARE / "netlists" / (name + ".net")).read_text(encoding="utf-8")


def traced(mat, carrier=None, tile=None, firmware=None):
    return trace.findings(
        mat,
        firmware or mat_data.load(mat.id),
        trace.read(carrier or written("carrier_" + mat.id)),
        trace.read(tile or written("tile")),
        places.sensor_mm,
    )


def test_netlist_firmware_and_description_agree_wire_by_wire(mat):
    assert traced(mat) == []


def exchanged(text, one, other):
    """The netlist with two nets' names exchanged."""
    return (
        text.replace(f'(name "{one}")', '(name "?")')
        .replace(f'(name "{other}")', f'(name "{one}")')
        .replace('(name "?")', f'(name "{other}")')
    )


def moved(text, ref, pins):
    """The netlist with two pins of a part exchanged."""
    a, b = (f'(ref "{ref}")\n        (pin "{pin}")' for pin in pins)
    assert a in text and b in text
    return text.replace(a, "?").replace(b, a).replace("?", b)


@pytest.mark.parametrize(
    "ref, pins",
    [
        ("U1", (4, 5)),  # two address pins of the Pico
        ("U1", (31, 32)),  # two ADC pins
        ("U1", (29, 26)),  # LEDs and a button
        ("U2", (15, 14)),  # two outputs of a decoder
        ("U3", (5, 6)),  # its enables
        ("J1", (10, 11)),  # two select wires of a cable
        ("J2", (2, 6)),  # the analogue wire and an address
    ],
)
def test_exchanged_wires_of_the_carrier_are_found(ref, pins):
    mat = build_mat()
    assert traced(mat, carrier=moved(written("carrier_standard"), ref, pins))


@pytest.mark.parametrize(
    "ref, pins",
    [
        ("U1", (9, 8)),
        ("U1", (10, 11)),
        ("U2", (2, 4)),
        ("J1", (7, 6)),
        ("J2", (10, 11)),
        ("U105", (3, 4)),
    ],
)
def test_exchanged_wires_of_a_tile_are_found(ref, pins):
    assert traced(build_mat(), tile=moved(written("tile"), ref, pins))


def build_mat():
    from polarity_host.mats.description import load_mat

    return load_mat("standard")


@pytest.mark.parametrize(
    "name, value",
    [
        ("ADDRESS_PINS", (3, 2, 4, 5, 6, 7, 8, 9)), ("ADC_PINS", (27, 26, 28)), ("LED_PIN", 21),
        ("BUTTON_PINS", (20, 19)),
    ],
)  # fmt: skip
def test_another_pin_map_in_the_firmware_is_found(name, value):
    data = mat_data.load("standard")
    names = (n for n in dir(data) if n.isupper())
    other = type("Other", (), {n: getattr(data, n) for n in names})
    setattr(other, name, value)
    assert traced(build_mat(), firmware=other)


# ---- lights and supply
def test_the_lights_data_go_from_led_to_led():
    """WS2812B: 1 VDD, 2 DOUT, 3 VSS, 4 DIN (its datasheet, page 2); leads: 5 V, data, ground."""
    arc = trace.read(written("led_arc"))
    data = arc.net["J1", 2]
    for k in range(1, 6):
        assert arc.net[f"D{k}", 4] == data
        data = arc.net[f"D{k}", 2]
        assert (arc.net[f"D{k}", 1], arc.net[f"D{k}", 3]) == (arc.net["J1", 1], arc.net["J1", 3])
    assert [arc.net["J2", pin] for pin in (1, 2, 3)] == [arc.net["J1", 1], data, arc.net["J1", 3]]
    carrier = trace.read(written("carrier_standard"))
    assert (carrier.net["J20", 1], carrier.net["J20", 3]) == ("VCC5", "GND")


def test_five_volts_pass_fuse_and_switch_and_become_the_sensors_and_converters_supply():
    """Pico: 40 VBUS, 35 ADC_VREF, 36 its own 3.3 V; AO3401A: 2 source, 3 drain; TLV1117LV: 3 in,
    2 out. Two regulators on one net would fight: the Pico's own stays apart."""
    board = trace.read(written("carrier_standard"))
    net = board.net
    assert net["U1", 40] == net["F1", 1] and net["F1", 2] == net["Q1", 2]
    assert net["Q1", 3] == net["U4", 3] == net["J20", 1]
    rail = net["U4", 2]
    assert net["U1", 35] == rail and net["J1", 4] == net["J1", 5] == rail
    assert net.get(("U1", 36)) != rail
    tile = trace.read(written("tile"))
    for k in range(101, 117):
        pins = {tile.net[f"C{k}", 1], tile.net[f"C{k}", 2]}
        assert pins == {tile.net[f"U{k}", 1], tile.net[f"U{k}", 2]} == {"+3V3", "GND"}
