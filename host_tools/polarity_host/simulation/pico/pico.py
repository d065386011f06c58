"""One emulated Pico: boots MicroPython from its flash, runs for so long, and talks over USB.

Time is the chip's own: nothing happens unless `run` or one of the others lets it pass. Its
processor has the clock that the program sets (clocks.py). The emulator counts a core's cycles, and
by itself not the waits for the flash (flash_cache.py), so what it measures is a lower limit where
code runs from flash.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from rp2040py.boards import BoardSpec
from rp2040py.device.base_device import BaseDevice
from rp2040py.execute_batch import execute_batch
from rp2040py.external.device import ExternalDevice
from rp2040py.memory_map import FLASH_START_ADDRESS

from polarity_host.errors import FAILED, HostError
from polarity_host.simulation.pico.clocks import crystal_of
from polarity_host.simulation.pico.flash import FILES_AT, file_system
from polarity_host.simulation.pico.image import find_image

BOOT_LIMIT_MS = 3000
_RAW_PROMPT = b"raw REPL; CTRL-B to exit\r\n>"
_INTERRUPT, _RAW, _FRIENDLY, _RUN = b"\x03", b"\x01", b"\x02", b"\x04"


class PicoFailed(HostError):
    """The program on the emulated Pico raised an exception, or did not answer in its time."""

    def __init__(self, message: str):
        super().__init__(FAILED, message)


class EmulatedPico:
    """A Pico that starts with `files` (path -> bytes) on its flash and `devices` at its pins.

    EmulatorMissing where there is no image.
    """

    def __init__(
        self,
        files: Mapping[str, bytes] | None = None,
        devices: Sequence[ExternalDevice] = (),
        image: Path | None = None,
    ):
        extras = tuple(lambda device=device: device for device in devices)
        self._device = BaseDevice(board=BoardSpec(image=image or find_image(), extras=extras))
        self._simulator = self._device.simulator
        self.chip = self._device.mcu
        self.output = bytearray()  # all that came over USB and was not taken by `read`
        self._device.cdc.on_serial_data = self.output.extend
        self._to_send = bytearray()
        self._stalled: list[int] = []  # endpoints whose buffers wait while the host is stalled
        self._connected = False
        self._device.cdc.on_device_connected = self._on_connected
        self._room = 0  # bytes that the chip would take, while there are none for it
        usb = self.chip.usb_ctrl
        hand_over, unplugged = usb.on_endpoint_read, usb.on_reset
        if hand_over is None or unplugged is None:
            raise PicoFailed("the emulator's USB console did not attach to its USB controller")
        self._hand_over, usb.on_endpoint_read = hand_over, self._on_room
        self._unplugged, usb.on_reset = unplugged, self._on_unplugged
        self._crystal = crystal_of(self.chip)
        self._alarm = self._crystal.create_alarm(self._pause)
        self._feeder = self._crystal.create_alarm(self._feed)
        region = file_system(files or {})
        self.chip.flash[FILES_AT : FILES_AT + len(region)] = region
        self.chip.core.pc = FLASH_START_ADDRESS

    # ------------------------------------------------------------------ time
    @property
    def now_us(self) -> float:
        """Emulated microseconds since the first instruction; a reset does not change it."""
        return self._crystal.nanos / 1000

    def run(self, ms: float) -> None:
        """Lets `ms` of the chip's time pass."""
        self.run_until(lambda: False, ms)

    def run_until(self, done: Callable[[], bool], limit_ms: float) -> bool:
        """Lets time pass until `done()`, checked every few milliseconds of this computer's time.
        Returns False when `limit_ms` of the chip's time passed first."""
        end_us = self.now_us + limit_ms * 1000
        while not done():
            left_us = end_us - self.now_us
            if left_us <= 0:
                return False
            self._alarm.schedule(left_us * 1000)
            self._simulator.stopped = False
            execute_batch(self._simulator, 1)
        self._alarm.cancel()
        return True

    def _pause(self) -> None:
        self._simulator.stopped = True

    # ------------------------------------------------------------------ power and USB
    def boot(self, limit_ms: float = BOOT_LIMIT_MS) -> None:
        """Runs until the host sees the USB device. PicoFailed when it does not come."""
        if not self.run_until(lambda: self._connected, limit_ms):
            raise PicoFailed(f"no USB device came up in {limit_ms:g} ms; is the image a Pico's?")

    def power_cut(self) -> None:
        """Pulls the plug and puts it in again: RAM and USB are lost, flash stays as it is."""
        self._connected = False
        self._to_send.clear()
        self.output.clear()
        self.chip.sram[:] = bytes(len(self.chip.sram))
        self._device.hard_reset()

    def reset(self) -> None:
        """The program resets the chip (machine.reset): the watchdog's registers outlive it."""
        self._connected = False
        self.write(b"\r" + _INTERRUPT + b"import machine; machine.reset()\r")
        self.boot()
        self.output.clear()

    def write(self, data: bytes) -> None:
        """Puts bytes on the cable to the chip; they arrive as time passes and it takes them."""
        self._to_send += data
        self._feeder.schedule(0)

    def read(self) -> bytes:
        """All that has come since the last time."""
        data = bytes(self.output)
        self.output.clear()
        return data

    def stall_host(self) -> None:
        """The host stops taking what the chip sends, until `unstall_host`."""
        usb, waiting = self.chip.usb_ctrl, self._device.cdc._in_endpoint

        def hold_back(endpoint: int, out: bool) -> None:
            if endpoint == waiting and not out:
                self._stalled.append(endpoint)
            else:
                type(usb)._indicate_buffer_ready(usb, endpoint, out)

        usb._indicate_buffer_ready = hold_back

    def unstall_host(self) -> None:
        """The host takes what waits, and goes on."""
        usb = self.chip.usb_ctrl
        del usb._indicate_buffer_ready
        while self._stalled:
            usb._indicate_buffer_ready(self._stalled.pop(0), False)

    def _on_connected(self) -> None:
        self._connected = True

    def _on_unplugged(self) -> None:
        self._room = 0
        self._unplugged()

    def _on_room(self, endpoint: int, size: int) -> None:
        """The chip can take bytes. A host that has none sends nothing (USB 2.0, 5.8); the
        emulator's own host would send empty packets for ever, at a fifth of the chip's time.
        """
        cdc = self._device.cdc
        if endpoint == cdc._out_endpoint and cdc.tx_fifo.empty:
            self._room = size
        else:
            self._hand_over(endpoint, size)

    def _feed(self) -> None:
        cdc = self._device.cdc
        fifo = cdc.tx_fifo
        while self._to_send and not fifo.full:
            cdc.send_serial_byte(self._to_send.pop(0))
        if self._room and not fifo.empty:
            size, self._room = self._room, 0
            self._hand_over(cdc._out_endpoint, size)
        if self._to_send:
            self._feeder.schedule(1_000_000)

    # ------------------------------------------------------------------ programs
    def execute(self, code: str, limit_ms: float = 10_000) -> str:
        """Stops the running program, runs `code` through the raw REPL and returns what it printed.

        PicoFailed with the last line of its traceback (all of it in a note), or when it takes
        longer than `limit_ms` of the chip's time.
        """
        self.begin(code, limit_ms)
        printed = self._expect(_RUN, limit_ms)
        complaint = self._expect(_RUN, limit_ms)
        self.write(_FRIENDLY)
        if complaint:
            text = complaint.decode(errors="replace")
            error = PicoFailed(text.strip().splitlines()[-1])
            error.add_note(text)
            raise error
        return printed.decode(errors="replace").replace("\r\n", "\n")

    def begin(self, code: str, limit_ms: float = 10_000) -> None:
        """As `execute`, but returns as soon as `code` runs."""
        self.read()
        self.write(b"\r" + _INTERRUPT + _INTERRUPT + _RAW)
        self._expect(_RAW_PROMPT, limit_ms)
        self.write(code.encode() + _RUN)
        self._expect(b"OK", limit_ms)

    def _expect(self, mark: bytes, limit_ms: float) -> bytes:
        if not self.run_until(lambda: mark in self.output, limit_ms):
            got = bytes(self.output[-200:])
            raise PicoFailed(f"no {mark!r} in {limit_ms:g} ms, but {got!r}")
        before, _, after = bytes(self.output).partition(mark)
        self.output[:] = after
        return before
