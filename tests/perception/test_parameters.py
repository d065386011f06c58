"""What tunes perception stands in one table, each row with its unit and what it trades."""

import ast
import re
from collections.abc import Iterator

import pytest

from polarity_bench.parameters import LIMITS, TABLE, parameters

#: Geometry: what it computes with is not tuned.
GEOMETRY = "pose.py"
#: Names that stand for no measure: more than anything, a table of the normal distribution, marks of
#: what is kept, and how many seeds their places make.
NO_MEASURE = {"NONE", "MUCH", "_NORMAL", "_LEANING", "_SHIFTS", "_FLAT_SEEDS", "_SEEDS"}
#: What a fraction of the table is a part of.
PARTS = {3: "_3RDS", 5: "_5THS"}


def tuned(source: str) -> Iterator[str]:
    """What of a module of perception belongs into the table: constants, and the numbers of its
    code, but for doubles, powers of two, shifts, masks, decimal scales and parts of a fraction."""
    tree = ast.parse(source)
    for line in tree.body:
        if isinstance(line, ast.Assign) and not isinstance(line.value, ast.Call):
            names = [node.id for node in ast.walk(line.targets[0]) if isinstance(node, ast.Name)]
            number = any(type(getattr(node, "value", "")) is int for node in ast.walk(line.value))
            if names[0].isupper() and not NO_MEASURE & set(names) and number:
                yield ast.unparse(line)
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            for line in function.body:
                part_of = {part for part, end in PARTS.items() if end in ast.unparse(line)}
                if set(numbers(line)) - part_of:
                    yield ast.unparse(line)
            if numbers(function.args):
                yield ast.unparse(function.args)


def numbers(tree: ast.AST) -> list[int]:
    """The numbers in a tree of Python that may be tuned."""
    if isinstance(tree, ast.Constant):
        value = tree.value
        scale = type(value) is not int or value in (0, 10, 100, 1000) or value & (value - 1) == 0
        return [] if scale else [value]
    if isinstance(tree, ast.FunctionDef):
        return []
    children = list(ast.iter_child_nodes(tree))
    if isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.LShift | ast.RShift | ast.BitAnd):
        children = [tree.left]
    if isinstance(tree, ast.Call) and ast.unparse(tree.func) == "range":
        return []
    return [number for child in children for number in numbers(child)]


def test_each_row_has_its_unit_and_says_what_it_trades():
    rows = parameters() | parameters(LIMITS)
    assert len(rows) == len(parameters()) + len(parameters(LIMITS)) > 250
    assert all(row.unit and row.about and row.smaller and row.larger for row in rows.values())


def test_the_kernels_in_c_hold_the_same_limits():
    found = {}
    for path in sorted(LIMITS.parent.glob("*.[ch]")):
        for name, value in re.findall(r"\b([A-Z]\w+) = ([\d* M]+)[,; ]", path.read_text("utf-8")):
            found.setdefault(name, eval(value, {"MM": 256}))
    limits = {name: row.value for name, row in parameters(LIMITS).items()}
    del limits["SECOND_LOOKS_FRAMES"]  # four numbers in a condition
    assert {name: found[name] for name in limits} == limits


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ("# Far. Smaller: late. Larger: dear.\nREACH = 3\n", "REACH does not end in a unit"),
        ("# Far.\nREACH_MM = 3\n", "above REACH_MM must say"),
    ],
)
def test_a_row_without_is_refused(tmp_path, row, why):
    (tmp_path / "parameters.py").write_text(row)
    with pytest.raises(ValueError, match=why):
        parameters(tmp_path / "parameters.py")


def test_nothing_else_in_perception_is_tuned():
    modules = [path for path in sorted(TABLE.parent.glob("*.py")) if path.name != GEOMETRY]
    assert len(modules) > 15
    for path in modules:
        if path != TABLE:
            assert [*tuned(path.read_text(encoding="utf-8"))] == [], path.name


@pytest.mark.parametrize(
    "line",
    [
        "GATE = 64",
        "GATES = (40, 90)",
        "def f(a):\n    return a > 300",
        "def f(a, far=90): pass",
        "def f(a):\n    return a * 5 > 4",
        "def f(a):\n    fit(a, 6)",
    ],
)
def test_this_would_be(line):
    assert [*tuned(line)]


@pytest.mark.parametrize(
    "line", ["def f(a):\n    return a * 5 > GATE_5THS and a >> 12 and a & 7", "A, B = range(2)"]
)
def test_this_would_not(line):
    assert [*tuned(line)] == []
