"""Who plays: two players, two teams of partners, or three who change colours.

Book: 004 Polarity Variants. Players are counted from 0 in the order of their first turns: in teams
0 and 2 play white, 1 and 3 black. `position.seats`: which player has the white discs now, and
which the black; of three, the one whose turn it is not comes next.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from polarity.rules.editions import Rules
    from polarity.rules.position import Position


def at_the_start(edition: "Rules") -> "list[int]":
    """`position.seats` before the first foundation."""
    return [0, 0] if edition["players"] == 3 else [0, 1]


def founds(position: "Position", place: int) -> None:
    """Whoever places the next foundation of a colour (place 0 white, 1 black) has it now.

    Partners alternate from the first foundation on; three players go round.
    """
    players = position.edition["players"]
    if players == 4:
        position.seats[place] = place + 2 * (position.founded[place] % 2)
    elif players == 3:
        position.seats[place] = sum(position.founded) % 3


def set_up(position: "Position", place: int) -> None:
    """All foundations lie: who is next, and what each plays from (four: 11, 11, 10 and 10)."""
    if position.edition["players"] == 3:
        position.seats[1 - place] = (position.seats[place] + 1) % 3
    stacks = position.edition["stacks"]
    if stacks > 2:
        total = sum(position.reserve)
        position.reserve = [(total + stacks - 1 - i) // stacks for i in range(stacks)]


def hand_over(position: "Position", place: int) -> None:
    """A turn of this colour begins: partners alternate; of three the next one has it already."""
    players = position.edition["players"]
    if players == 4:
        position.seats[place] = (position.seats[place] + 2) % 4
    elif players == 3:
        position.seats[1 - place] = (position.seats[place] + 1) % 3
    position.colours[position.seats[place]] = 1 - 2 * place
