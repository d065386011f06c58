"""The walls between the layers. Each wall is a function of one parsed file that returns what breaks
it. So a test can show for every wall that it refuses a line that it must refuse."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FIRMWARE = ROOT / "firmware"
HOST = ROOT / "host_tools"

PURE_MODULES = {
    "array", "binascii", "collections", "gc", "json", "micropython", "polarity", "struct",
}  # fmt: skip
CHIP_MODULES = {"machine", "rp2"}
IO_CALLS = {"print", "open", "input"}
KERNEL_FACADE = "polarity/kernels/__init__.py"
REFERENCE_KERNELS = "polarity/kernels/_reference.py"
EXCEPTIONS = {
    # a module that a person puts on the chip to have the reference there
    KERNEL_FACADE: {"polarity_settings", "polarity_settings.FORCE_REFERENCE"},
    # int(sqrt(v)) is the exact floor where floats are doubles (v < 2**31). The chip has single:
    # there the kernels take an integer root, and these lines must not decide anything.
    REFERENCE_KERNELS: {"math", "math.sqrt"},
}
TWIN_PHYSICS = ("polarity_host/simulation/", "polarity_host/mats/")
VIPER_FILE, THUMB_FILE = "polarity/kernels/_viper.py", "polarity/kernels/_thumb.py"


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
    """@micropython.viper and @micropython.native stand in the kernels' viper file only, the
    assembler in one file beside it and in the drivers."""
    if path == VIPER_FILE:
        return []
    names = ["viper", "native", "asm_thumb"]
    if path == THUMB_FILE or path.startswith("drivers/"):
        names.remove("asm_thumb")
    return [
        f"@{ast.unparse(decorator)} in line {decorator.lineno}"
        for node in ast.walk(tree)
        if isinstance(node, (ast.FunctionDef, ast.ClassDef))
        for decorator in node.decorator_list
        if ast.unparse(decorator).split(".")[-1] in names
    ]


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


FIRMWARE_WALLS = (
    chip_only_in_drivers,
    core_is_pure,
    core_counts_in_integers,
    seeing_and_judging_apart,
    native_code_in_one_file,
)
HOST_WALLS = (twin_has_its_own_physics, host_needs_no_chip)


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
        (native_code_in_one_file, "polarity/engine.py", "@micropython.viper\ndef f(): pass"),
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
    ],
)
def test_wall_bites(wall, path, line):
    assert wall(ast.parse(line), path)


@pytest.mark.parametrize(
    ("wall", "path", "line"),
    [
        (chip_only_in_drivers, "drivers/hall_grid.py", "import rp2"),
        (core_is_pure, KERNEL_FACADE, "from polarity_settings import FORCE_REFERENCE"),
        (core_is_pure, "polarity/perception/track.py", "from ..facts import Fact"),
        (core_is_pure, "polarity/engine.py", "if TYPE_CHECKING:\n    from typing import Any"),
        (core_counts_in_integers, "polarity/perception/field.py", "a = b // 2"),
        (native_code_in_one_file, VIPER_FILE, "@micropython.viper\ndef f(): pass"),
        (native_code_in_one_file, THUMB_FILE, "@micropython.asm_thumb\ndef f(): pass"),
        (
            twin_has_its_own_physics,
            "polarity_host/simulation/twin/whole_games.py",
            "from polarity.facts import Fact",
        ),
    ],
)
def test_wall_lets_through(wall, path, line):
    assert wall(ast.parse(line), path) == []


def test_walls_stand_around_something():
    assert list(FIRMWARE.rglob("*.py")) and list(HOST.rglob("*.py"))
