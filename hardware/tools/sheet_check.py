"""Reads a schematic as KiCad does, by what touches what on the sheet, and compares it with a
netlist. It knows nothing of how the file was written. Points are joined where wires end; a name
joins all that carry it.
"""

from .outline import Point
from .parts import part_kinds
from .trace import Netlist, Node, Tree, parse


def read_sheet(text: str) -> tuple[Netlist, list[str]]:
    """(what the schematic connects, what is wrong on the sheet itself, in words)."""
    tree = parse(text)
    library = {one[1]: one for one in all_of(all_of(tree, "lib_symbols")[0], "symbol")}
    group: dict[Point, Point] = {}

    def root(point: Point) -> Point:
        group.setdefault(point, point)
        while group[point] != point:
            point = group[point]
        return point

    lines = [tuple(_point(xy) for xy in all_of(wire[1], "xy")) for wire in all_of(tree, "wire")]
    for start, end in lines:
        group[root(start)] = root(end)
    names: dict[str, Point] = {}
    wrong: list[str] = []

    def name(net: str, point: Point) -> None:
        names.setdefault(net, root(point))
        group[root(point)] = root(names[net])

    for label in all_of(tree, "global_label"):
        name(label[1], _point(all_of(label, "at")[0]))
    kind: dict[str, str] = {}
    value: dict[str, str] = {}
    pins: dict[Node, Point] = {}
    for part in all_of(tree, "symbol"):
        id = all_of(part, "lib_id")[0][1]
        sign = library[id]
        properties = {one[1]: one[2] for one in all_of(part, "property")}
        ends = _ends(sign, all_of(part, "at")[0])
        if all_of(sign, "power"):
            if properties["Value"] != "PWR_FLAG":
                name(properties["Value"], ends["1"])
            continue
        ref = properties["Reference"]
        if ref in kind:
            wrong.append(f"{ref} is there twice")
        kind[ref], value[ref] = id.partition(":")[2], properties["Value"]
        listed = part_kinds()[kind[ref]]
        if properties["Footprint"] != listed.footprint:
            wrong.append(f"{ref}: its footprint is not that of parts.toml")
        pins |= {(ref, int(number)): point for number, point in ends.items()}
    opened = {_point(all_of(one, "at")[0]) for one in all_of(tree, "no_connect")}
    wrong += _touching(pins, lines)
    named = {}
    for net, point in names.items():
        other = named.setdefault(root(point), net)
        if other != net:
            wrong.append(f"{net} and {other} are joined")
    net = {}
    for node, point in pins.items():
        if root(point) in named:
            net[node] = named[root(point)]
            if point in opened:
                wrong.append(f"{node[0]}.{node[1]} is marked as open, and is not")
        elif point not in opened:
            wrong.append(f"{node[0]}.{node[1]} is neither joined nor marked as open")
    on: dict[str, list[Node]] = {}
    for node in sorted(net):
        on.setdefault(net[node], []).append(node)
    return Netlist(kind, value, net, on), wrong


def findings(text: str, wanted: Netlist) -> list[str]:
    """Where a schematic is not what its netlist says."""
    drawn, wrong = read_sheet(text)
    for what in ("kind", "value", "net"):
        shown, must = getattr(drawn, what), getattr(wanted, what)
        for key in sorted(shown.keys() | must.keys(), key=str):
            if shown.get(key) != must.get(key):
                at = key if isinstance(key, str) else f"{key[0]}.{key[1]}"
                wrong.append(f"{at}: {what} is {shown.get(key)}, the netlist has {must.get(key)}")
    return wrong


def _touching(pins: dict[Node, Point], lines: list[tuple[Point, ...]]) -> list[str]:
    """Two pins at one point, and pins that a wire passes: KiCad may take them as joined."""
    wrong, at = [], {}
    for node, point in pins.items():
        if point in at:
            wrong.append(f"{node[0]}.{node[1]} lies on {at[point]}")
        at[point] = f"{node[0]}.{node[1]}"
    for (x0, y0), (x1, y1) in lines:
        for (x, y), node in at.items():
            level = x0 == x1 == x and min(y0, y1) < y < max(y0, y1)
            if level or (y0 == y1 == y and min(x0, x1) < x < max(x0, x1)):
                wrong.append(f"a wire passes {node} without ending there")
    return wrong


def _ends(sign: Tree, at: Tree) -> dict[str, Point]:
    """{number: where the pin ends on the sheet} of a part; the library's y goes up."""
    (x0, y0), turn = (float(at[1]), float(at[2])), int(at[3])
    found = {}
    for unit in all_of(sign, "symbol"):
        for pin in all_of(unit, "pin"):
            x, y = (float(word) for word in all_of(pin, "at")[0][1:3])
            for _ in range(turn // 90):
                x, y = -y, x
            found[all_of(pin, "number")[0][1]] = round(x0 + x, 2), round(y0 - y, 2)
    return found


def _point(at: Tree) -> Point:
    return round(float(at[1]), 2), round(float(at[2]), 2)


def all_of(tree: Tree, name: str) -> list[Tree]:
    """The brackets of this name directly within a bracket."""
    return [one for one in tree if isinstance(one, list) and one and one[0] == name]
