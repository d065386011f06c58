"""The mat: builds the drivers, hands them to the engine, and runs the loop until Ctrl-C.

Settings are a JSON object kept under "settings": `mat` (standard, small), `edition`, `brightness`.
"""

import gc
import json
import os
import sys

from drivers import guard
from drivers.buttons import HELD, Buttons
from drivers.clock import Clock
from drivers.flash_store import FlashStore
from drivers.hall_grid import HallGrid
from drivers.pixels import Pixels
from drivers.usb_link import UsbLink
from polarity import mat_data
from polarity.engine import Engine
from polarity.selftest import SelfTest

DEFAULTS = {"mat": "standard", "edition": "", "brightness": 96}
LIGHTS_MS = 40  # a picture every so often
HEARD_MS = 10_000  # a host that was heard so lately is there


def settings(store):
    """(settings, complaint): what is kept, and the defaults where that is missing or nonsense."""
    kept, complaint = store.load("settings")
    chosen = dict(DEFAULTS)
    if kept:
        try:
            for name, value in json.loads(kept).items():
                if isinstance(value, type(chosen.get(name))):
                    chosen[name] = value
        except (ValueError, AttributeError):
            complaint = "the settings are no JSON object"
    return chosen, complaint


def data_of(name):
    """The data of the mat of this name, and no more: what its tables were made of, as large again,
    is let go."""
    mat = mat_data.load(name)
    tables = name + "_tables"
    del sys.modules["polarity.mat_data." + tables]
    mat_data.__dict__.pop(tables)
    return mat


class Mat:
    """One mat, switched on. The buffers of the drivers come first, while memory is in one piece."""

    def __init__(self, complaint=""):
        chosen, found = settings(FlashStore())
        mat = data_of(chosen["mat"])
        self.complaint = "; ".join([said for said in (complaint, found) if said])
        self.clock = Clock()
        self.grid = HallGrid(mat)
        self.pixels = Pixels(mat.LED_PIN, mat.LED_COUNT, brightness=chosen["brightness"])
        self.link = UsbLink()
        self.buttons = Buttons(mat.BUTTON_PINS)
        self.test = SelfTest(mat)
        gc.collect()
        boot_id = int.from_bytes(os.urandom(4), "little") & 0x7FFFFFFF | 1
        self.engine = Engine(mat, chosen["edition"] or mat.EDITION, boot_id)
        self._painted_ms = 0
        self._heard_ms = -HEARD_MS
        gc.collect()

    def check(self):
        """The self-test, over the first frames; what it finds goes into the record."""
        self.grid.start()
        enough = False
        while not enough:
            frame = self.grid.frame()
            enough = frame and self.test.look(frame)
        found = "; ".join([said for said in (self.complaint, self.test.report()) if said])
        self.test = None
        if found:
            self.engine.log("warn", found)
        gc.collect()

    def turn(self):
        """One turn of the loop: a frame if there is one, then the host, the lights, the buttons."""
        frame = self.grid.frame()
        if frame:
            self.engine.frame(self.clock.ms(self.grid.t_us), frame)
        now_ms = self.clock.ms()
        said = self.link.receive()
        if said:
            self._heard_ms = now_ms
            self.engine.command(said)
        self.link.send(self.engine)
        if now_ms - self._painted_ms >= LIGHTS_MS:
            self._painted_ms = now_ms
            self.pixels.show(self.engine.lights(now_ms, now_ms - self._heard_ms < HEARD_MS))
        pressed = self.buttons.event(now_ms)
        if pressed:
            self.engine.button(pressed[0], pressed[1] == HELD)


def run(complaint=""):
    """Runs the mat; returns after Ctrl-C. `complaint`: what the start has to say."""
    mat = Mat(complaint)
    mat.check()
    dog = guard.watchdog()
    guard.passed()
    try:
        while True:
            mat.turn()
            dog.feed()
    except KeyboardInterrupt:
        mat.grid.stop()
    finally:
        guard.unguard()
