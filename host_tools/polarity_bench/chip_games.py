"""Whole games on the emulated chip, from the bare mat to the result: the firmware judges what the
twin shows at its pins, at the scan's own pace.

The computer's engine judges each of the same frames. The chip may miss some while several bodies
move, and must come to the same rulings all the same.
"""

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Any, TypeAlias

import numpy as np

from polarity_bench.games import compare
from polarity_bench.judge_game import BOOT_ID, Judged, judge
from polarity_bench.on_chip import CLOCKS_MHZ
from polarity_host.device.flashing.firmware import firmware_files
from polarity_host.mats.description import load_mat
from polarity_host.replay.engine import build_engine
from polarity_host.simulation.drivers import SCRIPTED_EDITION
from polarity_host.simulation.pico.image import find_image
from polarity_host.simulation.twin.books import BLACK, WHITE
from polarity_host.simulation.twin.nuisances import USUAL, condition
from polarity_host.simulation.twin.record import Frame
from polarity_host.simulation.twin.scripted_game import GameTable, ScriptedGame
from polarity_host.simulation.twin.stage_state import Action
from polarity_host.simulation.twin.table import Plan
from polarity_host.simulation.twin.truth import Record
from polarity_host.wire.lines import LineSplitter, Message, decode
from polarity_host.wire.messages import HealthMessage

MAT, EDITION = "standard", SCRIPTED_EDITION
# What each turn tries first, where there is room for it, and how clumsy its captures are: a fault
# by contact, a capture that fails, a snap to the hand, another contact, a capture that succeeds,
# and the end.
TURNS = (
    (("leaner",), 0.0),
    (("kiss", "mix", "stack"), 0.0),
    (("leaner",), 1.0),
    (("snap_to_hand",), 0.0),
    (("kiss", "fall_kiss", "stack"), 0.0),
    (("leaner",), 0.0),
    (("touch_red", "red_off"), 0.0),
)
PACE = 0.7  # of the pauses: each second takes the emulator ten and more
# A fault in a capture is ruled as a failed capture. In each game there are these:
NEEDED = {("fault", "snapped"), ("captured", ""), ("capture_failed", ""), ("end", "")}
SLICE_MS, HELLO_MS = 20, 4000  # how often the host looks, and shows that it is there
LIMIT_MS, ENDS_MS = 30_000, 3000  # until the mat runs; after the last frame

# The loop as the firmware has it, but that it sleeps once no frame waits: the emulator leaps over
# that, which makes it several times as fast.
START = """
import start
complaint = start.load()
import loop
from machine import idle
from micropython import kbd_intr
mat = loop.Mat(complaint)
mat.begin()
"""
PLAY = """
kbd_intr(-1)  # as where the mat runs by itself: the link sees to Ctrl-C
turn, waiting = mat.turn, mat.grid.waiting
try:
    while True:
        turn()
        if not waiting():
            turn()
        while not waiting():
            idle()
except KeyboardInterrupt:
    mat.grid.stop()
"""

Ruling: TypeAlias = tuple[Any, ...]


@dataclass
class OnChip(Judged):
    """A game as the chip judged it. `frames` it had been shown and `lost` of them; `differing`
    rulings, from the computer's over the same frames, in words; `untrue`: how many rulings are not
    as the books have them, the chip's and the computer's."""

    frames: int = 0
    lost: int = 0
    differing: list[str] = field(default_factory=list)
    untrue: tuple[int, int] = 0, 0


def figures(games: Sequence[OnChip]) -> dict[str, Any]:
    """`device_games`, `device_rulings` in them. `device_rulings_wrong`: those that are not as the
    computer's engine gives them over the same frames, each missing, invented or other one counted
    once; None without a game. `device_rulings_untrue`: those that are not as the games' books have
    them; `computer_rulings_untrue`: likewise of the computer's. `device_frames` shown,
    `device_frames_lost` of them.
    """
    if not games:
        return {"device_games": 0, "device_rulings_wrong": None}
    return {
        "device_games": len(games),
        "device_turns": sum(game.turns for game in games),
        "device_game_s": round(sum(game.game_s for game in games)),
        "device_rulings": sum(len(game.rulings) for game in games),
        "device_rulings_wrong": sum(len(game.differing) for game in games),
        "device_rulings_untrue": sum(game.untrue[0] for game in games),
        "computer_rulings_untrue": sum(game.untrue[1] for game in games),
        "device_frames": sum(game.frames for game in games),
        "device_frames_lost": sum(game.lost for game in games),
        "details": [f"game {game.seed}: {line}" for game in games for line in game.differing],
    }


def game(seed: int, mhz: int) -> OnChip:
    """Game number `seed` as the chip judges it at this clock, beside the computer. EmulatorMissing
    where there is no emulator."""
    find_image()
    recorder = _Recorder(build_engine(MAT, EDITION, BOOT_ID))
    by_computer = judge(short_game(seed), engine=recorder)
    on_chip = played(recorder.frames, mhz)
    on_chip.seed, on_chip.truth, on_chip.turns = seed, by_computer.truth, by_computer.turns
    on_chip.differing = differences(by_computer.rulings, on_chip.rulings)
    on_chip.untrue = compare(on_chip)[1].wrong, compare(by_computer)[1].wrong
    return on_chip


class _Recorder:
    """An engine that keeps the frames it gets."""

    def __init__(self, engine: Any):
        self.engine = engine
        self.frames: list[Frame] = []

    def frame(self, t_ms: int, counts: "array[int]") -> None:
        self.frames.append((t_ms * 1000, np.array(counts, np.uint16)))
        self.engine.frame(t_ms, counts)

    def read(self, most: int) -> bytes:
        return self.engine.read(most)

    def command(self, chunk: bytes) -> None:
        self.engine.command(chunk)


# ---------------------------------------------------------------------- the game
def short_game(seed: int) -> ScriptedGame:
    """A game with all of NEEDED in it: the `seed`-th of those of random places that have it."""
    number = tried = 0
    while number < seed:
        tried += 1
        rulings = {
            (r["code"], r["why"] if r["code"] == "fault" else "")
            for r in _game(tried).without_counts()
            if r["k"] == "ruling"
        }
        number += rulings >= NEEDED
    return _game(tried)


def _game(seed: int) -> ScriptedGame:
    return ScriptedGame(seed, load_mat(MAT), _script, condition(USUAL))


def _script(table: GameTable) -> Action:
    table.pace = PACE
    yield from table.set_up()
    for kinds, clumsiness in TURNS:
        player = WHITE if table.books.active == BLACK else BLACK
        good = yield from table.captures(player, clumsiness)
        plan = _plan(table, player, kinds) if good else None
        if plan:
            yield from plan
        yield from table.pause(0.5)
    yield from table.stage.rest(1.5)


def _plan(table: GameTable, player: int, kinds: Sequence[str]) -> Plan:
    """The first of these kinds of turn that there is room for, or a leaner."""
    if table.in_place:  # the action disc that declares it must not cause a fault
        kinds = ()
    for kind in (*kinds, "leaner"):
        plan: Plan = getattr(table, "plan_" + kind)(player)
        if plan is not None:
            return plan
    return None


# ---------------------------------------------------------------------- on the chip
def played(frames: Sequence[Frame], mhz: int) -> OnChip:
    """What an emulated Pico at this clock tells of these frames, of which each scan shows the next.
    PicoFailed when it does not start."""
    image = find_image()
    from polarity_host.simulation.pico.pico import EmulatedPico
    from polarity_host.simulation.pico.pins import ScannedMat

    at_pins = ScannedMat(load_mat(MAT), iter(frames[:1]))
    pico = EmulatedPico(firmware_files(), [at_pins], image)
    pico.boot()
    pico.execute(CLOCKS_MHZ[mhz] + START, LIMIT_MS)
    pico.begin(PLAY, LIMIT_MS)
    shown_us: list[float] = []  # when the pins had each frame

    def show() -> Iterator[Frame]:
        for frame in frames:
            shown_us.append(pico.now_us)
            yield frame

    at_pins.frames = show()
    received: list[tuple[float, Message]] = []
    splitter, greeted_ms, ended_us = LineSplitter(), -HELLO_MS, 0.0
    while not ended_us or pico.now_us < ended_us + ENDS_MS * 1000:
        pico.run(SLICE_MS)
        now_ms = pico.now_us / 1000
        if now_ms - greeted_ms >= HELLO_MS:
            greeted_ms = now_ms
            pico.write(b"hello\n")
        if len(shown_us) == len(frames) and not ended_us:
            ended_us = pico.now_us
            pico.write(b"snap\n")  # the mat's health comes with it
        lines = map(decode, splitter.feed(pico.read()))
        received += [(now_ms, line) for line in lines if isinstance(line, Message)]
    return _judged(received, shown_us, [t_us for t_us, _ in frames])


def _judged(
    received: Sequence[tuple[float, Message]], shown_us: Sequence[float], times_us: Sequence[int]
) -> OnChip:
    """The messages as records with the twin's times. The chip's clock began when the mat did: so
    long before the emulator's that no message was there before its time, but hardly any earlier."""
    on_chip = OnChip(0, frames=len(times_us), game_s=times_us[-1] / 1e6)
    began_ms = min(now_ms - message.t_ms for now_ms, message in received)

    def twins_us(chips_ms: float) -> int:
        return int(np.interp(chips_ms * 1000, shown_us, times_us))

    for now_ms, message in received:
        if isinstance(message.body, HealthMessage):
            on_chip.lost = message.body.lost
        if message.kind in ("fact", "ruling"):
            times = {"sent_us": twins_us(now_ms), "t_us": twins_us(began_ms + message.t_ms)}
            records = on_chip.facts if message.kind == "fact" else on_chip.rulings
            records.append({**message.as_received(), **times})
    return on_chip


# ---------------------------------------------------------------------- the same, or not
def differences(computer: Sequence[Record], chip: Sequence[Record]) -> list[str]:
    """What the chip ruled otherwise than the computer, a line each: missing, invented, or another
    one in its place. What is ruled, of whom, why, and how it stands after it counts; the time and
    the pieces' numbers do not."""
    left, right = [_essence(r) for r in computer], [_essence(r) for r in chip]
    lines = []
    matcher = SequenceMatcher(None, left, right, autojunk=False)
    for what, a, b, c, d in matcher.get_opcodes():
        for k in range(0 if what == "equal" else max(b - a, d - c)):
            one = left[a + k] if a + k < b else None
            other = right[c + k] if c + k < d else None
            lines.append(f"computer {one or 'nothing'}, chip {other or 'nothing'}")
    return lines


def _essence(ruling: Record) -> Ruling:
    owed = sorted((player, len(pieces)) for player, pieces in ruling["owed"])
    return (
        ruling["code"], ruling["player"], ruling["why"], len(ruling["pieces"]),
        tuple(ruling["reserve"]), tuple(ruling.get("score") or ()), tuple(owed),
    )  # fmt: skip
