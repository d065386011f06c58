"""`make emulate`: shows a Pico, emulated instruction by instruction, that scans the twin's mat,
judges facts and lights the ring."""

import sys
import time

import numpy as np

from polarity_host.board.compiled import FIRMWARE, compiled
from polarity_host.board.inline import inlined
from polarity_host.emulated.image import find_image
from polarity_host.errors import DONE, HostError
from polarity_host.mat import load_mat
from polarity_host.twin.stage import Stage

MAT = "small"
FRAMES = 5
LIMIT_MS = 10_000

_ABOUT = """
import gc, sys
gc.collect()
print(sys.version.split("; ")[1], "with", gc.mem_free() // 1024, "KB free")
"""
_SCAN = """
from polarity.mat_data import %s as mat
from drivers.hall_grid import HallGrid
grid = HallGrid(mat)
grid.start()
taken = 0
while taken < %d:
    frame = grid.frame()
    if frame:
        taken += 1
        print(sum(frame), grid.scan_us)
grid.stop()
"""
_JUDGE = """
import time
from polarity import facts
from polarity.facts import Fact
from polarity.lights.ring import Ring
from polarity.rules.referee import Referee
from drivers.pixels import Pixels, cap_ma
referee, ring = Referee("temple"), Ring(mat.LED_COUNT)
pixels = Pixels(mat.LED_PIN, mat.LED_COUNT, cap_ma(mat, 500))
t_ms = 0
def hear(kind, piece, **how):
    global t_ms
    t_ms += 500
    fact = Fact(kind, t_ms, piece, **how)
    fact.seq = t_ms // 500
    begun = time.ticks_us()
    rulings = referee.fact(fact)
    spent = time.ticks_diff(time.ticks_us(), begun)
    for ruling in rulings:
        ring.ruling(ruling)
        player = {1: "white", -1: "black"}.get(ruling.player, "")
        print("%5d us  %s %s %s" % (spent, ruling.code, player, ruling.why))
hear(facts.PLACED, 99, shape=facts.RED)
each = referee.edition["foundations"]
for disc in range(1, 2 * each + 1):
    hear(facts.PLACED, disc, face=1 if disc <= each else -1, x=3400 * disc, shape=facts.FLAT)
hear(facts.HAND_IN, 50, face=1)
hear(facts.PLACED, 50, others=(1,), face=1, shape=facts.LEANER)
hear(facts.CONTACT, 2, others=(2, 3), discs=2, shape=facts.KISS)
pixels.show(ring.paint(t_ms + 1000, referee.position))
begun = time.ticks_us()
while time.ticks_diff(time.ticks_us(), begun) < 3000:
    pass
"""


def show() -> None:
    """Runs the demonstration and prints it. EmulatorMissing without an image."""
    image = find_image()
    from polarity_host.emulated.mat import EmulatedMat
    from polarity_host.emulated.pico import EmulatedPico

    mat = load_mat(MAT)
    stage = Stage(mat, seed=1)
    shown = [(t_us, counts.copy()) for t_us, counts in stage.stream(_one_disc(stage))][-20:]
    at_pins = EmulatedMat(mat, shown)
    begun = time.monotonic()
    pico = EmulatedPico(compiled(_sources()), [at_pins], image)
    pico.boot()
    print("The chip:   " + pico.execute(_ABOUT), end="")
    print(f"The scan:   {FRAMES} frames of the twin's mat, {mat.n} sensors each")
    lines = pico.execute(_SCAN % (MAT, FRAMES), LIMIT_MS).splitlines()
    for line, (_, counts) in zip(lines, shown, strict=False):
        total, scan_us = map(int, line.split())
        same = "as shown" if total == int(np.sum(counts, dtype=int)) else "NOT as shown"
        print(f"    {scan_us} us  sum of counts {total}, {same}")
    print("The referee:")
    print(pico.execute(inlined(_JUDGE, "judge", FIRMWARE), LIMIT_MS), end="")
    print("The ring:   " + "".join(_led(pixel) for pixel in at_pins.pixels))
    seconds = time.monotonic() - begun
    print(f"{pico.now_us / 1e6:.2f} s of the chip's time, {seconds:.0f} s of this computer's")


def _one_disc(stage):
    yield from stage.rest(0.1)
    disc = stage.new_disc(+1)
    yield from stage.carry_in(disc, (30, 20))
    yield from stage.set_flat(disc, (30, 20))
    yield from stage.rest(0.2)


def _sources() -> list:
    core = FIRMWARE / "polarity"
    folders = [FIRMWARE / "drivers", core / "mat_data", core / "rules", core / "lights"]
    files = [core / "__init__.py", core / "facts.py"]
    return files + [file for folder in folders for file in sorted(folder.glob("*.py"))]


def _led(pixel: tuple) -> str:
    if not any(pixel):
        return "."
    if not sys.stdout.isatty():
        return "o"
    red, green, blue = (min(255, 6 * value) for value in pixel)
    return f"\x1b[38;2;{red};{green};{blue}mo\x1b[0m"


def main() -> int:
    """Shows it; one line that says what to do where it cannot."""
    try:
        show()
    except HostError as error:
        print(f"make emulate: {error.message}", file=sys.stderr)
        return error.exit_code
    return DONE


if __name__ == "__main__":
    sys.exit(main())
