"""Replaces constants by their values, before the firmware is compiled.

A constant of a module, `NAME = 3` or `NAME = "word"`, costs the chip its name, an entry in the
module's dict and a look-up at each use. mpy-cross spares that only for private ints within one
file. This follows constants over imports (`from .x import NAME`, `from . import x`, `x.NAME`), and
removes what is then unused, and all that only a type checker reads. So it does with tuples of ints,
of modules that hold nothing but constants. The program's behaviour does not change.
"""

import ast
import operator
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

# Modules that are passed as objects, so that their names are needed.
_WHOLE = ("polarity.mat_data.standard", "polarity.mat_data.small")


Value = int | str | tuple[int, ...]
Constants = dict[str, Value]
_Edit = tuple[ast.expr | ast.stmt, str]  # a node, and the text to put in its place


class _Firmware:
    """The modules below a folder, and their constants."""

    def __init__(self, root: Path):
        self.trees: dict[str, ast.Module] = {}
        self.packages: dict[str, str] = {}
        self._known: dict[str, Constants] = {}
        for path in sorted(root.rglob("*.py")):
            parts = path.relative_to(root).with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            self.trees[name] = parsed(path.read_text(encoding="utf-8"))[0]
            self.packages[name] = name if parts[-1] == "__init__" else name.rpartition(".")[0]

    def constants(self, module: str) -> Constants:
        """The constants of a module, its own and those that it imports."""
        if module not in self._known:
            self._known[module] = {}  # ends a circle of imports
            self._known[module] = self._find(module)
        return self._known[module]

    def _find(self, module: str) -> Constants:
        if module in _WHOLE:
            return {}
        tree = self.trees[module]
        found: Constants = {}
        bound = _bound(tree)
        tuples = all(isinstance(line, _NO_CODE) for line in tree.body)
        for line in _top(tree):
            if isinstance(line, ast.ImportFrom):
                base = base_of(line, self.packages[module])
                if base in self.trees:
                    theirs = self.constants(base)
                    for alias in line.names:
                        if alias.name in theirs and bound.get(alias.asname or alias.name) == 1:
                            found[alias.asname or alias.name] = theirs[alias.name]
            elif isinstance(line, ast.Assign) and len(line.targets) == 1:
                for name, value in _assigned(line, found):
                    plain = tuples or not isinstance(value, tuple)
                    if plain and name.isupper() and bound.get(name) == 1:
                        found[name] = value
        return found


@cache
def _firmware(root: Path) -> _Firmware:
    return _Firmware(root)


def inlined(source: str, module: str, root: Path) -> str:
    """The text of a module with the firmware's constants below `root` replaced by their values. The
    module need not be one of the firmware's. ValueError for a constant inside an f-string."""
    firmware = _firmware(root)
    tree, for_types = parsed(source)
    package = firmware.packages.get(module, module.rpartition(".")[0])
    own = dict(firmware.constants(module)) if module in firmware.trees else {}
    modules: dict[str, Constants] = {}
    bound = _bound(tree)
    for line in _top(tree):
        if not isinstance(line, ast.Import | ast.ImportFrom):
            continue
        base = base_of(line, package) if isinstance(line, ast.ImportFrom) else ""
        for alias in line.names:
            name, full = alias.asname or alias.name, f"{base}.{alias.name}".lstrip(".")
            if bound.get(name) != 1:
                continue
            if full in firmware.trees and (base or alias.asname):
                modules[name] = firmware.constants(full)
            elif base in firmware.trees and alias.name in firmware.constants(base):
                own[name] = firmware.constants(base)[alias.name]
    finder = _Uses(own, modules)
    finder.visit(tree)
    needed = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} - finder.unneeded
    edits = finder.edits + list(_without(tree.body, own, modules, needed))
    edits += [(line, "pass") for line in for_types]
    return _edited(source, edits)


def parsed(source: str) -> tuple[ast.Module, list[ast.stmt]]:
    """(the module, the statements left out of it): `TYPE_CHECKING = False`, and `if TYPE_CHECKING:`
    with its body, which only a type checker takes for true."""
    tree = ast.parse(source)
    for_types = [line for line in tree.body if _is_for_types(line)]
    tree.body = [line for line in tree.body if line not in for_types]
    return tree, for_types


def _is_for_types(line: ast.stmt) -> bool:
    if isinstance(line, ast.If):
        return ast.unparse(line.test) == "TYPE_CHECKING"
    return isinstance(line, ast.Assign) and ast.unparse(line) == "TYPE_CHECKING = False"


def _edited(source: str, edits: list[_Edit]) -> str:
    """The source with the edits made. The rest stays as it is written, because `a, b = c, d` makes
    no tuple on the chip, but `a, b = (c, d)` does."""
    data = source.encode()
    starts = [0]
    for line in data.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def place(edit: _Edit) -> tuple[int, int, str]:
        node, text = edit
        assert node.end_lineno is not None and node.end_col_offset is not None  # by ast.parse
        begin = starts[node.lineno - 1] + node.col_offset
        return begin, -starts[node.end_lineno - 1] - node.end_col_offset, text

    done, end = b"", 0
    for begin, minus_end, text in sorted(map(place, edits)):
        if begin >= end:  # else it lies inside something that was replaced already
            done += data[end:begin] + text.encode()
            end = -minus_end
    return (done + data[end:]).decode()


def base_of(line: ast.ImportFrom, package: str) -> str:
    """The full name of the module in `from … import`."""
    parents = package.split(".") if package else []
    if line.level:
        parents = parents[: len(parents) - line.level + 1]
    else:
        parents = []
    return ".".join([*parents, *([line.module] if line.module else [])])


class _Uses(ast.NodeVisitor):
    """Finds where constants are used: `edits`, and `unneeded`, the names of modules that are not
    needed after these edits."""

    def __init__(self, own: Constants, modules: dict[str, Constants]):
        self.own, self.modules = own, modules
        self.edits: list[_Edit] = []
        self.unneeded = set(modules)

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load) and node.id in self.own:
            self.edits.append((node, _text(self.own[node.id])))
        self.unneeded.discard(node.id)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        before = len(self.edits)
        self.generic_visit(node)
        if len(self.edits) > before:  # Python 3.11 gives no position inside the text
            raise ValueError(f"a constant in the f-string {ast.unparse(node)}: use % instead")

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if isinstance(node.value, ast.Name) and isinstance(node.ctx, ast.Load):
            known = self.modules.get(node.value.id, {})
            if node.attr in known:
                self.edits.append((node, _text(known[node.attr])))
                return
        self.generic_visit(node)


def _text(value: Value) -> str:
    return f"({value})" if isinstance(value, int) and value < 0 else repr(value)


def _without(
    body: list[ast.stmt], own: Constants, modules: dict[str, Constants], needed: set[str]
) -> Iterable[_Edit]:
    """The edits that remove the constants' assignments, and the imports that are then unused."""
    for line in body:
        if isinstance(line, ast.ImportFrom):
            names = [
                alias
                for alias in line.names
                if (name := alias.asname or alias.name) not in own
                and not (name in modules and name not in needed)
            ]
            if len(names) < len(line.names):
                left = ast.ImportFrom(line.module, names, line.level)
                yield line, ast.unparse(left) if names else "pass"
        elif isinstance(line, ast.If | ast.Try):
            handlers = [part for handler in getattr(line, "handlers", ()) for part in handler.body]
            yield from _without([*line.body, *line.orelse, *handlers], own, modules, needed)
        elif isinstance(line, ast.Assign) and len(line.targets) == 1:
            names = [node.id for node in ast.walk(line.targets[0]) if isinstance(node, ast.Name)]
            if names == ["__all__"] or (names and all(name in own for name in names)):
                yield line, "pass"


def _top(tree: ast.Module) -> Iterable[ast.stmt]:
    """The statements that run when a module is imported."""
    for line in tree.body:
        yield line
        if isinstance(line, ast.If | ast.Try):
            handlers = getattr(line, "handlers", ())
            for body in (line.body, line.orelse, *(handler.body for handler in handlers)):
                yield from body


def _bound(tree: ast.Module) -> dict[str, int]:
    """How often each name is bound anywhere in a module."""
    count: dict[str, int] = {}
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            names = [node.id]
        elif isinstance(node, ast.arg):
            names = [node.arg]
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            names = [node.name]
        elif isinstance(node, ast.Global):
            names = node.names
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names = [alias.asname or alias.name for alias in node.names]
        for name in names:
            count[name] = count.get(name, 0) + 1
    return count


def _assigned(line: ast.Assign, known: Constants) -> Iterable[tuple[str, Value]]:
    """(name, value) of each constant in an assignment."""
    target = line.targets[0]
    if isinstance(target, ast.Name):
        value = _value(line.value, known)
        if value is not None:
            yield target.id, value
    elif isinstance(target, ast.Tuple):
        names = [element.id for element in target.elts if isinstance(element, ast.Name)]
        values: list[Value | None] = []
        if isinstance(line.value, ast.Tuple):
            values = [_value(element, known) for element in line.value.elts]
        elif isinstance(line.value, ast.Call) and ast.unparse(line.value.func) == "range":
            bounds = [_value(argument, known) for argument in line.value.args]
            if len(limits := [value for value in bounds if isinstance(value, int)]) == len(bounds):
                values = [*range(*limits)]
        found = [(name, value) for name, value in zip(names, values) if value is not None]
        if len(found) == len(values) == len(target.elts):
            yield from found


def _value(node: ast.expr, known: Constants) -> Value | None:
    """The value of an expression of constants; None for any other."""
    value = _folded(node, known)
    if isinstance(value, tuple):
        return value if value and all(type(one) is int for one in value) else None
    return value if type(value) in (int, str) else None


def _folded(node: ast.expr, known: Constants) -> Any:
    """The value of an expression of constants, of any type; None for any other expression."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        return known.get(node.id)
    if isinstance(node, ast.Tuple):
        parts = [_folded(element, known) for element in node.elts]
        return None if None in parts else tuple(parts)
    if isinstance(node, ast.UnaryOp):
        parts, apply = [_folded(node.operand, known)], _UNARY.get(type(node.op))
    elif isinstance(node, ast.BinOp):
        parts = [_folded(node.left, known), _folded(node.right, known)]
        apply = _BINARY.get(type(node.op))
    else:
        return None
    return None if apply is None or None in parts else apply(*parts)


_UNARY: dict[type[ast.unaryop], Callable[..., Any]] = {
    ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.invert,
}  # fmt: skip
_BINARY: dict[type[ast.operator], Callable[..., Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Pow: operator.pow,
    ast.Div: operator.truediv, ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod,
    ast.LShift: operator.lshift, ast.RShift: operator.rshift, ast.BitOr: operator.or_,
    ast.BitAnd: operator.and_, ast.BitXor: operator.xor,
}  # fmt: skip
_NO_CODE = (ast.Expr, ast.Import, ast.ImportFrom, ast.Assign)
