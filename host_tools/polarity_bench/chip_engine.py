"""The engine on the emulated chip, with 40 discs lying: its time for a frame, and its heap."""

import json
import re
from collections.abc import Callable
from functools import partial
from math import cos, degrees, dist, pi, sin
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from scipy.optimize import nnls

from polarity_bench.on_chip import CLOCKS_MHZ, FAST_MHZ, USUAL_MHZ
from polarity_bench.parallel import in_parallel
from polarity_host.device.flashing.compiled import FIRMWARE
from polarity_host.device.flashing.firmware import firmware_files
from polarity_host.errors import FAILED, HostError
from polarity_host.mats.description import Mat, load_mat
from polarity_host.simulation.pico.image import find_image
from polarity_host.simulation.twin.pieces import Piece
from polarity_host.simulation.twin.stage import Stage
from polarity_host.simulation.twin.stage_state import Action

if TYPE_CHECKING:
    from polarity_host.simulation.pico.pico import EmulatedPico

Stored: TypeAlias = tuple[int, ...]  # a piece as perception's `recall` takes it
SetupFact: TypeAlias = tuple[str, int, tuple[int, ...], int, int, str]
Heap: TypeAlias = tuple[int, int]  # bytes that are free, and the largest piece of them

DISCS = 40
SPACING_MM = 56.0
BARE_S, LYING_S = 0.33, 0.2
# Which frames of a chapter are used: the sensors' filters follow what is laid at once in some, and
# the hands take half a second to come near.
USED = {"bare": (0, None), "lying": (3, None), "hands": (70, 170)}
Place: TypeAlias = tuple[float, float]
# Where a hand takes its disc, from which side (degrees) and when (s) it comes in, and where it goes
# on to, if anywhere.
Way: TypeAlias = tuple[Place, float, float, Place | None]


class Hands(NamedTuple):
    """`ways` of hands, which frames of each chapter are `used`, and whether the disc that lies near
    the place to which the first comes `snaps` to it."""

    ways: tuple[Way, ...]
    used: dict[str, Any]
    snaps: bool = False


_ONE: Way = (-90.0, -60.0), -120.0, 0.0, (-60.0, 20.0)
ONE = Hands((_ONE,), USED)
TWO = Hands((_ONE, ((90.0, 60.0), 60.0, 0.0, (60.0, -20.0))), USED)
# Five that come one after another.
FIVE = Hands(
    tuple(
        ((100.0 * cos(turn), 100.0 * sin(turn)), degrees(turn), after_s, None)
        for turn, after_s in zip((2 * pi * n / 5 for n in range(5)), (0.0, 0.4, 0.4, 0.4, 0.8))
    ),
    USED | {"hands": (60, 200)},
)
# One to which a disc snaps: the neighbours of some feel it hardly, those of others so that they are
# woken.
SNAPS = tuple(
    Hands(((place, side, 0.0, None),), USED | {"hands": used}, True)
    for place, side, used in (
        ((-28.0, -48.5), -90.0, (60, 220)),
        ((-56.0, 0.0), 50.0, (60, 260)),
        ((-28.0, 48.5), 190.0, (60, 235)),
        ((84.0, -48.5), 110.0, (60, 279)),
    )
)
HOUR_TURNS = 240  # four a minute
LIMIT_MS = 120_000


class Frame(NamedTuple):
    """A frame: the bodies in flight after it, the engine's time, the heap that it took; bodies
    fitted in guesses, coarse searches, messages told, and what its fits are reckoned to take
    (replay/pace.py)."""

    flying: int
    us: int
    heap: int
    guesses: int
    searches: int
    messages: int
    fits_us: int


# Without a scan: frames come from the flash, so that only the engine's work is timed.
_START = """
import gc, json, time
from array import array
import start
complaint = start.load()
import loop
from polarity.facts import Fact
from polarity.perception import memory
gc.collect()
mat = loop.Mat(complaint)
engine = mat.engine
tracker = engine.game.tracker
counts = array("H", bytes(2 * mat.grid.n))
t_ms = 0
def chapter(name):
    file = open("frames/" + name, "rb")
    while file.readinto(counts):
        yield
    file.close()
for _ in chapter("bare"):
    t_ms += 10
    engine.frame(t_ms, counts)
print(json.dumps([complaint, tracker.ready]))
"""
# By itself: a program that runs has its text, its code and its lists in the heap.
_FREE = """
gc.collect()
print(gc.mem_free())
import micropython
micropython.mem_info()
"""
_LARGEST = re.compile(r"max free sz: (\d+)")
BLOCK_BYTES = 16  # of the heap of a 32-bit MicroPython: py/mpconfig.h
_LAY = """
for _ in chapter("lying"):
    break
memory.recall(tracker, {kept}, counts)
"""
# An hour's turns: leaners placed, and snatched up again.
_TELL = """
def tell(kind, piece, others, face, discs, shape):
    global t_ms
    t_ms += 500
    fact = Fact(kind, t_ms, piece, others, face, discs, 100 * piece, 50, shape=shape)
    engine.game.handle(fact)
    engine.game.referee.judge_oldest()
    while engine.read(64):
        pass
    mat.heap.tidy(t_ms, 0)
def hour(turns):
    standing = {{1: [], -1: []}}
    for turn in range(turns):
        face, disc = -1 if turn & 1 else 1, 100 + turn
        tell("hand_in", disc, (), face, 1, "")
        if len(standing[face]) > 9:
            tell("snapped", disc, (standing[face].pop(),), face, 2, "")
            tell("hand_out", disc, (), face, 2, "")
        else:
            tell("placed", disc, (2 if face > 0 else 3,), face, 1, "leaner")
            standing[face].append(disc)
for one in {facts}:
    tell(*one)
hour({turns})
del tell, hour, one
"""
_FRAMES = """
def spend(name):
    global t_ms
    said = []
    mat.heap.collect()
    gc.disable()
    for _ in chapter(name):
        t_ms += 10
        before = gc.mem_alloc()
        search, last = tracker.scene.search, engine.outbox.last
        guesses, searches = search.guesses, search.searches
        begun = time.ticks_us()
        engine.frame(t_ms, counts, 0, 0)
        took = time.ticks_diff(time.ticks_us(), begun)
        heap = gc.mem_alloc() - before
        told = engine.outbox.last - last
        work = search.guesses - guesses, search.searches - searches, told
        fits = tracker.scene.solver.work_us
        said.append((len(tracker.scene.flying), took, heap) + work + (fits,))
        if gc.mem_free() < 20000:
            mat.heap.collect()
        while engine.read(64):
            pass
        mat.heap.refill()
    gc.enable()
    return said
print("$" + json.dumps(spend("{name}")))
"""

# A turn of the loop without a frame, and what it does every so many ms; nothing scans here.
_TURN = """
mat.grid._stalled_us = 1 << 29
def timed(what, times):
    begun = time.ticks_us()
    for _ in range(times):
        what()
    return time.ticks_diff(time.ticks_us(), begun) // times
def turn():
    mat._painted_ms = mat.heap._measured_ms = mat.clock.ms()
    mat.turn()
heap = mat.heap
said = [timed(turn, 20), timed(mat._paint, 5), timed(heap.garbage, 2), timed(heap.collect, 2)]
del timed, turn
print("$" + json.dumps(said))
"""


def engine(mat: Mat, mhz: int) -> dict[str, Any]:
    """The engine's time and memory on the emulated chip at this clock. EmulatorMissing where there
    is none.

    `heap_free_kb` after power-up with everything loaded, `heap_free_lying_kb` with 40 discs lying,
    `heap_free_after_kb` with them after an hour's worth of events; collected each time.
    `heap_largest_kb`, `heap_largest_after_kb`: the largest contiguous block of it.
    `quiet_frame_ms`, `two_body_frame_ms`: the engine's time for a frame, on average,
    `..._max_ms` at most; likewise of one, four and five bodies in flight, from when they are first
    seen, which costs more than to follow them.
    `frame_allocations`: bytes of heap that the quiet frames took, all together;
    `moving_frame_allocations` those of a frame with two bodies in flight, on average.
    """
    crowd = frames_of(laid_out(mat, FIVE, mhz)[0], "hands")
    single = frames_of(laid_out(mat, ONE, mhz)[0], "hands")
    pico, pieces, (free, largest), (laid, _) = laid_out(mat, TWO, mhz)
    lying = frames_of(pico, "lying")
    hands = frames_of(pico, "hands")
    moving_heap = float(np.mean([frame.heap for frame in hands if frame.flying == 2]))
    pico.execute(_TELL.format(facts=setup_facts(pieces), turns=HOUR_TURNS), LIMIT_MS)
    after, largest_after = _free(pico)
    quiet = [frame for frame in lying[1:] if not frame.flying]
    times = {n: [frame.us for frame in crowd if frame.flying == n] for n in (4, 5)}
    times[1] = [frame.us for frame in single if frame.flying == 1]
    times[2] = [frame.us for frame in hands if frame.flying == 2]
    return {
        "heap_free_kb": round(free / 1024, 1),
        "heap_free_lying_kb": round(laid / 1024, 1),
        "heap_free_after_kb": round(after / 1024, 1),
        "heap_largest_kb": round(largest / 1024, 1),
        "heap_largest_after_kb": round(largest_after / 1024, 1),
        "quiet_frames": len(quiet),
        "quiet_frame_ms": ms(np.mean([frame.us for frame in quiet])),
        "quiet_frame_max_ms": ms(max(frame.us for frame in quiet)),
        "two_body_frames": len(times[2]),
        "two_body_frame_ms": ms(np.mean(times[2])),
        "two_body_frame_max_ms": ms(max(times[2])),
        "one_body_frames": len(times[1]),
        "one_body_frame_ms": ms(np.mean(times[1])),
        "four_body_frames": len(times[4]),
        "four_body_frame_ms": ms(np.mean(times[4])),
        "five_body_frames": len(times[5]),
        "five_body_frame_ms": ms(np.mean(times[5])),
        "frame_allocations": sum(frame.heap for frame in quiet),
        "moving_frame_allocations": round(moving_heap),
    }


def flash(mat: Mat) -> dict[str, Any]:
    """The engine's time for a frame on a chip at 200 MHz that waits for what of its flash is not in
    the cache (flash_cache.py). EmulatorMissing where there is no emulator.

    `flash_quiet_frame_ms`, `flash_two_body_frame_ms`, and of four and five bodies: on average.
    `flash_pace`: how many times as long frames with bodies in flight take as at 125 MHz without
    waits, which is how `pace` measures them.
    """
    find_image()
    from polarity_host.simulation.pico.flash_cache import FlashCache

    waiting: list[Frame] = []
    without: list[Frame] = []
    for hands in (TWO, FIVE):
        slow, usual = laid_out(mat, hands, FAST_MHZ)[0], laid_out(mat, hands)[0]
        FlashCache(slow.chip)
        for chapter in ("lying", "hands"):
            waiting += frames_of(slow, chapter)[1:]
            without += frames_of(usual, chapter)[1:]

    def mean_ms(flying: int) -> float:
        return ms(np.mean([frame.us for frame in waiting if frame.flying == flying]))

    slow_us, usual_us = (sum(f.us for f in frames if f.flying) for frames in (waiting, without))
    return {
        "flash_quiet_frame_ms": mean_ms(0),
        "flash_two_body_frame_ms": mean_ms(2),
        "flash_four_body_frame_ms": mean_ms(4),
        "flash_five_body_frame_ms": mean_ms(5),
        "flash_pace": round(slow_us / usual_us, 3),
    }


def pace(
    mat_name: str, jobs: int | None = None, on_done: Callable[[int, int], None] | None = None
) -> dict[str, Any]:
    """What of a frame takes how long on the emulated chip at 125 MHz, as replay/pace.py has it:
    of frames in which hands come alone, in twos and one after another, or a disc snaps to one. Each
    of these scenes has an emulator of its own, `jobs` of them at a time; `on_done` is called with
    how many are measured, and of how many. EmulatorMissing where there is none."""
    find_image()
    scenes = (TWO, FIVE, *SNAPS, ONE)
    frames: list[Frame] = []
    turn_ms = 0.0
    measured = in_parallel(partial(_timed, mat_name), scenes, jobs)
    for number, (its_turn_ms, found) in enumerate(measured, 1):
        frames += found
        turn_ms = its_turn_ms or turn_ms
        if on_done:
            on_done(number, len(scenes))
    return {**_fitted(frames), "turn_ms": turn_ms}


def _timed(mat_name: str, hands: Hands) -> tuple[float, list[Frame]]:
    """(turn_ms, frames) of one of the scenes of `pace`; no turn but of that with two hands."""
    mat = load_mat(mat_name)
    pico = laid_out(mat, hands)[0]
    if hands != TWO:
        return 0.0, frames_of(pico, "hands")
    lying, moving = frames_of(pico, "lying"), frames_of(pico, "hands")
    heap = float(np.mean([frame.heap for frame in moving if frame.flying == 2]))
    quiet = [frame for frame in lying[1:] if not frame.flying]
    return _turn_ms(mat, pico, heap), quiet + moving


def _fitted(frames: list[Frame]) -> dict[str, Any]:
    """What each kind of work takes, by least squares, more bodies no less than fewer: a Pace, but
    for its `turn_ms`."""
    kinds = 1 + max(frame.flying for frame in frames)
    rows = np.zeros((len(frames), kinds + 4))
    for row, frame in zip(rows, frames, strict=True):
        row[: frame.flying + 1] = 1  # what each body more adds
        row[kinds:] = frame.fits_us / 1000, frame.guesses, frame.searches, frame.messages
    times, _ = nnls(rows, np.array([frame.us for frame in frames], float))
    times[:kinds] = np.cumsum(times[:kinds])
    values = [ms(us) for us in times]
    names = "fits_ms", "guess_ms", "search_ms", "message_ms"
    return {"frame_ms": values[:kinds], **dict(zip(names, values[kinds:], strict=True))}


def _turn_ms(mat: Mat, pico: "EmulatedPico", moving_heap: float) -> float:
    """What the loop does besides, for each frame, while things move: a turn, and its share of the
    pictures of the ring, the measurements of the heap and the collections."""
    printed = pico.execute(_TURN, LIMIT_MS)
    turn_us, paint_us, measure_us, collect_us = json.loads(printed.rpartition("$")[2])
    text = "".join((FIRMWARE / name).read_text() for name in ("loop.py", "heap.py"))
    used = dict(re.findall(r"^(\w+_(?:MS|BYTES)) = (\d+)", text, re.M))
    garbage = 2 * int(used["GARBAGE_BYTES"])  # as Heap.tidy has it while something moves
    period_ms = 1000 / mat.frame_hz
    return ms(
        turn_us
        + paint_us * period_ms / int(used["LIGHTS_MS"])
        + measure_us * period_ms / int(used["MEASURE_MS"])
        + collect_us * moving_heap / garbage
    )


def laid_out(
    mat: Mat, hands: Hands = TWO, mhz: int = USUAL_MHZ
) -> "tuple[EmulatedPico, list[Stored], Heap, Heap]":
    """(pico, pieces, free, laid): an emulated Pico at this clock on whose mat the discs lie, the
    pieces there, and the heap before and then: bytes free, and the largest contiguous block.
    EmulatorMissing where there is none."""
    image = find_image()
    from polarity_host.simulation.pico.pico import EmulatedPico, PicoFailed

    chapters, pieces = scene(mat, hands)
    files = firmware_files() | {f"frames/{name}": data for name, data in chapters.items()}
    pico = EmulatedPico(files, image=image)
    pico.boot()
    printed = pico.execute(CLOCKS_MHZ[mhz] + _START, LIMIT_MS)
    complaint, ready = json.loads(printed.splitlines()[-1])
    if complaint or not ready:
        raise PicoFailed(complaint or "the bare mat was not taken for one")
    free = _free(pico)
    pico.execute(_LAY.format(kept=pieces), LIMIT_MS)
    return pico, pieces, free, _free(pico)


def _free(pico: "EmulatedPico") -> Heap:
    """The bytes of heap that are free, and the largest contiguous block of it."""
    printed = pico.execute(_FREE)
    largest = _LARGEST.search(printed)
    if largest is None:
        raise HostError(
            FAILED, "micropython.mem_info() on the emulated chip prints no largest block"
        )
    return int(printed.split()[0]), BLOCK_BYTES * int(largest[1])


def ms(us: float | np.floating) -> float:
    """Milliseconds of microseconds, rounded."""
    return round(float(us) / 1000, 2)


def frames_of(pico: "EmulatedPico", name: str) -> list[Frame]:
    """Each frame of a chapter."""
    printed = pico.execute(_FRAMES.format(name=name), LIMIT_MS)
    return [Frame(*values) for values in json.loads(printed.rpartition("$")[2])]


def places_mm() -> list[tuple[float, float]]:
    """DISCS places of a hexagonal grid round the red disc, innermost first."""
    rows = range(-5, 6)
    grid = [
        ((column + 0.5 * (row % 2)) * SPACING_MM, row * SPACING_MM * 0.75**0.5)
        for row in rows
        for column in rows
    ]
    return sorted(grid, key=lambda xy: xy[0] ** 2 + xy[1] ** 2)[1 : DISCS + 1]


def scene(mat: Mat, hands: Hands) -> tuple[dict[str, bytes], list[Stored]]:
    """(chapters, pieces): the frames of the bare mat, of the discs that lie on it and of hands over
    them, as bytes by name; and the pieces there, for perception's `recall`."""
    places, used, snaps = hands
    stage = Stage(mat, seed=1)
    marks: list[int] = []
    pieces: list[Stored] = []

    def script() -> Action:
        yield from stage.rest(BARE_S)
        marks.append(stage.t_us)
        pieces.extend(lay_discs(stage))
        yield from stage.rest(LYING_S)
        marks.append(stage.t_us)
        discs = [stage.new_disc(+1 if number % 2 == 0 else -1) for number in range(len(places))]

        def comes(number: int) -> Action:
            place, side, after_s, _ = places[number]
            if after_s:
                yield from stage.rest(after_s)
            yield from stage.carry_in(discs[number], place, from_deg=side)

        def goes_on(number: int) -> Action:
            then = places[number][3]
            if snaps and number == 0:
                yield from stage.snap_to_hand(discs[0], _nearest(stage, places[0][0]))
                yield from stage.rest(0.5)
            elif then is None:
                yield from stage.rest(1.0)
            else:
                yield from stage.carry_to(discs[number], then, speed_mm_s=120)

        yield from stage.together(*map(comes, range(len(places))))
        yield from stage.together(*map(goes_on, range(len(places))))

    frames: dict[str, list[bytes]] = {name: [] for name in used}
    for t_us, counts in stage.stream(script()):
        name = list(frames)[sum(t_us >= mark for mark in marks)]
        frames[name].append(counts.astype("<u2").tobytes())
    chapters = {name: b"".join(frames[name][first:last]) for name, (first, last) in used.items()}
    return chapters, pieces


def _nearest(stage: Stage, place: Place) -> Piece:
    return min(stage.resting(), key=lambda piece: dist(piece.xy, place))


def lay_discs(stage: Stage) -> list[Stored]:
    """Puts the red disc and DISCS others on the mat at once; returns them as perception's `recall`
    takes them."""
    mat, pieces = stage.mat, []
    for number, xy in enumerate([(0.0, 0.0), *places_mm()]):
        piece = stage.appear(+1 if number % 2 == 0 else -1, xy, is_red=number == 0)
        q8 = [round(256 * v) for v in piece.centre]
        q8[2] -= round(256 * mat.sensor_xyz_mm[0, 2])
        share = piece.discs[0].polarisation_t / (mat.disc.br_t * mat.disc.white_up_counts)
        pose = (*q8, 0, 0, 4096 * piece.face, round(1024 * share), 1)
        pieces.append((piece.id, 4 | 2 * piece.is_red, *pose, round(256 * piece.thickness_mm)))
    return pieces


def setup_facts(pieces: list[Stored]) -> list[SetupFact]:
    """The facts that begin a game with these pieces."""
    facts: list[SetupFact] = [("placed", pieces[0][0], (), 0, 1, "red")]
    for face in (1, -1):
        own = [entry[0] for entry in pieces[1:] if entry[7] * face > 0][:5]
        for ident in own:
            facts += [("hand_in", ident, (), face, 1, ""), ("placed", ident, (), face, 1, "flat")]
    return facts
