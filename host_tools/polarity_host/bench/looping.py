"""The whole loop on the emulated chip: scan, perceive, judge, lights and wire, with 40 discs lying.

The twin's frames stand at the chip's pins. When something has happened there is the twin's to say;
when the ring or the host shows it, the emulator's clock tells.
"""

import json
import zlib

import numpy as np

from polarity_host.bench.playing import BARE_S, LYING_S, lay_discs, setup_facts
from polarity_host.board.firmware import firmware_files
from polarity_host.emulated.image import find_image
from polarity_host.mat import Mat
from polarity_host.twin.stage import Stage

LOOP_FRAMES = 60
STALL_MS = 10_000
AFTER_MS = 800  # what is not told or shown by then is not
LIMIT_MS = 120_000

_START = """
import json, time
from drivers import flash_code
complaint = flash_code.move("code")
import gc, loop
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
while not engine.tracker.ready:
    frame = next_frame()
    engine.frame(mat.clock.ms(grid.t_us), frame)
"""
_LAY = """
for _ in range(4):
    next_frame()
memory.recall(engine.tracker, {kept}, next_frame())
for kind, piece, others, face, discs, shape in {facts}:
    fact = Fact(kind, mat.clock.ms(), piece, others, face, discs, 100 * piece, 50, shape=shape)
    engine.tell(fact)
gc.collect()
print(engine.referee.position.phase)
"""
_TURNS = """
next_frame()
gc.collect()
lost, begun, first = grid.lost, time.ticks_us(), engine.frames
while engine.frames - first < {count}:
    mat.turn()
spent = time.ticks_diff(time.ticks_us(), begun)
print("$" + json.dumps([{count} * 1000000 / spent, grid.lost - lost]))
"""
_FOREVER = """
gc.collect()
mat.link.send(engine, 1000)
lost = grid.lost
try:
    while True:
        mat.turn()
except KeyboardInterrupt:
    pass
"""
_LOST = """
print("$" + json.dumps([grid.lost - lost, grid.stalls]))
"""


def run(mat: Mat) -> dict:
    """Plays on the emulated chip. EmulatorMissing where there is none.

    `loop_fps`: frames a second through the whole loop with nothing moving, `loop_lost` those it
    missed. `fault_to_led_ms`, `fault_to_host_ms`: from the first frame in which a piece has snapped
    to the hand until the ring shows a fault, and until the fault's line is with the host; None for
    what did not come. `moving_frames`, `moving_frames_lost`: frames shown while the hand came, had
    it and left again, and those of them that nobody took.
    """
    chapters, kept, snapped_at = scene(mat)
    pico, at_pins = _lying(mat, chapters, kept)
    fps, lost = json.loads(
        pico.execute(_TURNS.format(count=LOOP_FRAMES), LIMIT_MS).rpartition("$")[2]
    )
    pico.begin(_FOREVER)
    shown_us = {}

    def show():
        for number, frame in enumerate(chapters["hand"]):
            if number == snapped_at:
                shown_us["fault"] = pico.now_us
            yield frame
        shown_us["end"] = pico.now_us

    at_pins.frames = show()
    told = bytearray()

    def seen():
        told.extend(pico.read())
        if "fault" in shown_us:
            if "led" not in shown_us and any(orange(pixel) for pixel in at_pins.pixels):
                shown_us["led"] = pico.now_us
            if "host" not in shown_us and any(
                m["code"] == "fault" for m in messages(told, "ruling")
            ):
                shown_us["host"] = pico.now_us
        return "end" in shown_us

    pico.run_until(seen, LIMIT_MS)
    pico.run(AFTER_MS)
    return {
        "loop_fps": round(fps, 1),
        "loop_lost": lost,
        "fault_to_led_ms": since(shown_us, "led"),
        "fault_to_host_ms": since(shown_us, "host"),
        "moving_frames": len(chapters["hand"]),
        "moving_frames_lost": json.loads(pico.execute(_LOST, LIMIT_MS).rpartition("$")[2])[0],
    }


def stalled(mat: Mat, stall_ms: int = STALL_MS) -> dict:
    """The same hand plays while the host reads nothing for `stall_ms`. EmulatorMissing.

    `stall_frames_lost`, `stall_events_lost`: frames that nobody took, and numbered messages that
    never came; `stall_events` those that came. `scan_stalls`: scans that did not end.
    """
    chapters, kept, _ = scene(mat)
    pico, at_pins = _lying(mat, chapters, kept)
    pico.begin(_FOREVER)
    pico.stall_host()
    at_pins.frames = iter(chapters["hand"])
    pico.run(stall_ms)
    pico.unstall_host()
    told = bytearray()

    def all_told():
        told.extend(pico.read())
        return any(fact["f"] == "hand_out" for fact in messages(told, "fact"))

    pico.run_until(all_told, AFTER_MS)
    frames_lost, stalls = json.loads(pico.execute(_LOST, LIMIT_MS).rpartition("$")[2])
    numbers = {m["n"] for kind in ("fact", "ruling", "log") for m in messages(told, kind)}
    missing = set(range(min(numbers, default=0), max(numbers, default=0) + 1)) - numbers
    return {
        "stall_ms": stall_ms,
        "stall_frames_lost": frames_lost,
        "stall_events_lost": len(missing) if numbers else None,
        "stall_events": len(numbers),
        "scan_stalls": stalls,
    }


def _lying(mat: Mat, chapters: dict, kept: list) -> tuple:
    """(pico, mat at its pins): the firmware runs, the discs lie, and the game has begun."""
    image = find_image()
    from polarity_host.emulated.mat import EmulatedMat
    from polarity_host.emulated.pico import EmulatedPico, PicoFailed

    at_pins = EmulatedMat(mat, iter(chapters["bare"]))
    pico = EmulatedPico(firmware_files(), [at_pins], image)
    pico.boot()
    pico.execute(_START, LIMIT_MS)
    at_pins.frames = iter(chapters["lying"])
    facts = setup_facts(kept)
    if pico.execute(_LAY.format(kept=kept, facts=facts), LIMIT_MS).split()[-1:] != ["play"]:
        raise PicoFailed("the game did not begin on the emulated chip")
    return pico, at_pins


def scene(mat: Mat) -> tuple:
    """(chapters, kept, number): (t_us, counts) frames by the chapter's name; what lies there from
    the second on; and the frame of "hand" in which a piece has just snapped to the hand."""
    stage = Stage(mat, seed=1)
    marks, kept, snapped = [], [], []

    def script():
        yield from stage.rest(BARE_S * 2)
        marks.append(stage.t_us)
        kept.extend(lay_discs(stage))
        yield from stage.rest(LYING_S)
        marks.append(stage.t_us)
        hand = stage.new_disc(+1)
        victim = stage.resting()[0]  # a foundation
        yield from stage.carry_in(hand, victim.xy, from_deg=-90)
        yield from stage.snap_to_hand(hand, victim)
        snapped.append(stage.t_us)
        yield from stage.rest(0.5)
        yield from stage.carry_out(hand, -90)
        yield from stage.rest(0.3)

    chapters = {"bare": [], "lying": [], "hand": []}
    for t_us, counts in stage.stream(script()):
        name = list(chapters)[sum(t_us >= mark for mark in marks)]
        chapters[name].append((t_us, counts.copy()))
    number = int(np.searchsorted([t_us for t_us, _ in chapters["hand"]], snapped[0]))
    return chapters, kept, number


def since(shown_us: dict, what: str):
    return round((shown_us[what] - shown_us["fault"]) / 1000, 1) if what in shown_us else None


def orange(pixel: tuple) -> bool:
    """The ring's colour of a fault: polarity/lights/palette.py."""
    red, green, blue = pixel
    return red > 4 and blue == 0 and red < 3 * green < 2 * red


def messages(said: bytes, kind: str) -> list:
    """The whole messages of a kind among what came over USB."""
    found = []
    for line in bytes(said).replace(b"\r", b"").split(b"\n"):
        head, _, text = line.partition(b" ")
        if head[:1] == b"~" and len(head) == 9 and b'"k":"%s"' % kind.encode() in text:
            if int(head[1:], 16) == zlib.crc32(text):
                found.append(json.loads(text))
    return found
