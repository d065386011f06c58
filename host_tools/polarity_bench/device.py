"""The device's numbers, on the emulated chip: at 125 MHz, if nothing else is asked for.

On a real chip the firmware runs at 200 MHz, but waits for its flash; the emulator, except for
`chip_engine.flash`, does not wait. By `flash_pace` a frame takes about as long there as here.
"""

import json
from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from polarity_bench import chip_engine, chip_games, chip_loop
from polarity_bench.on_chip import CLOCKS_MHZ, USUAL_MHZ
from polarity_bench.parallel import in_parallel
from polarity_host.device.flashing.compiled import FIRMWARE, compiled
from polarity_host.mats.description import Mat, load_mat
from polarity_host.simulation.pico.image import find_image

# A part's name; the seed of a game, how many faults: the others take no notice of it.
Part: TypeAlias = tuple[str, int]

ADC_SAMPLES_PER_S = 500_000  # RP2040 datasheet 4.9.2
LIMIT_MS = 20_000
SPIN_MS = 200
FRAMES = 20

# A plain loop over the same multiplexers: step, settle, read every input.
_PLAIN = """
import time
from machine import ADC, Pin
from polarity.mat_data import {mat} as mat
inputs = [ADC(Pin(pin)) for pin in mat.ADC_PINS]
lines = [Pin(pin, Pin.OUT) for pin in mat.ADDRESS_PINS]
readings = [0] * (20 * len(inputs))
def scan(addresses):
    number = 0
    for address in range(addresses):
        for bit in range(len(lines)):
            lines[bit].value(address >> bit & 1)
        time.sleep_us(mat.SETTLE_NS // 1000)
        for one in inputs:
            {read}
            number += 1
    return number
begun = time.ticks_us()
samples = scan(20) * {times}
print(samples * 1000000 // time.ticks_diff(time.ticks_us(), begun))
"""
_ONCE = "readings[number] = one.read_u16()"
_REPEATED = "for _ in range(mat.OVERSAMPLE): readings[number] += one.read_u16()"

_SCAN = """
import gc, json, time
from polarity.mat_data import {mat} as mat
gc.collect()
before = gc.mem_alloc()
from drivers.hall_grid import HallGrid
grid = HallGrid(mat)
gc.collect()
said = {{"scan_heap_bytes": gc.mem_alloc() - before, "settle_ns": grid.settle_ns}}
def spin():
    turns = 0
    begun = time.ticks_us()
    while time.ticks_diff(time.ticks_us(), begun) < {spin_us}:
        turns += 1
    return turns
def take(count):
    times = []
    while len(times) <= count:
        if grid.frame():
            times.append(grid.t_us)
    return time.ticks_diff(times[-1], times[0])
alone = spin()
grid.start()
beside = spin()
said["spin_share"] = [alone, beside]
take(2)
lost, taken = grid.lost, gc.mem_alloc()
said["frames_us"] = take({frames})
said["scan_us"], said["conversions"] = grid.scan_us, grid.conversions
said["lost"], said["stalls"], said["overruns"] = grid.lost - lost, grid.stalls, grid.overruns
grid.stop()
print(json.dumps(said))
"""


def run(
    mat_name: str | None = None,
    jobs: int | None = None,
    on_done: Callable[[str, int, int], None] | None = None,
    faults: int = chip_loop.FAULTS,
    games: int = 0,
    mhz: int = USUAL_MHZ,
) -> dict[str, Any]:
    """Measures on the emulated chip. EmulatorMissing where there is none, PicoFailed when a program
    on it fails. `mhz`: its clock, one of on_chip.CLOCKS_MHZ.

    `samples_per_s`: conversions that count, sustained; `adc_share` of what the ADC can do;
    `over_read_u16` times a plain loop of ADC.read_u16 over the same multiplexers
    (`read_u16_per_s`), which reads every sensor once; `over_read_u16_repeated` times one that
    reads every sensor as often as the scan does. `scan_hz` frames a second, `settle_us` what an
    input is given to settle. `scan_cpu_share`: the CPU time that the scan takes from a program
    beside it. `scan_heap_kb` with its code, tables and frames. `scan_lost`, `scan_stalls`,
    `scan_overruns`: frames and scans that went wrong. The engine's time for a frame and its heap:
    see `chip_engine.engine`, and with its waits for the flash: `chip_engine.flash`; the whole loop,
    and a host that stalls: `chip_loop.run`; how soon `faults` of them are shown and reported:
    `chip_loop.faults`; `games` whole games: `chip_games.figures`.

    Each part has an emulator of its own, `jobs` of them at a time (default: one for every core).
    `on_done` is called with a part's name, how many are measured, and of how many.
    """
    find_image()
    mat = load_mat(mat_name)
    figures: dict[str, Any] = {"mat": mat.id, "clock_mhz": mhz}
    parts: list[Part] = [(f"game {seed}", seed) for seed in range(1, games + 1)]
    parts += [(name, faults) for name in PARTS]
    played: list[chip_games.OnChip] = []
    measured = in_parallel(partial(_measured, mat.id, mhz), parts, jobs)
    for number, ((name, _), found) in enumerate(zip(parts, measured, strict=True), 1):
        if isinstance(found, chip_games.OnChip):
            played.append(found)
        else:
            figures |= found
        if on_done:
            on_done(name, number, len(parts))
    return figures | chip_games.figures(played)


def _measured(mat_name: str, mhz: int, part: Part) -> dict[str, Any] | chip_games.OnChip:
    name, number = part
    if name not in PARTS:
        return chip_games.game(number, mhz)
    if name == "faults":
        return chip_loop.faults(load_mat(mat_name), mhz, number)
    return PARTS[name](load_mat(mat_name), mhz)


def scan(mat: Mat, mhz: int) -> dict[str, Any]:
    """The figures of `run` for the scan, at this clock."""
    image = find_image()
    from polarity_host.simulation.pico.pico import EmulatedPico
    from polarity_host.simulation.pico.pins import EmulatedMat

    sources = [
        FIRMWARE / "polarity" / "__init__.py",
        *(FIRMWARE / "polarity" / "mat_data").glob("*.py"),
        *(FIRMWARE / "drivers").glob("*.py"),
    ]
    bare = np.full(mat.n, mat.zero_count, np.uint16)
    pico = EmulatedPico(compiled(sources), [EmulatedMat(mat, iter([(0, bare)]))], image)
    pico.boot()
    start = CLOCKS_MHZ[mhz]
    plain_per_s, repeated_per_s = (
        int(pico.execute(start + _PLAIN.format(mat=mat.id, read=read, times=times), LIMIT_MS))
        for read, times in ((_ONCE, 1), (_REPEATED, mat.oversample))
    )
    code = _SCAN.format(mat=mat.id, spin_us=SPIN_MS * 1000, frames=FRAMES)
    printed = json.loads(pico.execute(start + code, LIMIT_MS))
    samples_per_s = printed["conversions"] * FRAMES * 1e6 / printed["frames_us"]
    alone, beside = printed["spin_share"]
    return {
        "samples_per_s": round(samples_per_s),
        "adc_share": round(samples_per_s / ADC_SAMPLES_PER_S, 3),
        "read_u16_per_s": plain_per_s,
        "over_read_u16": round(samples_per_s / plain_per_s, 1),
        "over_read_u16_repeated": round(samples_per_s / repeated_per_s, 1),
        "scan_cpu_share": round(1 - beside / alone, 4),
        "scan_hz": round(FRAMES * 1e6 / printed["frames_us"], 1),
        "scan_us": printed["scan_us"],
        "settle_us": round(printed["settle_ns"] / 1000, 1),
        "scan_heap_kb": round(printed["scan_heap_bytes"] / 1024, 1),
        "scan_lost": printed["lost"],
        "scan_stalls": printed["stalls"],
        "scan_overruns": printed["overruns"],
    }


# the longest first
PARTS: dict[str, Callable[[Mat, int], dict[str, Any]]] = {
    "loop": chip_loop.run,
    "faults": chip_loop.faults,
    "flash": lambda mat, _mhz: chip_engine.flash(mat),
    "engine": chip_engine.engine,
    "scan": scan,
}
