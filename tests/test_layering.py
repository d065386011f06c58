"""The walls between the layers. Each wall is a function of one parsed file that returns what breaks
it. So a test can show for every wall that it refuses a line that it must refuse."""

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FIRMWARE = ROOT / "firmware"
HOST = ROOT / "host_tools"
TOOLS = ROOT / "hardware" / "tools"

PURE_MODULES = {
    "array", "binascii", "collections", "gc", "json", "micropython", "polarity", "struct",
}  # fmt: skip
CHIP_MODULES = {"machine", "rp2"}
IO_CALLS = {"print", "open", "input"}
KERNEL_FACADE = "polarity/kernels/__init__.py"
REFERENCE_KERNELS = "polarity/kernels/_reference.py"
EXCEPTIONS = {
    # what chooses the kernels: a module that a person puts on the chip, elsewhere the environment
    KERNEL_FACADE: {"os", "polarity_settings", "polarity_settings.KERNELS"},
    # int(sqrt(v)) is the exact floor where floats are doubles (v < 2**31). The chip has single:
    # there the kernels take an integer root, and these lines must not decide anything.
    REFERENCE_KERNELS: {"math", "math.sqrt"},
}
TWIN_PHYSICS = ("polarity_host/simulation/", "polarity_host/mats/")
CHIP_KERNELS = "polarity/kernels/_chip.py"


def imported(tree: ast.AST, module_path: str) -> list[str]:
    """Absolute dotted names that the file imports, relative imports resolved.

    `from a import b` gives both `a` and `a.b`: b may be a module.
    """
    package = module_path.removesuffix(".py").split("/")[:-1]
    names = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join(base + ([node.module] if node.module else []))
            names += [base] + [f"{base}.{alias.name}" for alias in node.names]
    return names


def at_run_time(tree: ast.Module) -> ast.Module:
    """The module without what only a type checker reads: the lines below `if TYPE_CHECKING:`."""
    body = [line for line in tree.body if not _is_for_types(line)]
    return ast.Module(body, tree.type_ignores)


def _is_for_types(line: ast.stmt) -> bool:
    return isinstance(line, ast.If) and ast.unparse(line.test) == "TYPE_CHECKING"


def is_in(name: str, *packages: str) -> bool:
    return any(name == package or name.startswith(package + ".") for package in packages)


def chip_only_in_drivers(tree, path):
    """Only firmware/drivers/ and firmware/flash_pages/ import machine and rp2."""
    if path.startswith(("drivers/", "flash_pages/")):
        return []
    return [name for name in imported(tree, path) if is_in(name, *CHIP_MODULES)]


def core_is_pure(tree, path):
    """firmware/polarity: no chip, files, clock or console; only modules that both Pythons have."""
    if not path.startswith("polarity/"):
        return []
    tree = at_run_time(tree)
    excepted = EXCEPTIONS.get(path, set())
    found = [
        name
        for name in imported(tree, path)
        if name not in excepted and name.split(".")[0] not in PURE_MODULES
    ]
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id in IO_CALLS:
                found.append(f"{node.func.id}() in line {node.lineno}")
        elif isinstance(node, ast.Attribute) and node.attr in ("stdout", "stdin", "stderr"):
            found.append(f"{node.attr} in line {node.lineno}")
    return found


def core_counts_in_integers(tree, path):
    """The chip's floats are single and CPython's are double: only integers judge alike on both."""
    if not path.startswith("polarity/"):
        return []
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, (float, complex)):
            found.append(f"{node.value} in line {node.lineno}")
        elif isinstance(node, (ast.BinOp, ast.AugAssign)) and isinstance(node.op, ast.Div):
            found.append(f"/ in line {node.lineno}")
        elif isinstance(node, ast.Name) and node.id == "float":
            found.append(f"float in line {node.lineno}")
    return found


def seeing_and_judging_apart(tree, path):
    """Perception never imports rules, rules never import perception."""
    for one, other in (("perception", "rules"), ("rules", "perception")):
        if path.startswith(f"polarity/{one}/"):
            return [name for name in imported(tree, path) if is_in(name, f"polarity.{other}")]
    return []


def native_code_in_one_file(tree, path):
    """@micropython.viper and @micropython.native stand nowhere, the assembler in the kernels'
    generated file and in the drivers."""
    names = ["viper", "native", "asm_thumb"]
    if path == CHIP_KERNELS or path.startswith("drivers/"):
        names.remove("asm_thumb")
    return [
        f"@{ast.unparse(decorator)} in line {decorator.lineno}"
        for node in ast.walk(tree)
        if isinstance(node, (ast.FunctionDef, ast.ClassDef))
        for decorator in node.decorator_list
        if ast.unparse(decorator).split(".")[-1] in names
    ]


def functions_stay_simple(tree, path):
    """No function of perception has a cyclomatic complexity over 15 (McCabe 1976), a condition with
    `and` and `or` counted as so many."""
    if not path.startswith("polarity/perception/"):
        return []
    return [
        f"{node.name} has {found}"
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and (found := complexity(node)) > 15
    ]


def complexity(function: ast.FunctionDef) -> int:
    """The paths through a function that are independent of each other."""
    paths = 1
    for node in ast.walk(function):
        if isinstance(node, ast.BoolOp):
            paths += len(node.values) - 1
        elif isinstance(node, ast.comprehension):
            paths += 1 + len(node.ifs)
        elif isinstance(node, ast.If | ast.IfExp | ast.For | ast.While | ast.ExceptHandler):
            paths += 1
    return paths


def twin_has_its_own_physics(tree, path):
    """A twin that borrowed the firmware's field model would agree with its mistakes."""
    if not path.startswith(TWIN_PHYSICS):
        return []
    return [
        name
        for name in imported(tree, path)
        if is_in(name, "polarity.perception", "polarity.kernels")
    ]


def host_needs_no_chip(tree, path):
    """machine and rp2 exist on no computer."""
    return [name for name in imported(tree, path) if is_in(name, *CHIP_MODULES)]


# The rooms of the host, ground floor first: each imports only rooms that stand below its own floor.
FLOORS = (
    {"errors", "sources"},
    {"mats", "wire"},
    {"words"},
    {"replay"},
    {"device"},
    {"terminal"},
    {"games", "simulation"},
    {"live"},
    {"mqtt"},
    {"hub"},
    {"cli"},
    {"__main__"},
)


def room(name: str) -> str:
    """The room of a dotted name below polarity_host; "" for anything else."""
    parts = name.split(".")
    return parts[1] if parts[0] == "polarity_host" and len(parts) > 1 else ""


def floor(name: str) -> int:
    return next(number for number, rooms in enumerate(FLOORS) if name in rooms)


def rooms_import_downwards(tree, path):
    """A room of the host imports only rooms on lower floors; nothing imports the bench."""
    own = room(path.replace("/", ".").removesuffix(".py").removesuffix(".__init__"))
    found = []
    for name in imported(at_run_time(tree), path):
        if is_in(name, "polarity_bench") and not path.startswith("polarity_bench/"):
            found.append(name)
        elif own and room(name) not in ("", own) and floor(room(name)) >= floor(own):
            found.append(name)
    return found


def tools_import_mats_only(tree, path):
    """hardware/tools needs the mats' descriptions and the firmware's data, and nothing else of the
    project."""
    return [
        name
        for name in imported(tree, f"hardware/tools/{path}")
        if is_in(name, "polarity_bench", "polarity_host")
        and not is_in(f"{name}.", "polarity_host.mats", "polarity_host.errors")
        and name != "polarity_host"
    ]


# Where a method assigns attributes of other objects, and why that stays.
ASSIGNS_OTHERS = {
    "polarity/perception/": "one tracker in seven classes, to be designed anew as a whole",
    "drivers/hall_grid.py": "a DMA channel's registers are its attributes (MicroPython, rp2.DMA)",
    "drivers/pixels.py": "a DMA channel's registers are its attributes (MicroPython, rp2.DMA)",
    "polarity_host/simulation/pico/": "rp2040py takes its call-backs and registers as attributes",
    "polarity_host/games/store.py": "sqlite3 takes a connection's row_factory as an attribute",
    "polarity_host/hub/server.py": "uvicorn is stopped by its attribute should_exit",
    "polarity_host/live/server.py": "uvicorn is stopped by its attribute should_exit",
    "polarity_host/replay/recording.py": "a gzip file lets go of a full disk by no other way",
    "polarity_bench/kills.py": "a measurement puts itself into a virtual mat's way out",
    "drawing.py": "ezdxf's options are attributes",
    "schematic.py": "SKiDL's circuits and nets are set by attributes",
}


def attributes_are_their_owner_s(tree, path):
    """A method assigns attributes of its own object or class, and of objects that it has made."""
    if path.startswith(tuple(ASSIGNS_OTHERS)):
        return []
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            for method in node.body:
                if isinstance(method, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    found += [
                        f"{node.name}.{method.name}: {ast.unparse(target)} in line {target.lineno}"
                        for target in _assigned_attributes(method)
                        if not _is_own(target, node, method)
                    ]
    return found


def _assigned_attributes(method: ast.AST) -> Iterator[ast.Attribute]:
    for node in ast.walk(method):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, (ast.Store, ast.Del)):
            yield node


def _is_own(
    target: ast.Attribute, owner: ast.ClassDef, method: ast.FunctionDef | ast.AsyncFunctionDef
) -> bool:
    """Whether the attribute is of the method's own object or class, or of an object that the method
    has made: by a call of a class, which has a capital letter."""
    if not isinstance(target.value, ast.Name):
        return False
    arguments = method.args.posonlyargs + method.args.args
    own = {argument.arg for argument in arguments[:1]} | {owner.name}
    for node in ast.walk(method):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            made = ast.unparse(node.value.func).split(".")[-1]
            if made[:1].isupper() or made in ("cls", "__new__", "copy", "replace"):
                own |= {name.id for name in node.targets if isinstance(name, ast.Name)}
    return target.value.id in own


FIRMWARE_WALLS = (
    chip_only_in_drivers,
    core_is_pure,
    core_counts_in_integers,
    seeing_and_judging_apart,
    native_code_in_one_file,
    functions_stay_simple,
    attributes_are_their_owner_s,
)
HOST_WALLS = (
    twin_has_its_own_physics,
    host_needs_no_chip,
    rooms_import_downwards,
    attributes_are_their_owner_s,
)
TOOLS_WALLS = (tools_import_mats_only, host_needs_no_chip, attributes_are_their_owner_s)


def broken(wall, package_root: Path) -> list[str]:
    """`file: what` for each place below the root that breaks the wall."""
    found = []
    for file in sorted(package_root.rglob("*.py")):
        path = file.relative_to(package_root).as_posix()
        tree = ast.parse(file.read_text(encoding="utf-8"), filename=str(file))
        found += [f"{path}: {what}" for what in wall(tree, path)]
    return found


@pytest.mark.parametrize("wall", FIRMWARE_WALLS, ids=lambda wall: wall.__name__)
def test_firmware_keeps(wall):
    assert broken(wall, FIRMWARE) == [], wall.__doc__


@pytest.mark.parametrize("wall", HOST_WALLS, ids=lambda wall: wall.__name__)
def test_host_keeps(wall):
    assert broken(wall, HOST) == [], wall.__doc__


@pytest.mark.parametrize("wall", TOOLS_WALLS, ids=lambda wall: wall.__name__)
def test_hardware_tools_keep(wall):
    assert broken(wall, TOOLS) == [], wall.__doc__


def imports(package_root: Path, prefix: str = "") -> dict[str, set[str]]:
    """Module -> the modules below the same root that it imports at run time, anywhere in it."""
    sources = {}
    for file in sorted(package_root.rglob("*.py")):
        path = prefix + file.relative_to(package_root).as_posix()
        name = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        sources[name] = path, ast.parse(file.read_text(encoding="utf-8"))
    return {
        name: {one for one in imported(at_run_time(tree), path) if one in sources} - {name}
        for name, (path, tree) in sources.items()
    }


def circle(graph: dict[str, set[str]]) -> list[str]:
    """The names along one circle of imports, the first again at the end; [] when there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return error.args[1]
    return []


@pytest.mark.parametrize(
    ("root", "prefix"), [(FIRMWARE, ""), (HOST, ""), (TOOLS, "hardware/tools/")], ids=str
)
def test_imports_run_in_no_circle(root, prefix):
    graph = imports(root, prefix)
    # A package's own face hands on what lies in it: `from . import a` in a sibling is no circle.
    for name in graph:
        graph[name] = {one for one in graph[name] if not name.startswith(one + ".")}
    assert circle(graph) == []


def test_the_classes_of_perception_know_each_other_in_one_direction_only():
    """Not even a type is taken from a module that takes one from there: who is handed something
    cannot call back who hands it over, and nobody is handed the tracker."""
    sources = {}
    for file in sorted((FIRMWARE / "polarity" / "perception").glob("*.py")):
        name = f"polarity.perception.{file.stem}"
        sources[name] = imported(ast.parse(file.read_text(encoding="utf-8")), f"{name}.py".replace(
            ".", "/", 2
        ))  # fmt: skip
    graph = {name: {one for one in found if one in sources} for name, found in sources.items()}
    assert "polarity.perception.scene" in graph["polarity.perception.news"]
    assert circle(graph) == []
    tracker = "polarity.perception.tracker"
    assert [name for name in graph if tracker in graph[name]] == ["polarity.perception.memory"]


def test_a_circle_is_found():
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}})
    assert circle({"a": {"b"}, "b": {"c"}, "c": set()}) == []


@pytest.mark.parametrize(
    ("wall", "path", "line"),
    [
        (chip_only_in_drivers, "main.py", "from machine import Pin"),
        (chip_only_in_drivers, "polarity/engine.py", "import rp2"),
        (core_is_pure, "polarity/engine.py", "import time"),
        (core_is_pure, "polarity/wire/messages.py", "import sys"),
        (core_is_pure, "polarity/engine.py", "def f(x):\n    print(x)"),
        (core_is_pure, "polarity/engine.py", "out.stdout.write(b'')"),
        (core_is_pure, "polarity/rules/referee.py", "from dataclasses import dataclass"),
        (core_is_pure, "polarity/perception/fit.py", "from math import sqrt"),
        (core_is_pure, REFERENCE_KERNELS, "from math import sin"),
        (core_counts_in_integers, "polarity/perception/field.py", "k = 0.5"),
        (core_counts_in_integers, "polarity/perception/field.py", "a /= b"),
        (core_counts_in_integers, "polarity/perception/field.py", "a = float(b)"),
        (seeing_and_judging_apart, "polarity/rules/referee.py", "import polarity.perception.field"),
        (seeing_and_judging_apart, "polarity/perception/facts.py", "from ..rules import pieces"),
        (seeing_and_judging_apart, "polarity/perception/facts.py", "from polarity import rules"),
        (native_code_in_one_file, CHIP_KERNELS, "@micropython.viper\ndef f(): pass"),
        (native_code_in_one_file, "drivers/pixels.py", "@micropython.native\ndef f(): pass"),
        (native_code_in_one_file, "polarity/engine.py", "@micropython.asm_thumb\ndef f(): pass"),
        (
            twin_has_its_own_physics,
            "polarity_host/simulation/twin/field.py",
            "import polarity.kernels as k",
        ),
        (
            twin_has_its_own_physics,
            "polarity_host/mats/disc_field.py",
            "from polarity import perception",
        ),
        (host_needs_no_chip, "polarity_host/device/link.py", "import machine"),
        (rooms_import_downwards, "polarity_host/wire/a.py", "from polarity_host.device import b"),
        (rooms_import_downwards, "polarity_host/games/a.py", "import polarity_host.simulation.b"),
        (rooms_import_downwards, "polarity_host/cli/a.py", "from polarity_bench import facts"),
        (tools_import_mats_only, "bom.py", "from polarity_host.device import doctor"),
        (
            functions_stay_simple,
            "polarity/perception/a.py",
            "def f(x):\n" + "    if x and x > 1:\n        pass\n" * 8,
        ),
        (attributes_are_their_owner_s, "a.py", "class A:\n    def f(self, b):\n        b.x = 1"),
        (attributes_are_their_owner_s, "a.py", "class A:\n    def f(self):\n        self.b.x += 1"),
    ],
)
def test_wall_bites(wall, path, line):
    assert wall(ast.parse(line), path)


@pytest.mark.parametrize(
    ("wall", "path", "line"),
    [
        (chip_only_in_drivers, "drivers/hall_grid.py", "import rp2"),
        (core_is_pure, KERNEL_FACADE, "from polarity_settings import KERNELS"),
        (core_is_pure, "polarity/perception/track.py", "from ..facts import Fact"),
        (core_is_pure, "polarity/engine.py", "if TYPE_CHECKING:\n    from typing import Any"),
        (core_counts_in_integers, "polarity/perception/field.py", "a = b // 2"),
        (native_code_in_one_file, CHIP_KERNELS, "@micropython.asm_thumb\ndef f(): pass"),
        (
            twin_has_its_own_physics,
            "polarity_host/simulation/twin/whole_games.py",
            "from polarity.facts import Fact",
        ),
        (rooms_import_downwards, "polarity_host/live/a.py", "from polarity_host.games import b"),
        (tools_import_mats_only, "bom.py", "from polarity_host.mats.description import load_mat"),
        (
            functions_stay_simple,
            "polarity/perception/a.py",
            "def f(x):\n" + "    if x and x > 1:\n        pass\n" * 7,
        ),
        (attributes_are_their_owner_s, "a.py", "class A:\n    def f(self):\n        self.x = 1"),
        (
            attributes_are_their_owner_s,
            "a.py",
            "class A:\n    def f(self):\n        b = B()\n        b.x = 1",
        ),
    ],
)
def test_wall_lets_through(wall, path, line):
    assert wall(ast.parse(line), path) == []


def test_walls_stand_around_something():
    assert list(FIRMWARE.rglob("*.py")) and list(HOST.rglob("*.py"))
