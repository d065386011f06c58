"""Has KiCad check a board, and plot the files that a board house needs. Runs on KiCad's own Python:

    /usr/bin/python3 hardware/tools/kicad_check.py hardware/boards/tile.kicad_pcb [FOLDER]

Debian: apt install --no-install-recommends kicad (60 MB to fetch; no libraries are needed). The
planes are filled, the design rules and the nets' connections checked, and, if a FOLDER is named,
Gerbers, drills and places of parts written there. Prints one JSON object; exit 1 when KiCad found
anything.
"""

import json
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

try:
    import pcbnew  # pyright: ignore[reportMissingImports]  # KiCad's, not of this environment
except ImportError:
    print("this needs KiCad's Python: /usr/bin/python3, with kicad installed", file=sys.stderr)
    sys.exit(2)

#: What a finding may be about without mattering to the board.
HARMLESS = ("lib_footprint_issues", "lib_footprint_mismatch")
PLOTTED = (
    "F.Cu", "B.Cu", "F.Mask", "B.Mask", "F.Paste", "B.Paste", "F.SilkS", "B.SilkS", "Edge.Cuts",
)  # fmt: skip


def checked(board: Any) -> tuple[dict, list[str]]:
    """(findings by kind, each in words) of KiCad's design rules check."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "drc.rpt"
        pcbnew.WriteDRCReport(board, str(report), pcbnew.EDA_UNITS_MILLIMETRES, True)
        text = report.read_text(encoding="utf-8")
    kinds: dict[str, int] = {}
    lines = []
    for kind, rest in re.findall(r"^\[(\w+)\]: (.*(?:\n    .*)*)", text, re.M):
        if kind in HARMLESS:
            continue
        kinds[kind] = kinds.get(kind, 0) + 1
        lines.append(f"{kind}: " + " / ".join(part.strip() for part in rest.splitlines()))
    return kinds, lines


def plot(board: Any, folder: Path) -> None:
    """Gerbers, one drill file for each kind of hole, and the places of parts."""
    folder.mkdir(parents=True, exist_ok=True)
    plotter = pcbnew.PLOT_CONTROLLER(board)
    options = plotter.GetPlotOptions()
    options.SetOutputDirectory(str(folder.resolve()))
    options.SetUseGerberProtelExtensions(True)
    options.SetSubtractMaskFromSilk(True)
    for name in PLOTTED:
        plotter.SetLayer(board.GetLayerID(name))
        plotter.OpenPlotfile(name.replace(".", "_"), pcbnew.PLOT_FORMAT_GERBER, name)
        plotter.PlotLayer()
    plotter.ClosePlot()
    drill = pcbnew.EXCELLON_WRITER(board)
    drill.SetFormat(True)
    drill.SetOptions(False, False, pcbnew.wxPoint(0, 0), False)
    drill.CreateDrillandMapFilesSet(str(folder.resolve()), True, False)
    rows = ["ref,value,package,x_mm,y_mm,turn,side"]
    for part in sorted(board.GetFootprints(), key=lambda part: part.GetReference()):
        if part.GetAttributes() & pcbnew.FP_EXCLUDE_FROM_POS_FILES:
            continue
        at = part.GetPosition()
        side = "bottom" if part.IsFlipped() else "top"
        rows.append(
            f"{part.GetReference()},{part.GetValue()},{part.GetFPID().GetLibItemName()},"
            f"{pcbnew.ToMM(at.x):.4f},{-pcbnew.ToMM(at.y):.4f},"
            f"{part.GetOrientationDegrees():g},{side}"
        )
    (folder / "places.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")


def main(argv: list[str]) -> int:
    """Checks the board of the first argument and plots it into the folder of the second, if any."""
    if not 1 <= len(argv) <= 2:
        print(__doc__, file=sys.stderr)
        return 2
    board = pcbnew.LoadBoard(argv[0])
    pcbnew.ZONE_FILLER(board).Fill(board.Zones())
    kinds, lines = checked(board)
    for line in lines:
        print(line, file=sys.stderr)
    if len(argv) == 2:
        plot(board, Path(argv[1]))
    summary = {
        "board": Path(argv[0]).stem,
        "kicad": pcbnew.Version(),
        "parts": len(board.GetFootprints()),
        "tracks": len(board.GetTracks()),
        "findings": sum(kinds.values()),
        "kinds": kinds,
    }
    print(json.dumps(summary))
    return 1 if kinds else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
