"""Constants put where they are used, before the firmware is compiled.

A constant of a module, `NAME = 3` or `NAME = "word"`, costs the chip its name, a place in the
module's dict and a look-up at each use; mpy-cross can only spare that for private ints within one
file. Here they are followed over imports (`from .x import NAME`, `from . import x`, `x.NAME`), and
what nobody needs any more is left out, with all that only a type checker reads. What a program does
stays as it was.
"""

import ast
from collections.abc import Iterable
from functools import cache
from pathlib import Path

# Modules that are handed about as objects, so that their names are needed.
_WHOLE = ("polarity.mat_data.standard", "polarity.mat_data.small")


class _Firmware:
    """The modules below a folder, and what is constant in them."""

    def __init__(self, root: Path):
        self.root = root
        self.trees, self.packages, self._known = {}, {}, {}
        for path in sorted(root.rglob("*.py")):
            parts = path.relative_to(root).with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            self.trees[name] = parsed(path.read_text(encoding="utf-8"))[0]
            self.packages[name] = name if parts[-1] == "__init__" else name.rpartition(".")[0]

    def constants(self, module: str) -> dict:
        """Name -> int or str: what is constant in a module, its own and what it imports."""
        if module not in self._known:
            self._known[module] = {}  # while it is asked for: imports may go round
            self._known[module] = self._look(module)
        return self._known[module]

    def _look(self, module: str) -> dict:
        if module in _WHOLE:
            return {}
        tree, found = self.trees[module], {}
        written = _written(tree)
        for line in _top(tree):
            if isinstance(line, ast.ImportFrom):
                base = base_of(line, self.packages[module])
                if base in self.trees:
                    theirs = self.constants(base)
                    for alias in line.names:
                        if alias.name in theirs and written.get(alias.asname or alias.name) == 1:
                            found[alias.asname or alias.name] = theirs[alias.name]
            elif isinstance(line, ast.Assign) and len(line.targets) == 1:
                for name, value in _assigned(line, found):
                    if name.isupper() and written.get(name) == 1:
                        found[name] = value
        return found


@cache
def _firmware(root: Path) -> _Firmware:
    return _Firmware(root)


def inlined(source: str, module: str, root: Path) -> str:
    """The text of a module (it need not be one of the firmware's) that uses the constants of the
    firmware below `root`."""
    firmware = _firmware(root)
    tree, for_types = parsed(source)
    package = firmware.packages.get(module, module.rpartition(".")[0])
    own = dict(firmware.constants(module)) if module in firmware.trees else {}
    modules = {}
    written = _written(tree)
    for line in _top(tree):
        if not isinstance(line, ast.Import | ast.ImportFrom):
            continue
        base = base_of(line, package) if isinstance(line, ast.ImportFrom) else ""
        for alias in line.names:
            name, full = alias.asname or alias.name, f"{base}.{alias.name}".lstrip(".")
            if written.get(name) != 1:
                continue
            if full in firmware.trees and (base or alias.asname):
                modules[name] = firmware.constants(full)
            elif base in firmware.trees and alias.name in firmware.constants(base):
                own[name] = firmware.constants(base)[alias.name]
    finder = _Uses(own, modules)
    finder.visit(tree)
    needed = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} - finder.gone
    edits = finder.edits + list(_without(tree.body, own, modules, needed))
    edits += [(line, "pass") for line in for_types]
    return _edited(source, edits)


def parsed(source: str) -> tuple[ast.Module, list[ast.stmt]]:
    """(the module, the lines left out of it): `TYPE_CHECKING = False` and what stands below
    `if TYPE_CHECKING:`, which a type checker takes for true."""
    tree = ast.parse(source)
    for_types = [line for line in tree.body if _is_for_types(line)]
    tree.body = [line for line in tree.body if line not in for_types]
    return tree, for_types


def _is_for_types(line: ast.stmt) -> bool:
    if isinstance(line, ast.If):
        return ast.unparse(line.test) == "TYPE_CHECKING"
    return isinstance(line, ast.Assign) and ast.unparse(line) == "TYPE_CHECKING = False"


def _edited(source: str, edits: list) -> str:
    """The text with each (node, text) put in the node's place. The rest stays as it is written:
    `a, b = c, d` makes no tuple on the chip, `a, b = (c, d)` does."""
    data = source.encode()
    starts = [0]
    for line in data.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def place(edit):
        node, text = edit
        begin = starts[node.lineno - 1] + node.col_offset
        return begin, -starts[node.end_lineno - 1] - node.end_col_offset, text

    done, end = b"", 0
    for begin, minus_end, text in sorted(map(place, edits)):
        if begin >= end:  # else it lies in something that went as a whole
            done += data[end:begin] + text.encode()
            end = -minus_end
    return (done + data[end:]).decode()


def base_of(line: ast.ImportFrom, package: str) -> str:
    """The module that `from … import` names, in full."""
    parents = package.split(".") if package else []
    if line.level:
        parents = parents[: len(parents) - line.level + 1]
    else:
        parents = []
    return ".".join([*parents, *([line.module] if line.module else [])])


class _Uses(ast.NodeVisitor):
    """Finds where constants are used: `edits`, and the names of modules that are then not needed
    there."""

    def __init__(self, own: dict, modules: dict):
        self.own, self.modules = own, modules
        self.edits = []
        self.gone = set(modules)

    def visit_Name(self, node: ast.Name):
        if isinstance(node.ctx, ast.Load) and node.id in self.own:
            self.edits.append((node, _text(self.own[node.id])))
        self.gone.discard(node.id)

    def visit_JoinedStr(self, node: ast.JoinedStr):
        before = len(self.edits)
        self.generic_visit(node)
        if len(self.edits) > before:  # Python 3.11 does not tell where in the text they stand
            raise ValueError(f"a constant in the f-string {ast.unparse(node)}: use % instead")

    def visit_Attribute(self, node: ast.Attribute):
        if isinstance(node.value, ast.Name) and isinstance(node.ctx, ast.Load):
            known = self.modules.get(node.value.id, {})
            if node.attr in known:
                self.edits.append((node, _text(known[node.attr])))
                return
        self.generic_visit(node)


def _text(value) -> str:
    return f"({value})" if isinstance(value, int) and value < 0 else repr(value)


def _without(body: list, own: dict, modules: dict, needed: set) -> Iterable[tuple]:
    """The edits that take constants, and imports of nothing else, out of a module."""
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
    """The lines of a module that run as it is imported."""
    for line in tree.body:
        yield line
        if isinstance(line, ast.If | ast.Try):
            handlers = getattr(line, "handlers", ())
            for body in (line.body, line.orelse, *(handler.body for handler in handlers)):
                yield from body


def _written(tree: ast.Module) -> dict:
    """How often each name is bound anywhere in a module."""
    count = {}
    for node in ast.walk(tree):
        names = []
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


def _assigned(line: ast.Assign, known: dict) -> Iterable[tuple]:
    """(name, value) of what an assignment makes constant."""
    target = line.targets[0]
    if isinstance(target, ast.Name):
        value = _value(line.value, known)
        if value is not None:
            yield target.id, value
    elif isinstance(target, ast.Tuple) and all(isinstance(e, ast.Name) for e in target.elts):
        values = None
        if isinstance(line.value, ast.Tuple):
            values = [_value(element, known) for element in line.value.elts]
        elif isinstance(line.value, ast.Call) and ast.unparse(line.value.func) == "range":
            values = [*range(*(_value(argument, known) for argument in line.value.args))]
        if values and len(values) == len(target.elts) and None not in values:
            yield from zip((element.id for element in target.elts), values)


def _value(node: ast.expr, known: dict):
    """The int or str that an expression stands for; None for anything else."""
    if not all(isinstance(one, _PLAIN) for one in ast.walk(node)):
        return None
    names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
    if not names <= set(known):
        return None
    value = eval(compile(ast.Expression(node), "", "eval"), {"__builtins__": {}}, known)  # noqa: S307
    return value if type(value) in (int, str) else None


_PLAIN = (
    ast.Constant, ast.Name, ast.Load, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop,
)  # fmt: skip
