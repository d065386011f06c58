"""Before the first turn: the red disc, then the foundations. Books: 001 Setup, Foundation Discs."""

from polarity.facts import BLACK, FLAT, HAND_IN, LEANER, RED, RED_OFF, STACK, WHITE, Fact
from polarity.rules import players
from polarity.rules.ending import SURE
from polarity.rules.pieces import kind_of
from polarity.rules.position import FOUNDATIONS, PLAY, RED_DISC, seat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from polarity.rules.declarations import Declaration
    from polarity.rules.pieces import Carried, Piece
    from polarity.rules.position import Position
    from polarity.rules.referee import Referee


SETTLED_MS = 1000  # what laying a foundation sets in motion comes within this time


def not_yet(position: "Position", fact: "Fact | Declaration") -> bool:
    """Whether this is about the last foundation, and nobody's hand has come in since it was laid:
    it is put right as any other (001 Foundation Discs 2).
    """
    last = position.action_id
    if position.turn or not last or not isinstance(fact, Fact):
        return False
    about = fact.piece == last or last in fact.others
    with_it = fact.kind == RED_OFF and fact.t_ms - position.fault_ms <= SETTLED_MS
    return (about or with_it) and fact.kind != HAND_IN


def set_phase(position: "Position") -> None:
    """The last foundation was taken up again, or does not count: the game has not begun."""
    edition = position.edition
    enough = edition["foundations"]
    if position.phase == PLAY and position.turn == 0:
        if edition["red"] and not position.red_id:
            position.phase = RED_DISC
        elif position.founded != [enough, enough]:
            position.phase = FOUNDATIONS
            position.action_id = 0


def hand_in(ref: "Referee", fact: "Fact") -> None:
    """A disc is brought in; nothing to judge before it lies."""
    position = ref.position
    if fact.piece not in position.carried and fact.piece not in position.pieces:
        owner = fact.face or due_now(position)
        position.hold(fact.piece, fact.face, max(1, fact.discs), owner)


def hand_out(ref: "Referee", fact: "Fact") -> None:
    """The hand leaves; its owner's reserve counts the disc already."""
    position = ref.position
    if fact.piece in position.pieces:
        take_back(position, fact.piece)
    body = position.carried.get(fact.piece)
    if body:
        position.let_go(body)
        take_away(position, body)


def take_away(position: "Position", body: "Carried") -> None:
    """It is off the mat. If no reserve counts it, as it was lifted when the game seemed to have
    begun, its colour's does from now on."""
    if body.owner == 0:
        position.refund(body.face or WHITE, body.discs)


def placed(ref: "Referee", fact: "Fact") -> None:
    """The red disc on its dot, or a foundation."""
    position = ref.position
    if fact.shape == RED:
        red_placed(ref, fact)
        return
    if fact.piece in position.pieces:
        piece = position.pieces[fact.piece]
        piece.rest(fact.x, fact.y)
        if piece.kind == LEANER and fact.shape == FLAT:
            piece.kind = FLAT
            foundation(ref, fact, piece)
        return
    if fact.piece not in position.carried:
        hand_in(ref, fact)
    body = position.carried[fact.piece]
    position.let_go(body)
    if body.outside:
        take_away(position, body)
        ref.irregular("out", body.owner, fact, (body.id,))
        return
    face = fact.face or body.face or due_now(position)
    owner = (body.owner if body.face else 0) or face
    if body.owner and position.spend(owner, body.discs):  # else no reserve counts it
        ref.irregular("reserve_short", owner, fact, (body.id,))
    piece = position.put(body.id, face, body.discs, kind_of(fact.shape, body.discs), fact.x, fact.y)
    if body.discs > 1:
        ref.irregular("several_discs", owner, fact, (body.id,))
    elif face != owner:
        wrong_colour(ref, piece, owner, fact)
        return
    if piece.kind == LEANER:
        ref.irregular("foundation_leans", face, fact, (body.id,))
    else:
        foundation(ref, fact, piece)


def wrong_colour(ref: "Referee", piece: "Piece", owner: int, fact: "Fact") -> None:
    """His own colour must show (001 Foundation Discs 2): he turns it over, or places it again."""
    ref.position.send_back(piece, owner)
    ref.irregular("wrong_colour", owner, fact, (piece.id,))


def red_placed(ref: "Referee", fact: "Fact") -> None:
    """The red disc lies on the dot: foundations may follow."""
    position = ref.position
    if position.red_id:
        ref.irregular("red_again", 0, fact, (fact.piece,))
        return
    position.red_id = fact.piece
    position.red_cmm = (fact.x, fact.y)
    if position.phase == RED_DISC:
        position.phase = FOUNDATIONS
    ref.rule("red_placed", 0, "", (fact.piece,), (fact.seq,))


def due_now(position: "Position") -> int:
    """Whose foundation comes next: 5 and 5, or in turn."""
    edition = position.edition
    first = edition["first"]
    ours, theirs = position.founded[seat(first)], position.founded[seat(-first)]
    if edition["foundations_alternate"]:
        return first if ours <= theirs else -first
    return first if ours < edition["foundations"] else -first


def foundation(ref: "Referee", fact: "Fact", piece: "Piece") -> None:
    """A disc lies flat: count it, rule on what is wrong with it, begin the game after the last."""
    position = ref.position
    enough = ref.edition["foundations"]
    player = piece.face
    if position.phase == RED_DISC:
        ref.irregular("red_missing", player, fact, (piece.id,))
    if position.founded[seat(player)] >= enough:
        ref.irregular("foundation_spare", player, fact, (piece.id,))
        return
    if player != due_now(position):
        ref.irregular("out_of_turn", player, fact, (piece.id,))
    players.founds(position, seat(player))
    position.founded[seat(player)] += 1
    position.active = due_now(position)
    position.action_id = piece.id
    ref.rule("foundation", player, "", (piece.id,), (fact.seq,))
    if position.founded == [enough, enough]:
        # Black placed last: what happens before white's hand comes in is still black's doing.
        position.active = -ref.edition["first"]
        position.phase = PLAY
        position.done = True
        position.fault_ms = fact.t_ms
        players.set_up(position, seat(position.active))
        ref.rule("setup_done", 0, "", (), (fact.seq,))


def take_back(position: "Position", ident: int) -> "Carried":
    """A disc is picked up again during the set-up: it is its owner's, to be placed once more."""
    piece = position.pieces[ident]
    counted = piece.discs if piece.kind != LEANER and not piece.due else 0
    place = seat(piece.face)
    position.founded[place] = max(0, position.founded[place] - counted)
    owner = piece.due or piece.face or WHITE
    position.refund(owner, piece.discs)
    body = position.pick_up(ident, owner, None)
    position.active = due_now(position)
    return body


def lifted(ref: "Referee", fact: "Fact") -> None:
    """A disc is picked up to be placed elsewhere."""
    if fact.piece in ref.position.pieces:
        take_back(ref.position, fact.piece)


def snapped(ref: "Referee", fact: "Fact") -> None:
    """Discs jumped to the one in the hand: all go back to be placed again."""
    position = ref.position
    if fact.piece not in position.carried:
        return
    body = position.carried[fact.piece]
    if position.red_id and position.red_id in fact.others:
        position.red_id = 0
        ref.irregular("red_off", body.owner, fact, (body.id,))
    joined = []
    for ident in fact.others:
        if ident not in position.pieces:
            continue
        joined.append(ident)
        taken = take_back(position, ident)
        position.let_go(taken)
        if taken.owner != body.owner:  # each gets his own back
            continue
        body.discs += taken.discs
    if joined:
        ref.irregular("foundation_touches", body.owner, fact, [body.id] + joined)


def contact(ref: "Referee", fact: "Fact") -> None:
    """A foundation touches another disc: not allowed, to be put right by the players."""
    position = ref.position
    if position.red_id and position.red_id in fact.others:
        ref.irregular("touched_red", layer(position, fact.others), fact, (fact.piece,))
    ids = []
    for ident in fact.others:
        if ident not in ids and (ident in position.pieces or ident in position.carried):
            ids.append(ident)
    for ident in ids:
        if ident in position.carried:
            rest = position.carried[ident]
            fact_face = rest.face or due_now(position)
            position.let_go(rest)
            if rest.owner:
                position.spend(rest.owner, rest.discs)
            piece = position.put(ident, fact_face, rest.discs, FLAT, fact.x, fact.y)
            foundation(ref, fact, piece)
    if len(ids) < 2 or ref.edition["foundation_may_touch"]:
        return
    if fact.shape == STACK:
        into = fact.piece if fact.piece in ids else min(ids)
        position.join(ids, into, fact.face).caught = False
    ref.irregular("foundation_touches", layer(position, ids), fact, ids)


def layer(position: "Position", ids: "Sequence[int]") -> int:
    """Who laid the foundation that touches another: of these the one that was laid last, if it is
    among them, else it is he whose turn it is."""
    last = position.pieces.get(position.action_id)
    return last.face if last and last.id in ids and last.face else position.active


def fell(ref: "Referee", fact: "Fact") -> None:
    """A disc that leaned lies flat now, or turned over."""
    piece = ref.position.pieces.get(fact.piece)
    if piece is None:
        return
    lay = piece.kind != LEANER
    turned = fact.face in (WHITE, BLACK) and fact.face != piece.face
    piece.kind = kind_of(FLAT, piece.discs)
    if not turned:
        if not lay and not piece.due:
            foundation(ref, fact, piece)
        return
    owner = piece.due or piece.face
    if lay and not piece.due:
        place = seat(piece.face)
        ref.position.founded[place] = max(0, ref.position.founded[place] - piece.discs)
        ref.position.active = due_now(ref.position)
    piece.face = fact.face
    if fact.face != owner:
        wrong_colour(ref, piece, owner, fact)
    else:
        ref.position.send_back(piece, 0)
        foundation(ref, fact, piece)


def moved(ref: "Referee", fact: "Fact") -> None:
    """Pushed about: no harm before the game begins."""
    piece = ref.position.pieces.get(fact.piece)
    if piece:
        piece.rest(fact.x, fact.y)


def left_circle(ref: "Referee", fact: "Fact") -> None:
    """A disc slid out: its owner places it again."""
    position = ref.position
    if ref.edition["out"] != "circle":
        return
    if fact.confidence < SURE:
        ref.unsure("out", fact, (fact.piece,))
    elif fact.piece in position.carried:
        position.carried[fact.piece].lands_outside()
    elif fact.piece in position.pieces:
        body = take_back(position, fact.piece)
        position.let_go(body)
        ref.irregular("out", body.owner, fact, (fact.piece,))


def red_disturbed(ref: "Referee", fact: "Fact") -> None:
    """The red disc is touched or off its dot: nobody loses a game that has not begun.

    Off the dot it is to be placed once more.
    """
    player = layer(ref.position, (fact.piece,))
    if fact.kind == RED_OFF:
        ref.position.red_id = 0
    ref.irregular(fact.kind, player, fact, (fact.piece,) if fact.piece else ())
