"""Frames to calibrate by: from a recording, or from a mat, whose player is told what to do next."""

import time
import warnings
from base64 import b64decode, b64encode
from collections import deque

import numpy as np

from polarity_host.errors import BAD_INPUT, FAILED, HostError
from polarity_host.lines import LineSplitter, Message, decode
from polarity_host.mat import MatError, load_mat
from polarity_host.ports import Port, PortGone, PortOver
from polarity_host.recording import RecordingError, RecordingReader, TornRecordingWarning

PATIENCE_S = 10.0
WORD = "calibrate"
PIECE_BYTES = 39  # of a calibration: 52 letters of base64 in a command of at most 80
BARE_S = 1.0
SEEN_MT, NOTHING_MT, STILL_MT = 10.0, 1.0, 0.25
STILL_S = 0.8  # a disc that rests so long was laid down
DONE_S = 4.0  # the mat is bare for so long: the player is done
GIVE_UP_S = 30.0  # or has left
ENOUGH = 0.97  # share of the sensors over which the disc was drawn
LAYINGS = 5


def from_file(path):
    """(mat, iterator of (t_us, counts)) of a recording. HostError BAD_INPUT."""
    try:
        reader = RecordingReader(path)
        mat = load_mat(reader.mat_id)
    except (RecordingError, MatError) as error:
        raise HostError(BAD_INPUT, str(error)) from error
    if mat.n != reader.n:
        raise HostError(
            BAD_INPUT, f"{path} has {reader.n} counts a frame, mat {mat.id!r} has {mat.n}"
        )

    def frames():
        with reader, warnings.catch_warnings():
            warnings.simplefilter("ignore", TornRecordingWarning)
            try:
                yield from reader
            except RecordingError as error:
                raise HostError(BAD_INPUT, str(error)) from error

    return mat, frames()


class Capture:
    """A mat on a port. `mat` is known once it was made; `frames(tell)` yields (t_us, counts) until
    the player is done, and tells what to do; `send` gives the mat its calibration."""

    def __init__(self, url):
        """Opens the port. HostError when there is no mat."""
        self._port = Port(url)
        self._splitter = LineSplitter()
        self._heard = deque()
        self._url = url
        self.over = False  # the port came to its end
        self._port.write_line("hello")
        hello = self._wait(lambda message: message.kind == "hello")
        if hello is None:
            self.close()
            raise HostError(
                FAILED, f"no mat on {url}; is it the right port? `polarity ports` lists them"
            )
        try:
            self.mat = load_mat(hello.fields["mat"])
        except MatError as error:
            self.close()
            raise HostError(BAD_INPUT, f"the mat on {url} is not known: {error}") from error
        if hello.fields["sensors"] != self.mat.n:
            self.close()
            raise HostError(
                BAD_INPUT,
                f"the mat on {url} has {hello.fields['sensors']} sensors, {self.mat.id!r} of "
                f"hardware/mat.toml has {self.mat.n}: update one of them",
            )

    def frames(self, tell):
        """Yields (t_us, counts); `tell(text)` is called with every one. HostError FAILED when no
        more frames come."""
        guide = Guide(self.mat)
        self._port.write_line("frames only")
        while not guide.done:
            message = self._wait(lambda message: message.kind == "frame")
            if message is None:
                if self.over:
                    return
                raise HostError(FAILED, f"the mat on {self._url} sends no frames; start it again")
            counts = np.frombuffer(b64decode(message.fields["counts"]), "<u2")
            if len(counts) == self.mat.n:
                guide.look(message.fields["us"], counts)
                tell(guide.text)
                yield message.fields["us"], counts

    def send(self, data):
        """The mat takes and keeps this calibration (bytes). HostError FAILED when it does not."""
        try:
            self._send(data)
        except PortGone as gone:
            raise HostError(FAILED, f"{self._url} disappeared: {gone}; begin again") from gone

    def _send(self, data):
        self._port.write_line("frames off")
        for at in range(0, len(data), PIECE_BYTES):
            piece = b64encode(data[at : at + PIECE_BYTES]).decode()
            self._port.write_line(f"{WORD} {len(data)} {at} {piece}")
            ack = self._wait(
                lambda message: message.kind == "ack" and message.fields["cmd"].startswith(WORD)
            )
            if ack is None or not ack.fields["ok"]:
                why = ack.fields["why"] if ack else "it does not answer"
                raise HostError(FAILED, f"the mat does not take the calibration: {why}")

    def close(self):
        """Lets the mat judge again, and the port go."""
        try:
            if not self.over:
                self._port.write_line("frames off")
        except (PortGone, HostError):
            pass
        self._port.close()

    def _wait(self, wanted):
        """The next message that is `wanted`; None when none comes. HostError when the port goes."""
        until = time.monotonic() + PATIENCE_S
        while time.monotonic() < until:
            while self._heard:
                message = self._heard.popleft()
                if isinstance(message, Message) and wanted(message):
                    return message
            try:
                self._heard.extend(map(decode, self._splitter.feed(self._port.read())))
            except PortOver:
                self.over = True
                return None
            except PortGone as gone:
                raise HostError(FAILED, f"{self._url} disappeared: {gone}; begin again") from gone
        return None


class Guide:
    """What the player has shown so far, and what to do next (`text`)."""

    def __init__(self, mat):
        self.mat = mat
        self.done = False
        self.text = "leave the mat bare"
        self.laid = 0
        self._begin_us = None
        self._bare = []
        self._offset = None
        self._seen = np.zeros(mat.n, bool)
        self._sound = np.ones(mat.n, bool)
        self._last = None  # (time, field) of the frame that others are compared with
        self._still_us = self._bare_us = 0
        self._counted = False

    @property
    def coverage(self):
        """Share of the sensors over which the disc was drawn."""
        return float(self._seen[self._sound].mean())

    def look(self, t_us, counts):
        """Takes one frame."""
        if self._offset is None:
            self._begin_us = t_us if self._begin_us is None else self._begin_us
            self._bare.append(counts)
            if t_us - self._begin_us >= BARE_S * 1e6:
                self._offset = np.mean(self._bare, axis=0)
                self._sound = np.ptp(self._bare, axis=0) > 0
            return
        field_mt = np.abs(counts - self._offset) * self._sound / self.mat.counts_per_mt
        if field_mt.max() < NOTHING_MT:
            self._bare_us = self._bare_us or t_us
            self._counted = False
            self._last = None
            enough = self.coverage >= ENOUGH and self.laid >= LAYINGS
            wait_s = DONE_S if enough else GIVE_UP_S
            self.done = bool(self._seen.any()) and t_us - self._bare_us > wait_s * 1e6
        else:
            self._bare_us = 0
            self._seen |= field_mt > SEEN_MT
            self._count_laid(t_us, field_mt)
        self.text = self._next()

    def _count_laid(self, t_us, field_mt):
        top = np.argsort(field_mt)[-5:]
        if self._last is None or np.abs(field_mt - self._last)[top].max() > STILL_MT:
            self._last, self._still_us = field_mt, t_us
        elif t_us - self._still_us > STILL_S * 1e6 and not self._counted and self.coverage > ENOUGH:
            self._counted = True
            self.laid += 1

    def _next(self):
        if self.coverage < ENOUGH:
            return (
                "draw one disc, lying flat, over the whole mat in lines two fingers apart: "
                f"{100 * self.coverage:.0f} % seen"
            )
        if self.laid < LAYINGS:
            return (
                "draw on across, then lay it down here and there, either face up, and twice a "
                f"stack of it and another, a second each: {self.laid} laid"
            )
        return f"{self.laid} laid; lay down more, or leave the mat bare for {DONE_S:.0f} s to end"
