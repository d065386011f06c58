"""How well a player handles discs: from clumsy to careful."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Skill:
    """`tremble`: times the tremble of a hand that is held out. `pause`: times the pauses of brisk
    play. `aim_mm`, `aim_deg`: spread of where a disc comes down, and of how it is turned. `looks`:
    share of the places that a player looks at who takes his time. `strain`: from here on a place is
    too risky, see Foresight. `attempts`: how often he tries to lean a disc before he lets go in any
    case. `fumbles`: of his turns, the share in which he makes a blunder (fumbles.py). `waits`:
    whether he lets everything come to rest before he begins.
    """

    tremble: float
    pause: float
    aim_mm: float
    aim_deg: float
    looks: float
    strain: float
    attempts: int
    fumbles: float
    waits: bool


CLUMSY = Skill(2.0, 0.5, 4.0, 12.0, 0.15, 1.0, 1, 0.35, False)
USUAL = Skill(1.0, 1.0, 1.5, 5.0, 0.5, 0.9, 3, 0.10, True)
CAREFUL = Skill(0.5, 1.3, 0.3, 1.0, 1.0, 0.8, 6, 0.0, True)
SKILLS = {"clumsy": CLUMSY, "usual": USUAL, "careful": CAREFUL}
