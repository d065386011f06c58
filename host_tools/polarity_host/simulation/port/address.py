"""Which game a virtual mat plays, as a URL says it, and the frames of that game."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

from polarity_host.errors import BAD_INPUT, FAILED, HostError
from polarity_host.replay.engine import random_boot_id
from polarity_host.simulation.twin.nuisances import NAMES, USUAL, condition

CALIBRATION = "calibration"
VIRTUAL = "virtual"
KINDS = ("demo", "game", CALIBRATION, VIRTUAL)
DEFAULT_TURNS = 12


@dataclass(frozen=True)
class SimGame:
    """One virtual game. `speed` 1 is real time, 0 as fast as it is read; `turns` None: as many as
    the kind has of itself; `nuisances` names what disturbs the mat, see twin/nuisances.py.

    `record` is where frames and truth are kept, "" for nowhere.
    """

    kind: str = "demo"
    seed: int = 1
    turns: int | None = None
    speed: float = 1.0
    mat: str = "standard"
    edition: str = "temple"
    boot: int = 0
    nuisances: str = USUAL
    record: str = ""

    @classmethod
    def from_url(cls, url: str) -> "SimGame":
        """Reads `sim://demo?seed=1&speed=4` or `sim://game?seed=1&turns=30`.

        HostError BAD_INPUT for anything that it does not say exactly right.
        """
        try:
            parts = urlsplit(url)
        except ValueError as error:
            raise HostError(BAD_INPUT, f"{url} is no URL: {error}") from error
        kind = parts.netloc or "demo"
        if parts.scheme != "sim" or kind not in KINDS or parts.path.strip("/"):
            raise HostError(
                BAD_INPUT,
                f"{url}: write sim://demo, sim://game, sim://calibration or sim://virtual, "
                "then ?seed=1&speed=1",
            )
        sorts = {"seed": int, "turns": int, "speed": float, "boot": int}
        values = {}
        for name, text in parse_qsl(parts.query, keep_blank_values=True):
            if name not in cls.__dataclass_fields__ or name == "kind":
                known = ", ".join(key for key in cls.__dataclass_fields__ if key != "kind")
                raise HostError(BAD_INPUT, f"{url}: no option {name!r}; there are {known}")
            try:
                values[name] = sorts.get(name, str)(text.replace(" ", "+"))
            except ValueError as error:
                raise HostError(BAD_INPUT, f"{url}: {name} must be a number") from error
        game = cls(kind=kind, **values)
        if not (
            game.seed >= 0
            and (game.turns is None or 1 <= game.turns <= 1000)
            and 0 <= game.speed < 1e6
        ):
            raise HostError(
                BAD_INPUT, f"{url}: seed from 0 on, turns 1 to 1000, speed 0 (unlimited) or more"
            )
        if game.nuisances not in NAMES:
            raise HostError(
                BAD_INPUT, f"{url}: no nuisances {game.nuisances!r}; there are {', '.join(NAMES)}"
            )
        return game

    def boot_id(self) -> int:
        """The boot id asked for, else a random one as a mat draws at power-up."""
        return self.boot or random_boot_id()


class Played:
    """The frames of a game as they are played, recorded on the way if the game asks for it."""

    def __init__(self, game: SimGame):
        """HostError BAD_INPUT when there is no such mat, or the twin cannot play on it."""
        from polarity_host.mats.description import MatError, load_mat
        from polarity_host.simulation.play.hand_game import HandGame
        from polarity_host.simulation.twin import whole_games
        from polarity_host.simulation.twin.calibration_hand import CalibrationHand

        self.game = game
        disturbed = condition(game.nuisances)
        try:
            self.mat = load_mat(game.mat)
            if game.kind == CALIBRATION:
                self._twin = CalibrationHand(self.mat, game.seed, disturbed, game.edition)
            elif game.kind == VIRTUAL:
                self._twin = HandGame(game.seed, self.mat, disturbed, game.edition)
            elif game.kind == "demo":
                self._twin = whole_games.demo_game(game.seed, self.mat, game.turns, disturbed)
            else:
                turns = game.turns or DEFAULT_TURNS
                self._twin = whole_games.random_game(game.seed, turns, self.mat, disturbed)
        except MatError as error:
            raise HostError(BAD_INPUT, str(error)) from error
        if game.edition != self._twin.edition:
            raise HostError(BAD_INPUT, f"the twin plays the {self._twin.edition} edition only")

    def connect(self, engine) -> None:
        """What the hands of some games know of the mat: the one that calibrates waits until the
        engine sends frames only, and those that play by themselves hear the referee."""
        if self.game.kind == CALIBRATION:
            self._twin.begun = lambda: engine.telemetry.only_frames
        elif self.game.kind == VIRTUAL:
            self._twin.engine = engine

    @property
    def virtual(self):
        """The HandGame that pointers play, or None."""
        return self._twin if self.game.kind == VIRTUAL else None

    def frames(self) -> Iterator[tuple[int, object]]:
        """Yields (t_us, counts). What was played is recorded even if the caller stops early.

        HostError FAILED when the recording cannot be written.
        """
        from polarity_host.replay.recording import RecordingError
        from polarity_host.simulation.twin.record import recorded

        path = self.game.record
        try:
            yield from recorded(self._twin, Path(path)) if path else self._twin.frames()
        except RecordingError as error:
            raise HostError(FAILED, str(error)) from error
