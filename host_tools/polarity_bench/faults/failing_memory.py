"""A short game under MicroPython in which allocations fail, one after the other. Runs there alone.

Before each piece of work the heap is filled but for some blocks of 16 bytes, so that the first
allocation beyond them fails. What the mat's loop does then (loop.py, start.py) is done here: it
starts once more, with the game as it was kept in the last pause.
"""

import json
import sys
from array import array

import heap_lock  # pyright: ignore[reportMissingImports]  # they lie in one folder there

heap_lock.lock_kernels("/firmware")

from polarity.engine import Engine  # noqa: E402  # the lock comes first
from polarity.mat_data import load  # noqa: E402
from polarity.persistence import serialized  # noqa: E402

LOADED = set(sys.modules)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

COMMANDS = (
    b"hello\n", b"snap\n", b"resume 1\n", b"frames on\n", b"flight on\n", b"overrule 0 denied\n",
    b"undo 0\n", b"answer 0 yes\n", b"set brightness 50\n", b"settings\n", b"frames off\n",
    b"reserve 3 w\n", b"nonsense\n",
)  # fmt: skip
BLOCK = 16  # bytes
PIECES = 6000  # of memory, at most, that fill the heap
FEW, MANY = 14, 420  # blocks that are left: half of the times at most FEW

with open("/task.json") as task:
    TASK = json.load(task)
frames = open("/short.matrec", "rb")
header = json.loads(frames.readline())
FIRST = frames.tell()
mat = load(header["mat"])
counts = array("H", [0] * header["n"])
stamp = bytearray(8)

filling: "list[Any]" = [None] * PIECES
figures = {"failed": 0, "unrecovered": 0, "went_on": 0, "anew": 0}
details: "list[str]" = []
ballast: "list[Any]" = []  # takes what the chip does not have
engine: "Any" = None
kept: "Any" = None  # (offsets, game, the position as text)
again = False  # a restart is due
number = 0  # of the frame in this pass
saved = -1  # changes of the game that are kept
state = TASK["seed"]


def drawn(below: int) -> int:
    """A pseudo-random number (Park and Miller)."""
    global state
    state = state * 48271 % 2147483647
    return state % below


def fill(left: int, pieces: "list[Any]") -> None:
    """Leaves `left` blocks of the heap, in one piece; `pieces` hold the rest."""
    gap = [None] * (BLOCK // 4 * left)
    size, k = 65536, 0
    while size and k < PIECES:
        try:
            pieces[k] = [None] * size
            k += 1
        except MemoryError:
            size >>= 1
    gap.clear()  # this gives all but one block back at once


def empty() -> None:
    """Gives the memory back."""
    for k in range(PIECES):
        if filling[k]:
            filling[k].clear()
        filling[k] = None


def position_text() -> str:
    """The position as it is kept."""
    return "".join(serialized(engine.game.referee.position))


def trouble(what: str, error: Exception) -> None:
    """Something that must not be."""
    figures["unrecovered"] += 1
    if len(details) < 8:
        details.append(what + " " + repr(error) + ", frame " + str(number))


def tried(what: str, work: "Any", *arguments: "Any") -> bool:
    """Does a piece of work with little memory; returns whether an allocation failed."""
    fill(1 + drawn(FEW if drawn(2) else MANY), filling)
    failed = False
    try:
        work(*arguments)
    except MemoryError:
        failed = True
    except Exception as error:
        empty()
        trouble(what, error)
        return True
    empty()
    figures["failed"] += failed
    return failed


def judge(t_ms: int) -> None:
    """A frame, and what the link takes after it."""
    engine.frame(t_ms, counts)
    engine.lights(t_ms, True)
    while engine.read(512):
        pass


def save() -> None:
    """As the loop does in a pause."""
    global kept
    persistence = engine.persistence
    game = b"".join(persistence.game_parts())
    offsets = b"".join([bytes(part) for part in persistence.offset_parts()])
    kept = offsets, game, position_text()


def start() -> None:
    """As the mat does after a power cut or a failure."""
    global engine, again
    again = False
    for module in [name for name in sys.modules if name not in LOADED]:
        sys.modules.pop(module, None)  # the chip restarts: none is left half-loaded
    try:
        engine = Engine(mat, header["edition"], 1 + drawn(1000))
        if kept is None:
            return
        if not engine.persistence.restore(kept[0], kept[1], counts, 0):
            figures["anew"] += 1
            return
        figures["went_on"] += 1
        restored = json.loads(position_text())
        if discs(restored) != discs(json.loads(kept[2])):
            raise ValueError("another position")
    except Exception as error:
        trouble("start", error)


def discs(position: "Any") -> "list[Any]":
    """What of a position a restart leaves as it was: names and values from the reserves on."""
    found = []
    for at in range(1, len(position), 2):
        if position[at] in ("reserve", "pieces", "phase", "turn", "active", "groups", "founded"):
            found.append((position[at], position[at + 1]))
    return found


def next_frame() -> int:
    """Reads a frame; its time in ms, -1 at the end."""
    if frames.readinto(stamp) < 8 or frames.readinto(counts) < 2 * header["n"]:
        return -1
    return int.from_bytes(stamp, "little") // 1000


def turn() -> int:
    """One frame of the game, and sometimes a command. 0 when enough has failed."""
    global again, number, kept, engine, saved
    if engine is None:
        start()
        return 2
    if not ballast:
        ballast.extend([None] * PIECES)
        fill(TASK["chip_free_bytes"] // BLOCK, ballast)
        return 2
    if again:
        engine, saved = None, -1
        return 2
    t_ms = next_frame()
    if t_ms < 0:
        if figures["failed"] >= TASK["count"] or figures["unrecovered"] > 20:
            print(json.dumps({"figures": figures, "details": details}))
            return 0
        frames.seek(FIRST)
        number, kept, engine, saved = 0, None, None, -1
        return 2
    number += 1
    if not engine.game.tracker.ready:
        judge(t_ms)
    else:
        again = tried("frame", judge, t_ms)
        if not again and number % 10 == 0:
            again = tried("command", engine.command, COMMANDS[drawn(len(COMMANDS))])
    if not again and engine.game.changes != saved and not engine.game.moving():
        keep()
    return 2


def keep() -> None:
    """In a pause; every other time with little memory, where the loop goes on with what it had."""
    global kept, saved
    before = kept
    if not engine.game.tracker.ready:
        return
    if drawn(2) and tried("save", save):
        kept = before
        engine.log("error", "memory is short: nothing can be saved")
    else:
        save()
    saved = engine.game.changes
