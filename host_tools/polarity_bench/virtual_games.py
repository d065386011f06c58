"""Which virtual games are measured: scripted ones, or those of practice players."""

from dataclasses import dataclass
from typing import TypeAlias

from polarity_host.simulation.drivers import SCRIPTED, SCRIPTED_EDITION, driver_of
from polarity_host.simulation.players.played_game import PlayedGame
from polarity_host.simulation.players.skill import SKILLS
from polarity_host.simulation.twin.nuisances import condition
from polarity_host.simulation.twin.scripted_game import ScriptedGame
from polarity_host.simulation.twin.whole_games import random_game

VirtualGame: TypeAlias = ScriptedGame | PlayedGame


@dataclass(frozen=True)
class Kind:
    """`driver` and `edition`: as driver_of takes them, with its HostError. `skill`: of practice
    players.
    """

    driver: str = ""
    edition: str = SCRIPTED_EDITION
    skill: str = "usual"

    def __post_init__(self) -> None:
        driver_of(self.edition, self.driver)

    @property
    def is_scripted(self) -> bool:
        """Whether a script says what happens, and not physics."""
        return driver_of(self.edition, self.driver) == SCRIPTED

    def game(self, seed: int, turns: int, nuisances: str) -> VirtualGame:
        """The game of that seed, not begun; stopped after so many turns."""
        disturbed = condition(nuisances)
        if self.is_scripted:
            return random_game(seed, turns, condition=disturbed)
        skill = SKILLS[self.skill]
        return PlayedGame(seed, self.edition, condition=disturbed, skill=skill, turns=turns)


SCRIPTS = Kind()
