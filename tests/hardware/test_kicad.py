"""KiCad's own word on the boards, where it is installed: its design rules, and its files."""

import csv
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from hardware.tools import boards, build, copper, tracks
from hardware.tools.tracks import Routing
from polarity_host.mats.description import load_mat

KICAD_PYTHON = Path("/usr/bin/python3")
CHECK = build.HARDWARE / "tools" / "kicad_check.py"


def kicad_is_installed():
    if not KICAD_PYTHON.exists():
        return False
    return not subprocess.run([KICAD_PYTHON, "-c", "import pcbnew"], capture_output=True).returncode


needs_kicad = pytest.mark.skipif(not kicad_is_installed(), reason="KiCad is not installed")


def board_file(name):
    return build.HARDWARE / "boards" / f"{name}.kicad_pcb"


def run(arguments, home, program=(CHECK,)):
    done = subprocess.run(
        [KICAD_PYTHON, *program, *arguments], capture_output=True, text=True,
        env={"HOME": str(home), "PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    shown = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return done.returncode, shown, done.stderr


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """(exit code, objects printed, stderr, folder) of all boards, plotted."""
    folder = tmp_path_factory.mktemp("boards")
    files = [board_file(name) for name in boards.LAID_OUT]
    return *run(["--to", folder / "out", *files], folder), folder / "out"


@needs_kicad
def test_kicads_design_rules_check_has_nothing_against_the_boards(made):
    code, shown, said, _ = made
    assert (code, shown[-1]["drc_findings"], shown[-1]["boards"]) == (0, 0, 3), said
    assert {one["board"]: one["parts"] for one in shown[:-1]} == {
        # parts and holes, fiducials, test points
        "tile": 45 + 6 + 5, "led_arc": 12 + 3, "carrier_standard": 53 + 6 + 9,
    }  # fmt: skip


def drilled(path):
    """Holes of an Excellon file: a line with coordinates each."""
    return sum(line.startswith("X") for line in path.read_text(encoding="utf-8").splitlines())


@needs_kicad
@pytest.mark.parametrize("name", boards.LAID_OUT)
def test_a_board_house_gets_all_files(made, name):
    folder = made[3] / name
    files = {path.name for path in folder.iterdir()}
    layers = (
        "F_Cu.gtl B_Cu.gbl F_Mask.gts B_Mask.gbs F_Paste.gtp B_Paste.gbp F_SilkS.gto B_SilkS.gbo"
    )
    wanted = [*layers.split(), "Edge_Cuts.gm1", "PTH.drl"]
    assert {f"{name}-{end}" for end in wanted} <= files
    assert "led_arc" in name or drilled(folder / f"{name}-NPTH.drl") == 4  # its screws
    assert drilled(folder / f"{name}-PTH.drl") == len(tracks.stored(name).vias)
    # KiCad writes what it filled as polygons of the zone
    filled = (folder / f"{name}-filled.kicad_pcb").read_text(encoding="utf-8")
    assert filled.count("(filled_polygon") >= 2


@needs_kicad
def test_a_number_with_a_comma_is_one_cell_of_the_places(made):
    """74HC4067PW,118 is what Nexperia calls its reel."""
    text = (made[3] / "tile" / "places.csv").read_text(encoding="utf-8")
    rows = {row["ref"]: row for row in csv.DictReader(text.splitlines())}
    assert len(rows) == 41  # 45 with the screws' holes
    assert (rows["U1"]["value"], rows["U1"]["side"]) == ("74HC4067PW,118", "bottom")
    assert rows["U101"]["value"] == "TMAG5253BA3IQDMRR" and rows["U101"]["side"] == "top"


def a_board_with_a_fault(folder):
    """The arc with one track removed."""
    text = board_file("led_arc").read_text(encoding="utf-8")
    lines = text.splitlines(keepends=True)
    at = next(k for k, line in enumerate(lines) if "(segment" in line and "(net 3)" in line)
    del lines[at]
    path = folder / "led_arc.kicad_pcb"
    path.write_text("".join(lines), encoding="utf-8")
    project = board_file("led_arc").with_suffix(".kicad_pro").read_bytes()
    path.with_suffix(".kicad_pro").write_bytes(project)
    return path


@needs_kicad
def test_a_board_with_a_finding_is_not_plotted_and_the_old_files_stay(tmp_path):
    old = tmp_path / "out" / "led_arc" / "led_arc-F_Cu.gtl"
    old.parent.mkdir(parents=True)
    old.write_text("the board before")
    code, shown, said = run(["--to", tmp_path / "out", a_board_with_a_fault(tmp_path)], tmp_path)
    assert code == 1 and shown[-1]["drc_findings"] > 0 and "unconnected" in said
    assert [path.name for path in old.parent.iterdir()] == [old.name]
    assert old.read_text() == "the board before"


@needs_kicad
def test_without_drills_nothing_is_written(tmp_path):
    """As with a KiCad whose Python has another way to drill: Gerbers alone would be ordered."""
    broken = (
        "import runpy, sys, pcbnew\n"
        "pcbnew.EXCELLON_WRITER.CreateDrillandMapFilesSet = lambda *nothing: None\n"
        f"sys.argv[:1] = [{str(CHECK)!r}]\n"
        f"runpy.run_path({str(CHECK)!r}, run_name='__main__')\n"
    )
    into = tmp_path / "out"
    code, shown, said = run(["--to", into, board_file("led_arc")], tmp_path, ("-c", broken))
    assert code == 1 and "did not write" in said and "-PTH.drl" in said
    assert list(into.iterdir()) == []


def test_every_ground_pad_has_a_track_besides_the_plane():
    """So one bridge to the plane is enough, as the projects say (min_resolved_spokes)."""
    for name in boards.LAID_OUT:
        netlist = (build.HARDWARE / "netlists" / f"{name}.net").read_text(encoding="utf-8")
        layout, routing = boards.layout_of(name, load_mat(), netlist), tracks.stored(name)
        assert copper.findings(layout, routing) == []
        others = [track for track in routing.tracks if track.net != "GND"]
        less = Routing(others, routing.vias)
        assert any("GND is in" in line for line in copper.findings(layout, less))
        rules = (build.HARDWARE / "boards" / f"{name}.kicad_pro").read_text(encoding="utf-8")
        assert json.loads(rules)["board"]["design_settings"]["rules"]["min_resolved_spokes"] == 1


@pytest.mark.parametrize("name", boards.LAID_OUT)
def test_a_board_says_which_revision_it_is(name):
    """On its silkscreen, on its sheet, and on its schematic: the same one."""
    text = board_file(name).read_text(encoding="utf-8")
    sheet = board_file(name).with_suffix(".kicad_sch").read_text(encoding="utf-8")
    printed = re.findall(r'\(gr_text "[^"]*\brev (\w)" .*\(layer "F.SilkS"\)', text)
    titled = [re.findall(r'title "[^"]*"\) \(rev "(\w)"\)', one) for one in (text, sheet)]
    assert len(printed) == 1 and titled == [printed, printed]


def test_the_plus_is_printed_beside_the_pad_of_the_electrolytic_that_has_5_v():
    text = board_file("carrier_standard").read_text(encoding="utf-8")
    sign = re.search(r'gr_text "\+" \(at (\S+) (\S+)\)', text)
    part = text[text.index('(fp_text reference "C15"') - 200 :]
    at = re.search(r"\n    \(at (\S+) (\S+) 0\)", part)
    pad = re.search(r'\(pad "\d" smd roundrect \(at (\S+) (\S+) 0\) .*"VCC5"', part)
    assert sign and at and pad
    away = [float(sign[k]) - float(at[k]) - float(pad[k]) for k in (1, 2)]
    assert abs(away[0]) < 4 and abs(away[1]) < 0.1
    assert float(pad[1]) * (float(sign[1]) - float(at[1])) > 0  # on its side of the part


def test_the_check_says_what_it_needs_on_another_python():
    """The environment's Python has no KiCad."""
    done = subprocess.run([sys.executable, CHECK, "x"], capture_output=True, text=True)
    assert done.returncode == 2 and "KiCad's Python" in done.stderr
