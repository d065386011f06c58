"""The doctor and the calibration of a mat, as viewers run them from the page.

Both take frames of the mat as the commands `polarity doctor` and `polarity calibrate` do. The mat
judges nothing meanwhile.
"""

import queue
import threading
import time
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, Literal

import numpy as np

from polarity.calibration import write
from polarity_host.device.calibration import TimedFrame
from polarity_host.device.calibration.capture import Capture
from polarity_host.device.calibration.guide import Guide
from polarity_host.device.doctor import FRAMES, examine
from polarity_host.device.link import Event, PortState
from polarity_host.device.ports import PortGone
from polarity_host.errors import FAILED, HostError
from polarity_host.live.live_state import GREETING
from polarity_host.mats.calibration_file import today
from polarity_host.mats.description import Mat
from polarity_host.wire.lines import Message
from polarity_host.wire.messages import AckMessage, FrameMessage, HelloMessage
from polarity_host.words.said import in_all_languages

Task = Literal["doctor", "calibrate"]
TASKS: tuple[Task, ...] = ("doctor", "calibrate")
MOST_WAITING = 1000  # frames
WAIT_S = 0.5  # while a task reads frames, the link waits so long for room: only frames come
RECEIVE_S = 0.2
SHOWN_EVERY = 5  # frames
MOST_FINDINGS = 40


class Busy(HostError):
    """A task is under way already."""


class _Stopped(Exception):
    """A viewer has stopped the task."""


class Maintenance:
    """`send` sends to the mat. `show` shows viewers how a task stands: a dict with `what` (one of
    TASKS), `step` (a message of the catalogues' section `maintenance`) and `values` for it; `over`
    when nothing more comes; `seen`, sensors that a disc was drawn over, and `findings` of the
    doctor with the `tiles` they are on.
    """

    def __init__(
        self,
        url: str,
        send: Callable[[str], None],
        show: Callable[[dict[str, Any] | None], None],
    ):
        self._url, self._send, self._show = url, send, show
        self._conversation: LinkConversation | None = None
        self._progress: dict[str, Any] = {}
        self._lock = threading.Lock()

    def start(self, task: Task) -> None:
        """Starts a task. Busy while one is under way."""
        with self._lock:
            if self._conversation:
                raise Busy(FAILED, "the doctor or a calibration is under way already")
            conversation = self._conversation = LinkConversation(self._send)
        self._progress = {"what": task, "over": False}
        self._report("greet")
        threading.Thread(
            target=self._run, args=(task, conversation), name="maintenance", daemon=True
        ).start()

    def stop(self) -> None:
        """Ends the task, or takes its result away."""
        conversation = self._conversation
        if conversation:
            conversation.stop()
        else:
            self._show(None)

    def handle(self, event: Event) -> None:
        """Takes every event of the link, also while no task wants them."""
        conversation = self._conversation
        if conversation:
            conversation.handle(event)

    def _run(self, task: Task, conversation: "LinkConversation") -> None:
        try:
            capture = Capture(self._url, conversation)
            if task == "doctor":
                self._examine(capture)
            else:
                self._calibrate(capture)
        except HostError as error:
            self._report("failed", {"why": in_all_languages(error)}, over=True)
        except _Stopped:
            self._show(None)
        except Exception as error:  # nobody waits for this thread: viewers are told
            self._report("failed", {"why": repr(error)}, over=True)
        finally:
            self._conversation = None
            for command in ("frames off", *GREETING):
                self._send(command)

    def _examine(self, capture: Capture) -> None:
        self._report("bare")
        frames = capture.frames(lambda guide: None)
        counts = [counts for _, counts in islice(frames, FRAMES)]
        if len(counts) < FRAMES:
            raise HostError(FAILED, "the mat sent too few frames; start it again")
        mat = capture.mat
        findings = examine(np.array(counts), mat)
        self._progress |= {
            "findings": [finding.fields() for finding in findings[:MOST_FINDINGS]],
            "tiles": _corners(mat),
        }
        values = {"sensors": mat.n, "tiles": len(mat.tiles), "number": len(findings)}
        step = ("sound", "faults_one")[len(findings)] if len(findings) < 2 else "faults"
        self._report(step, values, over=True)

    def _calibrate(self, capture: Capture) -> None:
        from polarity_host.device.calibration.measure import (
            measure,  # its exact fields take a second
        )

        observed = 0

        def show(guide: Guide) -> None:
            nonlocal observed
            observed += 1
            if observed % SHOWN_EVERY == 0:
                self._progress["seen"] = np.flatnonzero(guide.covered).tolist()
                self._report(guide.step, guide.values)

        def frames() -> Iterator[TimedFrame]:
            yield from capture.frames(show)
            self._send("frames off")
            self._report("computing")

        measured = measure(frames(), capture.mat, today())
        if not capture.over:
            capture.send(write(measured.calibration))
        report = measured.report()
        names = {"seen": "seen", "sensors": "sensors", "doubt": "gain_doubt_pct",
                 "diameter": "disc_diameter_mm", "thickness": "disc_thickness_mm"}  # fmt: skip
        self._progress["broken"] = [
            [int(i), in_all_languages(str(why))] for i, why in measured.calibration.broken
        ]
        self._report("calibrated", {name: report[key] for name, key in names.items()}, over=True)

    def _report(self, step: str, values: dict[str, Any] | None = None, over: bool = False) -> None:
        self._progress = {**self._progress, "step": step, "values": values or {}, "over": over}
        self._show(self._progress)


def _corners(mat: Mat) -> list[list[Any]]:
    """[name, left, low, right, high] of each tile, in mm."""
    half, corners = mat.pitch_mm / 2, []
    for tile in mat.tiles:
        xy = mat.sensor_xyz_mm[[index for index, _ in tile.sensors], :2]
        low, high = xy.min(axis=0) - half, xy.max(axis=0) + half
        corners.append([tile.name, *np.round([*low, *high], 1).tolist()])
    return corners


class LinkConversation:
    """A Conversation with the mat over the port that a link holds open. Of what the link brings it
    has what tasks wait for: answers, all of them, and frames, as many as there is room for."""

    def __init__(self, send: Callable[[str], None]):
        self._send = send
        self._received: queue.SimpleQueue[Message] = queue.SimpleQueue()
        self._room = threading.Semaphore(MOST_WAITING)  # for frames
        self._read_s = 0.0  # when a task last asked for messages
        self._stopped = False
        self._gone = ""

    def send(self, line: str) -> None:
        """Sends a line to the mat."""
        self._send(line)

    def handle(self, event: Event) -> None:
        """Takes an event of the link, in its thread, which waits a little while a task reads."""
        if isinstance(event, Message):
            if isinstance(event.body, FrameMessage):
                reading = time.monotonic() - self._read_s < WAIT_S
                if not self._room.acquire(timeout=WAIT_S if reading else 0):
                    return  # this frame is lost
            elif not isinstance(event.body, (AckMessage, HelloMessage)):
                return
            self._received.put(event)
        elif isinstance(event, PortState):
            self._gone = event.why or "the port is gone"

    def receive(self) -> list[Message]:
        """The next message, or none when none comes for a short while. PortGone, _Stopped."""
        self._read_s = time.monotonic()
        if self._stopped:
            raise _Stopped
        if self._gone:
            raise PortGone(self._gone)
        try:
            message = self._received.get(timeout=RECEIVE_S)
        except queue.Empty:
            return []
        if isinstance(message.body, FrameMessage):
            self._room.release()
        return [message]

    def stop(self) -> None:
        """`receive` raises from now on."""
        self._stopped = True

    def close(self) -> None:
        """The link's port stays open."""
