"""Frames to calibrate by: from a recording, or from a mat, whose player a Guide leads."""

import time
import warnings
from base64 import b64decode, b64encode
from collections import deque

import numpy as np

from polarity_host.device.calibration.guide import Guide
from polarity_host.device.conversation import PortTalk, disappeared, no_mat
from polarity_host.device.ports import PortGone, PortOver
from polarity_host.errors import BAD_INPUT, FAILED, HostError
from polarity_host.mats.description import MatError, load_mat
from polarity_host.replay.recording import RecordingError, RecordingReader, TornRecordingWarning

PATIENCE_S = 10.0
WORD = "calibrate"
PIECE_BYTES = 39  # of a calibration: 52 letters of base64 in a command of at most 80


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
    """The frames of a mat on the port `url`, over `talk` (a PortTalk or the like). `mat` is known
    once it was made; `frames(tell)` yields (t_us, counts) until the player is done, and tells what
    to do; `send` gives the mat its calibration."""

    def __init__(self, url, talk=None):
        """Asks what mat it is. HostError when there is none."""
        self._talk = talk or PortTalk(url)
        self._heard = deque()
        self._url = url
        self.over = False  # the port came to its end
        self._say("hello")
        hello = self._wait(lambda message: message.kind == "hello")
        if hello is None:
            self.close()
            raise no_mat(url)
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
        """Yields (t_us, counts); `tell(guide)` is called with every one. HostError FAILED when no
        more frames come."""
        guide = Guide(self.mat)
        self._say("frames only")
        agreed = self._wait(  # frames that come before it are few a second
            lambda message: message.kind == "ack" and message.fields["cmd"] == "frames only"
        )
        while not guide.done:
            message = agreed and self._wait(lambda message: message.kind == "frame")
            if message is None:
                if self.over:
                    return
                raise HostError(FAILED, f"the mat on {self._url} sends no frames; start it again")
            try:
                counts = np.frombuffer(b64decode(message.fields["counts"]), "<u2")
            except ValueError:
                continue  # no frame of a mat
            if len(counts) == self.mat.n:
                guide.look(message.fields["us"], counts)
                tell(guide)
                yield message.fields["us"], counts

    def send(self, data):
        """The mat takes and keeps this calibration (bytes). HostError FAILED when it does not."""
        self._say("frames off")
        for at in range(0, len(data), PIECE_BYTES):
            piece = b64encode(data[at : at + PIECE_BYTES]).decode()
            self._say(f"{WORD} {len(data)} {at} {piece}")
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
                self._talk.say("frames off")
        except (PortGone, HostError):
            pass
        self._talk.close()

    def _say(self, line):
        try:
            self._talk.say(line)
        except PortGone as gone:
            raise disappeared(self._url, gone) from gone

    def _wait(self, wanted):
        """The next message that is `wanted`; None when none comes. HostError when the port goes."""
        until = time.monotonic() + PATIENCE_S
        while time.monotonic() < until:
            while self._heard:
                message = self._heard.popleft()
                if wanted(message):
                    return message
            try:
                self._heard.extend(self._talk.heard())
            except PortOver:
                self.over = True
                return None
            except PortGone as gone:
                raise disappeared(self._url, gone) from gone
        return None
