# pyright: reportUndefinedVariable=false
# (the PIO program's words are names that rp2.asm_pio supplies)
"""The Hall grid: frames of raw counts, scanned by PIO, ADC and DMA without the CPU.

Pins (hardware/mat.toml, the mat's data): `ADDRESS_PINS` go to all tiles, the low four to the
channel inputs of their 74HC4067s, the others through decoders to the one line a tile that enables
its multiplexer and wakes its sensors. So at each address at most one sensor stands at each of the
`ADC_PINS`. The address pins must follow one another (PIO `out` writes a run of pins; RP2040
datasheet 3.5.6).

How a frame is made. One 32-bit word a sensor lies in `_words`, in the order of `SCAN_ORDER`:

    bits 0-7   address           bits 13-26  the word for ADC.CS: EN, START_ONCE, AINSEL
    bits 8-12  settling, in      bits 27-31  conversions - 1
               loops, less one

    DMA "words"   memory      -> PIO TX FIFO     at the PIO's pace
    PIO           puts the address on the pins, waits, then sends the ADC's word once for each
                  conversion, one every CONVERT_CYCLES
    DMA "starts"  PIO RX FIFO -> ADC.CS          each START_ONCE starts one conversion (4.9.2)
    DMA "results" ADC FIFO    -> conversions     when the last one is in, its interrupt comes

The interrupt sums each sensor's conversions into a frame (0.15 ms, sums.py) and starts the next
scan. So conversions and addresses are in step by construction: nothing is dropped to synchronise,
and an input can settle for exactly as long as it needs.

Frames wait and are taken in order, so that none is lost while garbage is collected, which takes the
time of three, or while several bodies move, where judging can be slower than the scan for seconds.
A track that misses frames loses its body: what is late is better than what is left out, and a frame
is lost only where there is no room for it. Each waits as its changes from the one before, about a
byte a sensor, as noise seldom changes a count by more: the interrupt packs it once the next scan
has begun (0.05 ms, sums.pack_frame), and `frame` unpacks it.

Cycles. The PIO runs at 125 MHz / 8 = 15.625 MHz, 64 ns a cycle; at 200 MHz its divider is 12.8, of
which it makes 12 and 13 (clock divider: 3.5.5).
    a sensor        1 (address) + 1 (settling) + 32 s (settling loop) + 1 + 1 + 34 c
    34 cycles are 2.176 µs; a conversion takes 96 cycles of 48 MHz, 2.000 µs (4.9.2). The rest,
    22 cycles of the system clock or 35, is for the DMA to carry the word to the ADC, and for the
    start.

Settling. After an address step the multiplexers' output goes from one sensor's voltage to
another's, at most 3.3 V: SETTLE_NS. Where it goes to another bank, its sensors wake first: WAKE_NS.
Both are simulated with the parts' worst figures (hardware/README.md). The rest of a frame's period,
less SOONER_US, is added to the settling. The inputs of the ADC's own multiplexer settle at the same
time, as all of them are at the same address.
"""

import time
from array import array

import rp2
from machine import ADC, Pin, freq, mem32

from drivers.chip import ADC_BASE, DREQ_ADC, FAST_HZ, USUAL_HZ
from drivers.sums import pack_frame, sum_conversions, unpack_frame

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator

    from polarity.mat_data.mat import Mat

ADC_CS = ADC_BASE  # RP2040 datasheet 4.9; pico-sdk, hardware/regs/adc.h
ADC_FCS = ADC_BASE + 8
ADC_FIFO = ADC_BASE + 12
CS_EN, CS_START_ONCE, CS_AINSEL = 1, 1 << 2, 12
FCS_EN, FCS_DREQ_EN, FCS_UNDER, FCS_OVER, FCS_THRESH = 1, 1 << 3, 1 << 10, 1 << 11, 24
PIO_FIFOS = (0x50200010, 0x50300010)  # TXF0 of PIO0 and PIO1; RXF0 is 16 bytes on
PIO_HZ = 15_625_000

SETTLE_CYCLES = 32  # of the PIO: a turn of the settling loop
CONVERT_CYCLES = 34  # a turn of the conversion loop
SENSOR_CYCLES = 4  # the rest of the program, for each sensor
LONGEST_SETTLING = 32  # turns; the word has five bits for it
SUMS = (4, 8, 16, 32)  # conversions that can be summed: sums.py takes four at a time, and scales
WAITING = 35  # so many frames may wait: 33 where one count in fifty leaps, 29 where one in ten does
WORST, ROOM = 3, 39  # bytes a sensor: of a frame all of whose counts leap; for all that wait
RESTART_US = 250  # the interrupt: its latency, the sum, and the start of the next scan
SOONER_US = 100  # a scan is shorter than a period by this, so that it never limits the frame rate
STALLED_PERIODS = 3  # a scan that takes this many periods has lost a conversion


@rp2.asm_pio(
    out_init=(rp2.PIO.OUT_LOW,) * 8,  # pyright: ignore[reportArgumentType]  # a tuple will do
    out_shiftdir=rp2.PIO.SHIFT_RIGHT,
    autopull=True,
)
def _step_and_convert():
    wrap_target()
    out(pins, 8)
    out(y, 5)
    label("settle")
    jmp(y_dec, "settle")[31]
    out(x, 14)
    out(y, 5)
    label("convert")
    mov(isr, x)
    push(noblock)
    jmp(y_dec, "convert")[31]
    wrap()


def _steps(addresses: bytes) -> "tuple[int, int]":
    """(steps to another address, how many of them are to another bank) of one scan."""
    steps = banks = 0
    before = addresses[-1]
    for address in addresses:
        steps += address != before
        banks += address >> 4 != before >> 4
        before = address
    return steps, max(1, banks)


class GridError(Exception):
    """The mat's wiring cannot be scanned by this driver."""


class HallGrid:
    """Scans one mat from `start` until `stop`, or until another grid is made.

    `mat`: a module of polarity.mat_data; `oversample` overrides the conversions summed into a count
    (one of SUMS), which has the mat's scale all the same. `pio`: 0 or 1, whose first state machine
    is used. `turns`: how long inputs settle after a step within a bank, in turns of the settling
    loop, if not as long as a frame allows: `polarity doctor --settling` measures with it.
    GridError when the wiring or the setting does not fit. Keep a reference: the DMA writes into its
    buffers.

    `lost`: frames for which there was no room, as nobody took those that waited. `stalls`: scans
    that did not end and were restarted. `overruns`: conversions that the ADC's FIFO had no room
    for. While the flash is erased no scan begins, and none is lost.
    """

    _latest: "HallGrid | None" = None  # there is one ADC: the grid that uses it

    def __init__(self, mat: "Mat", oversample: int = 0, pio: int = 0, turns: int = 0) -> None:
        conversions = oversample or mat.OVERSAMPLE
        first = mat.ADDRESS_PINS[0]
        if mat.ADDRESS_PINS != tuple(range(first, first + 8)):
            raise GridError("the eight address pins must follow one another")
        if conversions not in SUMS or mat.OVERSAMPLE not in SUMS:
            raise GridError("oversample must be 4, 8, 16 or 32")
        scale = 3 + SUMS.index(mat.OVERSAMPLE) - SUMS.index(conversions)
        if freq() not in (USUAL_HZ, FAST_HZ):
            raise GridError("the scan is timed for another system clock")
        self.n = mat.N
        self.conversions = mat.N * conversions
        self.lost = self.stalls = self.overruns = 0
        self.scan_us = 0  # what the last scan took
        self.t_us = 0  # time.ticks_us when the frame that `frame` returned was complete
        self._order = mat.SCAN_ORDER
        self._size = mat.N | conversions // 4 << 16 | scale << 24
        self._raw = array("H", bytes(2 * self.conversions))
        # the frame being made, the last that was packed, and the one with the loop
        self._frame, self._before, self._held = [array("H", bytes(2 * mat.N)) for _ in range(3)]
        self._packed = bytearray(ROOM * mat.N)
        # A ring: where in `_packed` each frame that waits begins, from number `_first` on, and
        # where the next one will, number `_next`.
        self._begins = array("H", bytes(2 * (WAITING + 1)))
        self._times: list = [0] * (WAITING + 1)  # time.ticks_us of each
        self._first = self._next = 0
        self._begun_us = 0
        period_us = 1_000_000 // mat.FRAME_HZ
        self._stalled_us = STALLED_PERIODS * period_us
        self._words = array("I", self._program_words(mat, conversions, period_us, turns))
        self._inputs = [ADC(Pin(pin)) for pin in mat.ADC_PINS]
        if HallGrid._latest:
            HallGrid._latest.stop()
        self._machine = rp2.StateMachine(
            4 * pio, _step_and_convert, freq=PIO_HZ, out_base=Pin(first)
        )
        self._connect(pio)
        HallGrid._latest = self

    def start(self) -> None:
        """Begins to scan; the first frame is complete a period later."""
        self._machine.active(1)
        self._begin()

    def stop(self) -> None:
        """Ends the scan for good, after the frame that is being filled: if it stopped in the middle
        of one, the state machine would begin the next there. The last frame stays."""
        if HallGrid._latest is not self:
            return
        HallGrid._latest = None
        self._results.irq(None)
        begun_us = time.ticks_us()
        while self._results.active():
            if time.ticks_diff(time.ticks_us(), begun_us) > self._stalled_us:
                break
        self._machine.active(0)
        for channel in (self._to_pio, self._starts, self._results):
            channel.active(0)
            channel.close()

    def frame(self) -> "array[int] | None":
        """The oldest complete frame that waits, array('H') of n counts, or None when there is none.

        It does not change until the next call. A scan that has stalled is restarted.
        """
        number = self._first
        if number == self._next:
            if time.ticks_diff(time.ticks_us(), self._begun_us) > self._stalled_us:
                self._recover()
            return None
        unpack_frame(self._held, self._packed, self.n | self._begins[number] << 12)
        self.t_us = self._times[number]
        self._first = number + 1 if number < WAITING else 0
        return self._held

    def waiting(self) -> int:
        """How many complete frames wait to be taken."""
        return (self._next - self._first) % (WAITING + 1)

    # ------------------------------------------------------------------ the scan
    def _program_words(
        self, mat: "Mat", conversions: int, period_us: int, chosen: int
    ) -> "Generator[int]":
        """The words of one scan, as above; chooses how long inputs settle, if it is not chosen."""
        turn_ns = SETTLE_CYCLES * 1_000_000_000 // PIO_HZ
        turns = (mat.SETTLE_NS + turn_ns - 1) // turn_ns
        waking = (mat.WAKE_NS + turn_ns - 1) // turn_ns
        steps, banks = _steps(mat.SCAN_ADDRESS)
        busy_cycles = mat.N * (SENSOR_CYCLES + SETTLE_CYCLES + CONVERT_CYCLES * conversions)
        spare_us = period_us - SOONER_US - RESTART_US - busy_cycles * 1000 // (PIO_HZ // 1000)
        spare_turns = spare_us * 1000 // turn_ns
        if (turns - 1) * (steps - banks) + (waking - 1) * banks > spare_turns:
            raise GridError("a scan would take longer than a frame")
        longer = 1 + spare_turns // steps
        if longer < waking:
            longer = 1 + (spare_turns - banks * (waking - 1)) // max(1, steps - banks)
        turns = max(turns, min(longer, LONGEST_SETTLING))
        waking = max(turns, waking)
        turns = min(chosen or turns, turns)
        if waking > LONGEST_SETTLING:
            raise GridError("settling takes longer than the scan can wait")
        self.settle_ns = turns * turn_ns
        before = -1
        for index in range(mat.N):
            address = mat.SCAN_ADDRESS[index]
            settling = 1 if address == before else turns
            if address >> 4 != before >> 4:
                settling = waking
            before = address
            channel = mat.ADC_PINS[mat.SCAN_ORDER[index] >> 14] - 26
            start = CS_EN | CS_START_ONCE | channel << CS_AINSEL
            yield address | (settling - 1) << 8 | start << 13 | (conversions - 1) << 27

    def _connect(self, pio: int) -> None:
        mem32[ADC_CS] = CS_EN
        mem32[ADC_FCS] = FCS_EN | FCS_DREQ_EN | FCS_UNDER | FCS_OVER | 1 << FCS_THRESH
        fifo = PIO_FIFOS[pio]
        self._to_pio, self._starts, self._results = rp2.DMA(), rp2.DMA(), rp2.DMA()
        channel = self._to_pio
        channel.config(
            read=self._words, write=fifo, count=self.n,
            ctrl=channel.pack_ctrl(inc_write=False, treq_sel=8 * pio),
        )  # fmt: skip
        channel = self._starts
        channel.config(
            read=fifo + 16, write=ADC_CS, count=self.conversions,
            ctrl=channel.pack_ctrl(inc_read=False, inc_write=False, treq_sel=8 * pio + 4),
        )  # fmt: skip
        channel = self._results
        channel.config(
            read=ADC_FIFO, write=self._raw, count=self.conversions,
            ctrl=channel.pack_ctrl(size=1, inc_read=False, treq_sel=DREQ_ADC, irq_quiet=False),
        )  # fmt: skip
        channel.irq(self._complete, hard=True)

    def _begin(self) -> None:
        self._begun_us = time.ticks_us()
        self._results.write = self._raw  # pyright: ignore[reportAttributeAccessIssue]  # it has it
        self._results.active(1)
        self._starts.active(1)
        self._to_pio.read = self._words  # pyright: ignore[reportAttributeAccessIssue]  # it has it
        self._to_pio.active(1)

    def _complete(self, channel: rp2.DMA) -> None:
        """A hard interrupt: nothing here may allocate."""
        now_us = time.ticks_us()
        self.scan_us = time.ticks_diff(now_us, self._begun_us)
        frame, before, n = self._frame, self._before, self.n
        sum_conversions(self._raw, frame, self._order, self._size)
        self._begin()
        begins, number, first = self._begins, self._next, self._first
        following = number + 1 if number < WAITING else 0
        at, worst = begins[number], WORST * n
        if following == first or (number != first and 0 <= begins[first] - at < worst):
            self.lost += 1
            return
        self._times[number] = now_us
        length = pack_frame(before, frame, self._packed, n | at << 12)
        at += length  # pyright: ignore[reportOperatorIssue]  # the assembler returns an int
        begins[following] = at if at <= ROOM * n - worst else 0
        self._frame, self._before = before, frame
        self._next = following

    def _recover(self) -> None:
        """Restarts the scan after a conversion was lost, as its results never end. `restart`
        empties no FIFO of the PIO: what is left there would put all that follows out of step."""
        self.stalls += 1
        if mem32[ADC_FCS] & FCS_OVER:
            self.overruns += 1
        machine = self._machine
        machine.active(0)
        for channel in (self._to_pio, self._starts, self._results):
            channel.active(0)
        while machine.rx_fifo():
            machine.get()
        while machine.tx_fifo():
            machine.exec("pull(noblock)")
        machine.restart()
        machine.active(1)
        while mem32[ADC_FCS] >> 16 & 15:
            mem32[ADC_FIFO]
        mem32[ADC_FCS] = FCS_EN | FCS_DREQ_EN | FCS_UNDER | FCS_OVER | 1 << FCS_THRESH
        self._begin()
