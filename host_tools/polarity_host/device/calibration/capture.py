"""Frames for a calibration: from a recording, or from a mat while a Guide leads its player."""

import time
import warnings
from base64 import b64decode, b64encode
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import numpy as np
from msgspec import Struct

from polarity_host.device.calibration import TimedFrame
from polarity_host.device.calibration.guide import Guide
from polarity_host.device.conversation import (
    Conversation,
    PortConversation,
    disappeared,
    no_mat,
)
from polarity_host.device.ports import PortGone, PortOver
from polarity_host.errors import BAD_INPUT, FAILED, HostError, Said
from polarity_host.mats.description import Mat, MatError, load_mat
from polarity_host.replay.recording import (
    RecordingError,
    RecordingReader,
    TornRecordingWarning,
    complaints,
)
from polarity_host.wire.lines import Message
from polarity_host.wire.messages import AckMessage, FrameMessage, HelloMessage

B = TypeVar("B", bound=Struct)

PATIENCE_S = 10.0
COMMAND = "calibrate"
PIECE_BYTES = 39  # of a calibration: 52 base64 characters in a command of at most 80


def from_file(
    path: str | Path, warn: Callable[[Said], object] = lambda line: None
) -> tuple[Mat, Iterator[TimedFrame]]:
    """The mat and the frames of a recording; `warn` is told what is wrong with it. HostError
    BAD_INPUT."""
    try:
        reader = RecordingReader(path)
        mat = load_mat(reader.mat_id)
    except (RecordingError, MatError) as error:
        raise HostError(BAD_INPUT, error) from error
    if mat.n != reader.n:
        raise HostError(
            BAD_INPUT,
            "{path} has {n} counts a frame, mat {id!r} has {sensors}",
            path=path,
            n=reader.n,
            id=mat.id,
            sensors=mat.n,
        )

    def tell(told: int) -> int:
        for line in complaints(path, reader.damage[told:]):
            warn(line)
        return len(reader.damage)

    def frames() -> Iterator[TimedFrame]:
        with reader, warnings.catch_warnings():
            warnings.simplefilter("ignore", TornRecordingWarning)
            told = 0
            try:
                for frame in reader:
                    if len(reader.damage) > told:
                        told = tell(told)
                    yield frame
            except RecordingError as error:
                raise HostError(BAD_INPUT, error) from error
            tell(told)

    return mat, frames()


class Capture:
    """Gets the frames of the mat on the port `url`, over `conversation` or one of its own. `mat`
    is its description; `over` is true once the port came to its end."""

    def __init__(self, url: str, conversation: Conversation | None = None):
        """Asks which mat it is. HostError when there is none."""
        self._conversation = conversation or PortConversation(url)
        self._received: deque[Message] = deque()
        self._url = url
        self.over = False
        self._send("hello")
        hello = self._wait(HelloMessage)
        if hello is None:
            self.close()
            raise no_mat(url)
        try:
            self.mat = load_mat(hello.mat)
        except MatError as error:
            self.close()
            raise HostError(
                BAD_INPUT, "the mat on {url} is not known: {error}", url=url, error=error
            ) from error
        if hello.sensors != self.mat.n:
            self.close()
            raise HostError(
                BAD_INPUT,
                "the mat on {url} has {sensors} sensors, {id!r} of hardware/mat.toml has "
                "{n}: update one of them",
                url=url,
                sensors=hello.sensors,
                id=self.mat.id,
                n=self.mat.n,
            )

    def frames(self, report: Callable[[Guide], None]) -> Iterator[TimedFrame]:
        """Yields frames until the player is done, and calls `report(guide)` for each. HostError
        FAILED when the mat sends no more frames."""
        guide = Guide(self.mat)
        self._send("frames only")
        # before the mat agrees, it sends only a few frames a second
        agreed = self._wait(AckMessage, lambda ack: ack.cmd == "frames only")
        while not guide.done:
            frame = self._wait(FrameMessage) if agreed else None
            if frame is None:
                if self.over:
                    return
                raise HostError(
                    FAILED, "the mat on {url} sends no frames; start it again", url=self._url
                )
            try:
                counts = np.frombuffer(b64decode(frame.counts), "<u2")
            except ValueError:
                continue  # not a frame of a mat
            if len(counts) == self.mat.n:
                guide.observe(frame.us, counts)
                report(guide)
                yield frame.us, counts

    def send(self, data: bytes) -> None:
        """Sends the mat its calibration, which it stores. HostError FAILED when it refuses."""
        self._send("frames off")
        for at in range(0, len(data), PIECE_BYTES):
            piece = b64encode(data[at : at + PIECE_BYTES]).decode()
            self._send(f"{COMMAND} {len(data)} {at} {piece}")
            ack = self._wait(AckMessage, lambda ack: ack.cmd.startswith(COMMAND))
            if ack is None or not ack.ok:
                why = ack.why if ack else "it does not answer"
                raise HostError(FAILED, "the mat refuses the calibration: {why}", why=why)

    def close(self) -> None:
        """Lets the mat judge again, and ends the conversation."""
        try:
            if not self.over:
                self._conversation.send("frames off")
        except (PortGone, HostError):
            pass
        self._conversation.close()

    def _send(self, line: str) -> None:
        try:
            self._conversation.send(line)
        except PortGone as gone:
            raise disappeared(self._url, gone) from gone

    def _wait(self, kind: type[B], wanted: Callable[[B], bool] = lambda _: True) -> B | None:
        """What the next message of this kind that is `wanted` says; None when none comes in time.
        HostError when the port disappears."""
        until = time.monotonic() + PATIENCE_S
        while time.monotonic() < until:
            while self._received:
                body = self._received.popleft().body
                if isinstance(body, kind) and wanted(body):
                    return body
            try:
                self._received.extend(self._conversation.receive())
            except PortOver:
                self.over = True
                return None
            except PortGone as gone:
                raise disappeared(self._url, gone) from gone
        return None
