"""Following a mat: everything is stored first, then told."""

from pathlib import Path

from polarity_host.errors import FAILED, HostError
from polarity_host.lines import Message
from polarity_host.link import Gap, Link
from polarity_host.show import Teller
from polarity_host.store import Store


def follow(link: Link, store: Store, teller: Teller, recorder=None, once: bool = False) -> None:
    """Stores and tells what `link` brings until its port is over or, with `once`, a game has ended.

    `recorder` takes the raw frames. HostError from any of them: what was told is stored.
    """
    for batch in link.batches():
        store.add(event for event in batch if isinstance(event, (Message, Gap)))
        for event in batch:
            if recorder and isinstance(event, Message):
                recorder.take(event)
            teller.tell(event)
        if once and teller.result:
            return


class FrameRecorder:
    """Writes the raw frames that a mat sends into a recording. A context manager.

    The file is made when the mat has said which mat it is.
    """

    def __init__(self, path: Path):
        self.path = path
        self._hello: dict | None = None
        self._writer = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self._writer:
            self._writer.close()

    def take(self, message: Message) -> None:
        """Notes a hello, writes a frame. HostError FAILED when it cannot be written."""
        from polarity_host.recording import RecordingError

        if message.kind == "hello":
            self._hello = message.fields
        elif message.kind == "frame" and self._hello:
            try:
                self._write(message)
            except RecordingError as error:
                raise HostError(FAILED, str(error)) from error

    def _write(self, message: Message) -> None:
        import base64
        import binascii

        import numpy as np

        from polarity_host.recording import RecordingWriter

        hello = self._hello
        if self._writer is None:
            self._writer = RecordingWriter(
                self.path, hello["mat"], hello["sensors"], hello["edition"]
            )
        try:
            counts = np.frombuffer(base64.b64decode(message.fields["counts"], validate=True), "<u2")
            self._writer.write(message.fields["us"], counts)
        except (binascii.Error, ValueError, OverflowError) as error:
            raise HostError(FAILED, f"the mat sent a frame that is none: {error}") from error
