"""`make emulate`: shows a Pico, emulated instruction by instruction, that plays an opening.

The firmware starts from power-up; the twin's frames are at its pins; its messages come over its USB
and are reported as by `polarity log`.
"""

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import cycle, takewhile

from polarity_host.device.flashing.firmware import files_to_flash
from polarity_host.device.link import Link
from polarity_host.errors import DONE, FAILED, INTERRUPTED, HostError
from polarity_host.mats.description import load_mat
from polarity_host.simulation.pico import opening
from polarity_host.simulation.pico.cable import Cable
from polarity_host.simulation.pico.image import find_image
from polarity_host.simulation.twin.stage import Counts
from polarity_host.terminal.progress import Progress
from polarity_host.terminal.reporter import Reporter
from polarity_host.wire.lines import Message
from polarity_host.wire.messages import FactMessage, GameMessage, HealthMessage, RulingMessage

PACE = opening.BRISK
START_LIMIT_MS = 20_000
PLAY_LIMIT_S = 10  # beyond the opening itself

_FIRST = """\
A Raspberry Pi Pico, emulated instruction by instruction, runs the whole firmware of the {mat} mat.
A digital twin stands at its pins: {sensors} sensors, {leds} LEDs. What it says comes over its USB.
It starts, and plays an opening of {seconds:.0f} s: some four minutes here. Ctrl-C ends it."""
_BEGINS = "It is up after {chip_s:.1f} s. The host asks for the edition {edition}."
_CAME = """\
{facts} facts came, {same} of them among the {true} that happened; {rulings} rulings, {how} due.
{scans} scans of the mat, {lost} passed over for newer ones, {lit} pictures on the ring.
{clocks}."""


class Clocks(Progress):
    """A progress line that always shows the two clocks."""

    def __init__(self, clocks: Callable[[], str]):
        super().__init__()
        self._clocks = clocks

    def show(self, text: str = "", share: float | None = None) -> None:
        """Shows the clocks, unless it did so a moment ago."""
        super().show(self._clocks())


class Emulation:
    """One run of the opening, reported as it happens. EmulatorMissing without an image; HostError
    when the chip sends nothing, or other rulings than those of the opening."""

    def __init__(self) -> None:
        image = find_image()
        from polarity_host.simulation.pico.pico import EmulatedPico
        from polarity_host.simulation.pico.pins import EmulatedMat

        self._begun_s = time.monotonic()
        self._progress = Clocks(self._clocks)
        self._reporter = Reporter(progress=self._progress)
        self._shown, self._true = opening.played(PACE)
        self._plays = self._asked = self._over = self._ring_due = False
        self._ring, self._lost = "", 0
        self._facts: list[str] = []
        self._rulings: list[tuple[str, str, str]] = []
        mat, seconds = load_mat(opening.MAT), self._shown[-1][0] / 1e6
        about = {"mat": opening.MAT, "sensors": mat.n, "leds": mat.led_count}
        self._print(_FIRST.format(**about, seconds=seconds))
        self._at_pins = EmulatedMat(mat, self._frames())
        self._pico = EmulatedPico(files_to_flash(), [self._at_pins], image)
        self._limit_s = seconds + PLAY_LIMIT_S

    def play(self) -> None:
        """Runs it to its end."""
        try:
            self._start()
            self._follow()
        finally:
            self._progress.clear()
        self._sum_up()

    def _start(self) -> None:
        self._pico.boot()
        if not self._pico.run_until(self._scans, START_LIMIT_MS):
            words = self._pico.read().decode(errors="replace").split()
            raise HostError(FAILED, f"the firmware did not start: {' '.join(words[-20:])}")

    def _scans(self) -> bool:
        self._progress.show()
        return self._at_pins.scans > 0

    def _follow(self) -> None:
        limit_s = self._chip_s() + self._limit_s
        self._print(_BEGINS.format(chip_s=self._chip_s(), edition=opening.EDITION))
        self._link = link = Link("", open_port=lambda _: Cable(self._pico), clock=self._chip_s)
        link.send(f"new {opening.EDITION}")
        for events in link.batches():
            for event in events:
                self._reporter.report(event)
                if isinstance(event, Message):
                    self._handle(event)
            self._report_ring()
            self._progress.show()
            if self._over:
                break
            if self._chip_s() > limit_s:
                raise HostError(FAILED, "the chip did not come to the opening's end")

    def _frames(self) -> Iterator[tuple[int, Counts]]:
        """The bare mat until the game has begun, then the opening; at its end the host sends
        hello, and the answer has the number of lost frames."""
        bare = [frame for frame in self._shown if frame[0] < PACE.bare_s * 1e6]
        yield from takewhile(lambda _: not self._plays, cycle(bare))
        yield from self._shown
        self._asked = True
        self._link.send("hello")

    def _handle(self, message: Message) -> None:
        match message.body:
            case GameMessage(edition=opening.EDITION):
                self._plays = True
            case HealthMessage(lost=lost) if self._asked:
                self._lost, self._over = lost, True
            case FactMessage(kind=kind):
                self._facts.append(kind)
            case RulingMessage(code, player, why):
                self._rulings.append((code, player, why))
                self._ring_due = True

    def _report_ring(self) -> None:
        """Prints what a ruling changed on the ring, once the ring is not in a dark moment."""
        pixels = self._at_pins.pixels
        if self._ring_due and any(map(any, pixels)):
            self._ring_due, before = False, self._ring
            self._ring = "".join(map(_led, pixels))
            if self._ring != before:
                self._print(f"{'':7}{'the ring':9}{self._ring}")

    def _sum_up(self) -> None:
        right = self._rulings == opening.RULINGS
        same = Counter(self._facts) & Counter(self._true)
        facts, true, rulings = map(len, (self._facts, self._true, self._rulings))
        how = "just those" if right else "NOT those"
        judged = {"facts": facts, "same": same.total(), "true": true, "rulings": rulings}
        shown = {"scans": self._at_pins.scans, "lost": self._lost, "lit": self._at_pins.lit}
        self._print(_CAME.format(**judged, **shown, how=how, clocks=self._clocks()))
        if not right:
            raise HostError(FAILED, f"due were {opening.RULINGS}")

    def _clocks(self) -> str:
        seconds = time.monotonic() - self._begun_s
        return f"{self._chip_s():.1f} s of the chip's time, {seconds:.0f} s of this computer's"

    def _print(self, text: str) -> None:
        self._progress.clear()
        print(text, flush=True)

    def _chip_s(self) -> float:
        return self._pico.now_us / 1e6


def _led(pixel: tuple[int, int, int]) -> str:
    if not any(pixel):
        return "."
    if not sys.stdout.isatty():
        return "o"
    red, green, blue = (min(255, 6 * value) for value in pixel)
    return f"\x1b[38;2;{red};{green};{blue}mo\x1b[0m"


def main() -> int:
    """Shows it, or prints one line that says what to do."""
    try:
        Emulation().play()
    except HostError as error:
        return _fail(error.message, error.exit_code)
    except KeyboardInterrupt:
        return _fail("interrupted", INTERRUPTED)
    return DONE


def _fail(message: str, code: int) -> int:
    print(f"make emulate: {message}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
