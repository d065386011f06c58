"""Constants are put where they are used, and nothing else of a program changes."""

import ast

import pytest

from polarity_bench import runtimes
from polarity_host.device.flashing.compiled import FIRMWARE
from polarity_host.device.flashing.inline import inlined
from polarity_host.mats.description import load_mat
from polarity_host.replay.recording import RecordingWriter
from tests.runtime.test_two_runtimes import played


@pytest.fixture
def firmware(tmp_path):
    def write(**modules):
        for name, text in modules.items():
            path = tmp_path / name.replace("__", "/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.with_suffix(".py").write_text(text)
        return lambda name: inlined(
            tmp_path.joinpath(name.replace(".", "/") + ".py").read_text(), name, tmp_path
        )

    return write


def same(text, expected):
    tree = ast.parse(text)
    tree.body = [line for line in tree.body if not isinstance(line, ast.Pass)]
    return ast.unparse(tree) == ast.unparse(ast.parse(expected))


def test_followed_over_imports(firmware):
    done = firmware(
        p__a="A, B = range(2)\nSIZE = 3 * (1 << 4)\nWORD = 'red'\nPAIR = (A, SIZE)\n",
        p__b="from .a import B, PAIR, SIZE as LONG\nfrom . import a\nMORE = LONG + 1\n"
        "def f(x, y=LONG):\n    return x[B] + y + MORE + len(a.WORD) + a.PAIR[0]\n",
    )
    assert same(done("p.a"), "")
    assert same(
        done("p.b"), "def f(x, y=48):\n    return x[1] + y + 49 + len('red') + (0, 48)[0]\n"
    )


def test_tuples_stay_where_there_is_code_beside_them(firmware):
    done = firmware(
        p__a="PAIR = (1, 2)\ndef first():\n    return PAIR[0]\n",
        p__b="from .a import PAIR\ndef f():\n    return PAIR[1]\n",
    )
    assert same(done("p.a"), "PAIR = (1, 2)\ndef first():\n    return PAIR[0]\n")
    assert same(done("p.b"), "from .a import PAIR\ndef f():\n    return PAIR[1]\n")


def test_the_rest_stays_as_it_is_written(firmware):
    """A pair in parentheses is a tuple for MicroPython's compiler, one without is none."""
    done = firmware(a="X = -1\nY = 'é'\n", b="from a import X, Y\na, b = 2 - X, Y  # so\nc = (1)\n")
    assert done("b") == "pass\na, b = 2 - (-1), 'é'  # so\nc = (1)\n"


def test_what_is_written_twice_is_no_constant(firmware):
    text = "A = 1\nB = 2\nC = 3\ndef f(A):\n    global B\n    B = 4\nclass D:\n    C = 5\n"
    assert same(firmware(m=text)("m"), text)


def test_a_name_that_hides_an_import_stays(firmware):
    done = firmware(a="X = 1\n", b="from a import X\ndef f():\n    X = 2\n    return X\n")
    assert same(done("b"), "from a import X\ndef f():\n    X = 2\n    return X\n")


def test_the_engine_says_the_same_with_its_constants_in_place(tmp_path):
    mat = load_mat("small")
    path = tmp_path / "game.matrec"
    with RecordingWriter(path, mat.id, mat.n, edition="temple", seed=7) as recording:
        for t_us, counts in played(mat):
            recording.write(t_us, counts)
    for source in (FIRMWARE / "polarity").rglob("*.py"):
        name = source.relative_to(FIRMWARE)
        module = ".".join(name.with_suffix("").parts).removesuffix(".__init__")
        target = tmp_path / "thin" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(inlined(source.read_text(), module, FIRMWARE))
    thin = runtimes.under_cpython(path, tmp_path / "thin").wire
    assert thin == runtimes.under_cpython(path).wire
    assert b'"k":"fact"' in thin
