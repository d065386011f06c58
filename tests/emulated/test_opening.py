"""A recorded game through the whole chip: scan, loop, engine and port, followed as `polarity log`
follows a mat. Its every word is the one that the engine under CPython says of the same frames.
Then the plug is pulled, and the game goes on.

Which frames the chip took, and when, it says afterwards: some are lost while the game is kept.
"""

import json
from array import array
from base64 import b64decode

import pytest

from polarity import mat_data
from polarity.engine import Engine
from polarity.wire.messages import NUMBERED
from polarity.wire.reading import unframe
from polarity_host.device.flashing.firmware import firmware_files
from polarity_host.device.link import Link
from polarity_host.errors import HostError
from polarity_host.games.store import Store
from polarity_host.live.mat_session import MatSession
from polarity_host.mats.description import load_mat
from polarity_host.replay.recording import RecordingReader, RecordingWriter
from polarity_host.simulation.pico import opening
from polarity_host.wire.lines import LineSplitter, Message, decode
from tests.emulated.flash_files import REGION, files_in
from tests.emulated.programs import pico_with, record

LIMIT_MS = 30_000
AFTER_MS = 2000  # the last words, the host's time to read them, and the game is kept
ONCE = ("red_placed", "foundation", "turn", "fault", "captured")  # after each the game is kept
BEGUN = 2  # frames that Mat.begin takes before the engine's first

START = """
from binascii import b2a_base64
import start
complaint = start.load()
import loop
mat = loop.Mat(complaint)
engine, grid = mat.engine, mat.grid
judge = engine.frame
log = bytearray(3 * 2500)
taken = 0
def frame(t_ms, counts, missed, waiting):
    global taken, before_ms, before_lost
    passed, lost = t_ms - before_ms, grid.lost - before_lost
    log[taken] = passed & 255
    log[taken + 1] = passed >> 8
    log[taken + 2] = lost << 3 | waiting
    taken += 3
    before_ms, before_lost = t_ms, grid.lost
    judge(t_ms, counts, missed, waiting)
engine.frame = frame
mat.begin()
"""
PLAY = """
from micropython import kbd_intr
kbd_intr(-1)  # the REPL turns Ctrl-C on for each program; where the mat runs it is the link's
before_ms, before_lost = first = mat.clock.ms(), grid.lost
try:
    while True:
        mat.turn()
except KeyboardInterrupt:
    grid.stop()
"""
SAY = """
import gc
gc.collect()
print("$")
for at in range(0, taken, 300):
    print(b2a_base64(log[at : min(at + 300, taken)]).decode().strip())
print(first[0], first[1], grid.stalls)
"""


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """The counts of every frame of the recording."""
    path = tmp_path_factory.mktemp("opening") / "opening.matrec"
    mat = load_mat(opening.MAT)
    with RecordingWriter(path, mat.id, mat.n, opening.EDITION, seed=opening.SEED) as recording:
        for t_us, counts in opening.played(opening.CALM)[0]:
            recording.write(t_us, counts)
    with RecordingReader(path) as frames:
        return [(t_us, counts.copy()) for t_us, counts in frames]


@pytest.fixture(scope="module")
def played(image, shown, tmp_path_factory):
    """(the game and its lines as stored, `frames_of` each frame judged, the Pico, the mat at its
    pins)."""
    from polarity_host.simulation.pico.pins import EmulatedMat
    from polarity_host.simulation.pico.tcp_port import ServedPico

    at_pins = EmulatedMat(load_mat(opening.MAT), iter(shown[:1]))
    settings = json.dumps({"mat": opening.MAT, "edition": opening.EDITION}).encode()
    files = firmware_files() | {"kept/settings": record(settings)}
    pico = pico_with(image, at_pins, files=files)
    pico.execute(START, LIMIT_MS)
    pico.begin(PLAY)
    ended_us = []

    def played():
        yield from shown
        ended_us.append(pico.now_us)

    before = at_pins.scans
    at_pins.frames = played()
    path = tmp_path_factory.mktemp("log") / "games.db"

    def over():
        if ended_us and pico.now_us > ended_us[0] + AFTER_MS * 1000:
            served.close()

    served = ServedPico(pico, over)

    def connect(url, known, wait_s):  # an emulated mat's answers take their time
        return Link(url, known, wait_s, clock=lambda: pico.now_us / 1e6)

    session = MatSession(served.url, path, wait_s=0.0, connect=connect)
    with pytest.raises(HostError):  # the port is gone
        session.run()
    with Store(path) as store:
        (game,) = store.games()
        lines = store.raw_lines(game["id"])
    *parts, t_ms, lost, stalls = pico.execute(SAY, LIMIT_MS).rpartition("$")[2].split()
    assert stalls == "0"
    log = b"".join(map(b64decode, parts))
    taken = frames_of(log, int(t_ms), BEGUN + int(lost) - before)
    return game, lines, list(taken), pico, at_pins


def frames_of(data, t_ms, completed):
    """(t_ms, number of the frame shown): each scan shows the next. `completed`: how many scans are
    over, counted from the first that shows the recording; how many frames waited."""
    for at in range(0, len(data), 3):
        t_ms += int.from_bytes(data[at : at + 2], "little", signed=True)  # the first one waited
        completed += 1 + (data[at + 2] >> 3)
        yield t_ms, max(0, completed - 1), data[at + 2] & 7


def judged(messages, taken, shown):
    """The numbered lines of an engine under CPython that is shown the same."""
    first = messages[0]
    engine = Engine(mat_data.load(opening.MAT), opening.EDITION, first.boot)
    for message in messages:
        if message.kind == "log" and message.t_ms == 0:  # the loop's, before the first frame
            engine.log(message.body.level, message.body.text)
    said = []
    for t_ms, number, waiting in taken:
        counts = shown[min(number, len(shown) - 1)][1]
        engine.frame(t_ms, array("H", counts.tolist()), 0, waiting)
        while True:
            part = engine.read(4096)
            if not part:
                break
            said.append(part)
    texts = [unframe(line) for line in b"".join(said).split(b"\n")[:-1]]
    return [text for text in texts if json.loads(text)["k"] in NUMBERED]


def test_the_chip_says_what_cpython_says_and_the_log_has_it(played, shown):
    game, lines, taken, *_ = played
    messages = [decode(line.encode()) for line in lines]
    numbered = [m for m in messages if m.kind in NUMBERED]
    assert [m.number for m in numbered] == list(range(1, len(numbered) + 1))
    assert game["edition"] == opening.EDITION
    rulings = [m.body for m in numbered if m.kind == "ruling"]
    assert [(r.code, r.player, r.why) for r in rulings] == opening.RULINGS
    stored = [unframe(line.encode()) for line in lines]
    stored = [text for text in stored if json.loads(text)["k"] in NUMBERED]
    assert stored == judged(messages, taken, shown)


def test_the_game_was_kept_about_once_a_turn(played):
    """Its record's number says how often: years of drivers/flash_store.py depend on it."""
    _, lines, _, pico, _ = played
    kept = files_in(bytes(pico.chip.flash[REGION]))["kept/game"]
    messages = [decode(line.encode()) for line in lines]
    turns = [m for m in messages if m.kind == "ruling" and m.body.code in ONCE]
    assert 0 < int.from_bytes(kept[4:8], "little") <= len(turns)


def test_after_a_power_cut_the_mat_says_what_it_remembers_and_goes_on(played):
    """It lies there as it did: the red disc, a foundation, and the tower that was captured."""
    _, lines, _, pico, _ = played
    pico.power_cut()
    pico.boot()
    assert pico.run_until(lambda: b"memory free" in pico.output, 20_000)
    pico.write(b"snap\n")
    assert pico.run_until(lambda: b'"snap"' in pico.output and b'"cmd":"snap"' in pico.output, 5000)
    messages = [decode(line) for line in LineSplitter().feed(pico.read())]
    messages = [message for message in messages if isinstance(message, Message)]
    texts = [m.body.text for m in messages if m.kind == "log"]
    assert texts[0] == "the game goes on: 3 pieces remembered, 0 lie elsewhere"
    (snap,) = [m.body for m in messages if m.kind == "snap"]
    last = [
        m.as_received() for m in (decode(line.encode()) for line in lines) if m.kind == "ruling"
    ][-1]
    assert [snap.state[name] for name in ("reserve", "turn", "active")] == [
        last[name] for name in ("reserve", "turn", "active")
    ]
    assert sorted((p[1], p[2], p[3]) for p in snap.pieces) == [
        ("flat", "w", 1), ("red", "w", 1), ("tower", "b", 2)
    ]  # fmt: skip


def test_another_game_begins_when_the_mat_is_cleared(played, shown):
    """And again, and again: its memory is that of the game before."""
    *_, pico, at_pins = played
    for number in range(3):
        pico.write(b"new temple\n")
        for told in (b'"cmd":"new temple","ok":true', b'"why":"clear the mat'):
            assert pico.run_until(lambda told=told: told in pico.output, 10_000), (number, told)
        pico.read()
    at_pins.frames = iter(shown[:1])
    assert pico.run_until(
        lambda: b'"k":"health"' in pico.output and b'"why":""' in pico.output, 10_000
    )
