"""The mat: builds the drivers, hands them to the engine, and runs the loop until Ctrl-C.

Settings (polarity/settings.py) are a JSON object kept under "settings". Under "offsets" stands what
the bare mat showed, under "game" the game as it stood in the last pause, half a second in which
nothing moved. After a power cut the mat goes on from there. Under "calibration" stands what
`polarity calibrate` measured.
"""

import gc
import os
import sys

from drivers import guard
from drivers.buttons import HELD, Buttons
from drivers.clock import Clock, machine_hz
from drivers.flash_store import FlashStore
from drivers.hall_grid import FRAMES, HallGrid
from drivers.pixels import Pixels, cap_ma
from drivers.usb_link import UsbLink
from polarity import kernels, mat_data
from polarity.engine import Engine

LIGHTS_MS = 40  # a picture every so often
PAUSE_MS = 500  # nothing moves for so long: the game may be kept
# Garbage is collected each time so much was taken, long before memory is full: what stays would
# else lie scattered over all of it, and leave no place for a longer line.
COLLECT_BYTES = 40960
# It takes 29 ms, as much as some of what takes memory: so that the two do not come together, it is
# done before that, as soon as there is so much, while the engine is not busy and few frames wait.
GARBAGE_BYTES, MOVING_BYTES = 8192, 16384  # the latter while something moves
LOOK_MS = 200  # and is looked at so often, which takes 8 ms
KEEP_STEPS = 4  # of keeping the game, after which there is so much
LATEST = 2  # frames that may wait while something moves; behind more of them, whatever can waits
# Packets a turn: PROMPT while there are a FEW events to be sent, a fact and its ruling; what a host
# missed that was away comes bit by bit, and SLOW when frames wait.
PACKETS, PROMPT, FEW, SLOW = 2, 6, 4, 1
HEARD_MS = 10_000  # a host that was heard so lately is there
UNREAD_MS = 10_000  # and one that wants frames only, and reads none for so long, is gone


def settings_of(store):
    """(settings, complaint): what is kept, and the defaults where that is missing or no good."""
    from polarity import settings

    kept, damaged = store.load("settings")
    chosen, complaint = settings.read(kept)
    let_go("polarity.settings")
    return chosen, "; ".join([s for s in (damaged, complaint) if s])


def let_go(module):
    """Forgets a module that only the start needs, or less: its memory is wanted."""
    sys.modules.pop(module, None)  # gone already where the mat starts once more
    package, _, name = module.rpartition(".")
    sys.modules[package].__dict__.pop(name, None)


def data_of(name, slot):
    """(data, complaint): the mat of this name. Its tables are read where they lie in the flash if
    that can be; what the others were made of, as large again, is let go."""
    folder = "polarity.mat_data." + name
    rows = tables = None
    if kernels.IN_PLACE:
        from flash_pages import tables as pages

        tables = pages.Tables(slot + "table", name)
        rows = tables.rows()
    if rows:
        pages.Rows.FIELD_TABLE = rows
        sys.modules[folder + "_field"] = pages.Rows
    mat = mat_data.load(name)
    if rows:
        tables.move(mat)
    for module in ("_field", "_tables"):
        let_go(folder + module)
    let_go("flash_pages.tables")
    return mat, tables.complaint if tables else ""


def calibration_of(store, mat):
    """(calibration, complaint): what was measured of this mat, None if nothing was or it does not
    fit. Its module is loaded again should another come over the wire."""
    kept, complaint = store.load("calibration")
    found = None
    if kept:
        from polarity import calibration as files

        try:
            found = files.read(kept, mat.MAT, mat.N)
        except files.CalibrationError as error:
            complaint = "the kept calibration " + str(error)
    let_go("polarity.calibration")
    return found, complaint


class Mat:
    """One mat, switched on. The buffers of the drivers come first, while memory is in one piece."""

    def __init__(self, complaint=""):
        self.store = FlashStore()
        chosen, found = settings_of(self.store)
        slot = sys.path[0] + "/" if sys.path[0] else ""
        mat, missing = data_of(chosen["mat"], slot)
        guard.feed()
        calibration, refused = calibration_of(self.store, mat)
        failed = guard.attempts() - 1
        again = "starts that failed before this one: %d" % failed if failed > 0 else ""
        complaints = complaint, found, missing, refused, again
        self.complaint = "; ".join([s for s in complaints if s])
        self.link = UsbLink()
        self.clock = Clock()
        self.grid = HallGrid(mat, chosen["oversample"])
        cap = cap_ma(mat, chosen["port_ma"])
        self.pixels = Pixels(mat.LED_PIN, mat.LED_COUNT, cap, brightness=chosen["brightness"])
        # all of them, until the loop shows its first picture: one that stays dark is broken
        self.pixels.show(bytes([255]) * (3 * mat.LED_COUNT))
        self.buttons = Buttons(mat.BUTTON_PINS)
        gc.collect()
        boot_id = int.from_bytes(os.urandom(4), "little") & 0x7FFFFFFF | 1
        edition = chosen["edition"] or mat.EDITION
        self.engine = Engine(mat, edition, boot_id, calibration, chosen)
        self.engine.paint = self._paint
        self._offsets_of = 0  # the game, by number, whose bare mat is kept
        self._kept = 0  # how many changes of the game the kept one knows of
        self._keeping = None  # a generator that keeps it, and how many that one knows of
        self._keeping_of = 0
        self._moved_ms = 0
        self._painted_ms = 0
        self._owed = False  # a picture that the LEDs had no time for
        self._looked_ms = 0
        self._free = 0  # bytes, when it was first looked after a collection; 0: not yet
        self._littered = False  # garbage is to be collected
        self._steps = 0  # of keeping, since the last collection
        self._heard_ms = -HEARD_MS
        self._stalls = 0  # of the scan, when it was last told of them
        for module in ("flash_pages.code", "flash_pages.names"):
            let_go(module)
        gc.collect()
        gc.threshold(COLLECT_BYTES)

    def begin(self):
        """Starts the scan, and goes on with the game that was kept if it still lies there."""
        guard.feed()
        self.grid.start()
        for _ in range(2):  # the sensors may still have settled during the first
            frame = None
            while not frame:
                frame = self.grid.frame()
        if self.complaint:
            self.engine.log("warn", self.complaint)
        self._recall(frame)
        gc.collect()
        free = gc.mem_free() >> 10, machine_hz() // 1_000_000
        self.engine.log("info", "memory free: %d KB, clock: %d MHz" % free)

    def _recall(self, frame):
        """Goes on with the kept game, if there is one and the mat looks like it."""
        offsets, damaged = self.store.load("offsets")
        game, broken = self.store.load("game")
        for complaint in (damaged, broken):
            if complaint:
                self.engine.log("warn", complaint)
        said = offsets and game and self.engine.recall(offsets, game, frame)
        if said:
            self._offsets_of = self.engine.games
            self.engine.log("info", said)
            self._kept = self.engine.changes
        elif offsets and game:
            self.engine.log("info", "what lies here is not the game that was kept: a new one")

    def _keep(self):
        """In a pause, keeps the game if it has changed since the last time: a step each turn in
        which no frame waits, so that none is lost but what the flash itself takes
        (drivers/flash_store.py)."""
        engine = self.engine
        changes = engine.changes
        if self._keeping and self._keeping_of != changes:
            self._keeping.close()  # it would be half of before, half of now
            self._keeping = None
        if not self._keeping:
            self._keeping, self._keeping_of = self._saving(), changes
        try:
            next(self._keeping)
            return
        except StopIteration:
            pass
        except (OSError, MemoryError) as error:
            short = isinstance(error, MemoryError)
            why = "memory is short" if short else "the flash is full or broken"
            engine.log("error", why + ": nothing can be kept")
        self._kept = engine.changes
        self._keeping = None

    def _saving(self):
        """A generator: keeps what is to be kept, step by step."""
        engine, store = self.engine, self.store
        if engine.received:
            yield from store.saving("calibration", (engine.received,))
            engine.received = None
        if engine.unkept:
            yield from store.saving("settings", (engine.unkept,))
            engine.unkept = None
        if engine.tracker.ready:
            if self._offsets_of != engine.games:
                yield from store.saving("offsets", (engine.offsets(),))
                self._offsets_of = engine.games
            yield from store.saving("game", engine.remember())

    def turn(self):
        """One turn of the loop: a frame if there is one, then the host, the lights, the buttons."""
        # of what moves the latest counts, of what lies there every frame
        frame = self.grid.frame(LATEST if self.engine.moving() else FRAMES)
        if frame:
            self.engine.missed = self.grid.lost
            self.engine.frame(self.clock.ms(self.grid.t_us), frame)
            if self.engine.only_frames and self.engine.unread_ms() > UNREAD_MS:
                self.engine.judge()
        elif self.grid.stalls > 2 * self._stalls:  # the first, and ever more seldom
            self._tell_stalls()
        waiting = self.grid.waiting()
        late = waiting > LATEST
        now_ms = self.clock.ms()
        due = now_ms - self._painted_ms >= LIGHTS_MS and not late
        if due or self._owed:
            self._paint()
        said = self.link.receive()
        if said:
            self._heard_ms = now_ms
            self.engine.command(said)
            self.pixels.brightness = self.engine.settings["brightness"]
            if "polarity.settings" in sys.modules:
                let_go("polarity.settings")
        prompt = 0 < self.engine.outbox.behind() <= FEW
        self.link.send(self.engine, PROMPT if prompt else SLOW if late else PACKETS)
        if not waiting or self.engine.moving() and not late:
            self._tidy(now_ms)
        if not frame:
            self._rest(now_ms)
        pressed = self.buttons.event(now_ms)
        if pressed:
            self.engine.button(pressed[0], pressed[1] == HELD)

    def _paint(self):
        now_ms = self.clock.ms()
        self.engine.ring.calibrating = self.engine.only_frames
        colours = self.engine.lights(now_ms, now_ms - self._heard_ms < HEARD_MS)
        self._owed = not self.pixels.show(colours)
        if not self._owed:
            self._painted_ms = now_ms

    def _tidy(self, now_ms):
        """Looks whether there is garbage to collect, or collects it: one of them in a turn."""
        looks = now_ms - self._looked_ms >= LOOK_MS
        if not (looks or self._littered) or self.engine.busy():
            return
        if self._littered:
            self._collect()
            return
        self._looked_ms = now_ms
        free = gc.mem_free()
        most = MOVING_BYTES if self.engine.moving() else GARBAGE_BYTES
        self._littered = free < self._free - most
        self._free = max(free, self._free)

    def _collect(self):
        gc.collect()
        self._free = self._steps = 0
        self._littered = False

    def _rest(self, now_ms):
        """No frame waits: what can be done now need not be done while something moves."""
        if self.engine.moving():
            self._moved_ms = now_ms
        if now_ms - self._moved_ms >= PAUSE_MS and self.engine.changes != self._kept:
            if self._steps == KEEP_STEPS:
                self._collect()
            else:
                self._steps += 1
                self._keep()

    def _tell_stalls(self):
        self._stalls = self.grid.stalls
        said = self._stalls, self.grid.overruns
        self.engine.log("warn", "the scan stopped %d times, %d by an overrun" % said)


def run(complaint=""):
    """Runs the mat; returns after Ctrl-C. `complaint`: what the start has to say."""
    mat = Mat(complaint)
    mat.begin()
    passed = False
    try:
        while True:
            mat.turn()
            guard.feed()
            if not passed and mat.clock.ms() > guard.PASSED_MS:
                guard.passed()
                passed = True
    except KeyboardInterrupt:
        mat.grid.stop()
    finally:
        mat.link.close()
