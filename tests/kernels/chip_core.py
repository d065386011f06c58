"""The kernels' machine code, as it goes to the chip, on an emulated Cortex-M0+ core.

The emulator's core, memory and divider (SIO) alone: no MicroPython, hence no image. A kernel gets
what MicroPython's assembler functions get: up to four words, a buffer's address for a buffer.
"""

import ast
from typing import Any

from polarity_host.simulation.pico import native

native.prepare()  # before anything of the emulator is imported

from rp2040py.execute_batch import execute_batch  # noqa: E402
from rp2040py.simulator import Simulator  # noqa: E402

from hardware.tools.kernels import CHIP  # noqa: E402

CODE, STACK, BUFFERS, END = 0x20000000, 0x20010000, 0x20010000, 0x20040000
MOST_BATCHES, TICKS = 20_000, 64
HALT = 0xBE00  # bkpt: where a kernel returns to


def machine_code(text: str) -> dict[str, bytes]:
    """The code of each kernel, and of what a kernel calls, as the text of a _chip.py has it."""
    found = {}
    for function in ast.parse(text).body:
        if isinstance(function, ast.FunctionDef):
            calls = [line.value for line in function.body if isinstance(line, ast.Expr)]
            words = [
                ast.literal_eval(word)
                for call in calls
                if isinstance(call, ast.Call) and ast.unparse(call.func) == "data"
                for word in call.args[1:]
            ]
            found[function.name] = b"".join(word.to_bytes(4, "little") for word in words)
    return found


class Core:
    """Runs kernels. `cycles` is what the last one took. Buffers are copied in and out of the core's
    memory at each call, so that records may lead from one to the next."""

    KIND = "chip"
    WORD = "i"

    def __init__(self) -> None:
        self._simulator = Simulator()
        self.chip = self._simulator.rp2040
        self.cycles = 0
        self._place(CHIP.read_text(encoding="utf-8"))

    def _place(self, text: str) -> None:
        """Puts the code of a _chip.py into the core's memory."""
        self._at = {}
        at = CODE
        self._store(at, HALT.to_bytes(2, "little") * 2)
        for name, code in machine_code(text).items():
            at += -at % 16 + 16
            self._at[name] = at
            self._store(at, code)
            at += len(code)
        assert at < STACK - 4096
        self.forget()

    def forget(self) -> None:
        """No buffer is in the core's memory."""
        self._buffers: dict[int, tuple[int, Any]] = {}
        self._free = BUFFERS

    def address(self, buffer: Any) -> int:
        """Where a buffer is in the core's memory: it gets a place there when it is first asked for,
        and is held."""
        if id(buffer) not in self._buffers:
            at, length = self._free, memoryview(buffer).nbytes
            assert at + length <= END, "the core's memory is full: forget()"
            self._buffers[id(buffer)] = at, buffer
            self._free = at + length + -length % 4
        return self._buffers[id(buffer)][0]

    def gradient(self, _: int = 0) -> int:
        """What FIT_GRADIENT holds."""
        return self._at["gradient"] + 1

    def links(self) -> list[int]:
        """What FLIGHT_LOOK to FLIGHT_MISFIT hold."""
        return [self._at[name] + 1 for name in ("look", "fit", "enter", "leave", "misfit")]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._at:
            raise AttributeError(name)
        return lambda *words: self._call(name, words)

    def _call(self, name: str, arguments: tuple[Any, ...]) -> int:
        words = [word if isinstance(word, int) else self.address(word) for word in arguments]
        for at, buffer in self._buffers.values():
            self._store(at, bytes(memoryview(buffer).cast("B")))
        result = self._run(name, words)
        for at, buffer in self._buffers.values():
            view = memoryview(buffer)
            if not view.readonly:
                view.cast("B")[:] = self._load(at, view.nbytes)
        return result - (1 << 32) if result >> 31 else result

    def _run(self, name: str, words: list[int]) -> int:
        """What the core has in r0 when the kernel returns; it kept the caller's registers."""
        core = self.chip.core
        kept = dict.fromkeys(range(4, 12), 0x1234)  # r4 to r11 are the caller's
        for k, word in [*enumerate(words), *kept.items()]:
            core.registers[k] = word & 0xFFFFFFFF
        core.sp, core.lr, core.pc = STACK, CODE + 1, self._at[name]
        before = core.cycles
        self._simulator.stopped = False
        for _ in range(MOST_BATCHES):
            if self._simulator.stopped:
                break
            execute_batch(self._simulator, TICKS)
        else:
            raise TimeoutError(f"{name} has not returned")
        self.cycles = core.cycles - before
        assert core.sp == STACK and all(core.registers[k] == kept[k] for k in kept)
        return core.registers[0]

    def _store(self, at: int, data: bytes) -> None:
        self.chip.sram[at - CODE : at - CODE + len(data)] = data

    def _load(self, at: int, length: int) -> bytes:
        return bytes(self.chip.sram[at - CODE : at - CODE + length])
