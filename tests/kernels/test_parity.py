"""The reference, the extension of CPython and the chip's own machine code return the same, bit by
bit: what they are given is drawn by tests/kernels/vectors.py from a number."""

import os
import shutil
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hardware.tools import kernels as tool
from polarity import mat_data
from polarity.kernels import _reference_all
from tests.kernels import vectors
from tests.kernels.running import running

MATS = {name: mat_data.load(name) for name in ("standard", "small")}
NAMES = sorted(tool.signatures())
CHECKS = {check.__name__: check for check in vectors.CHECKS}


def made_by(kind, module, check, seed, mat):
    with running(kind, module):
        return [bytes(v) if not isinstance(v, int) else v for v in check(vectors.Draw(seed), mat)]


def assert_as_the_reference(kind, module, name, seed, mat):
    expected = made_by("reference", _reference_all, CHECKS[name], seed, MATS[mat])
    assert made_by(kind, module, CHECKS[name], seed, MATS[mat]) == expected


@pytest.fixture(scope="module")
def core():
    from tests.kernels.chip_core import Core

    return Core()


@pytest.fixture(scope="module")
def extension():
    return pytest.importorskip("polarity.kernels._native", reason="no C compiler at installation")


@pytest.mark.parametrize("name", CHECKS)
@given(seed=st.integers(0, 60000), mat=st.sampled_from(sorted(MATS)))
@settings(deadline=None, max_examples=40)
def test_the_extension_returns_what_the_reference_does(extension, name, seed, mat):
    assert_as_the_reference("native", extension, name, seed, mat)


@pytest.mark.parametrize("name", CHECKS)
@given(seed=st.integers(0, 60000), mat=st.sampled_from(sorted(MATS)))
@settings(deadline=None, max_examples=5)
def test_the_chips_code_returns_what_the_reference_does(core, name, seed, mat):
    core.forget()
    assert_as_the_reference("chip", core, name, seed, mat)


def test_every_kernel_is_in_a_check(extension):
    """What no check calls could differ unseen."""
    called = set()

    class Noting:
        WORD, address = extension.WORD, extension.address
        gradient, links = extension.gradient, extension.links

    for name in NAMES:
        kernel = getattr(extension, name)
        setattr(Noting, name, lambda *a, kernel=kernel, name=name: called.add(name) or kernel(*a))
    for check in vectors.CHECKS:
        for seed in range(4):
            made_by("native", Noting, check, seed, MATS["standard"])
    assert called == set(NAMES)


@pytest.mark.skipif(shutil.which(tool.GCC) is None, reason="no " + tool.GCC)
def test_the_compiler_makes_the_same_again():
    """Where its version is the one that made them: others may choose other instructions."""
    kept = tool.CHIP.read_text(encoding="utf-8")
    made = tool.module()
    if made.splitlines()[2] != kept.splitlines()[2]:
        pytest.skip("another version of the compiler")
    assert made == kept


def test_the_chips_code_is_that_of_the_sources():
    """Run `python -m hardware.tools.kernels` after a change of a kernel."""
    assert f"sha256 {tool.digest()}\n" in tool.CHIP.read_text(encoding="utf-8")
    assert tool.DECLARED.read_text(encoding="utf-8") == tool.header()


def test_an_extension_older_than_the_sources_is_not_used():
    """With records of another size it would write where it should not."""
    script = (
        "import sys, types; old = types.ModuleType('old'); old.LAYOUT = 1\n"
        "sys.modules['polarity.kernels._native'] = old\n"
        "from polarity import kernels; print(kernels.KIND)"
    )
    for forced, kind in (("", "reference"), ("native", "")):
        env = dict(os.environ, PYTHONPATH=str(tool.KERNELS.parents[1]), POLARITY_KERNELS=forced)
        told = subprocess.run(
            [sys.executable, "-c", script], env=env, capture_output=True, text=True
        )
        assert told.stdout.strip() == kind
        assert ("install again" in told.stderr) == bool(forced)
