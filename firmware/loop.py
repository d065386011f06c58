"""The mat: builds the drivers, hands them to the engine, and runs the loop until Ctrl-C.

Records in the flash: "settings", a JSON object (polarity/settings.py); "offsets", of the bare mat;
"game", as it stood in the last pause, half a second in which nothing moved: after a power cut the
mat goes on from there; "calibration", what `polarity calibrate` measured. A start
that failed sets the game aside, a second one the settings and the calibration, too: none of them
can stop the mat for ever. The host gets what was set aside in `log` messages.
"""

import gc
import os
import sys

from drivers import guard
from drivers.buttons import HELD, Buttons
from drivers.clock import Clock, machine_hz
from drivers.flash_store import FlashStore
from drivers.hall_grid import HallGrid
from drivers.pixels import Pixels, cap_ma
from drivers.usb_link import UsbLink
from heap import Heap
from polarity.engine import Engine

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator

    from polarity.health import Counts

LIGHTS_MS = 40  # from one picture of the ring to the next
LATE_LIGHTS_MS = 240  # the same while more frames wait than LATE
PAUSE_MS = 500  # the game is saved when nothing has moved for this long
SAVE_STEPS = 4  # steps of saving the game that leave about heap.GARBAGE_BYTES
# Times beyond 2**30 ms, 12 days, are no small ints: perception may not allocate them. So the mat
# starts anew before that, once nothing has moved for a minute, and goes on with the stored game.
OLD_MS, QUIET_MS = 864_000_000, 60_000
LATE = 1  # while more frames wait than this, whatever can waits, too
# USB packets a turn: PROMPT while at most FEW events wait, such as a fact and its ruling, which
# take seven. A host that was away gets what it missed at PACKETS a turn, and at SLOW while frames
# wait.
PACKETS, PROMPT, FEW, SLOW = 2, 8, 4, 1
CONNECTED_MS = 10_000  # a host is taken to be there for this long after it sent something
UNREAD_MS = 10_000  # a frames-only host that reads nothing for this long is treated as gone


def unload(module: str) -> None:
    """Unloads a module that is needed at the start only, or less, to free its memory."""
    sys.modules.pop(module, None)  # gone already where the mat starts once more
    package, _, name = module.rpartition(".")
    if package:
        sys.modules[package].__dict__.pop(name, None)


class Mat:
    """One mat, switched on. The drivers' buffers come first, while memory is in one piece."""

    def __init__(self, complaint: str = "") -> None:
        self.store = FlashStore()
        import loading

        failed = guard.attempts() - 1
        aside = loading.set_aside(self.store, failed)  # before any of it is looked at
        chosen, invalid = loading.load_settings(self.store)
        slot = sys.path[0] + "/" if sys.path[0] else ""
        mat, missing = loading.load_mat(chosen["mat"], slot)
        data = "polarity.mat_data." + mat.MAT
        for module in ("flash_pages.tables", data + "_field", data + "_tables"):
            unload(module)
        guard.feed()
        calibration, refused = loading.load_calibration(self.store, mat)
        for module in ("polarity.settings", "polarity.calibration", "loading"):
            unload(module)
        again = "starts that failed before this one: %d" % failed if failed > 0 else ""
        if aside:
            again += ", so this was set aside: " + ", ".join(aside)
        complaints = complaint, invalid, missing, refused, again
        self.complaint = "; ".join([s for s in complaints if s])
        self._aside = loading.contents(aside) if aside else None  # for the host, a piece at a time
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
        self.engine = Engine(mat, edition, boot_id, calibration, chosen, self._paint)
        self._offsets_game = 0  # number of the game whose offsets of the bare mat are stored
        self._saved = 0  # how many changes of the game the stored one contains
        self._saving: "Generator[None] | None" = None  # saves the game, step by step
        self._saving_changes = 0  # how many changes that one contains
        self._steps = 0  # of saving, since the last collection for them
        self._moved_ms = 0
        self._painted_ms = 0
        self._owed = False  # a picture that the LEDs were not ready for
        self._received_ms = -CONNECTED_MS
        self._stalls = 0  # of the scan, when they were last reported
        for module in ("flash_pages.code", "flash_pages.names"):
            unload(module)
        self.heap = Heap()

    def begin(self) -> None:
        """Starts the scan, and goes on with the stored game if it still lies there."""
        guard.feed()
        self.grid.start()
        for _ in range(2):  # the sensors may still have settled during the first
            frame = None
            while not frame:
                frame = self.grid.frame()
        if self.complaint:
            self.engine.log("warn", self.complaint)
        self._restore(frame)
        gc.collect()
        free = gc.mem_free() >> 10, machine_hz() // 1_000_000
        self.engine.log("info", "memory free: %d KB, clock: %d MHz" % free)
        self.heap.collect()

    def _restore(self, frame: "Counts") -> None:
        """Goes on with the stored game, if there is one and the mat looks like it."""
        engine = self.engine
        offsets, damaged = self.store.load("offsets")
        game, broken = self.store.load("game")
        for complaint in (damaged, broken):
            if complaint:
                engine.log("warn", complaint)
        if not (offsets and game):
            return
        restored = engine.persistence.restore(offsets, game, frame, engine.t_ms)
        unload("polarity.stored")
        if restored:
            self._offsets_game = engine.game.number
            engine.log("info", restored)
            self._saved = -1  # saved anew in the first pause: cells that were cut while they were
            # written may read otherwise the next time
        else:
            engine.log("info", "what lies here is not the stored game: a new one begins")

    def _save(self) -> None:
        """In a pause, saves what has changed since the last time: a step each turn in which no
        frame waits, so that none is lost but what the flash itself takes
        (drivers/flash_store.py)."""
        engine = self.engine
        changes = engine.game.changes
        saving = self._saving
        if saving and self._saving_changes != changes:
            saving.close()  # its first half would be of before the change
            saving = None
        if not saving:
            self._saving = saving = self._save_steps()
            self._saving_changes = changes
        try:
            next(saving)
            return
        except StopIteration:
            pass
        except (OSError, MemoryError) as error:
            short = isinstance(error, MemoryError)
            why = "memory is short" if short else "the flash is full or broken"
            engine.log("error", why + ": nothing can be saved")
        self._saved = engine.game.changes
        self._saving = None

    def _save_steps(self) -> "Generator[None]":
        game, persistence, store = self.engine.game, self.engine.persistence, self.store
        for name in ("calibration", "settings"):
            if name in persistence.unsaved:
                yield from store.saving(name, (persistence.unsaved[name],))
                persistence.stored(name)
        if game.tracker.ready:
            if self._offsets_game != game.number:
                yield from store.saving("offsets", persistence.offset_parts())
                self._offsets_game = game.number
            yield from store.saving("game", persistence.game_parts())

    def turn(self) -> None:
        """One turn of the loop: a frame if there is one, then the host, the lights, the buttons."""
        judged = self._judge()
        waiting, now_ms = self.grid.waiting(), self.clock.ms()
        lights_ms = LATE_LIGHTS_MS if waiting > LATE else LIGHTS_MS
        if self._owed or now_ms - self._painted_ms >= lights_ms:
            self._paint()
        self._obey(now_ms)
        self._send(waiting > LATE)
        self._tidy(now_ms, waiting, judged)
        if not judged:
            self._rest(now_ms)
        pressed = self.buttons.event(now_ms)
        if pressed:
            self.engine.button(pressed[0], pressed[1] == HELD)

    def _judge(self) -> bool:
        """Takes the oldest frame that waits, if there is one; returns whether."""
        frame = self.grid.frame()
        if not frame:
            if self.grid.stalls > 2 * self._stalls:  # the first, and ever more seldom
                self._report_stalls()
            return False
        t_ms = self.clock.ms(self.grid.t_us)
        self.engine.frame(t_ms, frame, self.grid.lost, self.grid.waiting())
        telemetry = self.engine.telemetry
        if telemetry.only_frames and telemetry.unread_ms(t_ms) > UNREAD_MS:
            telemetry.judge_again()
        return True

    def _obey(self, now_ms: int) -> None:
        """Does what the host has asked for."""
        received = self.link.receive()
        if not received:
            return
        self._received_ms = now_ms
        self.engine.command(received)
        settings = self.engine.persistence.settings
        if settings:
            self.pixels.set_brightness(settings["brightness"])
        if "polarity.settings" in sys.modules:
            unload("polarity.settings")

    def _send(self, late: bool) -> None:
        prompt = 0 < self.engine.outbox.behind() <= FEW
        self.link.send(self.engine, PROMPT if prompt else SLOW if late else PACKETS)

    def _paint(self) -> None:
        now_ms = self.clock.ms()
        colours = self.engine.lights(now_ms, now_ms - self._received_ms < CONNECTED_MS)
        self._owed = not self.pixels.show(colours)
        if not self._owed:
            self._painted_ms = now_ms

    def _tidy(self, now_ms: int, waiting: int, judged: bool) -> None:
        """Sees to the heap: once a frame to its gaps, and to garbage as far as there is time."""
        game = self.engine.game
        moving = game.moving()
        if moving and judged:
            self.heap.refill()
        hurried = waiting > (LATE if moving else 0) or game.busy()
        self.heap.tidy(now_ms, 2 if hurried else moving)

    def _rest(self, now_ms: int) -> None:
        """No frame waits: does what need not be done while something moves."""
        game = self.engine.game
        if self._aside and not self.engine.outbox.behind():
            self._show_aside(self._aside)
        if game.moving():
            self._moved_ms = now_ms
        still_ms = now_ms - self._moved_ms
        if still_ms >= PAUSE_MS and game.changes != self._saved:
            if self._steps == SAVE_STEPS:
                self.heap.collect()
                self._steps = 0
            else:
                self._steps += 1
                self._save()
        elif still_ms >= QUIET_MS and now_ms >= OLD_MS:
            guard.restart()

    def _show_aside(self, lines: "Generator[str]") -> None:
        """Sends the host the next piece of what was set aside, once it has the one before."""
        try:
            self.engine.log("warn", next(lines))
        except (StopIteration, OSError):
            self._aside = None

    def _report_stalls(self) -> None:
        self._stalls = self.grid.stalls
        text = "the scan stopped %d times, %d by an overrun"
        self.engine.log("warn", text % (self._stalls, self.grid.overruns))


def run(complaint: str = "") -> None:
    """Runs the mat; returns after Ctrl-C. `complaint`: what the start has to report."""
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
