"""The whole loop on the emulated chip: scan, perceive, judge, lights and wire, with 40 discs lying.

The twin's frames are at the chip's pins. The time of an event is the twin's; the time at which the
ring or the host shows it is the emulator's.
"""

import json
import zlib
from collections.abc import Iterator
from itertools import chain, cycle
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from polarity.wire.messages import NUMBERED
from polarity_bench.chip_engine import BARE_S, LYING_S, Stored, lay_discs, setup_facts
from polarity_bench.on_chip import CLOCKS_MHZ
from polarity_host.device.flashing.firmware import firmware_files
from polarity_host.errors import FAILED, HostError
from polarity_host.mats.description import Mat
from polarity_host.simulation.pico.image import find_image
from polarity_host.simulation.twin.record import Frame
from polarity_host.simulation.twin.stage import Stage
from polarity_host.simulation.twin.stage_state import Action

if TYPE_CHECKING:
    from polarity_host.simulation.pico.pico import EmulatedPico
    from polarity_host.simulation.pico.pins import EmulatedMat

Chapters: TypeAlias = dict[str, list[Frame]]

LOOP_FRAMES = 300  # a snapshot of all 40 discs falls among them, which comes every thousand
REST_FRAMES = 200  # before them: the host reads all messages, and the game is stored
STALL_MS = 10_000
# How often there is an event then, of which piece first, and how many: two leaners a player.
EVENT_MS, FIRST_EVENT, MOST_EVENTS = 1000, 60, 8
AFTER_FRAMES = 50  # that the hand stays after its fault
AFTER_MS = 600  # what is not reported or shown by then counts as missing
FLUSHED_FRAMES = 18  # until the discs are seen to lie
STILL_FRAMES = 17  # at the end of a chapter; they are shown again and again: noise must not freeze
FAULTS = 5  # one after the other: no two meet the same frames, or the same garbage
VICTIMS = 10  # pieces that snap to a hand by turns: the foundations
TURN_DEG = 70  # from the side that a hand comes from to that of the next
READ_MS = 1500  # a host that reads again has read all by then
LIMIT_MS = 120_000

START = """
import json, time
import start
complaint = start.load()
import gc, loop
from micropython import kbd_intr
from polarity.facts import Fact
from polarity.perception import memory
mat = loop.Mat(complaint)
mat.begin()
engine, grid = mat.engine, mat.grid
def next_frame():
    frame = None
    while not frame:
        frame = grid.frame()
    return frame
def fresh_frame():
    while grid.waiting():
        grid.frame()
    return next_frame()
while not engine.game.tracker.ready:
    frame = next_frame()
    engine.frame(mat.clock.ms(grid.t_us), frame)
    mat.heap.tidy(mat.clock.ms(), 0)
"""
_LAY = """
fresh_frame()
memory.recall(engine.game.tracker, {kept}, next_frame())
engine.game.is_due = lambda t_ms: False  # more lies there than belongs to the game: no recount
for kind, piece, others, face, discs, shape in {facts}:
    fact = Fact(kind, mat.clock.ms(), piece, others, face, discs, 100 * piece, 50, shape=shape)
    engine.game.handle(fact)
gc.collect()
print(engine.game.referee.position.phase)
"""
_TURNS = """
def turns(count):
    lost, begun, first = grid.lost, time.ticks_us(), engine.health.frames
    while engine.health.frames - first < count:
        mat.turn()
    return count * 1000000 / time.ticks_diff(time.ticks_us(), begun), grid.lost - lost
fresh_frame()
gc.collect()
kept = turns({rest})[1]
engine.telemetry._snap_sent_ms -= 10000
snapped, is_kept = engine.telemetry._snap_sent_ms, mat._saved == engine.game.changes
fps, lost = turns({count})
snapped = engine.telemetry._snap_sent_ms > snapped
print("$" + json.dumps([fps, lost, kept, snapped, is_kept]))
"""
# So many times the discs lie, and the game stands, as at first, and a hand comes. Nobody judges the
# frames from then until they lie again: in those discs vanish, which makes the mat doubt its
# sensors.
_AGAIN = """
persistence = engine.persistence
offsets = b"".join([bytes(part) for part in persistence.offset_parts()])
kept = offsets, b"".join(persistence.game_parts())
gc.collect()
for hand_ms in {hands_ms}:
    print("$over")
    fresh_frame()
    for _ in range({flushed}):
        next_frame()
    print("$" + persistence.restore(*kept, next_frame()))
    mat.heap.collect()  # as Mat.begin does
    end_ms = mat.clock.ms() + hand_ms
    while mat.clock.ms() < end_ms:
        mat.turn()
"""
# While a program comes over the wire and is compiled nobody takes frames: those are not counted.
# Ctrl-C is the link's own, as in a game: MicroPython's could come while the heap is locked.
_FOREVER = """
kbd_intr(-1)
gc.collect()
fresh_frame()
lost = grid.lost
try:
    while True:
        mat.turn()
except KeyboardInterrupt:
    pass
"""
# Nothing moves, but there are events: leaners by turns, and the game is stored after each.
_EVENTS = """
kbd_intr(-1)
gc.collect()
fresh_frame()
lost, last, due_ms, told = grid.lost, engine.outbox.last, mat.clock.ms() + {every_ms}, 0
try:
    while True:
        mat.turn()
        if told < {most} and mat.clock.ms() >= due_ms:
            due_ms += {every_ms}
            piece = {first} + told // 2
            face, on = ((1, 3), (-1, 2))[piece & 1]
            kind, others, shape = (("hand_in", (), ""), ("placed", (on,), "leaner"))[told & 1]
            fact = Fact(kind, mat.clock.ms(), piece, others, face, 1, 0, 50, shape=shape)
            engine.game.handle(fact)
            told += 1
except KeyboardInterrupt:
    pass
"""
_LOST = """
print("$" + json.dumps([grid.lost - lost, grid.stalls]))
"""
_NUMBERS = """
print("$" + json.dumps([grid.lost - lost, grid.stalls, last, engine.outbox.last]))
"""


def run(mat: Mat, mhz: int, stall_ms: int = STALL_MS) -> dict[str, Any]:
    """Plays on the emulated chip at this clock. EmulatorMissing where there is none.

    `loop_fps`: frames a second through the whole loop with nothing moving, over `loop_frames`,
    `loop_lost` those it missed; `keep_lost`: frames missed just before, when the game was stored.
    Then the host reads nothing for `stall_ms`, and there is an event every second:
    `stall_frames_lost`, `stall_events_lost`: frames that the loop did not take, and numbered
    messages that never came; `stall_events` those that came.

    `moving_frames`, `moving_frames_lost`: frames shown while a hand came, a piece snapped to it and
    it left again, and those of them that the loop did not take; `stall_moving_frames_lost`: the
    same of another hand while the host reads nothing. `scan_stalls`: scans that did not end.
    """
    chapters, pieces, snapped_at = scene(mat)
    pico, at_pins = lying(mat, mhz, chapters, pieces)
    turns = _TURNS.format(rest=REST_FRAMES, count=LOOP_FRAMES)
    fps, lost, save_lost, snapped, is_saved = _printed(pico, turns)
    if not snapped or not is_saved:
        raise HostError(FAILED, "no snapshot came in the quiet, or the game was not stored")
    return {
        "loop_fps": round(fps, 1),
        "loop_frames": LOOP_FRAMES,
        "loop_lost": lost,
        "keep_lost": save_lost,
        **stalled(pico, stall_ms),
        "moving_frames": len(chapters["hand"]),
        "moving_frames_lost": _moving_lost(pico, at_pins, chapters["hand"]),
        "stall_moving_frames_lost": _moving_lost(pico, at_pins, chapters["stall"], stalled=True),
    }


def faults(mat: Mat, mhz: int, count: int = FAULTS) -> dict[str, Any]:
    """`fault_to_led_ms`, `fault_to_host_ms`: from the first frame in which a piece has snapped to a
    hand until the ring shows a fault, and until the fault's line is with the host: the mean of
    `faults` times, and with `_max` the longest; None when it did not come. `fault_times_ms`: of
    each of them, the ring's and the host's. EmulatorMissing where there is no emulator.
    """
    chapters, pieces, _ = scene(mat)
    pico, at_pins = lying(mat, mhz, chapters, pieces)
    shown: list[dict[str, float]] = []
    hands = [fault_frames(mat, number) for number in range(count)]
    hands_ms = [len(frames) * 1000 // mat.frame_hz + AFTER_MS for frames, _ in hands]
    pico.begin(_AGAIN.format(hands_ms=hands_ms, flushed=FLUSHED_FRAMES))
    for frames, snapped_at in hands:
        if not pico.run_until(lambda: b"$over" in pico.output, LIMIT_MS):
            break
        at_pins.frames = _still(chapters["lying"])
        if not pico.run_until(lambda: b" 0 lie elsewhere" in pico.output, LIMIT_MS):
            break  # the game did not go on as it was stored: none of the others is timed
        shown.append(_fault(pico, at_pins, frames, snapped_at))
    figures: dict[str, Any] = {
        "faults": len(shown),
        "fault_times_ms": [[since(each, what) for what in ("led", "host")] for each in shown],
    }
    for what in ("led", "host"):
        times = [ms for ms in (since(each, what) for each in shown) if ms is not None]
        came = len(times) == count
        figures[f"fault_to_{what}_ms"] = round(sum(times) / len(times), 1) if came else None
        figures[f"fault_to_{what}_max_ms"] = max(times) if came else None
    return figures


def fault_frames(mat: Mat, number: int) -> tuple[list[Frame], int]:
    """(frames, snapped_at): those of fault `number`, from a hand outside the mat on, and in which
    of them a piece has just snapped to that."""
    chapters, _, snapped_at = scene(mat, number % VICTIMS, -90 + TURN_DEG * number)
    return chapters["hand"][: snapped_at + AFTER_FRAMES], snapped_at


def _fault(
    pico: "EmulatedPico", at_pins: "EmulatedMat", frames: list[Frame], snapped_at: int
) -> dict[str, float]:
    """When the fault in frame `snapped_at` happened, the LEDs and the host showed it, µs."""
    shown_us: dict[str, float] = {}
    received = bytearray()

    def show() -> Iterator[Frame]:
        for number, frame in enumerate(frames):
            if number == snapped_at:
                shown_us["fault"] = pico.now_us
            yield frame

    pico.read()
    at_pins.frames = chain(show(), _still(frames))

    def complete() -> bool:
        received.extend(pico.read())
        if "fault" in shown_us:
            if "led" not in shown_us and any(orange(pixel) for pixel in at_pins.pixels):
                shown_us["led"] = pico.now_us
            if "host" not in shown_us and any(
                m["code"] == "fault" for m in messages(received, "ruling")
            ):
                shown_us["host"] = pico.now_us
        return "led" in shown_us and "host" in shown_us

    pico.run_until(complete, (frames[-1][0] - frames[0][0]) / 1000 + AFTER_MS - 50)
    return shown_us


def _still(frames: list[Frame]) -> Iterator[Frame]:
    """The last of these frames, to and fro for ever."""
    last = frames[-STILL_FRAMES:]
    return cycle([*last[::-1], *last[1:-1]])


def stalled(pico: "EmulatedPico", stall_ms: int, every_ms: int = EVENT_MS) -> dict[str, int]:
    """The figures of `run` for a host that stalls, with an event every so often; `pico` as `lying`
    returns it."""
    pico.begin(_EVENTS.format(every_ms=every_ms, first=FIRST_EVENT, most=MOST_EVENTS))
    pico.stall_host()
    pico.run(stall_ms)
    pico.unstall_host()
    pico.run(READ_MS)
    received = pico.read()
    frames_lost, stalls, before, last = _printed(pico, _NUMBERS)
    came = {m["n"] for kind in NUMBERED for m in messages(received, kind)}
    sent = set(range(before + 1, last + 1))
    return {
        "stall_ms": stall_ms,
        "stall_frames_lost": frames_lost,
        "stall_events_lost": len(sent - came),
        "stall_events": len(sent & came),
        "scan_stalls": stalls,
    }


def _moving_lost(
    pico: "EmulatedPico", at_pins: "EmulatedMat", frames: list[Frame], stalled: bool = False
) -> int:
    pico.begin(_FOREVER)
    if stalled:
        pico.stall_host()
    at_pins.frames = iter(frames)
    pico.run((frames[-1][0] - frames[0][0]) / 1000)
    if stalled:
        pico.unstall_host()
    return _printed(pico, _LOST)[0]


def _printed(pico: "EmulatedPico", code: str) -> list[Any]:
    """The JSON that a program prints after the mat's own messages."""
    return json.loads(pico.execute(code, LIMIT_MS).rpartition("$")[2])


def lying(
    mat: Mat, mhz: int, chapters: Chapters, pieces: list[Stored]
) -> "tuple[EmulatedPico, EmulatedMat]":
    """(pico, mat at its pins): the firmware runs at this clock, the discs lie, and the game has
    begun."""
    image = find_image()
    from polarity_host.simulation.pico.pico import EmulatedPico, PicoFailed
    from polarity_host.simulation.pico.pins import ScannedMat

    at_pins = ScannedMat(mat, iter(chapters["bare"]))
    pico = EmulatedPico(firmware_files(), [at_pins], image)
    pico.boot()
    pico.execute(CLOCKS_MHZ[mhz] + START, LIMIT_MS)
    at_pins.frames = iter(chapters["lying"])
    facts = setup_facts(pieces)
    if pico.execute(_LAY.format(kept=pieces, facts=facts), LIMIT_MS).split()[-1:] != ["play"]:
        raise PicoFailed("the game did not begin on the emulated chip")
    return pico, at_pins


def scene(mat: Mat, victim: int = 0, from_deg: float = -90) -> tuple[Chapters, list[Stored], int]:
    """(chapters, pieces, number): (t_us, counts) frames by the chapter's name; the pieces there
    from the second on; and the frame of "hand" in which one of them, number `victim`, has just
    snapped to the hand, which comes from that side."""
    stage = Stage(mat, seed=1)
    marks: list[int] = []
    pieces: list[Stored] = []
    snapped: list[int] = []

    def snap(face: int, number: int, from_deg: float) -> Action:
        marks.append(stage.t_us)
        hand = stage.new_disc(face)
        near = stage.resting()[number]
        yield from stage.carry_in(hand, near.xy, from_deg=from_deg)
        yield from stage.snap_to_hand(hand, near)
        snapped.append(stage.t_us)
        yield from stage.rest(0.5)
        yield from stage.carry_out(hand, from_deg)
        yield from stage.rest(0.3)

    def script() -> Action:
        yield from stage.rest(BARE_S * 2)
        marks.append(stage.t_us)
        pieces.extend(lay_discs(stage))
        yield from stage.rest(LYING_S)
        yield from snap(+1, victim, from_deg)
        yield from snap(-1, 0, 90)

    chapters: Chapters = {"bare": [], "lying": [], "hand": [], "stall": []}
    for t_us, counts in stage.stream(script()):
        name = list(chapters)[sum(t_us >= mark for mark in marks)]
        chapters[name].append((t_us, counts.copy()))
    number = int(np.searchsorted([t_us for t_us, _ in chapters["hand"]], snapped[0]))
    return chapters, pieces, number


def since(shown_us: dict[str, float], what: str) -> float | None:
    """ms from the fault until the LEDs or the host showed it, None if they did not."""
    return round((shown_us[what] - shown_us["fault"]) / 1000, 1) if what in shown_us else None


def orange(pixel: tuple[int, int, int]) -> bool:
    """The ring's colour of a fault: polarity/lights/palette.py."""
    red, green, blue = pixel
    return red > 4 and blue == 0 and red < 3 * green < 2 * red


def messages(received: bytes | bytearray, kind: str) -> list[dict[str, Any]]:
    """The undamaged messages of a kind among the bytes that came over USB."""
    found = []
    for line in bytes(received).replace(b"\r", b"").split(b"\n"):
        head, _, text = line.partition(b" ")
        if head[:1] == b"~" and len(head) == 9 and b'"k":"%s"' % kind.encode() in text:
            if int(head[1:], 16) == zlib.crc32(text):
                found.append(json.loads(text))
    return found
