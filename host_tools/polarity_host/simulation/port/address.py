"""Which game a simulated mat plays: the parts of a `sim://` URL."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from polarity_host.errors import BAD_INPUT, HostError
from polarity_host.replay.engine import random_boot_id
from polarity_host.replay.recording import VERSION, VERSIONS
from polarity_host.simulation.drivers import DRIVERS, SCRIPTED, SCRIPTED_EDITION, driver_of
from polarity_host.simulation.players.skill import SKILLS
from polarity_host.simulation.twin.nuisances import NAMES, USUAL

CALIBRATION = "calibration"
VIRTUAL = "virtual"
KINDS = ("demo", "game", CALIBRATION, VIRTUAL)


@dataclass(frozen=True)
class SimGame:
    """One game. `speed` 1 is real time, 0 as fast as it is read; `turns` None: the kind's own
    number; `mat` "": the one that `edition` is played on; `nuisances` names what disturbs the mat,
    see twin/nuisances.py.

    `driver` of a demo or a game: a script, or physics and practice players of that `skill`; "": see
    driver_of. `record` is where frames and truth are stored, "" for nowhere, in `record_version`
    of the format.
    """

    kind: str = "demo"
    seed: int = 1
    turns: int | None = None
    speed: float = 1.0
    mat: str = ""
    edition: str = SCRIPTED_EDITION
    driver: str = ""
    skill: str = "usual"
    boot: int = 0
    nuisances: str = USUAL
    record: str = ""
    record_version: int = VERSION

    @classmethod
    def from_url(cls, url: str) -> "SimGame":
        """Reads `sim://demo?seed=1&speed=4` or `sim://game?seed=1&turns=30`.

        HostError BAD_INPUT for any other text.
        """
        try:
            parts = urlsplit(url)
        except ValueError as error:
            raise HostError(BAD_INPUT, "{url} is no URL: {error}", url=url, error=error) from error
        kind = parts.netloc or "demo"
        if parts.scheme != "sim" or kind not in KINDS or parts.path.strip("/"):
            raise HostError(
                BAD_INPUT,
                "{url}: write sim://demo, sim://game, sim://calibration or sim://virtual, "
                "then ?seed=1&speed=1",
                url=url,
            )
        sorts = {"seed": int, "turns": int, "speed": float, "boot": int, "record_version": int}
        values: dict[str, Any] = {}
        for name, text in parse_qsl(parts.query, keep_blank_values=True):
            if name not in cls.__dataclass_fields__ or name == "kind":
                known = ", ".join(key for key in cls.__dataclass_fields__ if key != "kind")
                raise HostError(
                    BAD_INPUT,
                    "{url}: no option {name!r}; there are {known}",
                    url=url,
                    name=name,
                    known=known,
                )
            try:
                values[name] = sorts.get(name, str)(text.replace(" ", "+"))
            except ValueError as error:
                raise HostError(
                    BAD_INPUT, "{url}: {name} must be a number", url=url, name=name
                ) from error
        game = cls(kind=kind, **values)
        if not (
            game.seed >= 0
            and (game.turns is None or 1 <= game.turns <= 1000)
            and 0 <= game.speed < 1e6
        ):
            raise HostError(
                BAD_INPUT,
                "{url}: seed from 0 on, turns 1 to 1000, speed 0 (unlimited) or more",
                url=url,
            )
        if game.record_version not in VERSIONS:
            raise HostError(
                BAD_INPUT,
                "{url}: no record_version {record_version}",
                url=url,
                record_version=game.record_version,
            )
        for name, known in (("nuisances", NAMES), ("driver", ("", *DRIVERS)), ("skill", SKILLS)):
            value = values.get(name, getattr(cls, name))
            if value not in known:
                names = ", ".join(filter(None, known))
                raise HostError(
                    BAD_INPUT,
                    "{url}: no {name} {value!r}; there are {names}",
                    url=url,
                    name=name,
                    value=value,
                    names=names,
                )
        return game

    @property
    def is_scripted(self) -> bool:
        """Whether a script says what happens, and not physics. HostError as driver_of."""
        return driver_of(self.edition, self.driver) == SCRIPTED

    def boot_id(self) -> int:
        """The requested boot id, else a random one as a mat draws at power-up."""
        return self.boot or random_boot_id()
