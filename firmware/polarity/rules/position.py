"""The position: where every disc is, what is owed, and whose turn it is."""

from polarity.facts import LEANER, WHITE, letter
from polarity.rules import players
from polarity.rules.pieces import Carried, Piece

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from polarity.rules.editions import Rules
    from polarity.rules.pieces import Group
    from polarity.rules.ruling import Owed

    State = dict[str, Any]  # {field: value} of a snapshot, as firmware/PROTOCOL.md lists them

# Phases
RED_DISC = "red_disc"
FOUNDATIONS = "foundations"
PLAY = "play"
OVER = "over"

AFTER_HAND_MS = 500
MAX_GONE = 64  # ids of pieces no longer on the mat that late facts may still name


def seat(player: int) -> int:
    """The player's index in a (white, black) pair."""
    return 0 if player == WHITE else 1


class Position:
    """Where the discs are: on the mat, in a hand, set aside during a capture, in the reserves.

    discs() is constant but for `surplus`, the discs observed beyond those the game has (below 0:
    lost).
    `reserve` has a number of discs for white and one for black, or one for each player where each
    has his own (`edition["stacks"]`). `active` is responsible for what happens; `done`: has played
    or committed a fault this turn.
    """

    def __init__(self, edition: "Rules") -> None:
        self.edition = edition
        self.phase = RED_DISC if edition["red"] else FOUNDATIONS
        self.pieces: "dict[int, Piece]" = {}  # by id
        self.carried: "dict[int, Carried]" = {}  # by id
        self.aside: "list[Carried]" = []  # captured discs that left the circle, to be set down
        self.groups: "list[Group]" = []
        self.reserve = [edition["reserve"], edition["reserve"]]
        self.seats = players.at_the_start(edition)  # who has the white discs, and who the black
        self.colours = [0] * edition["players"]  # that each player had in his last turn
        self.surplus = 0
        self.red_id = 0
        self.founded = [0, 0]
        self.gone: "list[int]" = []  # ids of pieces that are no longer on the mat, newest last
        self.active = edition["first"]
        self.turn = 0
        self.done = True
        self.faulted = False
        self.fault_ms = 0
        # the action disc, once it is out of the hand; before the first turn the last foundation
        self.action_id = 0
        self.set_down = 0  # the tower that this turn's player captured last, until he plays on
        self.stood_ms = 0  # when the last action disc came to stand
        self.ended_ms = 0  # when the game ended
        self.red_cmm: "tuple[int, int]" = (0, 0)  # where the red disc lies
        self.intruder = 0  # a player who reached in while it was not his turn
        self.intruder_left_ms = -1  # when his hand left, -1 while it is in
        # (number of the fact by which a player came out of turn last, stage), or (): see contest
        self.contested: "tuple[int, int] | tuple[()]" = ()
        self.emptied = 0  # 1 + the index in `reserve` of the empty one, while captures go on
        self.emptied_turn = 0  # and in which turn that was
        self.waived_end = ""  # why the game would be over, had that not been waived
        self.toss = 0  # the colour that the winner of the toss plays
        self.cube = 1
        self.cube_owner = 0  # who may double next, 0 either
        self.cube_offer = 0  # who has doubled and is not answered yet
        # of this turn: (number of a fact, faults.question_about it), or ()
        self.question: "tuple[int, str] | tuple[()]" = ()
        # pieces that an undo brought back here, while they are not on the mat
        self.away: "tuple[int, ...]" = ()
        # (why, winner, score) when the game is over
        self.outcome: "tuple[str, int, tuple[int, ...]] | tuple[()]" = ()

    @property
    def reserves(self) -> "tuple[int, ...]":
        """Unplayed discs, those in a hand included: see `reserve`."""
        return tuple(self.reserve)

    def score(self) -> "tuple[int, ...]":
        """(white, black), or a number a player, as if the game ended now."""
        return players.score(self, self.edition)

    def owed(self) -> "Owed":
        """((player, (piece ids)), ...) still to be captured."""
        return tuple([(g.by, tuple(g.ids)) for g in self.groups if g.by and g.ids])

    def trial(self) -> "Piece | None":
        """The action disc that was let go and is not played yet: it lies flat, or stands where it
        may not. The player picks it up and tries again (001 Game Play 4)."""
        return None if self.done else self.pieces.get(self.action_id)

    def discs(self) -> int:
        """Every disc accounted for."""
        total = sum(self.reserve)
        for piece in self.pieces.values():
            total += piece.discs
        for body in list(self.carried.values()) + self.aside:
            if body.owner == 0:
                total += body.discs
        return total

    def stack(self, player: int) -> int:
        """The index in `reserve` of what this colour plays from now."""
        place = seat(player)
        return self.seats[place] if len(self.reserve) > 2 else place

    def spend(self, player: int, discs: int) -> int:
        """Discs leave the player's reserve for the mat. Returns how many he did not have.

        What he lacks comes from another reserve, or counts as surplus.
        """
        own = self.stack(player)
        lacking = max(0, discs - self.reserve[own])
        self.reserve[own] -= discs - lacking
        short = lacking
        for other in range(len(self.reserve)):
            borrowed = min(short, self.reserve[other])
            self.reserve[other] -= borrowed
            short -= borrowed
        self.surplus += short
        return lacking

    def refund(self, player: int, discs: int) -> None:
        """Discs come (back) into the player's reserve."""
        self.reserve[self.stack(player)] += discs

    def send_back(self, piece: Piece, player: int) -> None:
        """The piece ought to go into the reserve that the player plays from now; of nobody (0): it
        stays in play."""
        piece.send_back(player, self.stack(player) if player else 0)

    def put(self, ident: int, face: int, discs: int, kind: str, x_cmm: int, y_cmm: int) -> Piece:
        """A new piece rests on the mat; returns it."""
        piece = Piece(ident, face, discs, kind, x_cmm, y_cmm)
        self.pieces[ident] = piece
        if ident in self.gone:
            self.gone.remove(ident)
        return piece

    def take(self, ident: int) -> Piece:
        """The piece leaves the mat; returns it. Its groups lose it."""
        piece = self.pieces.pop(ident)
        self.forget(ident)
        return piece

    def forget(self, ident: int) -> None:
        """The id names nothing from now on; late facts about it are expected."""
        for group in self.groups:
            if ident in group.ids:
                group.ids.remove(ident)
        if ident not in self.gone:
            self.gone.append(ident)
        if len(self.gone) > MAX_GONE:
            self.gone.pop(0)

    def rename(self, piece: Piece, ident: int) -> None:
        """The piece has this id from now on."""
        group = self.group_of(piece.id)
        if group:
            group.add(ident)
        self.take(piece.id)
        piece.rename(ident)
        self.pieces[ident] = piece

    def pick_up(self, ident: int, owner: int, group: "Group | None") -> Carried:
        """The piece goes from the mat into a hand; returns the Carried body."""
        piece = self.take(ident)
        return self.hold(ident, piece.face, piece.discs, owner, group)

    def hold(
        self, ident: int, face: int, discs: int, owner: int, group: "Group | None" = None
    ) -> Carried:
        """A body is in a hand; returns it."""
        body = Carried(ident, face, discs, owner, group)
        self.carried[ident] = body
        if ident in self.gone:
            self.gone.remove(ident)
        return body

    def take_in(self, bodies: "list[Carried]") -> None:
        """These bodies are still in a hand, and may be played now."""
        for body in bodies:
            self.carried[body.id] = body
            body.may_play()
            if body.id in self.gone:
                self.gone.remove(body.id)

    def let_go(self, body: Carried) -> None:
        """The body is no longer in a hand."""
        self.carried.pop(body.id)
        if body.id not in self.pieces:
            self.forget(body.id)

    def bodies(self) -> "list[Carried]":
        """Carried bodies in order of id, then those set aside."""
        if not self.carried:
            return self.aside[:]
        return [self.carried[i] for i in sorted(self.carried)] + self.aside

    def group_of(self, ident: int) -> "Group | None":
        """The group that the piece on the mat belongs to, or None."""
        for group in self.groups:
            if ident in group.ids:
                return group
        return None

    def leaners_on(self, ids: "list[int]") -> "list[int]":
        """The leaners that lean over any of these pieces, or over one that does, and are not to be
        captured with others. Book: 004 More Tower to You."""
        found: "list[int]" = []
        more = True
        while more:
            more = False
            for ident in sorted(self.pieces):
                piece = self.pieces[ident]
                if piece.kind != LEANER or ident in ids or ident in found:
                    continue
                group = self.group_of(ident)
                if group and not set(group.ids) & set(ids):
                    continue
                if [i for i in piece.over if i in ids or i in found]:
                    found.append(ident)
                    more = True
        return found

    def join(self, ids: "list[int]", ident: int, face: int) -> Piece:
        """Pieces on the mat snapped into one tower, called `ident`, one of ids; returns it."""
        tower = self.pieces[ident]
        discs = tower.discs
        for other in ids:
            if other != ident:
                discs += self.take(other).discs
        tower.stack(discs, face)
        return tower

    def begin_turn(self, player: int) -> bool:
        """The player's turn begins: what is in contact is his to capture. Returns whether a
        doubling was not answered before, and so is void."""
        self.active = player
        self.turn += 1
        self.done = False
        self.faulted = False
        self.action_id = 0
        self.set_down = 0
        self.intruder = 0
        self.question = ()
        for body in self.bodies():
            if body.owner == player:
                self.let_go(body)  # of an earlier turn; that it left was not observed
            elif body.owner:
                body.returns()  # of a turn that is over: no ruling counts it any more
        players.hand_over(self, seat(player))
        for group in self.groups:
            if not group.stays:
                group.owe(player)
        unanswered = self.cube_offer != 0
        self.cube_offer = 0
        return unanswered

    def fault(self, player: int, t_ms: int) -> None:
        """The player committed a fault: what is in contact is his opponent's to capture. Off turn
        that changes nothing for what was in contact before (004 Basic Etiquette)."""
        off_turn = player != self.active
        if off_turn or self.intruder:
            self.contest(1)
        if off_turn:
            return
        self.done = True
        if not self.faulted:
            self.faulted = True
            self.fault_ms = t_ms
        for group in self.groups:
            if not group.stays:
                group.owe(-player)

    def contest(self, stage: int, number: int = 0) -> None:
        """By the fact of this number a player comes while it is not his turn (stage 0); he plays
        (1); he comes again, or the other plays on after that, so both take it for his turn: what
        came before it was missed (2). The game overrules then what was ruled."""
        was = self.contested
        if number and was and was[1] == 1:
            stage, number = 2, 0
        if number:
            self.contested = (number, 0)
        elif was and was[1] >= stage - 1:
            self.contested = (was[0], stage)

    def causer(self, t_ms: int) -> int:
        """Whose doing is what happens now: the player off turn who reached in, else the active one.

        Facts about what a hand set in motion come at most AFTER_HAND_MS after it left.
        """
        if self.intruder_left_ms >= 0 and t_ms - self.intruder_left_ms > AFTER_HAND_MS:
            self.intruder = 0
        return self.intruder or self.active

    def undo_capture(self) -> "Piece | None":
        """The tower that was just set down goes to its player's reserve, if nothing else has become
        part of it; returns it, or None."""
        tower = self.pieces.get(self.set_down)
        if tower is None or tower.caught:
            return None
        self.set_down = 0
        self.refund(self.active, self.take(tower.id).discs)
        return tower

    def responsible(self, t_ms: int) -> int:
        """Whose fault is what happens now: its causer's, by rules which know faults off turn."""
        causer = self.causer(t_ms)
        return causer if self.edition["off_turn"] else self.active

    def ask(self, seq: int, question: str) -> None:
        """Of this turn's questions to the players the last counts: see faults.question_about."""
        self.question = (seq, question)

    def is_captured(self, ident: int) -> bool:
        """Whether other pieces of its group are in the capturer's hand."""
        for body in self.bodies():
            if body.group and body.owner == 0 and ident in body.group.ids:
                return True
        return False

    def capturing(self) -> bool:
        """Whether captured discs are in a hand, or set aside."""
        for body in self.bodies():
            if body.owner == 0:
                return True
        return False

    def played_out(self) -> int:
        """1 + the index of a reserve that is empty for good, else 0.

        It may refill while a disc of it lies on trial, or is due back.
        """
        for place in range(len(self.reserve)):
            if self.reserve[place] == 0:
                on_trial = self.action_id and not self.done and place == self.stack(self.active)
                due = [p for p in self.pieces.values() if p.due and p.due_to == place]
                if not (on_trial or due):
                    return place + 1
        return 0

    def play_again(self) -> None:
        """Who had played his last disc goes on if he has one again, by a fault of that turn."""
        if self.emptied and self.turn == self.emptied_turn and self.reserve[self.emptied - 1]:
            self.emptied = 0

    def prune(self) -> None:
        """Drop groups with nothing left to capture: nothing in a hand, no two discs in contact."""
        if not self.groups:
            return
        held = [body.group for body in self.bodies()]
        left = []
        for group in self.groups:
            if group in held or len(group.ids) > 1 or group.alone(self.pieces):
                left.append(group)
        self.groups = left

    def state(self) -> "State":
        """A snapshot of ints, strings and lists: see firmware/PROTOCOL.md."""
        pieces = []
        for ident in sorted(self.pieces):
            p = self.pieces[ident]
            pieces.append([ident, letter(p.face), p.kind, p.discs, p.x_cmm, p.y_cmm])
        held = [[b.id, letter(b.face), b.discs, letter(b.owner)] for b in self.bodies()]
        state = {
            "phase": self.phase,
            "turn": self.turn,
            "active": letter(self.active),
            "done": 1 if self.done else 0,
            "reserve": list(self.reserve),
            "founded": list(self.founded),
            "pieces": pieces,
            "held": held,
            "owed": [[letter(player), list(ids)] for player, ids in self.owed()],
            "surplus": self.surplus,
        }
        if self.question:
            state["question"] = list(self.question)
        if self.edition["doubling_cube"]:
            state["cube"] = [self.cube, letter(self.cube_owner), letter(self.cube_offer)]
        if self.edition["players"] > 2:
            state["seats"] = [place + 1 for place in self.seats]
        return state
