"""The frames of a SimGame, from the twin or from a game played by hands."""

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from polarity_host.errors import BAD_INPUT, FAILED, HostError
from polarity_host.mats.description import MatError, load_mat
from polarity_host.replay.recording import RecordingError
from polarity_host.simulation.play.hand_game import HandGame, JudgingEngine
from polarity_host.simulation.port.address import CALIBRATION, VIRTUAL, SimGame
from polarity_host.simulation.twin import whole_games
from polarity_host.simulation.twin.calibration_hand import CalibrationHand
from polarity_host.simulation.twin.nuisances import condition
from polarity_host.simulation.twin.record import Frame, Recordable, recorded

DEFAULT_TURNS = 12


class Telemetry(Protocol):
    """The part of the engine's telemetry that a calibration waits for."""

    @property
    def only_frames(self) -> bool: ...


class SourceEngine(JudgingEngine, Protocol):
    """The part of the engine that hands react to."""

    @property
    def telemetry(self) -> Telemetry: ...


class GameSource:
    """The frames of a game as they are played, and recorded if the game has a path for that.

    `hand_game`: the HandGame that pointers play, or None.
    """

    def __init__(self, game: SimGame):
        """HostError BAD_INPUT when there is no such mat, or the twin cannot play on it."""
        self.game = game
        self.hand_game: HandGame | None = None
        self._calibration: CalibrationHand | None = None
        try:
            self._source = self._make(game)
        except MatError as error:
            raise HostError(BAD_INPUT, str(error)) from error
        self.mat = self._source.mat
        if game.edition != self._source.edition:
            raise HostError(BAD_INPUT, f"the twin plays the {self._source.edition} edition only")

    def _make(self, game: SimGame) -> Recordable:
        mat, disturbed = load_mat(game.mat), condition(game.nuisances)
        if game.kind == CALIBRATION:
            self._calibration = CalibrationHand(mat, game.seed, disturbed, game.edition)
            return self._calibration
        if game.kind == VIRTUAL:
            self.hand_game = HandGame(game.seed, mat, disturbed, game.edition)
            return self.hand_game
        if game.kind == "demo":
            return whole_games.demo_game(game.seed, mat, game.turns, disturbed)
        return whole_games.random_game(game.seed, game.turns or DEFAULT_TURNS, mat, disturbed)

    def connect(self, engine: SourceEngine) -> None:
        """Some hands react to the engine: the one that calibrates waits until the engine sends
        frames only, and hands that play by themselves listen to its referee."""
        if self._calibration:
            self._calibration.wait_for(lambda: engine.telemetry.only_frames)
        elif self.hand_game:
            self.hand_game.judged_by(engine)

    def frames(self) -> Iterator[Frame]:
        """Yields (t_us, counts). What was played is recorded even if the caller stops early.

        HostError FAILED when the recording cannot be written.
        """
        path = self.game.record
        try:
            yield from recorded(self._source, Path(path)) if path else self._source.frames()
        except RecordingError as error:
            raise HostError(FAILED, str(error)) from error
