"""The mat at the emulated Pico's pins: multiplexers, sensors and LEDs of a digital twin.

It follows the address pins, answers each conversion of the ADC with the count of the addressed
sensor, and decodes the stream for the LEDs. The twin's counts are sums of the mat's `oversample`
conversions; each is divided among the conversions so that they add up to it exactly.

The emulator takes two thirds of its time for the PIO and its 300,000 conversions a second. Where
these are not what is measured, `ScannedMat` makes each scan in one piece: it reads the scan's words
in memory, and hands over all conversions when the PIO would be through them; likewise a picture.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, TypeAlias, cast

import numpy as np
from rp2040py.external.ws2812 import LATCH_NANOS, Ws2812

from polarity_host.mats.description import Mat
from polarity_host.simulation.pico.clocks import crystal_of
from polarity_host.simulation.twin.stage import Counts

if TYPE_CHECKING:  # the emulator may pick compiled classes at run time
    from rp2040py._gpio_pin import GPIOPin
    from rp2040py._rp2040 import RP2040
    from rp2040py.peripherals.dma import RPDMAChannel
    from rp2040py.peripherals.pio import RPPIO

Frame: TypeAlias = tuple[int, Sequence[int] | Counts]

RAM = 0x20000000  # RP2040 datasheet 2.2
ADC_CS, ADC_FIFO, PIO_FIFOS = 0x4004C000, 0x4004C00C, (0x50200010, 0x50300010)  # 3.7, 4.9.6
BUSY, IRQ_QUIET = 1 << 24, 1 << 21  # of a DMA channel's CTRL: 2.5.7
PIO_CYCLE_NS = 64  # the scan's program: firmware/drivers/hall_grid.py
ZERO_NS, ONE_NS = 1200, 1300  # bits for the LEDs: firmware/drivers/pixels.py
CONVERSION_NS = 2000  # 96 cycles of 48 MHz: RP2040 datasheet 4.9.2


class EmulatedMat:
    """One mat of mats/description.py with `frames` on it: (t_us, counts) as the twin makes them.
    `oversample`: how many conversions of each sensor the chip asks for; 0: the mat's own number.

    Each scan (it begins when the first address comes up again) takes the next frame; the last one
    stays. `scans` counts them; `settled_ns` is the shortest time from an address step to a
    conversion, `woken_ns` from a step to another bank; `unwired` counts conversions of addresses
    without a sensor. `pixels` are the (r, g, b) of the LEDs as last latched, `lit` how often they
    were latched.
    """

    def __init__(self, mat: Mat, frames: Iterable[Frame], oversample: int = 0):
        self.mat = mat
        self.frames = iter(frames)
        self.scans = 0
        self.unwired = 0
        self.settled_ns = self.woken_ns = float("inf")
        self.leds = Ws2812(gpio=mat.led_pin)
        self._index = {
            (int(address), mat.adc_pins[adc] - 26): index
            for index, (address, adc) in enumerate(zip(mat.address, mat.adc, strict=True))
        }
        self._first = int(mat.scan_order[0])
        self._counts: Sequence[int] | Counts | None = None
        self._address = 0
        self._stepped_ns = self._banked_ns = 0.0
        self._oversample = oversample or mat.oversample
        # the sensor converted last, by the ADC's input and the address; how often in a row; the
        # result of each of its conversions, and of how many of them it is one more
        self._channel: int | None = None
        self._converting: int | None = None
        self._repeat = self._share = self._rest = self._value = 0

    @property
    def pixels(self) -> list[tuple[int, int, int]]:
        return [(red, green, blue) for red, green, blue in self.leds.pixels]

    @property
    def lit(self) -> int:
        return self.leds.frame_count

    def attach(self, rp2040: "RP2040") -> None:
        """Called by the emulator before the first instruction."""
        self._chip = chip = rp2040
        self._crystal = crystal_of(chip)
        # 300,000 conversions a second are too many for an alarm of the crystal
        self._alarm = chip.clock.create_alarm(self._converted)
        self._schedule = self._alarm.schedule
        chip.adc.on_adc_read = self._convert
        for bit, pin in enumerate(self.mat.address_pins):
            chip.gpio[pin].add_listener(self._stepper(chip.gpio[pin], 1 << bit))
        by_crystal = SimpleNamespace(clock=self._crystal, gpio=chip.gpio)  # all that LEDs look at
        self.leds.attach(cast("RP2040", by_crystal))

    def press(self, button: int, down: bool = True) -> None:
        """Presses or releases one of the mat's buttons; they pull their pins low."""
        pin = self._chip.gpio[self.mat.button_pins[button]]
        if down:
            pin.set_input_value(False)
        else:
            pin.release_input()

    def _stepper(self, pin: "GPIOPin", mask: int) -> Callable[[object, object], None]:
        def stepped(new: object, old: object) -> None:
            self._address = self._address | mask if pin.output_value else self._address & ~mask
            self._stepped_ns = self._crystal.nanos
            if mask >= self.mat.mux_channels:
                self._banked_ns = self._stepped_ns

        return stepped

    def _convert(self, channel: int) -> None:
        # called 300,000 times for each second of the chip's time: what is the same for all
        # conversions of a sensor is done at the first
        if channel == self._channel and self._address == self._converting:
            self._repeat += 1
        else:
            self._first_of(channel)
        if self._repeat == self._oversample:
            self._repeat = 0
        self._value = self._share + (self._repeat < self._rest)
        self._schedule(CONVERSION_NS * self._crystal.stretch)

    def _first_of(self, channel: int) -> None:
        """The first conversion of another sensor."""
        self._channel, self._converting, self._repeat = channel, self._address, 0
        sensor = self._index.get((self._address, channel))
        now_ns = self._crystal.nanos
        self.settled_ns = min(self.settled_ns, now_ns - self._stepped_ns)
        self.woken_ns = min(self.woken_ns, now_ns - self._banked_ns)
        if sensor == self._first:
            self.scans += 1
            self._counts = next(self.frames, (0, self._counts))[1]
        if sensor is None or self._counts is None:
            self.unwired += 1
            self._share = self._rest = 0
        else:
            shown = int(self._counts[sensor]) * self._oversample // self.mat.oversample
            self._share, self._rest = divmod(shown, self._oversample)

    def _converted(self) -> None:
        self._chip.adc.complete_adc_read(self._value, False)


class _Resting(zip):
    """The PIOs, which need not be stepped: there by number, but the emulator, which goes through
    them after each instruction, finds none. An iterator at its end is the fastest for that."""

    pios: Sequence["RPPIO"] = ()

    def __getitem__(self, number: int) -> "RPPIO":
        return self.pios[number]


class ScannedMat(EmulatedMat):
    """As EmulatedMat, but each scan and each picture is made in one piece; `settled_ns` and
    `woken_ns` stay unknown. For the firmware alone: no other program gets anything of the PIO.

    The chip's own work is as it was: it starts the DMA channels, three for a scan, whose interrupt
    sums the conversions.
    """

    def attach(self, rp2040: "RP2040") -> None:
        super().attach(rp2040)
        self._scan: dict[int, RPDMAChannel] = {}  # the channels of a scan, by what they write to
        self._scan_over = self._crystal.create_alarm(self._scanned)
        self._picture: RPDMAChannel | None = None
        self._picture_over = self._crystal.create_alarm(self._sent)
        self._latch = self._crystal.create_alarm(self._latched)
        self._colours = b""
        for channel in rp2040.dma.channels:
            channel.start = partial(self._start, channel)
        resting = _Resting()
        resting.pios, rp2040.pio = rp2040.pio, resting  # pyright: ignore[reportAttributeAccessIssue]

    def _start(self, channel: "RPDMAChannel") -> None:
        """The chip starts a channel: of a scan's three the one for the words comes last."""
        if channel._read_addr == ADC_FIFO:
            self._scan = {ADC_FIFO: channel}
        elif channel._write_addr == ADC_CS:
            self._scan[ADC_CS] = channel
        elif channel._write_addr in PIO_FIFOS:
            self._begin(channel)
        elif channel._write_addr & ~0xFF in [fifo & ~0xFF for fifo in PIO_FIFOS]:
            self._send(channel)
        else:
            type(channel).start(channel)
            return
        channel._ctrl |= BUSY
        channel._trans_count = channel._trans_count_reload

    def _read(self, channel: "RPDMAChannel", size: int) -> bytes:
        """What the channel is to carry, of so many bytes each."""
        at = channel._read_addr - RAM
        return bytes(self._chip.sram[at : at + size * channel._trans_count_reload])

    def _begin(self, channel: "RPDMAChannel") -> None:
        """The scan that its words describe: see hall_grid.py."""
        self._scan[RAM] = channel
        words = np.frombuffer(self._read(channel, 4), np.uint32)
        self._repeats = (words >> 27) + 1
        inputs = words >> 25 & 3
        self._sensors = [
            self._index.get(place, -1)
            for place in zip((words & 0xFF).tolist(), inputs.tolist(), strict=True)
        ]
        self._counts = next(self.frames, (0, self._counts))[1]
        self.scans += 1
        cycles = 4 + 32 * ((words >> 8 & 31) + 1) + 34 * self._repeats
        self._scan_over.schedule(int(cycles.sum()) * PIO_CYCLE_NS)

    def _scanned(self) -> None:
        """The last conversion is in."""
        results = self._scan[ADC_FIFO]
        if not results._ctrl & BUSY:
            return  # aborted
        counts = np.zeros(self.mat.n + 1, np.int64)  # the last: of no sensor
        if self._counts is not None:
            counts[:-1] = self._counts
        self.unwired += self._sensors.count(-1)
        shown = counts[self._sensors] * self._repeats // self.mat.oversample
        first = np.repeat(np.cumsum(self._repeats) - self._repeats, self._repeats)
        number = np.arange(len(first)) - first  # of each conversion, among its sensor's
        share, rest = np.divmod(shown, self._repeats)
        values = np.repeat(share, self._repeats) + (number < np.repeat(rest, self._repeats))
        at = results._write_addr - RAM
        self._chip.sram[at : at + 2 * len(values)] = values.astype("<u2").tobytes()
        for channel in self._scan.values():
            self._end(channel)
        self._scan = {}

    def _send(self, channel: "RPDMAChannel") -> None:
        """A picture: a byte for each of an LED's colours, green first."""
        self._picture, self._colours = channel, self._read(channel, 1)
        ones = sum(byte.bit_count() for byte in self._colours)
        self._picture_over.schedule(ones * ONE_NS + (8 * len(self._colours) - ones) * ZERO_NS)

    def _sent(self) -> None:
        if self._picture and self._picture._ctrl & BUSY:
            self._end(self._picture)
            self._latch.schedule(LATCH_NANOS)

    def _latched(self) -> None:
        it = iter(self._colours)
        self.leds.pixels = [(red, green, blue) for green, red, blue in zip(it, it, it, strict=True)]
        self.leds.frame_count += 1

    def _end(self, channel: "RPDMAChannel") -> None:
        """The channel has carried all; its interrupt comes if it has one."""
        channel._ctrl &= ~BUSY
        channel._trans_count = 0
        if not channel._ctrl & IRQ_QUIET:
            channel.dma.int_raw |= 1 << channel.index
            channel.dma.check_interrupts()
