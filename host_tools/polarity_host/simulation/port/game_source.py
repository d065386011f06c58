"""The frames of a SimGame: of a script, of practice players, or of a game played by hands."""

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from polarity_host.errors import BAD_INPUT, FAILED, HostError
from polarity_host.mats.description import MatError, load_mat
from polarity_host.replay.engine import check_edition
from polarity_host.replay.recording import RecordingError
from polarity_host.simulation.play.hand_game import HandGame, JudgingEngine
from polarity_host.simulation.players.match import mat_for
from polarity_host.simulation.players.played_game import Declared, PlayedGame
from polarity_host.simulation.players.skill import SKILLS
from polarity_host.simulation.port.address import CALIBRATION, VIRTUAL, SimGame
from polarity_host.simulation.port.share import Played
from polarity_host.simulation.twin import demo, whole_games
from polarity_host.simulation.twin.calibration_hand import CalibrationHand
from polarity_host.simulation.twin.nuisances import condition
from polarity_host.simulation.twin.record import Frame, Recordable, recorded

DEFAULT_TURNS = 12


class Telemetry(Protocol):
    """The part of the engine's telemetry that a calibration waits for."""

    @property
    def only_frames(self) -> bool: ...


class SourceEngine(JudgingEngine, Declared, Protocol):
    """The part of the engine that hands react to."""

    @property
    def telemetry(self) -> Telemetry: ...


class GameSource:
    """The frames of a game as they are played, and recorded if the game has a path for that.

    `hand_game`: the HandGame that pointers play, or None.
    """

    def __init__(self, game: SimGame):
        """HostError BAD_INPUT when there is no such mat or edition, or they do not go together."""
        self.game = game
        self.hand_game: HandGame | None = None
        self._calibration: CalibrationHand | None = None
        self._played: PlayedGame | None = None
        try:
            self._source = self._make(game)
        except MatError as error:
            raise HostError(BAD_INPUT, error) from error
        self.mat = self._source.mat
        self._progress: Played | None = None
        if self._played:
            self._progress = Played(self._played.truth, game.turns)
        elif game.kind == "demo":
            self._progress = Played(self._source.truth, game.turns or demo.TURNS)
        elif game.kind == "game":
            self._progress = Played(self._source.truth, game.turns or DEFAULT_TURNS)

    def _make(self, game: SimGame) -> Recordable:
        check_edition(game.edition)
        mat = load_mat(game.mat) if game.mat else mat_for(game.edition)
        disturbed = condition(game.nuisances)
        if game.kind == CALIBRATION:
            self._calibration = CalibrationHand(mat, game.seed, disturbed, game.edition)
            return self._calibration
        if game.kind == VIRTUAL:
            self.hand_game = HandGame(game.seed, mat, disturbed, game.edition)
            return self.hand_game
        if not game.is_scripted:
            skill = SKILLS[game.skill]
            self._played = PlayedGame(game.seed, game.edition, mat, disturbed, skill, game.turns)
            return self._played
        if game.kind == "demo":
            return whole_games.demo_game(game.seed, mat, game.turns, disturbed)
        return whole_games.random_game(game.seed, game.turns or DEFAULT_TURNS, mat, disturbed)

    def connect(self, engine: SourceEngine) -> None:
        """Some hands react to the engine: the one that calibrates waits until the engine sends
        frames only, and hands that play by themselves listen to its referee. Practice players
        declare to it what they declare."""
        if self._calibration:
            self._calibration.wait_for(lambda: engine.telemetry.only_frames)
        elif self.hand_game:
            self.hand_game.judged_by(engine)
        elif self._played:
            self._played.judged_by(engine)

    def frames(self) -> Iterator[Frame]:
        """Yields (t_us, counts). What was played is recorded even if the caller stops early.

        HostError FAILED when the recording cannot be written.
        """
        path = self.game.record
        try:
            yield from self._recorded(Path(path)) if path else self._source.frames()
        except RecordingError as error:
            raise HostError(FAILED, error) from error

    @property
    def share(self) -> float | None:
        """How much of the game has been played, from 0 to 1; None where nobody knows its end."""
        return self._progress.share if self._progress else None

    def _recorded(self, path: Path) -> Iterator[Frame]:
        return recorded(self._source, path, self.game.record_version)
