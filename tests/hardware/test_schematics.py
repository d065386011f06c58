"""The schematics for KiCad connect what the netlists do: by our reading, and by KiCad's own."""

import re
import shutil
import subprocess

import pytest

from hardware.tools import build, sheet_check, sheet_picture, trace

BOARDS = ["tile", "led_arc", "carrier_standard", "carrier_small"]
KICAD = shutil.which("kicad-cli")  # since KiCad 7
needs_kicad = pytest.mark.skipif(not KICAD, reason="no kicad-cli (KiCad 7 and later)")
#: What the files bring themselves: nobody has a library of that name.
HARMLESS = {"lib_symbol_issues", "footprint_link_issues"}


def sheet(name):
    return build.HARDWARE / "boards" / f"{name}.kicad_sch"


def netlist(name):
    path = build.HARDWARE / "netlists" / f"{name}.net"
    return trace.read(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", BOARDS)
def test_a_schematic_is_its_netlist(name):
    text = sheet(name).read_text(encoding="utf-8")
    assert sheet_check.findings(text, netlist(name)) == []
    assert len(sheet_check.read_sheet(text)[0].net) > 30


@pytest.mark.parametrize(
    "old, new, said",
    [
        (r'(global_label )"GP_A3"', r'\1"GP_A4"', "GP_A4"),  # two address lines become one
        (r"  \(wire .*\n", "", "neither joined"),
        (r"  \(no_connect .*\n", "", "neither joined"),
        (r'("Value" )"330"', r'\1"33"', "R2: value is 33"),
        (r'("Footprint" )"Resistor_SMD:R_0603', r'\1"Resistor_SMD:R_0402', "footprint"),
    ],
)
def test_what_is_changed_on_a_sheet_is_found(old, new, said):
    text = sheet("carrier_standard").read_text(encoding="utf-8")
    changed, number = re.subn(old, new, text, count=1)
    assert number == 1
    found = " / ".join(sheet_check.findings(changed, netlist("carrier_standard")))
    assert said in found


def test_a_wire_across_a_pin_is_found():
    text = sheet("led_arc").read_text(encoding="utf-8")
    wire = re.search(r"  \(wire \(pts \(xy (\S+) (\S+)\) \(xy (\S+) \2\)\).*\n", text)
    assert wire
    longer = wire[0].replace(f"(xy {wire[1]} ", f"(xy {float(wire[1]) - 5:.2f} ", 1)
    found = sheet_check.findings(text.replace(wire[0], longer), netlist("led_arc"))
    assert any("passes" in line for line in found)


@pytest.mark.parametrize("name", BOARDS)
def test_the_picture_shows_every_part_and_every_net(name):
    picture = build.HARDWARE / "drawings" / f"{name}_schematic.svg"
    words = re.findall(r"<text [^>]*>([^<]*)</text>", picture.read_text(encoding="utf-8"))
    board = netlist(name)
    assert board.kind.keys() | board.on.keys() <= set(words)
    grounds = sum(net == "GND" for net in board.net.values())
    assert words.count("GND") >= grounds  # a sign at each pin; names of pins are more


def test_a_pdf_of_each_is_written(tmp_path):
    assert sheet_picture.main([str(tmp_path)]) == 0
    written = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert written.keys() == {f"{name}.pdf" for name in BOARDS}
    assert all(text.startswith(b"%PDF") and b"%%EOF" in text[-8:] for text in written.values())


@needs_kicad
@pytest.mark.parametrize("name", BOARDS)
def test_kicad_reads_the_same_netlist_and_has_nothing_against_the_sheet(name, tmp_path):
    def kicad(*arguments):
        command = [KICAD, "sch", *arguments, sheet(name)]
        environment = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
        subprocess.run(command, check=True, capture_output=True, env=environment)

    kicad("export", "netlist", "-o", tmp_path / "its.net")
    its, ours = trace.read((tmp_path / "its.net").read_text(encoding="utf-8")), netlist(name)
    joined = {node: net for node, net in its.net.items() if not net.startswith("unconnected-")}
    assert (its.kind, joined) == (ours.kind, ours.net)
    assert {ref: value.strip("~") for ref, value in its.value.items()} == ours.value
    kicad("erc", "-o", tmp_path / "erc.rpt")
    report = (tmp_path / "erc.rpt").read_text(encoding="utf-8")
    assert "ERC report" in report
    assert set(re.findall(r"^\[(\w+)\]", report, re.M)) <= HARMLESS, report
