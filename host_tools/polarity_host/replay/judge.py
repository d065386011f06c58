"""Judges a recording again: the firmware's engine over its frames, as fast as it goes."""

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from polarity_host.errors import BAD_INPUT, HostError, Said
from polarity_host.mats.calibration_file import load
from polarity_host.mats.description import MatError, load_mat
from polarity_host.replay.engine import build_engine, raw_counts, sent_messages
from polarity_host.replay.pace import Pace, PacedEngine
from polarity_host.replay.recording import (
    Counts,
    RecordingError,
    RecordingReader,
    TornRecordingWarning,
    complaints,
)
from polarity_host.wire.lines import Message
from polarity_host.wire.messages import FactMessage, HealthMessage

#: Frames whose exact times are remembered, for the messages of the engine, which count in ms.
MOST_TIMES = 1000


class Replay:
    """One recording being judged. Iterate over `messages`, then ask for `final`.

    `frames`, `facts` (reported so far) and `last_t_us` show how far it is; `torn` is True once a
    torn end was dropped.
    """

    def __init__(self, path: Path, calibration: Path | None = None, pace: Pace | None = None):
        """Opens the recording; `calibration` is the file of the mat's calibration, `pace` that of
        an engine that is not done at once. HostError BAD_INPUT when it cannot be judged."""
        try:
            self._reader = RecordingReader(path)
        except RecordingError as error:
            raise HostError(BAD_INPUT, error) from error
        try:
            mat = load_mat(self._reader.mat_id)
        except MatError as error:
            self._reader.close()
            raise HostError(
                BAD_INPUT, "{path} is of another mat: {error}", path=path, error=error
            ) from error
        if mat.n != self._reader.n:
            self._reader.close()
            raise HostError(
                BAD_INPUT,
                "{path} has {n} counts a frame, mat {id!r} has {sensors}: it was recorded on "
                "another mat, or with another hardware/mat.toml",
                path=path,
                n=self._reader.n,
                id=mat.id,
                sensors=mat.n,
            )
        self.path = path
        self.frames = 0
        self.first_t_us = 0
        self.last_t_us = 0
        self.torn = False
        self.facts = 0
        self._complaint = ""  # the last thing that the engine found wrong with the mat
        self._railed_frames = 0
        self._full_scale = 2**mat.bits - 1
        known = load(calibration, mat.id, mat.n) if calibration else None
        self._engine = build_engine(mat.id, self._reader.edition or "temple", 1, calibration=known)
        self._paced = PacedEngine(self._engine, pace) if pace else None
        self._times: dict[int, int] = {}

    def messages(self) -> Iterator[tuple[int, Message]]:
        """Yields (t_us, message) for everything that the engine sends on its wire, in order.

        `t_us` is the time of the frame that the message's own time means. HostError BAD_INPUT
        when there is no whole frame or the file cannot be read on.
        """
        with self._reader, warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", TornRecordingWarning)
            try:
                for t_us, counts in self._reader:
                    yield from self._frame(t_us, counts)
            except RecordingError as error:
                raise HostError(BAD_INPUT, error) from error
        if self._paced:
            self._paced.finish()
            yield from self._sent()
        self.torn = any(issubclass(w.category, TornRecordingWarning) for w in caught)
        if not self.frames:
            why = Said("no good frames") if self._reader.damage else Said("no frames")
            raise HostError(
                BAD_INPUT, "{path} holds {why}; record it again", path=self.path, why=why
            )

    @property
    def complaints(self) -> list[Said]:
        """What is wrong with the recording, in lines for people, once all of it was read."""
        return complaints(self.path, self._reader.damage, self.torn)

    @property
    def share(self) -> float:
        """How much of the recording has been judged, from 0 to 1."""
        return self._reader.share

    @property
    def why_blind(self) -> Said | None:
        """Why nothing could be observed, None when something was: the engine reported no fact, and
        either complained or got counts that no sensor gives.
        """
        if self.facts:
            return None
        if 2 * self._railed_frames > self.frames:
            return Said("most sensors read 0 or full scale; check the mat's power and wiring")
        return Said("{complaint}", complaint=self._complaint) if self._complaint else None

    def final(self) -> dict[str, Any]:
        """The position at the end, as `polarity replay --json` prints it: `pieces` as objects,
        `reserves` and `score` as [white, black], `outcome` as [why, winner] or [].
        """
        final = self._engine.game.final()
        pieces = [_piece(*values) for values in final["pieces"]]
        return {"k": "final", "t_us": self.last_t_us, **final, "pieces": pieces}

    def snapshot(self) -> Iterator[Message]:
        """The engine's `snap` message of the position at the end."""
        self._engine.command(b"snap\n")
        return (message for message in sent_messages(self._engine) if message.kind == "snap")

    def _frame(self, t_us: int, counts: Counts) -> Iterator[tuple[int, Message]]:
        if not self.frames:
            self.first_t_us = t_us
        self.frames += 1
        self.last_t_us = t_us
        self._times[t_us // 1000] = t_us
        if len(self._times) > MOST_TIMES:
            del self._times[next(iter(self._times))]
        railed = np.count_nonzero((counts == 0) | (counts >= self._full_scale))
        self._railed_frames += 2 * railed > len(counts)
        (self._paced or self._engine).frame(t_us // 1000, raw_counts(counts))
        yield from self._sent()

    def _sent(self) -> Iterator[tuple[int, Message]]:
        for message in sent_messages(self._engine):
            if isinstance(message.body, HealthMessage):
                self._complaint = message.body.why or self._complaint
            self.facts += isinstance(message.body, FactMessage)
            yield self._times.get(message.t_ms, message.t_ms * 1000), message


def as_json(t_us: int, message: Message) -> dict[str, Any]:
    """A fact or ruling as `polarity replay --json` prints it: the message's own fields and its
    `t_us`; a fact's place and way also in mm.
    """
    fields = {**message.as_received(), "t_us": t_us}
    if isinstance(fact := message.body, FactMessage):
        fields |= {"x_mm": fact.x / 100, "y_mm": fact.y / 100, "d_mm": fact.d / 100}
    return fields


def _piece(
    number: int,
    shape: str,
    face: str,
    discs: int,
    x_cmm: int,
    y_cmm: int,
    tilt_deg: int,
    azimuth_deg: int,
) -> dict[str, Any]:
    """A piece of the engine's final position, in words and mm."""
    return {
        "id": number,
        "kind": "foundation" if shape == "flat" else shape,
        "face": face,
        "discs": discs,
        "x_mm": x_cmm / 100,
        "y_mm": y_cmm / 100,
        "tilt_deg": tilt_deg,
        "azimuth_deg": azimuth_deg,
    }
