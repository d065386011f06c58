"""The loop on the chip: drivers, an engine and the host together, from power-up to Ctrl-C.

The engine here is a stand-in that says what it was handed: this is about all that is round it.
"""

import base64
import json

import numpy as np
import pytest

from polarity_host.device.flashing.firmware import firmware_files
from polarity_host.mats.description import load_mat
from tests.emulated.programs import record
from tests.emulated.test_guard import SOONER

ENGINE = b"""
from gc import mem_alloc
from time import ticks_diff, ticks_ms
def pass_ms(ms):
    begun = ticks_ms()
    while ticks_diff(ticks_ms(), begun) < ms:
        pass
from polarity.persistence import Persistence
from polarity.wire.commands import CommandReader
class Outbox:
    def behind(self):
        return 0
    def send(self, kind, t_ms, values):
        print(kind, values)
class Tracker:
    ready = False
class Game:
    tracker, changes, number = Tracker(), 0, 1
    def __init__(self, mat, edition):
        self.mat, self.edition = mat, edition
    def mark_changed(self):
        self.changes += 1
    def moving(self):
        return False
    def busy(self):
        return True
class Telemetry:
    only_frames = False
    def __init__(self, told):
        self.told = told
    def unread_ms(self, t_ms):
        return 10_001
    def judge_again(self):
        self.only_frames = False
        self.told.append(b"judges again\\n")
class Engine:
    outbox = Outbox()
    def __init__(self, mat, edition, boot_id, calibration, settings, on_ruling):
        self.reader = CommandReader()
        self.game = Game(mat, edition)
        self.persistence = Persistence(self.game, settings)
        self.told = [b"begun %s %s\\n" % (mat.MAT.encode(), edition.encode())]
        self.telemetry = Telemetry(self.told)
        self.sums, self.steps_ms, self.t_ms, self.slow = [], [], 0, False
        self.left = b""
        self.late, self.painted = [], 0
    def frame(self, t_ms, counts, lost, waiting):
        if not self.sums:
            self.first_ms = t_ms
        self.sums.append(sum(counts))
        self.steps_ms.append(t_ms - self.t_ms)
        self.t_ms = t_ms
        if self.slow:
            self.slow = False
            pass_ms(45)
            self.steps_ms.clear()
        if self.late:  # a second and more in which frames come sooner than they are judged
            pass_ms(10)
            bytearray(1000)
            if len(self.late) % 10 == 0:
                self.most = max(self.most, mem_alloc())
            self.late.pop()
            if not self.late:
                told = self.painted, self.most - self.least, lost
                self.told.append(b"late %r\\n" % list(told))
    def command(self, data):
        if b"abort" in data:  # as a collection would that no reference holds back
            from machine import mem32
            mem32[0x50000444] = 7  # CHAN_ABORT: RP2040 datasheet 2.5.7
        while b"hang" in data:
            pass
        self.telemetry.only_frames = b"only" in data
        self.slow = b"slow" in data
        if b"late" in data:
            self.late, self.painted = [0] * 80, 0
            self.least = self.most = mem_alloc()
        for name, words, line in self.reader.feed(data):
            if name == "set":
                values, text, _ = self.persistence.set(words)
                self.log("info", text)
                self.outbox.send("settings", 0, values)
        self.told.append(b"heard %r frames %d\\n" % (data, len(self.sums)))
        self.told.append(b"sums %r\\n" % self.sums[-3:])
        took_ms = (self.t_ms - self.first_ms) // (len(self.sums) - 1)
        self.told.append(b"ms a frame %d\\n" % took_ms)
        self.told.append(b"steps %r\\n" % self.steps_ms[:6])
    def log(self, level, text):
        self.told.append(b"%s %s\\n" % (level.encode(), text.encode()))
    def read(self, most):
        if not self.left and self.told:
            self.left = self.told.pop(0)
        part, self.left = self.left[:most], self.left[most:]
        return part
    def lights(self, t_ms, connected):
        self.painted += 1
        return bytes([1, 2, 3] if connected else [4, 5, 6]) * 36
"""


def files_with(kept: dict) -> dict:
    """The firmware with that stand-in, all in the heap, and what is kept by name."""
    files = {
        name: data
        for name, data in firmware_files().items()
        if not name.startswith(("code/", "table/")) and name != "polarity/engine.mpy"
    }
    kept = {"kept/" + name: data for name, data in kept.items()}
    return files | {"polarity/engine.py": ENGINE} | kept


@pytest.fixture
def power_up(image):
    def make(first="", **kept):
        from polarity_host.simulation.pico.pico import EmulatedPico
        from polarity_host.simulation.pico.pins import EmulatedMat

        mat = load_mat("small")
        counts = np.full(mat.n, mat.zero_count, np.uint16)
        at_pins = EmulatedMat(mat, [(0, counts)])
        files = files_with(kept)
        files["boot.py"] += first.encode()
        pico = EmulatedPico(files, [at_pins], image)
        pico.boot()
        return pico, at_pins, int(counts.astype(int).sum())

    return make


#: The clock leaps by 20 s after some turns, so that the start counts as passed, then by ten days.
AGES = """
from drivers.clock import Clock
ms, calls = Clock.ms, [0]
def aged(self, at_us=None):
    calls[0] += 1
    leap = 0 if calls[0] < 200 else 20_000 if calls[0] < 400 else 864_000_000
    return ms(self, at_us) + leap
Clock.ms = aged
"""


def test_a_mat_starts_anew_before_its_times_outgrow_small_ints(power_up):
    pico, _, _ = power_up(AGES)
    assert pico.run_until(lambda: pico.output.count(b"begun ") == 2, 6000), pico.output
    assert pico.run_until(lambda: pico.output.count(b" MHz\n") == 2, 2000), pico.output
    assert b"failed" not in pico.output and b"Traceback" not in pico.output


def test_from_power_up_to_ctrl_c(power_up):
    kept = json.dumps({"mat": "small", "edition": "original", "brightness": 255}).encode()
    pico, at_pins, total = power_up(settings=record(kept))
    assert pico.run_until(lambda: b" MHz\n" in pico.output, 2000), pico.output
    lines = pico.read().replace(b"\r", b"").splitlines()
    assert lines[-3:-1] == [b"begun small original", b"warn no code pages; no table pages"]
    assert lines[-1].startswith(b"info memory free: ")
    pico.run(100)
    assert set(at_pins.pixels) == {(4, 5, 6)}
    pico.write(b"hello\n")
    assert pico.run_until(lambda: b"ms a frame" in pico.output, 500)
    heard, sums, pace, *_ = pico.read().replace(b"\r", b"").splitlines()
    assert heard.startswith(b"heard b'hello\\n'")
    assert json.loads(sums.removeprefix(b"sums ")) == [total] * 3
    assert 9 <= int(pace.split()[-1]) <= 12
    pico.run(100)
    assert set(at_pins.pixels) == {(1, 2, 3)}
    pico.write(b"slow\n")
    pico.run(200)
    pico.read()
    pico.write(b"hello\n")
    assert pico.run_until(lambda: b"steps" in pico.output, 500)
    (steps,) = [line for line in pico.read().splitlines() if line.startswith(b"steps ")]
    steps_ms = json.loads(steps.removeprefix(b"steps "))  # of those that waited meanwhile
    assert len(steps_ms) == 6 and all(8 <= step <= 12 for step in steps_ms)
    pico.write(b"late\n")
    assert pico.run_until(lambda: b"late [" in pico.output, 2000)
    (late,) = [line for line in pico.read().splitlines() if line.startswith(b"late [")]
    painted, garbage, lost = json.loads(late.removeprefix(b"late "))
    assert painted >= 3  # in a second
    assert garbage < 40_000  # of 80 KB
    assert lost == 0
    pico.write(b"only\n")
    pico.run(100)
    assert pico.read().count(b"judges again") == 1
    pico.write(b"abort\n")
    pico.run(300)
    assert pico.read().count(b"warn the scan stopped 1 times, 0 by an overrun") == 1
    pico.write(b"\x03")
    assert pico.run_until(lambda: b">>> " in pico.output, 500)
    said = pico.execute("from machine import mem32\nprint(mem32[0x40058000] >> 30 & 1)")
    assert said == "0\n"  # the watchdog does not bite who works at the REPL


# A clock that says at first that the mat has nearly played for as long as is wanted.
PLAYED = """
from drivers import clock
class Clock(clock.Clock):
    def __init__(self):
        super().__init__()
        self._ms = 9300  # of the 10 s of guard.PASSED_MS
clock.Clock = Clock
"""


def test_a_mat_that_hangs_starts_anew_and_says_so(power_up):
    """One that had played for a while before has not failed to start."""
    first = SOONER % 2500 + PLAYED
    pico, _, _ = power_up(first, settings=record(json.dumps({"mat": "small"}).encode()))
    for played_ms, failed in ((0, False), (1000, True), (0, False)):
        assert pico.run_until(lambda: b" MHz\n" in pico.output, 8000), pico.output
        said = pico.read()
        assert (b"starts that failed before this one: 1" in said) == failed, said
        pico.run(played_ms)
        pico.write(b"hang\n")


# A chip on which reading this record hangs, as one that a fault of the program has written may.
HANGS_AT = """
from drivers.flash_store import FlashStore
load = FlashStore.load
def loading(store, name):
    data, complaint = load(store, name)
    while data and name == %r:
        pass
    return data, complaint
FlashStore.load = loading
"""


def test_a_record_that_no_start_survives_is_set_aside_and_sent_to_the_host(power_up):
    name, failed = "game", 1
    kept = {
        "settings": record(json.dumps({"mat": "small"}).encode()),
        "offsets": record(bytes(700)), "game": record(b"a game" * 200),
        "calibration": record(b"{}"),
    }  # fmt: skip
    pico, _, _ = power_up(SOONER % 2500 + HANGS_AT % name, **kept)
    assert pico.run_until(lambda: b" MHz\n" in pico.output, 16_000), pico.output
    said = pico.read()
    assert b"starts that failed before this one: %d, so this was set aside: " % failed in said
    pico.run(1500)
    said += pico.read()
    pieces = [line for line in said.splitlines() if b" %s.bad from byte " % name.encode() in line]
    sent = b"".join(base64.b64decode(line.rpartition(b": ")[2]) for line in pieces)
    assert sent == kept[name]
    pico.write(b"\x03")
    assert pico.run_until(lambda: b">>> " in pico.output, 500)
    names = eval(pico.execute("import os\nprint(os.listdir('kept'))", 4000))
    assert name + ".bad" in names and name not in names


def test_damaged_settings_and_calibration_are_told_and_the_mat_plays(power_up):
    """One that a byte fell over in, one that was never a calibration."""
    broken = bytearray(record(json.dumps({"mat": "small"}).encode()))
    broken[-1] ^= 1
    pico, _, _ = power_up(settings=bytes(broken), calibration=record(b"{}"))
    assert pico.run_until(lambda: b" MHz\n" in pico.output, 2500), pico.output
    said = pico.read()
    assert b"begun standard temple" in said
    (told,) = [line for line in said.splitlines() if line.startswith(b"warn")]
    assert told.count(b"settings is damaged") == told.count(b"the stored calibration ") == 1


NEXT = """
import loop
mat = loop.Mat()
print("$", mat.grid.conversions, mat.pixels.brightness)
mat.link.close()
"""


def test_what_is_set_is_kept_in_the_next_pause_and_counts_then_or_at_once(power_up):
    kept = json.dumps({"mat": "small", "brightness": 255, "colour": "red", "port_ma": "1500"})
    pico, at_pins, _ = power_up(settings=record(kept.encode()))
    assert pico.run_until(lambda: b" MHz\n" in pico.output, 2000), pico.output
    assert pico.output.count(b"stored settings: port_ma must be a number from 500 to 1500; ") == 1
    assert b"no setting is called colour" in pico.output
    pico.write(b"set oversample 16\n")
    pico.run(300)
    assert set(at_pins.pixels) == {(1, 2, 3)}
    pico.write(b"set brightness 127\n")
    pico.run(100)
    assert set(at_pins.pixels) == {(0, 1, 1)}
    assert b"info the setting brightness is 127\n" in pico.output
    assert b"settings ['small', '', 127, 500, 16, ('oversample',), False]" in pico.output
    pico.run(1200)
    pico.write(b"\x03")
    assert pico.run_until(lambda: b">>> " in pico.output, 500)
    said = pico.execute(NEXT, 4000).rpartition("$")[2].split()
    assert said == [str(16 * load_mat("small").n), "127"]


AGAIN = """
import loop
mat = loop.Mat()
mat.begin()
mat = loop.Mat()
mat.begin()
while len(mat.engine.sums) < 10:
    mat.turn()
mat.link.close()
print("$", mat.engine.sums[0], mat.grid.stalls)
"""


def test_a_second_mat_takes_the_chip_over_from_the_first(power_up):
    """As somebody at the REPL makes it, after Ctrl-C."""
    pico, _, total = power_up(settings=record(json.dumps({"mat": "small"}).encode()))
    assert pico.run_until(lambda: b" MHz\n" in pico.output, 2000), pico.output
    pico.write(b"\x03")
    assert pico.run_until(lambda: b">>> " in pico.output, 500)
    assert pico.execute(AGAIN, 4000).rpartition("$")[2].split() == [str(total), "0"]


# What a fault in a capture comes with, once a game has lasted for hours.
FAULT = """
import loop
from polarity.wire.outbox import Outbox
mat = loop.Mat()
mat.begin()
outbox = mat.engine.outbox = Outbox(0x7FFFFFFF)
mat.engine.read = outbox.read
outbox.send("fact", 9999999, ("snapped", 42, (17,), "w", 2, -10369, -10080, 11, 0, "flat", "", 99))
outbox.send("ruling", 9999999, (
    "fault", "w", "snapped", (42, 17), (1,), [("b", (17,))], [("w", 1)], (21, 21), 17, "w",
    None, None, None,
))
mat._send(True)
unsent = outbox.behind(), len(outbox.pending(64))
mat.link.close()
print("$", *unsent)
"""


def test_a_fault_and_its_ruling_are_with_the_host_before_the_next_frame_is_judged(power_up):
    pico, _, _ = power_up(settings=record(json.dumps({"mat": "small"}).encode()))
    assert pico.run_until(lambda: b" MHz\n" in pico.output, 2000), pico.output
    pico.write(b"\x03")
    assert pico.run_until(lambda: b">>> " in pico.output, 500)
    assert pico.execute(FAULT, 4000).rpartition("$")[2].split() == ["0", "0"]
