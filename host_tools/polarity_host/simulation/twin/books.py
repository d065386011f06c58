"""The books of a scripted game: which rulings it must lead to, and why.

Written from the rulebooks (edition `temple`: 001 Temple Games rules, 004 Strategy Guide) and not
from the referee's code, with which they share only the names of codes and reasons. A script makes
each entry after it has caused the event.
"""

from collections.abc import Callable, Collection, Iterable

from .truth import LETTER, Record

WHITE, BLACK = 1, -1
RESERVE_DISCS = 26  # 001 Setup 2
FOUNDATIONS = 5  # of each colour: 001 Foundation Discs


def seat(player: int) -> int:
    """Index of a player in a (white, black) pair."""
    return 0 if player == WHITE else 1


class Books:
    """Reserves, owed captures and turns of one game, and `rulings`, the list of expected ones.

    `clock` gives the time in us of the last event. A reserve holds a player's unplayed discs,
    the one in his hand included. `owed`: (player, piece ids) of every group to be captured.
    `over`: why the game ended, or None.
    """

    def __init__(self, clock: Callable[[], int]):
        self.clock = clock
        self.rulings: list[Record] = []
        self.reserve = [RESERVE_DISCS, RESERVE_DISCS]
        self.owed: list[tuple[int, set[int]]] = []
        self.flips: set[int] = set()  # owed pieces that are a single flipped leaner
        self.active = 0
        self.turn_number = 0
        self.in_hand = 0  # the active player's discs in his hand that no ruling has sent back yet
        self.over: str | None = None

    # ---- set-up: 001 Setup, Foundation Discs
    def red_placed(self, piece_id: int) -> None:
        """The red disc lies on the dot."""
        self._rule("red_placed", 0, pieces=[piece_id])

    def foundation(self, player: int, piece_id: int) -> None:
        """A disc from the player's reserve was laid flat. After the tenth the game begins; until
        white's hand comes in, events still count as black's."""
        self.reserve[seat(player)] -= 1
        self._rule("foundation", player, pieces=[piece_id])
        if sum(self.reserve) == 2 * (RESERVE_DISCS - FOUNDATIONS):
            self.active = BLACK
            self._rule("setup_done", 0)

    # ---- turns
    def turn(self, player: int, piece_id: int, t_us: int) -> None:
        """The player's hand crossed the circle with its disc, or lifted a piece that he has to
        capture (004 Basic Terms, Turn)."""
        self.active = player
        self.turn_number += 1
        self.in_hand = 0
        self._rule("turn", player, pieces=[piece_id])
        self.rulings[-1]["t_us"] = t_us

    def brought(self) -> None:
        """The active player's hand has brought the action disc."""
        self.in_hand = 1

    def try_again(self, piece_id: int) -> None:
        """The action disc fell flat and nothing else reacted (001 Game Play)."""
        self.reserve[seat(self.active)] -= 1
        self.in_hand = 0
        self._rule("try_again", self.active, pieces=[piece_id])

    def taken_up(self) -> None:
        """He picks the action disc up again."""
        self.reserve[seat(self.active)] += 1
        self.in_hand = 1

    def leaner_placed(self, piece_id: int) -> None:
        """The action disc stands: the turn is played."""
        self.reserve[seat(self.active)] -= 1
        self.in_hand = 0
        self._rule("leaner_placed", self.active, pieces=[piece_id])

    # ---- faults: 001 Faults, After a Fault; they count against the player whose turn lasts
    def leaner_fell(self, piece_id: int) -> None:
        """A leaner fell and shows the same face as before."""
        self._fault("leaner_fell", [piece_id])

    def flipped(self, piece_id: int, owner: int) -> None:
        """A leaner of `owner` fell and shows the other face. The opponent of the faulter captures
        his own disc back; the faulter's own stays where it lies (004 scenario 4, FAQ)."""
        if owner == -self.active:
            self.owed.append((owner, {piece_id}))
            self.flips.add(piece_id)
        self._fault("flipped", [piece_id])

    def contact(self, piece_ids: Collection[int], gone: int | None = None) -> None:
        """Pieces came to touch; the opponent must capture them with everything that they touch (001
        Capturing Faults). `gone`: the one of them that is now part of another, a tower."""
        group = set(piece_ids)
        for player, ids in list(self.owed):
            if ids & group:
                group |= ids
                self.owed.remove((player, ids))
        self.owed.append((-self.active, group - {gone}))
        self._fault("contact", sorted(piece_ids))

    def shifted(self, piece_id: int) -> None:
        """A flat piece moved by more than its diameter, and stays there."""
        self._fault("shifted", [piece_id])

    def out(self, piece_id: int, discs: int) -> None:
        """A piece was forced out of the circle: into the faulter's reserve (004 Forcing out)."""
        self.reserve[seat(self.active)] += discs
        self.in_hand += discs
        self._fault("out", [piece_id])

    def snapped(self, held_id: int, joined_id: int, discs: int) -> None:
        """A piece snapped to the action disc: both to the faulter's reserve (004 Attracted out)."""
        self.reserve[seat(self.active)] += discs
        self.in_hand += discs
        self._fault("snapped", [held_id, joined_id])

    # ---- captures: 001 Capturing Faults; 004 Successful / Unsuccessful Capture, FAQ
    def captured(self, how: str, piece_id: int, group_ids: Iterable[int]) -> None:
        """`how`: lifted, in_place or flip. The group is owed no more."""
        self._clear_owed(group_ids)
        self._rule("captured", self.active, how, [piece_id])

    def capture_failed(
        self,
        why: str,
        pieces: Iterable[int],
        lifted_ids: Iterable[int],
        discs: int,
        group_ids: Iterable[int],
        still_owed: Collection[int] = (),
    ) -> None:
        """A fault during a capture: the `discs` in the hand go to the capturer's reserve, his turn
        ends, and the opponent captures what remains in contact (`still_owed` of this group)."""
        self._clear_owed(group_ids)
        if still_owed:
            self.owed.append((self.active, set(still_owed)))
        self.owed = [(p if ids <= self.flips else -self.active, ids) for p, ids in self.owed]
        self.reserve[seat(self.active)] += discs
        self._fault(why, pieces)
        self._rule("capture_failed", self.active, why, sorted(lifted_ids), discs)

    # ---- the end: 001 End of the Game
    def lost(self, why: str, piece_id: int, tower_discs: tuple[int, int]) -> None:
        """The active player loses at once. `tower_discs`: (white, black) in towers."""
        self._end(why, -self.active, [piece_id], tower_discs)

    def reserve_empty(self, tower_discs: tuple[int, int]) -> None:
        """A player has played his last disc: discs in towers minus reserve decide."""
        white, black = self._score(tower_discs)
        self._end("reserve_empty", (white > black) - (white < black), [], tower_discs)

    # ----
    def _score(self, tower_discs: tuple[int, int]) -> list[int]:
        return [tower_discs[0] - self.reserve[0], tower_discs[1] - self.reserve[1]]

    def _end(
        self, why: str, winner: int, pieces: Iterable[int], tower_discs: tuple[int, int]
    ) -> None:
        self.over, self.owed = why, []
        self._rule("end", winner, why, pieces)
        self.rulings[-1]["score"] = self._score(tower_discs)

    def _clear_owed(self, group_ids: Iterable[int]) -> None:
        self.owed = [(p, ids) for p, ids in self.owed if not ids & set(group_ids)]

    def _fault(self, why: str, pieces: Iterable[int]) -> None:
        returned, self.in_hand = self.in_hand, 0
        self._rule("fault", self.active, why, pieces, returned)

    def _rule(
        self,
        code: str,
        player: int,
        why: str = "",
        pieces: Iterable[int] = (),
        returned: int = 0,
    ) -> None:
        self.rulings.append(
            {
                "t_us": self.clock(),
                "k": "ruling",
                "code": code,
                "player": LETTER[player],
                "why": why,
                "pieces": list(pieces),
                "owed": [[LETTER[p], sorted(ids)] for p, ids in self.owed],
                "returns": [[LETTER[self.active], returned]] if returned else [],
                "reserve": list(self.reserve),
                "turn": self.turn_number,
                "active": LETTER[self.active],
            }
        )
