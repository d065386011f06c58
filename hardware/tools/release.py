"""Packs what a board house needs to make and to fill each board: one zip a board.

    make release           runs `make boards`, then this
    python -m hardware.tools.release [BOARDS_FOLDER [FOLDER]]

Of a board: the Gerbers and drills that KiCad plotted, BOARD-bom.csv and BOARD-places.csv in the
form that JLCPCB takes, and others too. Tiles with empty places have a list of parts and one of
places for each pattern; tiles.csv says which tile takes which, and how many of each to order.
"""

import csv
import io
import sys
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from polarity_host.mats.description import MAT_TOML, Mat, load_mat

from . import boards
from .layout import Layout, Placed
from .parts import part_kinds
from .places import FIRST_SENSOR

ROOT = MAT_TOML.parents[1]
PLOTTED = (".gtl", ".gbl", ".gts", ".gbs", ".gtp", ".gbp", ".gto", ".gbo", ".gm1", ".drl")
EPOCH = (2020, 1, 1, 0, 0, 0)  # of all files, so that the same board is the same zip


class ReleaseError(Exception):
    """The plotted files are not there. One line."""


@dataclass(frozen=True)
class Variant:
    """A way to fill a board: `tiles` that take it, [] for boards without variants; references that
    stay `empty`."""

    name: str
    tiles: tuple[str, ...]
    empty: frozenset[str]


def variants(mat: Mat, name: str) -> list[Variant]:
    """How a board is filled: a tile by which of its places the grid uses, the fullest first."""
    if name != "tile":
        return [Variant(name, (), frozenset())]
    by_empty: dict[frozenset[str], list[str]] = {}
    for tile in mat.tiles:
        used = {channel for _, channel in tile.sensors}
        empty = frozenset(
            f"{letter}{FIRST_SENSOR + channel}"
            for channel in range(mat.mux_channels)
            if channel not in used
            for letter in "UC"
        )
        by_empty.setdefault(empty, []).append(tile.name)
    found = sorted(by_empty.items(), key=lambda item: (len(item[0]), item[1]))
    return [
        Variant("tile" if not empty else f"tile-{tiles[0]}", tuple(tiles), empty)
        for empty, tiles in found
    ]


def filled(layout: Layout, variant: Variant) -> list[Placed]:
    """The parts that are bought and soldered."""
    return [
        part
        for part in layout.parts
        if part_kinds()[part.kind].mpn and part.ref not in variant.empty
    ]


def bom_csv(parts: Iterable[Placed]) -> str:
    """A line for each kind and value: Comment, Designator, Footprint, LCSC Part #, and the maker's
    number, for where LCSC's is not known."""
    groups: dict[tuple[str, str], list[str]] = {}
    for part in parts:
        groups.setdefault((part.kind, part.value), []).append(part.ref)
    rows = []
    for (kind, value), refs in groups.items():
        listed = part_kinds()[kind]
        own = value if listed.numbers else ""
        package = listed.footprint.rpartition(":")[2]
        rows.append(
            (value, ",".join(refs), package, listed.lcsc_number(own), listed.maker,
             listed.number(own))
        )  # fmt: skip
    head = ("Comment", "Designator", "Footprint", "LCSC Part #", "Manufacturer", "MPN")
    return _csv(head, rows)


def places_csv(parts: Iterable[Placed]) -> str:
    """A line for each part: Designator, Mid X, Mid Y, Layer, Rotation, as KiCad counts them (from
    the Gerbers' origin, y up; counter-clockwise; below: as seen through the board)."""
    from .kicad import AT_MM

    rows = [
        (part.ref, f"{AT_MM[0] + part.x:.4f}mm", f"{part.y - AT_MM[1]:.4f}mm",
         "Bottom" if part.layer == "B" else "Top", f"{part.turn % 360}")
        for part in parts
    ]  # fmt: skip
    return _csv(("Designator", "Mid X", "Mid Y", "Layer", "Rotation"), rows)


def _csv(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    return out.getvalue()


def tiles_csv(mat: Mat) -> str:
    """Which tile takes which list, and how many of each pattern a mat has."""
    rows = [
        (one.name, str(len(one.tiles)), str(mat.mux_channels - len(one.empty) // 2),
         " ".join(one.tiles))
        for one in variants(mat, "tile")
    ]  # fmt: skip
    return _csv(("pattern", "how many", "sensors", "tiles"), rows)


def files(mat: Mat, name: str, plotted: Path) -> dict[str, bytes]:
    """{name in the zip: contents} of a board. ReleaseError."""
    found = {path.name: path.read_bytes() for path in sorted(plotted.glob("*")) if path.is_file()}
    found = {at: data for at, data in found.items() if Path(at).suffix in PLOTTED}
    ends = {Path(at).suffix for at in found}
    missing = [end for end in PLOTTED if end not in ends]
    if missing:
        raise ReleaseError(f"{plotted} has no {', '.join(missing)}: run `make boards`")
    netlist = (MAT_TOML.parent / "netlists" / f"{name}.net").read_text(encoding="utf-8")
    layout = boards.layout_of(name, mat, netlist)
    for variant in variants(mat, name):
        parts = filled(layout, variant)
        found[f"{variant.name}-bom.csv"] = bom_csv(parts).encode()
        found[f"{variant.name}-places.csv"] = places_csv(parts).encode()
    if name == "tile":
        found["tiles.csv"] = tiles_csv(mat).encode()
    return found


def pack(into: Path, contents: dict[str, bytes]) -> None:
    """Writes a zip, whole or not at all."""
    made = into.with_suffix(".part")
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in contents.items():
            archive.writestr(zipfile.ZipInfo(name, EPOCH), data, zipfile.ZIP_DEFLATED)
    made.replace(into)


def main(argv: Sequence[str] = ()) -> int:
    """Packs all boards."""
    plotted = Path(argv[0]) if argv else ROOT / "build" / "boards"
    into = Path(argv[1]) if len(argv) > 1 else ROOT / "build" / "release"
    mat = load_mat()
    try:
        packed = {name: files(mat, name, plotted / name) for name in boards.LAID_OUT}
    except ReleaseError as error:
        print(f"release: {error}", file=sys.stderr)
        return 1
    into.mkdir(parents=True, exist_ok=True)
    for name, contents in packed.items():
        pack(into / f"{name}.zip", contents)
        print(f"wrote {into / name}.zip: {len(contents)} files")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
