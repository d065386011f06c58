"""Has KiCad check boards, and plot the files that a board house needs. Runs on KiCad's own Python
(tried with KiCad 6.0.11, 9.0.2 and 10.0.6, of Debian 12, 13 and testing; 7 and 8, which no suite of
Debian has, have the same calls as 9):

    /usr/bin/python3 hardware/tools/kicad_check.py [--to FOLDER] hardware/boards/tile.kicad_pcb ...

Debian: apt install --no-install-recommends kicad (60 MB to fetch; no libraries are needed). The
planes are filled, and the design rules and the nets' connections checked. With --to, a board of
which nothing was found has its Gerbers, drills, places of parts, and itself with its planes filled
written to FOLDER/BOARD: all of them, or that folder stays as it was. Prints a JSON object a board,
and one for all at the end. Exit 1 when KiCad found anything.
"""

import csv
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

try:
    import pcbnew  # pyright: ignore[reportMissingImports]  # KiCad's, not of this environment
except ImportError:
    print("this needs KiCad's Python: /usr/bin/python3, with kicad installed", file=sys.stderr)
    sys.exit(2)

#: What a finding may be about without mattering: the boards bring their own footprints.
HARMLESS = ("lib_footprint_issues", "lib_footprint_mismatch")
PLOTTED = (
    "F.Cu", "B.Cu", "F.Mask", "B.Mask", "F.Paste", "B.Paste", "F.SilkS", "B.SilkS", "Edge.Cuts",
)  # fmt: skip
#: The ends of the files that must be there, or the board house has not got the whole board.
WANTED = (
    "-F_Cu.gtl", "-B_Cu.gbl", "-F_Mask.gts", "-B_Mask.gbs", "-F_Paste.gtp", "-B_Paste.gbp",
    "-F_SilkS.gto", "-B_SilkS.gbo", "-Edge_Cuts.gm1", "-PTH.drl",
)  # fmt: skip


class PlotError(Exception):
    """KiCad did not write what it was asked for. One line."""


def _millimetres() -> Any:
    """The unit's name changed in KiCad 9."""
    return getattr(pcbnew, "EDA_UNITS_MM", None) or pcbnew.EDA_UNITS_MILLIMETRES


def _origin() -> Any:
    """A point's class changed in KiCad 7."""
    return pcbnew.VECTOR2I(0, 0) if _major() >= 7 else pcbnew.wxPoint(0, 0)


def _major() -> int:
    return int(pcbnew.Version().split(".")[0])


def checked(board: Any, path: Path) -> tuple[dict, list[str]]:
    """(findings by kind, each in words) of KiCad's design rules check of the board of this file.
    PlotError: no report."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "drc.rpt"
        if _major() < 10:
            pcbnew.WriteDRCReport(board, str(report), _millimetres(), True)
        else:  # where that call ends Python
            check = ["kicad-cli", "pcb", "drc", "--refill-zones", "--severity-all"]
            quiet = subprocess.DEVNULL
            subprocess.run([*check, "--output", report, path], stdout=quiet, stderr=quiet)
        if not report.exists():
            raise PlotError("KiCad wrote no report of its design rules check")
        text = report.read_text(encoding="utf-8")
    kinds: dict[str, int] = {}
    lines = []
    for kind, rest in re.findall(r"^\[(\w+)\]: (.*(?:\n    .*)*)", text, re.M):
        if kind in HARMLESS:
            continue
        kinds[kind] = kinds.get(kind, 0) + 1
        lines.append(f"{kind}: " + " / ".join(part.strip() for part in rest.splitlines()))
    return kinds, lines


def plot(board: Any, name: str, folder: Path) -> None:
    """Gerbers, a drill file for each kind of hole, the places of parts, and the filled board. The
    folder is replaced as a whole, when all of them are written. PlotError."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent.resolve()))
    try:
        _gerbers(board, made)
        _drills(board, made)
        _places(board, made)
        missing = [end for end in WANTED if not (made / (name + end)).exists()]
        if missing:
            raise PlotError(f"KiCad {pcbnew.Version()} did not write {', '.join(missing)}")
        filled = made / f"{name}-filled.kicad_pcb"
        if not pcbnew.SaveBoard(str(filled), board):
            raise PlotError(f"KiCad {pcbnew.Version()} did not save the filled board")
        for extra in ("kicad_pro", "kicad_prl"):  # this one rewrites the project's rules
            filled.with_suffix(f".{extra}").unlink(missing_ok=True)
        made.chmod(0o755)
        if folder.exists():
            shutil.rmtree(folder)
        made.rename(folder)
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _gerbers(board: Any, folder: Path) -> None:
    plotter = pcbnew.PLOT_CONTROLLER(board)
    options = plotter.GetPlotOptions()
    options.SetOutputDirectory(str(folder))
    options.SetPlotFrameRef(False)
    options.SetUseGerberProtelExtensions(True)
    options.SetSubtractMaskFromSilk(True)
    for name in PLOTTED:
        plotter.SetLayer(board.GetLayerID(name))
        plotter.OpenPlotfile(name.replace(".", "_"), pcbnew.PLOT_FORMAT_GERBER, name)
        if not plotter.PlotLayer():
            raise PlotError(f"KiCad {pcbnew.Version()} did not plot {name}")
    plotter.ClosePlot()


def _drills(board: Any, folder: Path) -> None:
    drill = pcbnew.EXCELLON_WRITER(board)
    drill.SetFormat(True)
    drill.SetOptions(False, False, _origin(), False)
    drill.CreateDrillandMapFilesSet(str(folder), True, False)


def _places(board: Any, folder: Path) -> None:
    with (folder / "places.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(("ref", "value", "package", "x_mm", "y_mm", "turn", "side"))
        for part in sorted(board.GetFootprints(), key=lambda part: part.GetReference()):
            if part.GetAttributes() & pcbnew.FP_EXCLUDE_FROM_POS_FILES:
                continue
            at = part.GetPosition()
            rows.writerow(
                (part.GetReference(), part.GetValue(), str(part.GetFPID().GetLibItemName()),
                 f"{pcbnew.ToMM(at.x):.4f}", f"{-pcbnew.ToMM(at.y):.4f}",
                 f"{part.GetOrientationDegrees():g}", "bottom" if part.IsFlipped() else "top")
            )  # fmt: skip


def check(path: Path, into: Path | None) -> dict[str, Any]:
    """What `main` prints of one board; with `into`, its files are put there, in a folder of its
    name. PlotError."""
    board = pcbnew.LoadBoard(str(path))
    pcbnew.ZONE_FILLER(board).Fill(board.Zones())
    kinds, lines = checked(board, path)
    for line in lines:
        print(f"{path.stem}: {line}", file=sys.stderr)
    if into is not None and not kinds:
        plot(board, path.stem, into / path.stem)
    return {
        "board": path.stem,
        "parts": len(board.GetFootprints()),
        "tracks": len(board.Tracks()),
        "findings": sum(kinds.values()),
        "kinds": kinds,
    }


def main(argv: list[str]) -> int:
    """Checks the boards that are named; --to FOLDER has them plotted."""
    into = Path(argv[1]) if argv[:1] == ["--to"] and len(argv) > 2 else None
    boards = argv[2:] if into else argv
    if not boards or boards[0].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    shown, failed = [], False
    for name in boards:
        try:
            shown.append(check(Path(name), into))
        except PlotError as error:
            print(f"{Path(name).stem}: {error}", file=sys.stderr)
            failed = True
        else:
            print(json.dumps(shown[-1]), flush=True)
    found = sum(one["findings"] for one in shown)
    print(json.dumps({"drc_findings": found, "boards": len(shown), "kicad": pcbnew.Version()}))
    return 1 if failed or found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
