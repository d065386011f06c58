"""A board's schematic for KiCad (6 and later), drawn from its netlist.

    text = schematic_text("tile", netlist)

Where parts stand is in sheets.py, what they look like in symbols.py. Pins of one net that see each
other along a row or a column are joined by a wire; each group of joined pins has one label with the
net's name. Supplies have their signs. sheet_check.py reads the file again.
"""

import uuid
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from .outline import Point
from .parts import part_kinds
from .sheets import Heading, Stand, headings, stands
from .silk import REVISION
from .symbols import GRID_MM, TWO_ENDED_MM, Symbol, symbol
from .trace import Netlist, Node

NAMESPACE = uuid.UUID("0c8b3c1e-4a55-5a0e-9a1f-26f26f26f26f")
SUPPLIES = ("GND", "+3V3", "VCC5")
REACH_MM = 33.1  # how far pins may be apart that are joined by a wire
SORTS = {
    "p": "passive", "i": "input", "o": "output", "t": "tri_state", "w": "power_in",
    "W": "power_out", "n": "no_connect",
}  # fmt: skip
#: The way out of the part from a pin's end, by the pin's angle on the sheet (y down).
OUT = {0: (-1, 0), 90: (0, 1), 180: (1, 0), 270: (0, -1)}
LABEL_ANGLE = {(1, 0): 0, (0, -1): 90, (-1, 0): 180, (0, 1): 270}
FLAG_AT = (12.0, 106.0)  # where supplies are marked that a cable drives, in steps


class End(NamedTuple):
    """A pin's end on the sheet, and the way out of its part from there."""

    node: Node
    at: Point
    out: tuple[int, int]


class Wire(NamedTuple):
    """A wire between two pins' ends of a net."""

    net: str
    start: Point
    end: Point


def placed(point: Point, stand: Stand) -> Point:
    """A point of a symbol, on the sheet, in mm."""
    x, y = point
    for _ in range(stand.turn // 90):
        x, y = -y, x
    return round(stand.x * GRID_MM + x, 3), round(stand.y * GRID_MM - y, 3)


def ends(board: Netlist, at: dict[str, Stand]) -> list[End]:
    """Every pin's end."""
    found = []
    for ref, stand in at.items():
        for pin in symbol(board.kind[ref]).pins:
            out = OUT[(pin.angle + stand.turn) % 360]
            found.append(End((ref, int(pin.number)), placed(pin.end, stand), out))
    return found


def wires(board: Netlist, at: dict[str, Stand], all_ends: list[End]) -> list[Wire]:
    """The wires between pins of a net that see each other, in a row or a column."""
    found = []
    boxes = [_body(symbol(board.kind[ref]), stand) for ref, stand in at.items()]
    for axis in (0, 1):
        lanes: dict[float, list[End]] = {}
        for end in all_ends:
            lanes.setdefault(end.at[1 - axis], []).append(end)
        for lane in lanes.values():
            lane.sort(key=lambda end: end.at[axis])
            for one, other in zip(lane, lane[1:], strict=False):
                net = board.net.get(one.node)
                if net is None or net in SUPPLIES or board.net.get(other.node) != net:
                    continue
                if 0 < other.at[axis] - one.at[axis] <= REACH_MM and not any(
                    _crosses(one.at, other.at, box) for box in boxes
                ):
                    found.append(Wire(net, one.at, other.at))
    return found


def _body(sign: Symbol, stand: Stand) -> tuple[float, float, float, float]:
    x, y = sign.half
    a, b = placed((-x, -y), stand), placed((x, y), stand)
    return min(a[0], b[0]), min(a[1], b[1]), max(a[0], b[0]), max(a[1], b[1])


def _crosses(one: Point, other: Point, box: tuple[float, float, float, float]) -> bool:
    left, top, right, bottom = box
    (x0, x1), (y0, y1) = sorted((one[0], other[0])), sorted((one[1], other[1]))
    return x0 < right - 0.01 and x1 > left + 0.01 and y0 < bottom - 0.01 and y1 > top + 0.01


def labelled(
    board: Netlist, all_ends: list[End], joined: list[Wire]
) -> Iterator[tuple[str, Point, tuple[int, int]]]:
    """(net, where, way) of the one label of each group of joined pins."""
    group = {end.at: end.at for end in all_ends}

    def root(point: Point) -> Point:
        while group[point] != point:
            point = group[point]
        return point

    taken: dict[Point, set[tuple[int, int]]] = {}
    for _, start, end in joined:
        group[root(start)] = root(end)
        way = (end[0] > start[0]) - (end[0] < start[0]), (end[1] > start[1]) - (end[1] < start[1])
        taken.setdefault(start, set()).add(way)
        taken.setdefault(end, set()).add((-way[0], -way[1]))
    groups: dict[Point, list[End]] = {}
    for end in all_ends:
        net = board.net.get(end.node)
        if net is not None and net not in SUPPLIES:
            groups.setdefault(root(end.at), []).append(end)
    for members in groups.values():
        ways = [
            (_crowd(end, all_ends) if rank else 0, rank, end.at, way)
            for end in members
            for rank, way in enumerate((end.out, (-1, 0), (1, 0), (0, -1)))
            if way not in taken.get(end.at, ()) and way != (-end.out[0], -end.out[1])
        ]
        *_, at, way = min(ways)
        yield board.net[members[0].node], at, way


def _crowd(end: End, all_ends: list[End]) -> int:
    """How many pins' ends a label across the pin would cover."""
    return sum(
        0 < abs(other.at[0] - end.at[0]) + abs(other.at[1] - end.at[1]) < 2 * GRID_MM
        for other in all_ends
    )


def schematic_text(name: str, board: Netlist) -> str:
    """The file. KeyError: a part has no place on the sheet."""
    footprints = {ref: part_kinds()[kind].footprint for ref, kind in board.kind.items()}
    at = stands(name, sorted(board.kind))
    all_ends = ends(board, at)
    joined = wires(board, at, all_ends)
    out = [
        f"(kicad_sch (version 20211123) (generator polarity) (uuid {_id(name, 'sheet')}) "
        '(paper "A3")',
        f'  (title_block (title "Polarity: {name}") (rev "{REVISION}") '
        '(comment 1 "GENERATED by make hardware: do not edit") (comment 2 "CERN-OHL-P v2"))',
        "  (lib_symbols",
        *(_library(kind) for kind in sorted(set(board.kind.values()))),
        *map(_supply_library, SUPPLIES),
        _flag_library(),
        "  )",
    ]
    instances: list[tuple[str, str, str, str]] = []
    for point in sorted(_junctions(all_ends, joined)):
        out.append(
            f"  (junction (at {_xy(point)}) (diameter 0) (color 0 0 0 0) "
            f"(uuid {_id(name, 'junction', point)}))"
        )
    for end in all_ends:
        if end.node not in board.net:
            out.append(f"  (no_connect (at {_xy(end.at)}) (uuid {_id(name, 'open', end.at)}))")
    for _, start, end in joined:
        out.append(
            f"  (wire (pts (xy {_xy(start)}) (xy {_xy(end)})) (stroke (width 0) (type default) "
            f"(color 0 0 0 0)) (uuid {_id(name, start, end)}))"
        )
    out += [_words(name, heading) for heading in headings(name)]
    out += [_label(name, *label) for label in labelled(board, all_ends, joined)]
    for ref, stand in at.items():
        kind = board.kind[ref]
        out.append(_part(name, ref, kind, board.value[ref], footprints[ref], stand))
        instances.append((_id(name, ref), ref, board.value[ref], footprints[ref]))
    for number, (net, point, way) in enumerate(_supplies(board, all_ends), 1):
        ref = f"#PWR{number:03}"
        out.append(_sign(name, ref, net, point, way))
        instances.append((_id(name, ref), ref, net, ""))
    for number, net in enumerate(driven_outside(board), 1):
        point = (FLAG_AT[0] + 6 * number) * GRID_MM, FLAG_AT[1] * GRID_MM
        for ref, what, way in (
            (f"#PWR0F{number}", net, (0, 1)), (f"#FLG{number:02}", "PWR_FLAG", (0, -1))
        ):  # fmt: skip
            out.append(_sign(name, ref, what, point, way))
            instances.append((_id(name, ref), ref, what, ""))
    out.append('  (sheet_instances (path "/" (page "1")))')
    out.append("  (symbol_instances")
    for key, ref, value, footprint in instances:
        out.append(
            f'    (path "/{key}" (reference "{ref}") (unit 1) (value "{value}") '
            f'(footprint "{footprint}"))'
        )
    return "\n".join([*out, "  )", ")"]) + "\n"


def driven_outside(board: Netlist) -> list[str]:
    """The supplies that no part of the board drives: a cable does."""
    sorts = {
        (ref, int(number)): sort
        for ref, kind in board.kind.items()
        for number, _, sort in part_kinds()[kind].pins
    }
    return [
        net for net in SUPPLIES
        if net in board.on and not any(sorts[node] == "W" for node in board.on[net])
    ]  # fmt: skip


def _supplies(board: Netlist, all_ends: list[End]) -> Iterator[tuple[str, Point, tuple[int, int]]]:
    for end in all_ends:
        net = board.net.get(end.node)
        if net in SUPPLIES:
            yield net, end.at, end.out


def _junctions(all_ends: list[End], joined: list[Wire]) -> set[Point]:
    count: dict[Point, int] = {}
    for point in (*(end.at for end in all_ends), *(p for wire in joined for p in wire[1:])):
        count[point] = count.get(point, 0) + 1
    return {point for point, number in count.items() if number > 2}


# ---- the file's words
def _xy(point: Point) -> str:
    return f"{point[0]:.2f} {point[1]:.2f}"


def _id(*what: object) -> str:
    return str(uuid.uuid5(NAMESPACE, " ".join(map(str, what))))


def _font(size: float = 1.27, rest: str = "") -> str:
    return f"(effects (font (size {size} {size})){rest})"


def _property(name: str, value: str, number: int, at: Point, angle: int = 0, rest: str = "") -> str:
    return f'(property "{name}" "{value}" (id {number}) (at {_xy(at)} {angle}) {_font(rest=rest)})'


def _line(points: Iterable[Point]) -> str:
    pts = " ".join(f"(xy {x:.3f} {y:.3f})" for x, y in points)
    return (
        f"(polyline (pts {pts}) (stroke (width 0.2) (type default) (color 0 0 0 0)) "
        "(fill (type none)))"
    )


def _library(kind: str) -> str:
    sign = symbol(kind)
    hidden = "(pin_numbers hide) " if len(sign.pins) == 2 and sign.plain else ""
    names = "(pin_names (offset 0.5) hide)" if sign.plain else "(pin_names (offset 0.5))"
    pins = "\n".join(
        f"        (pin {SORTS[pin.sort]} line (at {_xy(pin.end)} {pin.angle}) (length 2.54) "
        f'(name "{pin.name}" {_font(1)}) (number "{pin.number}" {_font(1)}))'
        for pin in sign.pins
    )
    lines = "\n".join(f"        {_line(points)}" for points in sign.lines)
    return (
        f'    (symbol "Polarity:{kind}" {hidden}{names} (in_bom yes) (on_board yes)\n'
        f"      {_property('Reference', 'U', 0, (0, 0))} {_property('Value', kind, 1, (0, 0))}\n"
        f"      {_property('Footprint', '', 2, (0, 0), rest=' hide')} "
        f"{_property('Datasheet', '', 3, (0, 0), rest=' hide')}\n"
        f'      (symbol "{kind}_0_1"\n{lines}\n      )\n'
        f'      (symbol "{kind}_1_1"\n{pins}\n      )\n    )'
    )


def _supply_library(net: str) -> str:
    if net == "GND":
        lines = [
            ((0.0, 0.0), (0.0, -1.27)),
            ((-1.0, -1.27), (1.0, -1.27), (0.0, -2.2), (-1.0, -1.27)),
        ]
    else:
        lines = [((0.0, 0.0), (0.0, 1.9)), ((-0.8, 1.2), (0.0, 2.2), (0.8, 1.2))]
    return _power_library(net, lines, "power_in")


def _flag_library() -> str:
    lines = [((0.0, 0.0), (0.0, 1.27), (-1.0, 1.9), (0.0, 2.5), (1.0, 1.9), (0.0, 1.27))]
    return _power_library("PWR_FLAG", lines, "power_out")


def _power_library(net: str, lines: list[tuple[Point, ...]], sort: str) -> str:
    shown = " ".join(map(_line, lines))
    hide = " hide" if sort == "power_in" else ""
    return (
        f'    (symbol "Polarity:{net}" (power) (pin_numbers hide) (pin_names (offset 0) hide) '
        "(in_bom no) (on_board no)\n"
        f"      {_property('Reference', '#PWR', 0, (0, 0), rest=' hide')} "
        f"{_property('Value', net, 1, (0, 0))}\n"
        f"      {_property('Footprint', '', 2, (0, 0), rest=' hide')} "
        f"{_property('Datasheet', '', 3, (0, 0), rest=' hide')}\n"
        f'      (symbol "{net}_0_1" {shown})\n'
        f'      (symbol "{net}_1_1" (pin {sort} line (at 0 0 90) (length 0){hide} '
        f'(name "{net}" {_font()}) (number "1" {_font()})))\n    )'
    )


def _part(board: str, ref: str, kind: str, value: str, footprint: str, stand: Stand) -> str:
    sign, (x, y) = symbol(kind), placed((0, 0), stand)
    left, top, right, bottom = _body(sign, stand)
    flat = stand.turn % 180
    angle, rest = (90, "") if flat else (0, " (justify left)")
    if len(sign.pins) == 2 and sign.half[1] == TWO_ENDED_MM and not flat:  # beside it
        name_at, value_at = (x + 2.54, y - 1.0), (x + 2.54, y + 1.0)
    elif flat:
        name_at, value_at = (x, y - 2.2), (x, y + 2.2)
    elif not any(pin.angle == 270 for pin in sign.pins):  # nothing stands on it
        name_at, value_at = (left, top - 3.0), (left, top - 1.2)
    else:
        name_at, value_at = (left, top - 1.2), (left, bottom + 9.2)
    number = part_kinds()[kind].number(value)
    pins = " ".join(
        f'(pin "{pin.number}" (uuid {_id(board, ref, pin.number)}))' for pin in sign.pins
    )
    return (
        f'  (symbol (lib_id "Polarity:{kind}") (at {_xy((x, y))} {stand.turn}) (unit 1) '
        f"(in_bom yes) (on_board yes) (uuid {_id(board, ref)})\n"
        f"    {_property('Reference', ref, 0, name_at, angle, rest)}\n"
        f"    {_property('Value', value, 1, value_at, angle, rest)}\n"
        f"    {_property('Footprint', footprint, 2, (x, y), rest=' hide')}\n"
        f"    {_property('MPN', number, 4, (x, y), rest=' hide')}\n"
        f"    {pins})"
    )


def _sign(board: str, ref: str, net: str, at: Point, way: tuple[int, int]) -> str:
    natural = (0, 1) if net == "GND" else (0, -1)
    turns: list[tuple[int, int]] = [natural]
    while turns[-1] != way:  # a quarter counter-clockwise on a sheet whose y is down
        turns.append((turns[-1][1], -turns[-1][0]))
    turn = 90 * (len(turns) - 1)
    far = 3.4 if way[1] else 2.6 + 0.5 * len(net)
    words_at = at[0] + far * way[0], at[1] + far * way[1]
    return (
        f'  (symbol (lib_id "Polarity:{net}") (at {_xy(at)} {turn}) (unit 1) (in_bom no) '
        f"(on_board no) (uuid {_id(board, ref)})\n"
        f"    {_property('Reference', ref, 0, at, rest=' hide')}\n"
        f"    {_property('Value', net, 1, words_at, 90 if turn % 180 else 0)}\n"
        f'    (pin "1" (uuid {_id(board, ref, 1)})))'
    )


def _label(board: str, net: str, at: Point, way: tuple[int, int]) -> str:
    side = "right" if way in ((-1, 0), (0, 1)) else "left"
    return (
        f'  (global_label "{net}" (shape passive) (at {_xy(at)} {LABEL_ANGLE[way]}) '
        f"(fields_autoplaced) {_font(1.27, f' (justify {side})')} (uuid {_id(board, net, at)})\n"
        f'    (property "Intersheet References" "${{INTERSHEET_REFS}}" (id 0) (at {_xy(at)} 0) '
        f"{_font(1.27, ' hide')}))"
    )


def _words(board: str, heading: Heading) -> str:
    at = heading.x * GRID_MM, heading.y * GRID_MM
    return f'  (text "{heading.words}" (at {_xy(at)} 0) {_font(2.5)} (uuid {_id(board, *heading)}))'
