"""The kernels as they are compiled for a Pico 2, on an emulated Cortex-M33: the reference's
results, bit by bit, where there is that compiler."""

import shutil
from importlib import import_module
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hardware.tools import kernels, pico2
from tests.kernels.test_parity import CHECKS, MATS, assert_as_the_reference

unicorn: Any = import_module("unicorn")  # its own types are not exported
arm: Any = import_module("unicorn.arm_const")
pytestmark = pytest.mark.skipif(shutil.which(kernels.GCC) is None, reason="no " + kernels.GCC)

MOST_INSTRUCTIONS = 50_000_000


@pytest.fixture(scope="module")
def core():
    from tests.kernels.chip_core import CODE, END, STACK, Core

    class CortexM33(Core):
        """The same memory, another core."""

        def __init__(self, text):
            self._core = unicorn.Uc(
                unicorn.UC_ARCH_ARM, unicorn.UC_MODE_THUMB | unicorn.UC_MODE_MCLASS
            )
            self._core.ctl_set_cpu_model(arm.UC_CPU_ARM_CORTEX_M33)
            self._core.mem_map(CODE, END - CODE)
            self._place(text)

        def _run(self, name, words):
            registers = [getattr(arm, f"UC_ARM_REG_R{k}") for k in range(12)]
            kept = dict.fromkeys(range(4, 12), 0x1234)
            for k, word in [*enumerate(words), *kept.items()]:
                self._core.reg_write(registers[k], word & 0xFFFFFFFF)
            self._core.reg_write(arm.UC_ARM_REG_SP, STACK)
            self._core.reg_write(arm.UC_ARM_REG_LR, CODE + 1)
            self._core.emu_start(self._at[name] + 1, CODE, count=MOST_INSTRUCTIONS)
            assert self._core.reg_read(arm.UC_ARM_REG_PC) == CODE, f"{name} has not returned"
            assert self._core.reg_read(arm.UC_ARM_REG_SP) == STACK
            assert all(self._core.reg_read(registers[k]) == word for k, word in kept.items())
            return self._core.reg_read(registers[0])

        def _store(self, at, data):
            self._core.mem_write(at, data)

        def _load(self, at, length):
            return bytes(self._core.mem_read(at, length))

    return CortexM33(pico2.kernels_text())


@pytest.mark.parametrize("name", CHECKS)
@given(seed=st.integers(0, 60000), mat=st.sampled_from(sorted(MATS)))
@settings(deadline=None, max_examples=20)
def test_a_pico_2s_code_returns_what_the_reference_does(core, name, seed, mat):
    core.forget()
    assert_as_the_reference("chip", core, name, seed, mat)


def test_an_rp2040s_code_would_ask_for_a_divider_that_is_not_there(core):
    """So it may not go on a Pico 2: the divider of RP2040 datasheet 2.3.1.5 is at 0xD0000060."""
    divider = (0xD0000060).to_bytes(4, "little")
    from tests.kernels.chip_core import machine_code

    theirs = machine_code(kernels.CHIP.read_text(encoding="utf-8"))
    ours = machine_code(pico2.kernels_text())
    assert ours.keys() == theirs.keys()
    assert any(divider in code for code in theirs.values())
    assert not any(divider in code for code in ours.values())
