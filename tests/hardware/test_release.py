"""What a board house gets: all files, lists that add up, and parts where the board has them."""

import csv
import io
import math
import zipfile

import pytest

from hardware.tools import boards, bom, build, release
from hardware.tools.lands import land
from hardware.tools.parts import part_kinds
from polarity_host.mats.description import load_mat

MAT = load_mat()


def layout(name):
    netlist = (build.HARDWARE / "netlists" / f"{name}.net").read_text(encoding="utf-8")
    return boards.layout_of(name, MAT, netlist)


@pytest.fixture(scope="module")
def plotted(tmp_path_factory):
    """A folder as `make boards` fills it, the files' contents left out."""
    folder = tmp_path_factory.mktemp("plotted")
    for name in boards.LAID_OUT:
        (folder / name).mkdir()
        for end in release.PLOTTED:
            (folder / name / f"{name}{end}").write_text("x")
        (folder / name / f"{name}-filled.kicad_pcb").write_text("not for a board house")
    return folder


def rows(data):
    return list(csv.DictReader(io.StringIO(data.decode())))


def test_one_command_writes_a_zip_a_board(plotted, tmp_path, capsys):
    assert release.main([str(plotted), str(tmp_path)]) == 0
    assert {path.name for path in tmp_path.iterdir()} == {f"{n}.zip" for n in boards.LAID_OUT}
    with zipfile.ZipFile(tmp_path / "carrier_standard.zip") as archive:
        names = set(archive.namelist())
    assert {f"carrier_standard{end}" for end in release.PLOTTED} <= names
    assert {"carrier_standard-bom.csv", "carrier_standard-places.csv"} <= names
    assert not any(name.endswith("kicad_pcb") for name in names)
    again = tmp_path / "again"
    release.main([str(plotted), str(again)])
    assert (again / "tile.zip").read_bytes() == (tmp_path / "tile.zip").read_bytes()


def test_without_drills_there_is_no_zip(plotted, tmp_path, capsys):
    (plotted / "tile" / "tile.drl").rename(plotted / "tile" / "kept")
    try:
        assert release.main([str(plotted), str(tmp_path)]) == 1
    finally:
        (plotted / "tile" / "kept").rename(plotted / "tile" / "tile.drl")
    assert ".drl" in capsys.readouterr().err and not list(tmp_path.iterdir())


def test_a_number_with_a_comma_stays_one_cell_and_has_its_lcsc_number(plotted):
    listed = rows(release.files(MAT, "tile", plotted / "tile")["tile-bom.csv"])
    mux = next(row for row in listed if row["Designator"] == "U1")
    assert (mux["Comment"], mux["LCSC Part #"]) == ("74HC4067PW,118", "C179326")
    resistors = {row["Comment"]: row["MPN"] for row in listed if row["MPN"].startswith("RC0603")}
    assert resistors == {"100k": "RC0603FR-07100KL", "1.2k": "RC0603FR-071K2L"}


def test_the_lists_of_all_tiles_add_up_to_the_mats_sensors(plotted):
    """373 sensors on 32 tiles, by mat.toml's grid; A1 has 2 and B3 16."""
    contents = release.files(MAT, "tile", plotted / "tile")
    patterns = rows(contents["tiles.csv"])
    assert sum(int(row["how many"]) for row in patterns) == 32
    assert sum(int(row["how many"]) * int(row["sensors"]) for row in patterns) == 373
    by_tile = {tile: row for row in patterns for tile in row["tiles"].split()}
    assert (by_tile["A1"]["sensors"], by_tile["B3"]["sensors"]) == ("2", "16")
    for row in patterns:
        refs = [
            ref
            for line in rows(contents[f"{row['pattern']}-bom.csv"])
            for ref in line["Designator"].split(",")
        ]
        placed = [line["Designator"] for line in rows(contents[f"{row['pattern']}-places.csv"])]
        assert sorted(refs) == sorted(placed)
        assert sum(ref.startswith("U1") and len(ref) == 4 for ref in refs) == int(row["sensors"])
    tile = next(tile for tile in MAT.tiles if tile.name == "A1")
    used = {f"U{101 + channel}" for _, channel in tile.sensors}
    listed = rows(contents[f"{by_tile['A1']['pattern']}-places.csv"])
    assert {row["Designator"] for row in listed if len(row["Designator"]) == 4 and
            row["Designator"][0] == "U"} == used  # fmt: skip


@pytest.mark.parametrize("name", boards.LAID_OUT)
def test_a_part_turned_as_the_list_says_has_its_pads_on_the_boards(name):
    """Every pad rebuilt from the list alone, in its order, by KiCad's rule: a part below is
    mirrored top to bottom, then all turn counter-clockwise as seen from above."""
    drawn = layout(name)
    pads = {}
    for pad in drawn.pads:
        pads.setdefault(pad.ref, []).append((pad.x, pad.y))
    (variant, *_) = release.variants(MAT, name)
    parts = {part.ref: part for part in drawn.parts}
    for row in rows(release.places_csv(release.filled(drawn, variant)).encode()):
        part = parts[row["Designator"]]
        x, y = float(row["Mid X"][:-2]) - 50.0, float(row["Mid Y"][:-2]) + 150.0
        turn = math.radians(float(row["Rotation"]))
        found = []
        for _, u, v, _, _ in land(part_kinds()[part.kind].footprint).pads:
            v = v if row["Layer"] == "Bottom" else -v  # a footprint's y points down; below, up
            found.append(
                (x + u * math.cos(turn) - v * math.sin(turn),
                 y + u * math.sin(turn) + v * math.cos(turn))
            )  # fmt: skip
        assert found == [pytest.approx(pad, abs=1e-3) for pad in pads[row["Designator"]]], row


def test_the_cables_add_up():
    """32 tiles in six chains: 26 from tile to tile, six from the carrier, by the plan's lengths of
    60, 180, 240, 370, 430 and 580 mm."""
    assert bom.cables(MAT) == {60: 27, 200: 1, 250: 1, 400: 1, 500: 1, 600: 1}
    listed = {line.id: line.needed for line in bom.lines(MAT, netlists())}
    assert sum(n for id, n in listed.items() if id.startswith("cable")) == 32
    guide = (build.HARDWARE / "BUILD.md").read_text(encoding="utf-8")
    assert "27 of 60 mm" in guide


def netlists():
    folder = build.HARDWARE / "netlists"
    return {path.stem: path.read_text(encoding="utf-8") for path in folder.glob("*.net")}
