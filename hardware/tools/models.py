"""Boards and the whole mat in 3D: STEP and VRML for CAD programs, and the pictures of BUILD.md.

    make models            writes build/models/*.step and *.vrml
    make pictures          writes hardware/pictures/*.webp, which lie in the tree

The shapes are those of bodies.py. CadQuery makes solids of them; VTK, which it brings along, draws
them. A test says when the pictures in the tree are of other boards.
"""

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import cadquery as cq  # pyright: ignore[reportMissingImports]  # `make models` installs it

from polarity_host.mats.description import MAT_TOML, Mat, load_mat

from . import boards, picture_state, tracks
from .bodies import Body, Item, board_bodies, stack
from .layout import Layout
from .outline import Side
from .render import Scene, Triangles

ROOT = MAT_TOML.parents[1]
SIZE = (1200, 800)
EXPLODED_SIZE = (1100, 1300)
STEP_MM = 110.0  # from one level of the exploded view to the next


def layouts(mat: Mat) -> dict[str, Layout]:
    """Every board that has a layout, from the netlists in the tree."""
    found = {}
    for name in boards.LAID_OUT:
        netlist = (MAT_TOML.parent / "netlists" / f"{name}.net").read_text(encoding="utf-8")
        found[name] = boards.layout_of(name, mat, netlist)
    return found


# ---- solids
def solid(body: Body) -> cq.Solid:
    """A body as CadQuery has it."""
    outer = _round(*body.disc) if body.disc else _wire(body.sides or ())
    inner = [_wire(sides) for sides in body.cutouts] + [_round(*hole) for hole in body.holes]
    face = cq.Face.makeFromWires(outer, inner)
    made = cq.Solid.extrudeLinear(face, cq.Vector(0, 0, body.high - body.low))
    return made.moved(cq.Location(cq.Vector(0, 0, body.low)))


def _wire(sides: Iterable[Side]) -> cq.Wire:
    edges = []
    for side in sides:
        points = [cq.Vector(x, y, 0) for x, y in side[1:]]
        make = cq.Edge.makeLine if len(points) == 2 else cq.Edge.makeThreePointArc
        edges.append(make(*points))
    return cq.Wire.assembleEdges(edges)


def _round(x: float, y: float, across: float) -> cq.Wire:
    return cq.Wire.makeCircle(across / 2, cq.Vector(x, y, 0), cq.Vector(0, 0, 1))


def assembly(name: str, bodies: Sequence[Body], one_piece: bool = False) -> cq.Assembly:
    """The bodies, each under its name; with `one_piece` those of a colour are one, so that a file
    of many boards stays small."""
    made = cq.Assembly(name=f"{name}, all of it")
    if not one_piece:
        for body in bodies:
            made.add(solid(body), name=body.name, color=_colour(body.colour))
        return made
    by_colour: dict[str, list[cq.Solid]] = {}
    for body in bodies:
        by_colour.setdefault(body.colour, []).append(solid(body))
    for colour, solids in by_colour.items():
        made.add(cq.Compound.makeCompound(solids), name=colour[1:], color=_colour(colour))
    return made


def whole(items: Sequence[Item]) -> cq.Assembly:
    """The mat, put together. Items of the same bodies share them."""
    made, known = cq.Assembly(name="mat"), {}
    for item in items:
        key = id(item.bodies)
        if key not in known:
            known[key] = assembly(item.name, item.bodies, one_piece=True)
        place = cq.Location(cq.Vector(item.x, item.y, item.z), cq.Vector(0, 0, 1), item.turn)
        made.add(known[key], name=item.name, loc=place)
    return made


def _colour(text: str) -> cq.Color:
    return cq.Color(*(int(text[k : k + 2], 16) / 255 for k in (1, 3, 5)))


def write_models(into: Path) -> list[Path]:
    """STEP and VRML of each board and of the mat."""
    into.mkdir(parents=True, exist_ok=True)
    mat = load_mat()
    drawn = layouts(mat)
    made = {name: assembly(name, board_bodies(layout)) for name, layout in drawn.items()}
    made["mat"] = whole(stack(mat, drawn))
    found = []
    for name, one in made.items():
        for end in ("step", "vrml"):
            found.append(into / f"{name}.{end}")
            one.export(str(found[-1]), tolerance=0.1, angularTolerance=0.3)
    return found


# ---- pictures
def write_pictures(into: Path) -> list[Path]:
    """A picture of each board from above, from below where it has parts there, and of the mat taken
    apart."""
    into.mkdir(parents=True, exist_ok=True)
    mat = load_mat()
    drawn, found = layouts(mat), []
    for name, layout in drawn.items():
        routing = tracks.stored(name)
        bodies = [(solid(body), body.colour) for body in board_bodies(layout)]
        for side in sorted({part.layer for part in layout.parts if part.kind != "testpoint"}):
            scene = Scene(SIZE)
            for one, colour in bodies:
                scene.add(_triangles(one), colour)
            scene.add_copper(layout, routing, side)
            scene.look(layout.outline.extent(), from_below=side == "B")
            end = "" if side == "F" else "_below"
            found.append(scene.save(into / f"{name}{end}.webp"))
    scene, shapes = Scene(EXPLODED_SIZE), {}
    for item in stack(mat, drawn):
        if id(item.bodies) not in shapes:
            shapes[id(item.bodies)] = [(_triangles(solid(b)), b.colour) for b in item.bodies]
        z = item.z + STEP_MM * item.level
        for triangles, colour in shapes[id(item.bodies)]:
            scene.add(triangles, colour, (item.x, item.y, z), item.turn)
    scene.look_apart()
    found.append(scene.save(into / "exploded.webp"))
    picture_state.write(into)
    return found


def _triangles(shape: cq.Shape) -> Triangles:
    points, corners = shape.tessellate(0.1, 0.3)
    return [(p.x, p.y, p.z) for p in points], corners


def main(argv: Sequence[str]) -> int:
    """`models FOLDER` or `pictures FOLDER`."""
    if len(argv) != 2 or argv[0] not in ("models", "pictures"):
        print(__doc__, file=sys.stderr)
        return 2
    write = write_models if argv[0] == "models" else write_pictures
    for path in write(Path(argv[1])):
        print(f"wrote {path}: {path.stat().st_size // 1024} KB")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
