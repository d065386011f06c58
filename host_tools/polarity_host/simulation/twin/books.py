"""The game keeper's books: which rulings a scripted game must lead to, and why.

Written from the rulebooks (edition `temple`: 001 Temple Games rules, 004 Strategy Guide) and not
from the referee's code, with which they share only the names of codes and reasons. A script makes
each entry when it has caused what the entry is about.
"""

from .truth import LETTER

WHITE, BLACK = 1, -1
RESERVE_DISCS = 26  # 001 Setup 2
FOUNDATIONS = 5  # of each colour: 001 Foundation Discs


def seat(player):
    """Index of a player in a (white, black) pair."""
    return 0 if player == WHITE else 1


class Books:
    """Reserves, owed captures and turns of one game, and `rulings`, the list of expected ones.

    `clock` gives the time in us of what happened last. A reserve holds a player's unplayed discs,
    the one in his hand included. `owed`: list of (player, set of piece ids). `over`: why the game
    ended, or None.
    """

    def __init__(self, clock):
        self.clock = clock
        self.rulings = []
        self.reserve = [RESERVE_DISCS, RESERVE_DISCS]
        self.owed = []
        self.flips = set()  # owed pieces that are a single flipped leaner
        self.active = 0
        self.turn_number = 0
        self.in_hand = 0  # the active player's discs in his hand that no ruling has sent back yet
        self.over = None

    # ---- set-up: 001 Setup, Foundation Discs
    def red_placed(self, piece_id):
        """The red disc lies on the dot."""
        self._rule("red_placed", 0, pieces=[piece_id])

    def foundation(self, player, piece_id):
        """A disc from the player's reserve was laid flat. After the tenth the game begins; until
        white's hand comes in, what happens is still black's doing."""
        self.reserve[seat(player)] -= 1
        self._rule("foundation", player, pieces=[piece_id])
        if sum(self.reserve) == 2 * (RESERVE_DISCS - FOUNDATIONS):
            self.active = BLACK
            self._rule("setup_done", 0)

    # ---- turns
    def turn(self, player, piece_id, t_us):
        """The player's hand crossed the circle with its disc, or lifted what he is to capture
        (004 Basic Terms, Turn)."""
        self.active = player
        self.turn_number += 1
        self.in_hand = 0
        self._rule("turn", player, pieces=[piece_id])
        self.rulings[-1]["t_us"] = t_us

    def try_again(self, piece_id):
        """The action disc fell flat and nothing else reacted (001 Game Play)."""
        self.reserve[seat(self.active)] -= 1
        self.in_hand = 0
        self._rule("try_again", self.active, pieces=[piece_id])

    def taken_up(self):
        """He picks the action disc up again."""
        self.reserve[seat(self.active)] += 1
        self.in_hand = 1

    def leaner_placed(self, piece_id):
        """The action disc stands: the turn is played."""
        self.reserve[seat(self.active)] -= 1
        self.in_hand = 0
        self._rule("leaner_placed", self.active, pieces=[piece_id])

    # ---- faults: 001 Faults, After a Fault; they count against the player whose turn lasts
    def leaner_fell(self, piece_id):
        """A leaner fell and shows the face that it showed."""
        self._fault("leaner_fell", [piece_id])

    def flipped(self, piece_id, owner):
        """A leaner of `owner` fell and shows the other face. The opponent of the faulter captures
        his own disc back; the faulter's own stays where it lies (004 scenario 4, FAQ)."""
        if owner == -self.active:
            self.owed.append((owner, {piece_id}))
            self.flips.add(piece_id)
        self._fault("flipped", [piece_id])

    def contact(self, piece_ids, gone=None):
        """Pieces came to touch; with all that they touch, the opponent must capture them (001
        Capturing Faults). `gone`: the one of them that is now part of another, a tower."""
        group = set(piece_ids)
        for player, ids in list(self.owed):
            if ids & group:
                group |= ids
                self.owed.remove((player, ids))
        self.owed.append((-self.active, group - {gone}))
        self._fault("contact", sorted(piece_ids))

    def shifted(self, piece_id):
        """A flat piece moved by more than its diameter, and stays there."""
        self._fault("shifted", [piece_id])

    def out(self, piece_id, discs):
        """A piece was forced out of the circle: into the faulter's reserve (004 Forcing out)."""
        self.reserve[seat(self.active)] += discs
        self.in_hand += discs
        self._fault("out", [piece_id])

    def snapped(self, held_id, joined_id, discs):
        """A piece snapped to the action disc: both to the faulter's reserve (004 Attracted out)."""
        self.reserve[seat(self.active)] += discs
        self.in_hand += discs
        self._fault("snapped", [held_id, joined_id])

    # ---- captures: 001 Capturing Faults; 004 Successful / Unsuccessful Capture, FAQ
    def captured(self, how, piece_id, group_ids):
        """`how`: lifted, in_place or flip. The group is owed no more."""
        self._settle(group_ids)
        self._rule("captured", self.active, how, [piece_id])

    def capture_failed(self, why, pieces, lifted_ids, discs, group_ids, still_owed=()):
        """A fault during a capture: the `discs` in the hand go to the capturer's reserve, his turn
        ends, and the opponent captures what remains in contact (`still_owed` of this group)."""
        self._settle(group_ids)
        if still_owed:
            self.owed.append((self.active, set(still_owed)))
        self.owed = [(p if ids <= self.flips else -self.active, ids) for p, ids in self.owed]
        self.reserve[seat(self.active)] += discs
        self._fault(why, pieces)
        self._rule("capture_failed", self.active, why, sorted(lifted_ids), discs)

    # ---- the end: 001 End of the Game
    def lost(self, why, piece_id, tower_discs):
        """The active player loses at once. `tower_discs`: (white, black) in towers."""
        self._end(why, -self.active, [piece_id], tower_discs)

    def reserve_empty(self, tower_discs):
        """A player has played his last disc: towers less reserve decide."""
        white, black = self._score(tower_discs)
        self._end("reserve_empty", (white > black) - (white < black), [], tower_discs)

    # ----
    def _score(self, tower_discs):
        return [tower_discs[0] - self.reserve[0], tower_discs[1] - self.reserve[1]]

    def _end(self, why, winner, pieces, tower_discs):
        self.over, self.owed = why, []
        self._rule("end", winner, why, pieces)
        self.rulings[-1]["score"] = self._score(tower_discs)

    def _settle(self, group_ids):
        self.owed = [(p, ids) for p, ids in self.owed if not ids & set(group_ids)]

    def _fault(self, why, pieces):
        returned, self.in_hand = self.in_hand, 0
        self._rule("fault", self.active, why, pieces, returned)

    def _rule(self, code, player, why="", pieces=(), returned=0):
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
