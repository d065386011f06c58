"""The mat at the emulated Pico's pins: multiplexers, sensors and LEDs of a digital twin.

It follows the address pins, answers each conversion of the ADC with the count of the addressed
sensor, and decodes the stream for the LEDs. The twin's counts are sums of the mat's `oversample`
conversions; each is divided among the conversions so that they add up to it exactly.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from rp2040py.external.ws2812 import Ws2812

from polarity_host.mats.description import Mat
from polarity_host.simulation.twin.stage import Counts

if TYPE_CHECKING:  # the emulator may pick compiled classes at run time
    from rp2040py._gpio_pin import GPIOPin
    from rp2040py._rp2040 import RP2040

Frame: TypeAlias = tuple[int, Sequence[int] | Counts]

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
        self._alarm = chip.clock.create_alarm(self._converted)
        self._schedule = self._alarm.schedule
        chip.adc.on_adc_read = self._convert
        for bit, pin in enumerate(self.mat.address_pins):
            chip.gpio[pin].add_listener(self._stepper(chip.gpio[pin], 1 << bit))
        self.leds.attach(chip)

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
            self._stepped_ns = self._chip.clock.nanos
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
        self._schedule(CONVERSION_NS)

    def _first_of(self, channel: int) -> None:
        """The first conversion of another sensor."""
        self._channel, self._converting, self._repeat = channel, self._address, 0
        sensor = self._index.get((self._address, channel))
        now_ns = self._chip.clock.nanos
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
