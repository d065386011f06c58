"""Writes the cloth's artwork at 1:1, as PDF: whole for a print shop, and in sheets for a printer.

    python -m hardware.tools.cloth [--mat NAME] [--paper a4|letter] FOLDER

The sheets overlap by 10 mm. Crosses on them fall onto each other where sheets are glued together,
and each has a line of 100 mm: measure it, a printer that "fits to page" makes a wrong circle.
"""

import argparse
import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from polarity_host.mats.description import MatError, load_mat

from .drawing import LAYERS, PEN_MM, PENS_MM, Drawing
from .drawings import cloth
from .outline import Extent

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAPERS_MM = {"a4": (210.0, 297.0), "letter": (215.9, 279.4)}
BORDER_MM, OVERLAP_MM = 10.0, 10.0  # what printers leave blank; what two sheets share
RULER_MM = 100.0
POINTS_AN_MM = 72 / 25.4


@dataclass(frozen=True)
class Sheet:
    """One sheet of paper: its name, its size, and the window (left, bottom, right, top) of the
    drawing that is on it. The window's lower left corner is `BORDER_MM` from the paper's."""

    name: str
    paper_mm: tuple[float, float]
    window: Extent


def whole(drawing: Drawing) -> Sheet:
    """All of a drawing on one sheet."""
    (left, bottom), (right, top) = drawing.extent()
    size = right - left + 2 * BORDER_MM, top - bottom + 2 * BORDER_MM
    return Sheet("", size, (left, bottom, right, top))


def sheets(drawing: Drawing, paper: str) -> list[Sheet]:
    """A drawing on sheets that overlap, row by row from the upper left."""
    (left, bottom), (right, top) = drawing.extent()
    wide, high = (length - 2 * BORDER_MM for length in PAPERS_MM[paper])
    columns = math.ceil((right - left - OVERLAP_MM) / (wide - OVERLAP_MM))
    rows = math.ceil((top - bottom - OVERLAP_MM) / (high - OVERLAP_MM))
    found = []
    for row in range(rows):
        for column in range(columns):
            x = left + column * (wide - OVERLAP_MM)
            y = top - row * (high - OVERLAP_MM) - high
            name = f"row {row + 1} of {rows}, sheet {column + 1} of {columns}"
            found.append(Sheet(name, PAPERS_MM[paper], (x, y, x + wide, y + high)))
    return found


def crosses(window: Extent) -> list[tuple[float, float]]:
    """Where a sheet's crosses are: at the corners of what it shares with its neighbours."""
    left, bottom, right, top = window
    half = OVERLAP_MM / 2
    return [(x, y) for x in (left + half, right - half) for y in (bottom + half, top - half)]


def _figures(drawing: Drawing, listed: list[Sheet]) -> "Iterator[Figure]":
    from matplotlib.figure import Figure
    from matplotlib.patches import Arc, Circle

    for sheet in listed:
        wide, high = sheet.paper_mm
        left, bottom, right, top = sheet.window
        figure = Figure(figsize=(wide / 25.4, high / 25.4))
        frame = [
            BORDER_MM / wide, BORDER_MM / high, (right - left) / wide, (top - bottom) / high
        ]  # fmt: skip
        axes: Any = figure.add_axes((frame[0], frame[1], frame[2], frame[3]))
        axes.set_xlim(left, right)
        axes.set_ylim(bottom, top)
        axes.axis("off")
        for shape in drawing.shapes:
            colour = LAYERS[shape.layer][0]
            pen = {"linewidth": PENS_MM.get(shape.layer, PEN_MM) * POINTS_AN_MM, "color": colour}
            if shape.kind == "line":
                axes.plot(*zip(shape.start, shape.end), solid_capstyle="butt", **pen)
            elif shape.kind == "circle":
                axes.add_patch(Circle(shape.centre, shape.radius_mm, fill=shape.filled, **pen))
            elif shape.kind == "arc":
                size = 2 * shape.radius_mm
                axes.add_patch(
                    Arc(shape.centre, size, size, theta1=shape.from_deg, theta2=shape.to_deg, **pen)
                )
            else:
                axes.text(
                    *shape.at, shape.words, fontsize=shape.size_mm * POINTS_AN_MM, color=colour,
                    ha="center", va="center", clip_on=True,
                )  # fmt: skip
        if sheet.name:
            thin = {"linewidth": 0.3, "color": "#6c757d"}
            for x, y in crosses(sheet.window):
                axes.plot((x - 4, x + 4), (y, y), **thin)
                axes.plot((x, x), (y - 4, y + 4), **thin)
            middle, y = (left + right) / 2, bottom + OVERLAP_MM / 2
            axes.plot((middle - RULER_MM / 2, middle + RULER_MM / 2), (y, y), **thin)
            words = f"{sheet.name}; the line above is {RULER_MM:g} mm long"
            axes.text(middle, y - 3, words, fontsize=6, color="#6c757d", ha="center", va="center")
        yield figure


def write_pdf(path: Path, drawing: Drawing, listed: list[Sheet]) -> None:
    """A page for each sheet, to scale."""
    from matplotlib.backends.backend_pdf import PdfPages

    made = path.with_suffix(".part")
    with PdfPages(made, metadata={"Title": drawing.title, "CreationDate": None}) as pages:
        for figure in _figures(drawing, listed):
            pages.savefig(figure)
    made.replace(path)


def main(argv: list[str] | None = None) -> int:
    """Writes both files, and the SVG beside them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--mat", default=None, help="which mat (default: the standard one)")
    parser.add_argument("--paper", choices=sorted(PAPERS_MM), default="a4")
    parser.add_argument("folder", type=Path)
    arguments = parser.parse_args(argv)
    try:
        mat = load_mat(arguments.mat) if arguments.mat else load_mat()
    except MatError as error:
        print(f"cloth: {error}", file=sys.stderr)
        return 2
    drawing = cloth(mat)
    arguments.folder.mkdir(parents=True, exist_ok=True)
    tiled = sheets(drawing, arguments.paper)
    for name, listed in (("cloth", [whole(drawing)]), (f"cloth-{arguments.paper}", tiled)):
        path = arguments.folder / f"{name}.pdf"
        write_pdf(path, drawing, listed)
        print(f"wrote {path}: {len(listed)} page{'s' if len(listed) > 1 else ''}")
    (arguments.folder / "cloth.svg").write_text(drawing.svg(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
