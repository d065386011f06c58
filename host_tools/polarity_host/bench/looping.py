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
from polarity_host.errors import FAILED, HostError
from polarity_host.mat import Mat
from polarity_host.twin.stage import Stage

LOOP_FRAMES = 60
STALL_MS = 10_000
AT_ONCE_MS = 800  # a fault that is not shown by then is not
LIMIT_MS = 120_000

_START = """
import json, time
from drivers import flash_code
complaint = flash_code.move("code")
import gc, loop
from polarity.facts import Fact
from polarity.perception import memory
mat = loop.Mat(complaint)
mat.check()
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


def run(mat: Mat, stall_ms: int = STALL_MS) -> dict:
    """Plays on the emulated chip. EmulatorMissing where there is none.

    `loop_fps`: frames a second through the whole loop with nothing moving, `loop_lost` those it
    missed. `fault_to_led_ms`, `fault_to_host_ms`: from the first frame in which a piece has snapped
    to the hand until the ring shows a fault, and until the fault's line is with the host.
    `stall_frames_lost`, `stall_events_lost`: frames nobody took, and numbered messages that never
    came, while the host read nothing for `stall_ms` as the hand left the mat. None for what did not
    come.
    """
    from polarity_host.emulated.mat import EmulatedMat
    from polarity_host.emulated.pico import EmulatedPico

    image = find_image()
    chapters, kept, snapped_at = scene(mat)
    at_pins = EmulatedMat(mat, iter(chapters["bare"]))
    pico = EmulatedPico(firmware_files(), [at_pins], image)
    pico.boot()
    pico.execute(_START, LIMIT_MS)
    at_pins.frames = iter(chapters["lying"])
    facts = setup_facts(kept)
    if pico.execute(_LAY.format(kept=kept, facts=facts), LIMIT_MS).split()[-1:] != ["play"]:
        raise HostError(FAILED, "the game did not begin on the emulated chip")
    fps, lost = json.loads(
        pico.execute(_TURNS.format(count=LOOP_FRAMES), LIMIT_MS).rpartition("$")[2]
    )
    pico.begin(_FOREVER)
    shown_us = {}

    def show():
        for number, frame in enumerate(chapters["snap"]):
            if number == snapped_at:
                shown_us["fault"] = pico.now_us
            yield frame

    at_pins.frames = show()
    told = bytearray()

    def seen():
        told.extend(pico.read())
        if "fault" not in shown_us:
            return False
        if "led" not in shown_us and any(orange(pixel) for pixel in at_pins.pixels):
            shown_us["led"] = pico.now_us
        if "host" not in shown_us and any(m["code"] == "fault" for m in messages(told, "ruling")):
            shown_us["host"] = pico.now_us
        return len(shown_us) == 3

    pico.run_until(lambda: "fault" in shown_us, LIMIT_MS)
    pico.run_until(seen, AT_ONCE_MS)
    figures = {
        "loop_fps": round(fps, 1),
        "loop_lost": lost,
        "fault_to_led_ms": since(shown_us, "led"),
        "fault_to_host_ms": since(shown_us, "host"),
    }
    if stall_ms:
        pico.stall_host()
        at_pins.frames = iter(chapters["leave"])
        pico.run(stall_ms)
        pico.unstall_host()
        pico.run(AT_ONCE_MS)
        told.extend(pico.read())
        numbers = {m["n"] for kind in ("fact", "ruling", "log") for m in messages(told, kind)}
        frames_lost, stalls = json.loads(pico.execute(_LOST, LIMIT_MS).rpartition("$")[2])
        missing = set(range(min(numbers), max(numbers) + 1)) - numbers
        figures |= {
            "stall_ms": stall_ms,
            "stall_frames_lost": frames_lost,
            "stall_events_lost": len(missing),
            "stall_events": len([m for m in messages(told, "fact") if m["f"] == "hand_out"]),
            "scan_stalls": stalls,
        }
    return figures


def scene(mat: Mat) -> tuple:
    """(chapters, kept, number): (t_us, counts) frames by the chapter's name; what lies there from
    the second on; and the frame of "snap" in which a piece has just snapped to the hand."""
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
        marks.append(stage.t_us)
        yield from stage.carry_out(hand, -90)
        yield from stage.rest(0.3)

    chapters = {"bare": [], "lying": [], "snap": [], "leave": []}
    for t_us, counts in stage.stream(script()):
        name = list(chapters)[sum(t_us >= mark for mark in marks)]
        chapters[name].append((t_us, counts.copy()))
    number = int(np.searchsorted([t_us for t_us, _ in chapters["snap"]], snapped[0]))
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
