"""The schematics as pictures: SVG for the pages, PDF to print, drawn from the files KiCad opens.

python -m hardware.tools.sheet_picture FOLDER     writes FOLDER/BOARD.pdf of every board
"""

import argparse
import math
import sys
from pathlib import Path

from .cloth import whole, write_pdf
from .drawing import Drawing, Layer
from .outline import Point
from .sheet_check import all_of
from .trace import Tree, parse

BOARDS = Path(__file__).resolve().parents[1] / "boards"
WORDS_MM, SMALL_MM, HEADING_MM = 1.6, 1.0, 3.2
DOT_MM, CROSS_MM, FLAG_MM = 0.5, 0.7, 0.5


def picture(name: str, text: str) -> Drawing:
    """A drawing of a schematic's file, to its scale."""
    drawing = Drawing(f"schematic of the board {name}")
    tree = parse(text)
    library = {one[1]: one for one in all_of(all_of(tree, "lib_symbols")[0], "symbol")}
    for wire in all_of(tree, "wire"):
        drawing.line("note", *(_point(xy) for xy in all_of(wire[1], "xy")))
    for dot in all_of(tree, "junction"):
        drawing.circle("note", _point(all_of(dot, "at")[0]), DOT_MM, filled=True)
    for one in all_of(tree, "no_connect"):
        x, y = _point(all_of(one, "at")[0])
        for way in (1, -1):
            start, end = (x - CROSS_MM, y - way * CROSS_MM), (x + CROSS_MM, y + way * CROSS_MM)
            drawing.line("part", start, end)
    for label in all_of(tree, "global_label"):
        _label(drawing, label[1], all_of(label, "at")[0])
    for heading in all_of(tree, "text"):
        drawing.text(_point(all_of(heading, "at")[0]), heading[1], HEADING_MM)
    for part in all_of(tree, "symbol"):
        _part(drawing, part, library[all_of(part, "lib_id")[0][1]])
    return drawing


def _part(drawing: Drawing, part: Tree, sign: Tree) -> None:
    at = all_of(part, "at")[0]
    middle, turn = _point(at), int(at[3])
    colour: Layer = "note" if all_of(sign, "power") else "drill"
    for unit in all_of(sign, "symbol"):
        for line in all_of(unit, "polyline"):
            points = [_turned(middle, turn, xy) for xy in all_of(line[1], "xy")]
            for start, end in zip(points, points[1:], strict=False):
                drawing.line(colour, start, end)
        for pin in all_of(unit, "pin"):
            _pin(drawing, middle, turn, pin, named="hide" not in all_of(sign, "pin_names")[0])
    for one in all_of(part, "property"):
        effects = all_of(one, "effects")[0]
        if "hide" in effects or not one[2] or one[1] == "MPN":
            continue
        x, y = _point(all_of(one, "at")[0])
        if all_of(effects, "justify"):
            x += 0.3 * WORDS_MM * len(one[2])
        drawing.text((x, y), one[2], WORDS_MM)


def _pin(drawing: Drawing, middle: Point, turn: int, pin: Tree, named: bool) -> None:
    at, long = all_of(pin, "at")[0], float(all_of(pin, "length")[0][1])
    end, name = _turned(middle, turn, at), all_of(pin, "name")[0][1]
    if not long:
        return
    way = math.radians(int(at[3]) + turn)
    toward = round(math.cos(way)), round(math.sin(way))
    drawing.line("drill", end, (end[0] + long * toward[0], end[1] + long * toward[1]))
    number = all_of(pin, "number")[0][1]
    if named:
        size = WORDS_MM if toward[0] or len(name) < 4 else SMALL_MM  # the Pico's stand close
        half = 0.3 * size * len(name) if toward[0] else 0.5 * size
        far = long + 0.6 + half
        drawing.text((end[0] + far * toward[0], end[1] + far * toward[1]), name, size)
    if named or toward[0]:
        x, y = end[0] + long / 2 * toward[0], end[1] + long / 2 * toward[1]
        drawing.text((x + 0.8 * abs(toward[1]), y + 0.7 * abs(toward[0])), number, SMALL_MM)


def _label(drawing: Drawing, name: str, at: Tree) -> None:
    """The net's name in a frame, which touches the point; above or below it when it is upright."""
    (x, y), way = _point(at), math.radians(int(at[3]))
    half, high = 0.3 * WORDS_MM * len(name) + FLAG_MM, 0.5 * WORDS_MM + 0.2
    cos, sin = round(math.cos(way)), round(math.sin(way))
    x, y = x + cos * half, y + sin * (high + 1.0)
    if sin:
        drawing.line("note", _point(at), (x, y - sin * high))
    drawing.box("part", (x - half, y - high), (2 * half, 2 * high))
    drawing.text((x, y), name, WORDS_MM)


def _turned(middle: Point, turn: int, at: Tree) -> Point:
    x, y = float(at[1]), float(at[2])
    for _ in range(turn // 90):
        x, y = -y, x
    return round(middle[0] + x, 3), round(middle[1] + y, 3)


def _point(at: Tree) -> Point:
    """A point of the sheet, whose y goes down, in the drawing."""
    return float(at[1]), -float(at[2])


def main(argv: list[str] | None = None) -> int:
    """Writes a PDF of each schematic that lies in hardware/boards."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args(argv).folder
    folder.mkdir(parents=True, exist_ok=True)
    for path in sorted(BOARDS.glob("*.kicad_sch")):
        drawing = picture(path.stem, path.read_text(encoding="utf-8"))
        into = folder / f"{path.stem}.pdf"
        write_pdf(into, drawing, [whole(drawing)])
        print(f"wrote {into}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
