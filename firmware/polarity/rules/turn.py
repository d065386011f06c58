"""Turns: hands that come and go, and the action disc. Books: 001 Game Play; 004 Basic Terms, Turn.

A turn lasts until the opponent's disc crosses the circle inward, or he lifts what he is to capture.
"""

from polarity.facts import FLAT, LEANER, RED, SNAPPED
from polarity.rules import capture, ending, faults
from polarity.rules.pieces import absorb, kind_of, put_back, put_down
from polarity.rules.position import OVER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from polarity.facts import Fact
    from polarity.rules.pieces import Carried, Piece
    from polarity.rules.referee import Referee

# A disc let go at the moment of a fault settles within this; one placed later was still in hand.
LET_GO_MS = 1000


def hand_in(ref: "Referee", fact: "Fact") -> None:
    """A disc in a hand crosses the circle inward."""
    comes_in(ref, fact, fact.discs)


def comes_in(ref: "Referee", fact: "Fact", discs: int) -> None:
    """`discs` discs in a hand are inside the circle now."""
    position = ref.position
    discs = max(1, discs)
    if fact.piece in position.carried:
        return
    outside = None if fact.piece in position.pieces else from_outside(ref, fact, discs)
    if outside:
        position.rename(outside, fact.piece)
    if fact.piece in position.pieces:  # it was picked up unobserved
        capture.lifted(ref, fact)
        return
    expected = -position.active if position.done else position.active
    player = fact.face or expected
    if discs > 1:  # discs that snapped together show one face, whoever holds them
        player = position.active if fact.piece in position.gone else expected
    if position.done or player == position.active:
        capture.set_down_unobserved(ref, fact)
    if position.aside and capture.comes_back(ref, player, fact, discs):
        return
    spare = enters(ref, player, fact)
    body = position.hold(fact.piece, player, discs, player)
    body.facts.append(fact.seq)
    if spare:
        body.spare = True
    if fact.face == 0:
        ref.unsure("colour", fact, (fact.piece,))
    if discs > 1:
        ref.irregular("several_discs", player, fact, (fact.piece,))


def from_outside(ref: "Referee", fact: "Fact", discs: int) -> "Piece | None":
    """The piece in play that lay outside the circle, and is as many with this face up: the mat does
    not observe how a piece is taken up there. A tower may have rolled far; several discs come from
    nowhere else. Of single discs only one that is to be captured and that lay near where this one
    comes in: another one may come over it. Books: 004 FAQ 11; 003 Game Play 6.4."""
    position = ref.position
    found = None
    nearest = (2 * ref.disc_diameter_cmm) ** 2 if discs == 1 else -1  # -1: however far it lies
    for piece in position.pieces.values():
        if not piece.outside or piece.discs != discs or fact.face not in (0, piece.face):
            continue
        if not (fact.x or fact.y) or not (discs > 1 or position.group_of(piece.id)):
            continue
        dx, dy = fact.x - piece.x_cmm, fact.y - piece.y_cmm
        away = dx * dx + dy * dy
        if nearest < 0 or away < nearest:
            found, nearest = piece, away
    return found


def enters(ref: "Referee", player: int, fact: "Fact") -> bool:
    """What it means for the turn that this player's unplayed disc comes in. Returns whether he has
    none to play now: it is not his turn, or he has played."""
    position = ref.position
    spare = False
    if player != position.active:
        if position.trial():
            kept(ref, position.active, fact)
            position.done = True
        # where the players were asked what happened, the turn may have been played
        if position.done or ref.waived or faults.WAS_IT_SO in position.question:
            ref.begin_turn(player, fact)
        else:
            position.intruder = player
            position.intruder_left_ms = -1
            position.contest(0, fact.seq)
            spare = True
    elif position.done:
        spare = True
    else:
        position.intruder = 0
        position.set_down = 0
        if position.trial():
            kept(ref, player, fact)
        position.contest(2)
    if spare:
        ref.irregular("out_of_turn", player, fact, (fact.piece,))
    else:
        capture.declare_in_place(ref, player, fact)
    return spare


def came_early(ref: "Referee", fact: "Fact") -> None:
    """Something happens, and a hand that came in too early is still there, though the other player
    has played since: that hand's turn has begun (001 Faults 6; 000 Special notes 1)."""
    position = ref.position
    player = position.intruder
    if player != -position.active or position.intruder_left_ms >= 0 or not position.done:
        return
    over_ms = position.fault_ms + LET_GO_MS if position.faulted else position.stood_ms
    if fact.t_ms <= over_ms:
        return
    bodies = [body for body in position.bodies() if body.owner == player]
    if bodies and (fact.kind in ending.DISTURBANCES or fact.kind == SNAPPED):
        ref.begin_turn(player, fact)
        position.take_in(bodies)
        capture.declare_in_place(ref, player, fact)


def kept(ref: "Referee", player: int, fact: "Fact") -> None:
    """His action disc was left on trial: no foundation may be placed in play (004 FAQ 7), and a
    leaner that may not stand there is not played."""
    position = ref.position
    piece = position.pieces[position.action_id]
    position.action_id = 0
    if not piece.due and position.group_of(piece.id) is None:
        position.send_back(piece, player)
        why = "leaner_kept" if piece.kind == LEANER else "flat_kept"
        ref.irregular(why, player, fact, (piece.id,), ((player, piece.discs),))


def hand_out(ref: "Referee", fact: "Fact") -> None:
    """A disc in a hand crosses the circle outward."""
    position = ref.position
    if fact.piece in position.pieces:  # picked up unobserved
        capture.lifted(ref, fact)
    body = position.carried.get(fact.piece)
    if position.red_id and fact.piece == position.red_id:
        faults.left_circle(ref, fact)
    elif body is None:
        if fact.piece not in position.gone:
            ref.unsure("unknown_piece", fact, (fact.piece,))
    elif body.owner == 0:
        body.facts.append(fact.seq)
        capture.carried_out(ref, body, fact)
    else:
        body.facts.append(fact.seq)
        if fact.discs > body.discs:
            ref.unsure("count", fact, (body.id,))
        if body.owner == position.intruder:
            position.intruder_left_ms = fact.t_ms
        position.let_go(body)


def placed(ref: "Referee", fact: "Fact") -> None:
    """What was carried rests on the mat."""
    position = ref.position
    if fact.shape == RED:
        ref.irregular("red_again", ref.responsible(), fact, (fact.piece,))
        return
    piece = position.pieces.get(fact.piece)
    if piece:
        placed_again(ref, piece, fact)
        return
    if fact.piece in position.gone:  # it came to rest as part of a stack, or outside
        return
    if fact.piece not in position.carried:
        hand_in(ref, fact)
    body = position.carried.get(fact.piece)
    if body is None:
        return
    body.facts.append(fact.seq)
    if body.owner:
        if not (position.away and put_back(ref, body, fact)):
            action_disc(ref, body, fact)
    elif body.group:
        capture.set_down(ref, body, body.group, fact)
    else:
        position.let_go(body)
        put_down(ref, body, fact)


def placed_again(ref: "Referee", piece: "Piece", fact: "Fact") -> None:
    """A piece that lies on the mat is placed: it was lifted unobserved, or the fact is repeated."""
    position = ref.position
    was = piece.kind
    piece.kind = kind_of(fact.shape, piece.discs)
    if fact.face or piece.caught:  # a stack that stands on its edge shows no face
        piece.face = fact.face
    if fact.x or fact.y:
        piece.rest(fact.x, fact.y)
    if piece.id == position.action_id and piece.kind == LEANER:
        if was == FLAT or piece is position.trial():
            why = "with_fault" if position.faulted else ""
            stands(ref, piece, position.active, fact, why)


def action_disc(ref: "Referee", body: "Carried", fact: "Fact") -> None:
    """The action disc leaves the hand: it leans, or fell flat, or should not have been played.

    One disc a turn: another one, or one out of turn, is not played (001 Game Play 1; 004 Turn).
    """
    position = ref.position
    player = body.owner
    position.let_go(body)
    allowed = not body.spare and player == position.active
    if player != position.active and (position.done or ref.waived):
        ref.begin_turn(player, fact)  # he came in too early, and stayed; or nobody minds
        capture.declare_in_place(ref, player, fact)
        allowed = True
    if position.spend(player, body.discs):
        ref.irregular("reserve_short", player, fact, (body.id,))
    piece = put_down(ref, body, fact)
    if position.intruder == player:
        position.intruder_left_ms = fact.t_ms
    if position.emptied or (position.done and not position.faulted and not ref.waived):
        allowed = False  # after the last disc nobody plays any more, he only captures
    if not allowed:
        position.contest(1)
        position.send_back(piece, player)
        ref.irregular("out_of_turn", player, fact, (piece.id,), ((player, piece.discs),))
    elif piece.discs > 1 and not position.faulted:
        position.send_back(piece, player)
        ref.irregular("several_discs", player, fact, (piece.id,), ((player, piece.discs),))
    elif body.outside:
        position.refund(player, position.take(piece.id).discs)
        if not position.faulted:  # it is played within the circle: he tries again
            ref.rule("try_again", player, "", (piece.id,), (fact.seq,))
    elif position.faulted:
        after_fault(ref, piece, player, fact)
    elif piece.kind == LEANER:
        stands(ref, piece, player, fact)
    elif not ref.edition["try_again"]:
        position.done = True
        position.send_back(piece, player)
        ref.irregular("flat_kept", player, fact, (piece.id,), ((player, 1),))
    else:
        position.action_id = piece.id
        ref.rule("try_again", player, "", (piece.id,), (fact.seq,))


def stands(ref: "Referee", piece: "Piece", player: int, fact: "Fact", why: str = "") -> None:
    """The action disc leans: the turn is played, unless it may not lean there or shows the wrong
    colour. Then it is still on trial, or goes back after a fault."""
    position = ref.position
    edition = ref.edition
    supports = [position.pieces[i] for i in fact.others if i in position.pieces]
    own = [p for p in supports if p.face == player]
    if edition["leaners_in_group"]:
        piece.over = tuple(fact.others)
    position.action_id = piece.id
    wrong = ""
    about = [piece.id]
    if piece.face != player and edition["own_colour_up"]:
        wrong = "wrong_colour"
    elif on_red(ref, supports, fact) and not (own and edition["lean_on_red"]):
        wrong = "leans_on_red"
    elif supports and not own and edition["own_discs_only"]:
        wrong = "leans_on_opponent"
        about = [p.id for p in supports]
    if wrong and not ref.waived:
        if position.faulted:
            position.send_back(piece, player)
        ref.irregular(wrong, player, fact, about, ((player, 1),) if piece.due else ())
        return
    if edition["leaners_in_group"]:
        for support in supports:
            group = position.group_of(support.id)
            if group and position.group_of(piece.id) is None:
                group.lean(piece.id)
    position.done = True
    position.stood_ms = fact.t_ms
    ref.rule("leaner_placed", player, why, (piece.id,), (fact.seq,))


def on_red(ref: "Referee", supports: "list[Piece]", fact: "Fact") -> bool:
    """Whether it leans on the field of the red disc: that is reported, or nothing else is near."""
    position = ref.position
    if not position.red_id or not ref.edition["red"]:
        return False
    if position.red_id in fact.others:
        return True
    dx, dy = fact.x - position.red_cmm[0], fact.y - position.red_cmm[1]
    reach = ref.disc_diameter_cmm * 17 // 10  # as far as perception looks for what it leans over
    known = fact.x or fact.y
    return not supports and known != 0 and dx * dx + dy * dy < reach * reach


def after_fault(ref: "Referee", piece: "Piece", player: int, fact: "Fact") -> None:
    """The action disc comes to rest in a turn that a fault has ended, or a tower whose capture has
    failed. Books: 001 After a Fault; 004 FAQ 19."""
    position = ref.position
    returned = ((player, piece.discs),)
    if fact.t_ms - position.fault_ms > LET_GO_MS:
        position.send_back(piece, player)
        ref.irregular("played_after_fault", player, fact, (piece.id,), returned)
    elif piece.kind == LEANER:
        stands(ref, piece, player, fact, "with_fault")
    else:
        stays = position.group_of(piece.id) is not None or not ref.edition["action_disc_back"]
        position.send_back(piece, 0 if stays else player)
        position.action_id = piece.id
        ref.irregular("flat_after_fault", player, fact, (piece.id,), () if stays else returned)


def snapped(ref: "Referee", fact: "Fact") -> None:
    """Discs jumped to the one in the hand. Books: 001 After a Fault 2; 004 Attracted out."""
    position = ref.position
    if fact.piece not in position.carried and fact.piece not in position.pieces:
        # The carried disc came in unobserved: it is what did not come from the mat.
        came = len([i for i in fact.others if i in position.pieces])
        comes_in(ref, fact, fact.discs - came)
    elif fact.piece in position.pieces:
        capture.lifted(ref, fact)
    body = position.carried.get(fact.piece)
    if body is None:
        return
    body.facts.append(fact.seq)
    if position.red_id in fact.others:
        ending.touched_red(ref, fact, body.holder())
        if position.phase == OVER:
            return
    if ref.edition["off_turn"] and strangers(ref, body, fact):
        return
    if body.owner == 0 and body.group:
        capture.gather(ref, body, body.group, fact)
        return
    player = body.owner or ref.responsible()
    joined = absorb(ref, body, fact)
    if not joined:
        return
    if body.owner == 0:
        position.refund(player, body.discs)
        body.owner = player
    if ref.edition["fault_snapped"]:
        ref.fault(player, "snapped", fact, [body.id] + joined)


def strangers(ref: "Referee", body: "Carried", fact: "Fact") -> bool:
    """Whether discs of both players' hands flew together, and nothing else: that is the fault of
    the one whose turn it is not. The other goes on with what he holds. Book: 004 Basic Etiquette.
    """
    position = ref.position
    holder = body.holder()
    others = [position.carried[i] for i in fact.others if i in position.carried]
    flew = [b for b in others if b.holder() and b.holder() != holder]
    if not holder or not flew or len(flew) < len(fact.others):
        return False
    if holder == position.active:
        guilty = flew
    else:
        guilty = [body]
    ref.fault(-position.active, "snapped", fact, [body.id] + [b.id for b in flew])
    for one in guilty:
        if one.owner and one.id in position.carried:
            position.let_go(one)
    return True
