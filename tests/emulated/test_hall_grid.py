"""The scan: what the twin shows arrives in the frames, every count of it, in order and in time."""

import json
from base64 import b64decode, b64encode

import numpy as np
import pytest

from polarity.settings import SUMS
from polarity_bench.on_chip import CLOCKS_MHZ
from polarity_host.mats.description import load_mat
from tests.emulated.programs import pico_with

FRAMES = 4

TAKE = """
import gc, json, time
from binascii import b2a_base64
from polarity.mat_data import %s as mat
from drivers.hall_grid import HallGrid
grid = HallGrid(mat, %d)
grid.start()
frames, times = [], []
while len(frames) < %d:
    frame = grid.frame()
    if frame:
        frames.append(b2a_base64(frame).decode())
        times.append(grid.t_us)
before = gc.mem_alloc()
for _ in range(200):
    grid.frame()
spent = gc.mem_alloc() - before
grid.stop()
print(json.dumps([frames, times, [grid.lost, grid.stalls, grid.overruns], spent]))
"""


def noise(mat, count):
    draw = np.random.default_rng(1)
    full = 2**12 - 1
    return [
        (number * 10_000, draw.integers(0, full * mat.oversample + 1, mat.n).astype(np.uint16))
        for number in range(count)
    ]


@pytest.mark.parametrize("mhz", CLOCKS_MHZ)
@pytest.mark.parametrize(
    "name, oversample", [(name, number) for name in SUMS for number in SUMS[name]]
)
def test_every_count_arrives(image, name, oversample, mhz):
    """With every setting that a mat takes, the counts are on the same scale and come as often; of
    four conversions they are even."""
    from polarity_host.simulation.pico.pins import EmulatedMat

    mat = load_mat(name)
    shown = noise(mat, 40)
    at_pins = EmulatedMat(mat, shown, oversample)
    pico = pico_with(image, at_pins)
    take = CLOCKS_MHZ[mhz] + TAKE % (name, oversample, FRAMES)
    frames, times, wrong, spent = json.loads(pico.execute(take))
    for got, (_, counts) in zip(frames, shown, strict=False):
        counts = counts & 0xFFFE if oversample == 4 else counts
        assert b64decode(got) == counts.astype("<u2").tobytes()
    period_us = 1e6 / mat.frame_hz
    assert all(abs(step - period_us) < 0.05 * period_us for step in np.diff(times))
    assert wrong == [0, 0, 0]
    assert spent == 0  # the scan and its interrupt allocate nothing
    assert at_pins.unwired == 0
    assert at_pins.settled_ns >= mat.settle_us * 1000
    assert at_pins.woken_ns >= mat.wake_us * 1000


@pytest.mark.parametrize("mhz", CLOCKS_MHZ)
def test_a_scan_made_in_one_piece_brings_the_same_counts_as_soon(image, mhz):
    """ScannedMat, by which whole games are measured, as EmulatedMat."""
    from polarity_host.simulation.pico.pins import EmulatedMat, ScannedMat

    mat, told = load_mat("standard"), []
    for made in (EmulatedMat, ScannedMat):
        pico = pico_with(image, made(mat, noise(mat, 40)))
        take = CLOCKS_MHZ[mhz] + TAKE % ("standard", mat.oversample, FRAMES)
        told.append(json.loads(pico.execute(take)))
    (frames, times, wrong, _), (at_once, soon, also_wrong, _) = told
    assert at_once == frames and also_wrong == wrong == [0, 0, 0]
    assert np.abs(np.diff(soon) - np.diff(times)).max() < 50  # µs


LATE = """
import json, time
from polarity.mat_data import small as mat
from drivers.hall_grid import HallGrid
grid = HallGrid(mat)
def taken():
    frame = None
    while not frame:
        frame = grid.frame()
    return frame
def pass_us(us):  # not asleep: the emulator leaps over that, and the ADC does not keep up
    begun = time.ticks_us()
    while time.ticks_diff(time.ticks_us(), begun) < us:
        pass
grid.start()
taken()
told = []
for wait_us in (65_000, 430_000):
    before = grid.lost
    pass_us(wait_us)
    told.append([grid.lost - before, grid.waiting(), [], []])
    for _ in range(37):
        told[-1][2].append(taken()[0])
        told[-1][3].append(grid.t_us)
print(json.dumps(told))
grid.stop()
"""


def test_what_waits_is_taken_in_order_and_what_has_no_room_is_lost(image):
    from polarity_host.simulation.pico.pins import EmulatedMat

    mat = load_mat("small")
    shown = [(0, np.full(mat.n, 100 * number, np.uint16)) for number in range(100)]
    pico = pico_with(image, EmulatedMat(mat, shown))
    short, long = json.loads(pico.execute(LATE))
    lost, waiting, counts, times = short
    assert (lost, waiting) == (0, 6)
    assert counts == [*range(100, 3800, 100)]
    assert all(abs(step - 10_000) < 500 for step in np.diff(times))
    lost, waiting, counts, times = long
    assert 7 <= lost <= 12 and waiting == 35
    assert counts[:35] == [*range(3800, 7300, 100)]
    assert counts[35] == 7300 + 100 * lost
    assert abs(times[35] - times[34] - 10_000 * (lost + 1)) < 500 * (lost + 1)


STALL = """
import time
from binascii import b2a_base64
from polarity.mat_data import small as mat
from drivers.hall_grid import HallGrid
grid = HallGrid(mat)
def taken():
    frame = None
    while not frame:
        frame = grid.frame()
    return frame
grid.start()
taken()
begun = time.ticks_us()
while time.ticks_diff(time.ticks_us(), begun) < 3000:
    pass
for channel in (%s):
    channel.active(0)
taken()
for _ in range(3):
    print(b2a_base64(taken()).decode().strip())
print(grid.stalls, grid.overruns)
grid.stop()
"""


@pytest.mark.parametrize(
    ("aborted", "overruns"),
    [
        ("grid._to_pio,", 0),
        ("grid._starts,", 0),
        ("grid._results,", 1),
        ("grid._to_pio, grid._starts, grid._results", None),
    ],
)
def test_a_scan_whose_transfers_were_aborted_begins_again_in_step(image, aborted, overruns):
    """Whichever transfer it was: the ADC's FIFO overruns where nobody takes its results."""
    from polarity_host.simulation.pico.pins import EmulatedMat

    mat = load_mat("small")
    ((_, counts),) = noise(mat, 1)
    pico = pico_with(image, EmulatedMat(mat, [(0, counts)]))
    *frames, told = pico.execute(STALL % aborted, 1000).splitlines()
    assert frames == [b64encode(counts.astype("<u2").tobytes()).decode()] * 3
    stalls, overrun = map(int, told.split())
    assert stalls == 1 and (overruns is None or overrun == overruns)


SCAN = """
from polarity.mat_data import small as mat
from drivers.hall_grid import HallGrid
import time
grid = HallGrid(mat)
grid.start()
"""
# Ctrl-C comes while the chip sleeps; MicroPython raises KeyboardInterrupt at a jump after that
TAKING = """
while True:
    time.sleep_us(2000)
    grid.frame()
"""


def test_the_chip_still_answers_when_ctrl_c_comes_while_a_frame_is_taken(image):
    from polarity_host.simulation.pico.pins import EmulatedMat

    mat = load_mat("small")
    pico = pico_with(image, EmulatedMat(mat, noise(mat, 1)))
    pico.execute(SCAN, 1000)
    for _ in range(4):
        pico.begin(TAKING, 1000)
        pico.run(3.3)
    assert pico.execute("grid.stop()\nprint('stopped')", 1000) == "stopped\n"


def test_wiring_that_the_scan_cannot_follow_is_refused(image):
    code = """
from polarity.mat_data import small as mat
from drivers.hall_grid import HallGrid, GridError
class Other: pass
other = Other()
for name in dir(mat):
    if name[0] != "_":
        setattr(other, name, getattr(mat, name))
right, wrong = mat.ADDRESS_PINS, (2, 3, 4, 5, 6, 7, 8, 10)
for pins, conversions in ((wrong, 8), (right, 6), (right, 12), (right, 32)):
    other.ADDRESS_PINS = pins
    try:
        HallGrid(other, conversions)
    except GridError as error:
        print(error)
"""
    said = pico_with(image).execute(code).splitlines()
    assert said == [
        "the eight address pins must follow one another",
        *["oversample must be 4, 8, 16 or 32"] * 2,
        "a scan would take longer than a frame",
    ]
