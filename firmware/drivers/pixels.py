# pyright: reportUndefinedVariable=false
# (the PIO program's words are names that rp2.asm_pio supplies)
"""The LED ring: WS2812 by PIO and DMA, and a hard cap on what it may draw.

Timing, in cycles of 10 MHz, so that the first WS2812B and its version V5 both read it:

            sent             WS2812B      WS2812B-V5
    0 high  3   300 ns       250-550      220-380
    0 low   9   900 ns       700-1000     580-1000
    1 high  7   700 ns       650-950      580-1000
    1 low   6   600 ns       300-600      580-1000
    reset   low until the next picture    more than 50 and 280 µs

(data transfer times of either datasheet.) A ring of 60 is sent in at most 60 * 24 * 1.3 = 1872 µs;
colours leave green first. The DMA moves bytes: the bus repeats a byte in all four of a register
(RP2040 datasheet 2.1.4), and the PIO shifts the topmost out.

Current. Each of a WS2812B-V5's three channels draws up to 12 mA at full, and the LED 0.6 mA when
dark, as others quote its datasheet; some measured 13.3 mA. They are taken as 15 and 1; the first
version's datasheet gives no current, an ASSUMPTION is that it draws no more. Sixty white ones would
be 60 * 46 = 2.8 A; a USB 2.0 port gives 500 mA to the whole mat. So a picture whose sum of channels
is over the cap is dimmed as a whole, here rather than where pictures are made:
    sum of channels / 255 * 15 mA + LEDs * 1 mA <= cap
"""

import rp2
from machine import Pin

from drivers.sums import dim_colours

TYPE_CHECKING = False
if TYPE_CHECKING:
    from polarity.mat_data.mat import Mat

# of one colour at full, and of an LED that is dark
CHANNEL_MA = 15
DARK_MA = 1
PIO_HZ = 10_000_000
PIO_FIFOS = (0x50200010, 0x50300010)  # TXF0 of PIO0 and PIO1; pico-sdk, hardware/regs/pio.h


@rp2.asm_pio(
    sideset_init=rp2.PIO.OUT_LOW, out_shiftdir=rp2.PIO.SHIFT_LEFT, autopull=True, pull_thresh=8
)
def _bits():
    wrap_target()
    label("bit")
    out(x, 1).side(0)[5]
    jmp(not_x, "zero").side(1)[2]
    jmp("bit").side(1)[3]
    label("zero")
    nop().side(0)[2]
    wrap()


def cap_ma(mat: "Mat", port_ma: int) -> int:
    """What the LEDs of `mat`, a module of polarity.mat_data, may draw at a port that supplies
    `port_ma` mA."""
    return min(port_ma - mat.REST_MA, mat.LED_MOST_MA)


class Pixels:
    """`count` LEDs at `pin` that draw `cap` mA at most; `machine` 0-7 is the state machine used.

    `brightness` 1-255 dims all pictures, before the cap.
    """

    def __init__(
        self, pin: int, count: int, cap: int, machine: int = 1, brightness: int = 96
    ) -> None:
        self.count = count
        self.brightness = brightness
        self._budget = max(0, cap - count * DARK_MA) * 255 // CHANNEL_MA
        self._stream = bytearray(3 * count)
        self._machine = rp2.StateMachine(machine, _bits, freq=PIO_HZ, sideset_base=Pin(pin))
        self._channel = rp2.DMA()
        pio, number = machine // 4, machine % 4
        self._channel.config(
            read=self._stream, write=PIO_FIFOS[pio] + 4 * number, count=3 * count,
            ctrl=self._channel.pack_ctrl(size=0, inc_write=False, treq_sel=8 * pio + number),
        )  # fmt: skip
        self._machine.active(1)

    def set_brightness(self, brightness: int) -> None:
        """Dims the pictures that follow; 1-255."""
        self.brightness = brightness

    def show(self, colours: "bytes | bytearray") -> bool:
        """Sends a picture: `colours` holds 3 * count bytes, red, green, blue of each LED.

        Returns False, and sends nothing, while the picture before is still being sent.
        """
        if self._channel.active():
            return False
        drawn = sum(colours)
        scale = self.brightness + 1  # of 256
        if drawn * scale > self._budget * 256:
            scale = self._budget * 256 // drawn
        dim_colours(colours, self._stream, self.count, scale)
        self._channel.read = self._stream  # pyright: ignore[reportAttributeAccessIssue]  # it has it
        self._channel.active(1)
        return True
