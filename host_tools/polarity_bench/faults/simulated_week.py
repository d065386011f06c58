"""A week of games under MicroPython, in simulated time. Runs there alone.

In each hour a short game is played; then the mat lies still and is looked at once a minute. All
times come from the chip's own clock (drivers/clock.py) over a counter that wraps as the chip's.
What is live after a collection must never be more than the chip has for it. What the kernels'
references leave as garbage in one frame, and the chip's kernels do not, may be more: this port
cannot collect it before the frame is over.
"""

import gc as collector
import json
import sys
from array import array


class Machine:
    """Stands for the module `machine`."""

    mem32 = {}

    @staticmethod
    def freq() -> int:
        return 125_000_000


sys.modules["machine"] = Machine  # pyright: ignore[reportArgumentType]

import heap_lock  # noqa: E402  # pyright: ignore[reportMissingImports]  # in one folder there

heap_lock.lock_kernels("/firmware")

from drivers import clock as chip_clock  # noqa: E402  # the stand-in comes first
from polarity.engine import Engine  # noqa: E402
from polarity.mat_data import load  # noqa: E402

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

gc: "Any" = collector  # MicroPython's has more

TICKS = 1 << 30  # after so many µs ticks_us wraps (MicroPython, time.ticks_us, on the RP2040)
HOUR_US, MINUTE_US = 3_600_000_000, 60_000_000
COLLECT_FRAMES = 12  # between two collections
LAST_FRAMES = 8  # of the game, that are shown in turns while the mat lies still
COMMANDS = (b"hello\n", b"snap\n", b"overrule 0 denied\n", b"undo 0\n", b"settings\n")

with open("/task.json") as task:
    TASK = json.load(task)
frames = open("/short.matrec", "rb")
header = json.loads(frames.readline())
FIRST = frames.tell()
RECORD = 8 + 2 * header["n"]
mat = load(header["mat"])
counts = array("H", [0] * header["n"])
stamp = bytearray(8)
live = array("i", [0] * TASK["hours"])  # bytes, after each hour
engine: "Any" = None
clock: "Any" = None
begun = most = 0  # bytes live when the mat began; most, beyond that, after any collection
now_us = ticks = wraps = 0  # since power-up; as the chip counts it; how often that began anew
failures = facts = rulings = 0
hour = number = last_ms = 0  # of the hour, of its frame; of the last frame
hour_us = game_us = 0  # since the game lies still; of the game's last frame
still = due = False  # whether the game is over; whether the hour is
frames_left = 0  # until garbage is collected; 0: it just was


def read_ticks() -> int:
    """As time.ticks_us."""
    return ticks


chip_clock.ticks_us = read_ticks


def advance(us: int) -> None:
    """Time passes."""
    global now_us, ticks, wraps
    now_us += us
    later = (ticks + us) % TICKS
    wraps += later < ticks
    ticks = later


def look(t_ms: int) -> None:
    """A frame, and what the loop does besides."""
    global facts, rulings, last_ms
    if t_ms < last_ms:
        raise ValueError("time runs backwards")
    last_ms = t_ms
    engine.frame(t_ms, counts)
    engine.lights(t_ms, True)
    while True:
        chunk = engine.read(512)
        if not chunk:
            break
        facts += chunk.count(b'"k":"fact"')
        rulings += chunk.count(b'"k":"ruling"')


def keep() -> None:
    """As the loop does in a pause."""
    persistence = engine.persistence
    persistence.offset_parts()
    for _ in persistence.game_parts():
        pass


def step() -> None:
    """The next frame of this hour."""
    global number, still, game_us, hour_us
    if still:
        frames.seek(FIRST + RECORD * (number - 1 - hour_us // MINUTE_US % LAST_FRAMES))
        frames.readinto(stamp)
        frames.readinto(counts)
        advance(MINUTE_US)
        hour_us += MINUTE_US
        look(clock.ms())
    elif frames.readinto(stamp) == 8 and frames.readinto(counts) == 2 * header["n"]:
        t_us = int.from_bytes(stamp, "little")
        advance(t_us - game_us if game_us else 0)
        game_us = t_us
        number += 1
        look(clock.ms())
    else:
        still = True
        keep()
        engine.command(COMMANDS[hour % len(COMMANDS)])


def next_hour() -> None:
    """Another game begins."""
    global hour, number, still, hour_us, game_us
    live[hour] = gc.mem_alloc()
    hour += 1
    number, still, hour_us, game_us = 0, False, 0, 0
    frames.seek(FIRST)
    engine.command(b"new " + header["edition"].encode() + b"\n")


def turn() -> int:
    """A frame, or the next hour. 0 when all are over."""
    global engine, clock, failures, due, frames_left, begun, most
    if engine is None:
        engine = Engine(mat, header["edition"], 1)
        clock = chip_clock.Clock()
        return 2
    if not begun:
        begun = gc.mem_alloc()
    if due:
        due = False
        next_hour()
        if hour == TASK["hours"]:
            print(json.dumps(report()))
            return 0
    if not frames_left:
        frames_left = COLLECT_FRAMES
        most = max(most, gc.mem_alloc() - begun)
    try:
        step()
    except Exception as error:
        failures += 1
        if failures > 3:
            raise
        sys.print_exception(error)  # pyright: ignore[reportAttributeAccessIssue]
    due = still and hour_us >= HOUR_US - MINUTE_US
    frames_left = 0 if due else frames_left - 1
    return 1 if frames_left else 2


def report() -> "dict[str, Any]":
    """What the week came to; growth is from its second day to its last."""
    day = max(1, min(24, TASK["hours"] // 4))
    return {
        "simulated_hours": now_us // HOUR_US,
        # on the first days memory is taken once and kept, so a shorter time says nothing
        "heap_growth_bytes": max(live[-day:]) - max(live[day : 2 * day]) if day == 24 else None,
        "most_live_bytes": most,
        "counter_wraps": wraps,
        "week_failures": failures + (most > TASK["chip_free_bytes"]),
        "week_facts": facts,
        "week_rulings": rulings,
    }
