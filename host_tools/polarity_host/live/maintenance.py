"""The doctor and the calibration of the mat that is followed, as viewers lead them from the page.

Both take frames of the mat as the commands `polarity doctor` and `polarity calibrate` do; meanwhile
the mat judges nothing.
"""

import contextlib
import queue
import threading
import time
from itertools import islice

import numpy as np

from polarity.calibration import write
from polarity_host.device.calibration.capture import Capture
from polarity_host.device.doctor import FRAMES, examine
from polarity_host.device.link import Event, PortState
from polarity_host.device.ports import PortGone
from polarity_host.errors import FAILED, HostError
from polarity_host.live.live_state import GREETING
from polarity_host.mats import calibration_file as kept
from polarity_host.wire.lines import Message

WHAT = ("doctor", "calibrate")
MOST_WAITING = 1000  # messages
WAITS_S = 0.5  # the mat may wait so long for who reads its frames: it has nothing else to say
SHOWN_EVERY = 5  # frames
MOST_FINDINGS = 40


class Busy(HostError):
    """It is being done already."""


class _Stopped(Exception):
    """A viewer has stopped it."""


class Maintenance:
    """`say` sends to the mat, `show` tells viewers how it stands: a dict with `what` ("doctor",
    "calibrate"), `step` (a name of the catalogues' section `tend`) and `values` for it; `over` when
    nothing more comes; `seen`, sensors that a disc was drawn over, and `findings` of the doctor
    with the `tiles` they are on.
    """

    def __init__(self, url: str, say, show):
        self._url, self._say, self._show = url, say, show
        self._talk: _Tap | None = None
        self._told: dict = {}
        self._lock = threading.Lock()

    def start(self, what: str) -> None:
        """Begins one of WHAT. Busy while one is under way."""
        with self._lock:
            if self._talk:
                raise Busy(FAILED, "the mat is being tended already")
            self._talk = _Tap(self._say)
        self._told = {"what": what, "over": False}
        self._tell("greet")
        threading.Thread(target=self._run, args=(what,), name="tending", daemon=True).start()

    def stop(self) -> None:
        """Ends it, or takes away what it has found."""
        talk = self._talk
        if talk:
            talk.stop()
        else:
            self._show(None)

    def handle(self, event: Event) -> None:
        """What comes from the mat, whether or not anything is done with it."""
        talk = self._talk
        if talk:
            talk.handle(event)

    def _run(self, what: str) -> None:
        capture = None
        try:
            capture = Capture(self._url, self._talk)
            (self._examine if what == "doctor" else self._calibrate)(capture)
        except HostError as error:
            self._tell("failed", {"why": error.message}, over=True)
        except _Stopped:
            self._show(None)
        except Exception as error:  # nobody waits for this thread: viewers are told
            self._tell("failed", {"why": repr(error)}, over=True)
        finally:
            self._talk = None
            for command in ("frames off", *GREETING):
                self._say(command)

    def _examine(self, capture: Capture) -> None:
        self._tell("bare")
        frames = capture.frames(lambda guide: None)
        counts = [counts for _, counts in islice(frames, FRAMES)]
        if len(counts) < FRAMES:
            raise HostError(FAILED, "the mat sent too few frames; start it again")
        mat = capture.mat
        found = examine(np.array(counts), mat)
        told = [finding.fields() for finding in found[:MOST_FINDINGS]]
        self._told |= {"findings": told, "tiles": _corners(mat)}
        values = {"sensors": mat.n, "tiles": len(mat.tiles), "number": len(found)}
        self._tell(
            ("sound", "faults_one")[len(found)] if len(found) < 2 else "faults", values, True
        )

    def _calibrate(self, capture: Capture) -> None:
        from polarity_host.device.calibration.measure import (
            measure,  # its exact fields take a second
        )

        looks = 0

        def tell(guide):
            nonlocal looks
            looks += 1
            if looks % SHOWN_EVERY == 0:
                self._told["seen"] = np.flatnonzero(guide.covered).tolist()
                self._tell(guide.step, guide.values)

        def frames():
            yield from capture.frames(tell)
            self._say("frames off")
            self._tell("computing")

        measured = measure(frames(), capture.mat, kept.today())
        if not capture.over:
            capture.send(write(measured.calibration))
        report = measured.report()
        names = {"seen": "seen", "sensors": "sensors", "doubt": "gain_doubt_pct",
                 "diameter": "disc_diameter_mm", "thickness": "disc_thickness_mm"}  # fmt: skip
        self._told["broken"] = [[int(i), why] for i, why in measured.calibration.broken]
        self._tell("calibrated", {name: report[key] for name, key in names.items()}, over=True)

    def _tell(self, step: str, values: dict | None = None, over: bool = False) -> None:
        self._told = {**self._told, "step": step, "values": values or {}, "over": over}
        self._show(self._told)


def _corners(mat) -> list:
    """[name, left, low, right, high] of each tile, in mm."""
    half, corners = mat.pitch_mm / 2, []
    for tile in mat.tiles:
        xy = mat.sensor_xyz_mm[[index for index, _ in tile.sensors], :2]
        low, high = xy.min(axis=0) - half, xy.max(axis=0) + half
        corners.append([tile.name, *np.round([*low, *high], 1).tolist()])
    return corners


class _Tap:
    """A Conversation with the mat beside that of the link."""

    def __init__(self, say):
        self.send = say
        self._heard: queue.Queue = queue.Queue(MOST_WAITING)
        self._read_s = 0.0  # when it was last looked for messages
        self._stopped = False
        self._gone = ""

    def handle(self, event: Event) -> None:
        """An event of the link, from its thread; that waits a little, while somebody reads."""
        if isinstance(event, Message):
            reading = time.monotonic() - self._read_s < WAITS_S
            with contextlib.suppress(queue.Full):  # a frame less
                self._heard.put(event, timeout=WAITS_S if reading else 0)
        elif isinstance(event, PortState):
            self._gone = event.why or "the port is gone"

    def receive(self) -> list[Message]:
        """The messages that have come, after a short while none. PortGone, _Stopped."""
        self._read_s = time.monotonic()
        if self._stopped:
            raise _Stopped
        if self._gone:
            raise PortGone(self._gone)
        try:
            return [self._heard.get(timeout=0.2)]
        except queue.Empty:
            return []

    def stop(self) -> None:
        """`receive` raises from now on."""
        self._stopped = True

    def close(self) -> None:
        """The link's port stays."""
