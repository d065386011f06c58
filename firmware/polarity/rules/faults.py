"""Reactions on the mat, and what they cost. Books: 001 Faults, After a Fault; 004 scenarios."""

from polarity import facts
from polarity.facts import FLAT, LEANER, STACK
from polarity.rules import ending
from polarity.rules.pieces import FLIP, Group, kind_of
from polarity.rules.position import OVER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from polarity.facts import Fact
    from polarity.rules.pieces import Piece
    from polarity.rules.referee import Referee

CARRIED = (facts.HAND_IN, facts.PLACED, facts.SNAPPED)  # facts whose face shows whose hand it is
WAS_IT_SO, WHOSE = "so", "whose"
SHAKING_MS = 1000  # facts about what a jolt set in motion come within this time
AT_ONCE_MS = 500  # leaners that fall within this time fell by one movement of the hand


def contact(ref: "Referee", fact: "Fact") -> None:
    """Pieces on the mat touch, or a group has grown."""
    position = ref.position
    if position.red_id and position.red_id in fact.others:
        ending.touched_red(ref, fact)
        if position.phase == OVER:
            return
    ids = present(ref, fact)
    touched = [g for g in position.groups if [i for i in g.ids if i in ids]]
    if len(ids) < 2:
        return
    if len(touched) == 1 and touched[0].shape != FLIP:
        whole = touched[0].ids
        if set(ids) <= set(whole) and (fact.shape != STACK or len(whole) == 1):
            return  # reported before
    leaning = position.leaners_on(ids) if ref.edition["leaners_in_group"] else []
    together = ids + leaning
    for group in touched:
        together += [i for i in group.ids if i not in together]
        position.groups.remove(group)
    if fact.shape == STACK:
        into = stack(ref, fact, ids, leaning)
        together = [into] + [i for i in together if i not in ids]
    group = Group(together, fact.shape, 0, leaning)
    owe(ref, fact, ids, group, [g for g in touched if g.shape != FLIP])


def present(ref: "Referee", fact: "Fact") -> "list[int]":
    """The ids of the pieces that now touch, sorted; what a hand let go of comes to rest first."""
    position, pieces = ref.position, ref.position.pieces
    ids = []
    new = fact.discs
    for ident in fact.others:
        if ident in pieces:
            new -= pieces[ident].discs
    for ident in fact.others:
        if ident in position.carried:  # let go, though not reported as placed yet
            body = position.carried[ident]
            position.let_go(body)
            if body.owner:
                if body.discs > new > 0:
                    body.discs = new  # it was first seen when it had snapped to the others
                position.spend(body.owner, body.discs)
            position.put(ident, body.face, body.discs, kind_of(FLAT, body.discs), fact.x, fact.y)
            if body.owner == position.active:
                position.action_id = ident
        if ident in pieces and ident not in ids:
            ids.append(ident)
        elif ident not in pieces:
            missing(ref, fact, ident)
    ids.sort()
    return ids


def stack(ref: "Referee", fact: "Fact", ids: "list[int]", leaning: "list[int]") -> int:
    """These pieces have snapped into one tower, on which others are leaning; returns its id."""
    position = ref.position
    into = fact.piece if fact.piece in ids else ids[0]
    tower = position.join(ids, into, fact.face)
    rest(tower, fact)  # how far its parts have come is part of the contact
    for ident in leaning:
        position.pieces[ident].over += (into,)
    if fact.discs > tower.discs:
        ref.unsure("count", fact, (into,))
    return into


def owe(
    ref: "Referee", fact: "Fact", ids: "list[int]", group: Group, groups: "list[Group]"
) -> None:
    """Who is to capture the group: the opponent of the player whose fault the contact is, or, where
    only a group that was in contact before has closed up, the player who owed that.

    `ids` are the pieces that touch; `groups` those, of pieces in contact, that are one with it now.
    """
    player = ref.responsible()
    if ref.waived and not groups:
        return
    position = ref.position
    new = len(groups) != 1 or not set(ids) <= set(groups[0].all_ids)
    group.owe(-player if new else groups[0].by)
    if groups and (groups[0].must or groups[-1].must):
        group.remain()
    if not new and groups[0].stays:
        group.stay()
    for ident in group.ids:
        if position.pieces[ident].due:
            position.send_back(position.pieces[ident], 0)  # it touches another: it is captured
    position.groups.append(group)
    if not new:
        group.all_ids += groups[0].all_ids
    elif ref.edition["fault_contact"]:
        ref.fault(player, "contact", fact, ids)
    if new and player != position.active:
        group.stay()  # he may not capture what he caused


def fell(ref: "Referee", fact: "Fact") -> None:
    """A leaner lies flat, same face up: a conversion or an accident, a fault either way."""
    position = ref.position
    piece = position.pieces.get(fact.piece)
    if piece is None:
        missing(ref, fact)
        return
    if fact.face and fact.face != piece.face:
        flipped(ref, fact)
        return
    was_leaner = came_down(ref, piece, fact)
    if piece.due:
        return  # it was not in play
    if was_leaner and ref.edition["fault_fell"] and not slipped(ref, piece, fact):
        player = ref.responsible()
        again = position.faulted and player == position.active == piece.face
        ref.fault(player, "leaner_fell", fact, (piece.id,))
        held = [b for b in position.bodies() if b.owner == player]
        if again and ref.edition["one_movement"] and held:
            if fact.t_ms - position.fault_ms > AT_ONCE_MS:
                ref.irregular("played_after_fault", player, fact, (piece.id,))


def came_down(ref: "Referee", piece: "Piece", fact: "Fact") -> bool:
    """A piece lies flat where the fact says; returns whether it was a leaner. One that belonged to
    a group because it leaned on it belongs to it no more."""
    was_leaner = piece.kind == LEANER
    piece.kind = kind_of(FLAT, piece.discs)
    rest(piece, fact)
    group = ref.position.group_of(piece.id)
    if group and piece.id in group.leaning and not ref.position.capturing():
        group.lose(piece.id)
    return was_leaner


def slipped(ref: "Referee", piece: "Piece", fact: "Fact") -> bool:
    """Whether it is the action disc on trial that came down: its player tries again."""
    position = ref.position
    if piece is not position.trial() or not ref.edition["try_again"]:
        return False
    ref.rule("try_again", position.active, "", (piece.id,), (fact.seq,))
    return True


def flipped(ref: "Referee", fact: "Fact") -> None:
    """A piece turned over. Books: 001 After a Fault 1; 004 scenario 4, FAQ 9 and 10."""
    position = ref.position
    piece = position.pieces.get(fact.piece)
    if piece is None:
        missing(ref, fact)
        return
    face = fact.face or -piece.face
    was_leaner = came_down(ref, piece, fact)
    owner = piece.face
    piece.face = face
    if piece.due or slipped(ref, piece, fact):
        return
    if owner in (0, face):  # 0: it stood on its edge
        if was_leaner:
            ref.fault(ref.responsible(), "leaner_fell", fact, (piece.id,))
        return
    player = ref.responsible()
    group = position.group_of(piece.id)
    if group and group.shape == FLIP:
        position.groups.remove(group)  # turned back
        group = None
    theirs = owner == -player or not ref.edition["own_flip_stays"]
    if (
        theirs
        and not ref.waived
        and piece.discs == 1
        and group is None
        and ref.edition["flip_capture"]
    ):
        group = Group([piece.id], FLIP, -player)
        position.groups.append(group)
        if player != position.active:
            group.stay()
    ref.fault(player, "flipped", fact, (piece.id,))


def shifted(ref: "Referee", fact: "Fact") -> None:
    """A flat disc or tower moved: a fault beyond its own diameter, added up over the turn."""
    position = ref.position
    piece = position.pieces.get(fact.piece)
    if piece is None:
        missing(ref, fact)
        return
    limit = ref.disc_diameter_cmm
    piece.shifts(position.turn)
    if fact.x or fact.y:
        piece.x_cmm, piece.y_cmm = fact.x, fact.y
        x0, y0 = piece.from_cmm
        dx, dy = fact.x - x0, fact.y - y0
        far = fact.d > limit or ((x0 or y0) and dx * dx + dy * dy > limit * limit)
    else:
        piece.moved_cmm += fact.d
        far = piece.moved_cmm > limit
    if piece.kind == LEANER or piece.due or piece is position.trial():
        return
    if position.is_captured(piece.id):
        return  # it is about to join the tower in the hand
    player = ref.responsible()
    if position.faulted and position.group_of(piece.id):
        return  # how it comes to rest in contact is part of that
    if far and ref.edition["fault_shift"]:
        piece.since = -1
        ref.fault(player, "shifted", fact, (piece.id,))
    elif ref.edition["move_own_only"] and piece.face == -player and fact.d > limit // 4:
        ref.irregular("not_ones_own", player, fact, (piece.id,))


def rolled(ref: "Referee", fact: "Fact") -> None:
    """A leaner rolled: any distance is allowed. Book: 004 Shifting, FAQ 8."""
    piece = ref.position.pieces.get(fact.piece)
    if piece is None:
        missing(ref, fact)
        return
    rest(piece, fact)
    if ref.edition["fault_roll"]:
        ref.fault(ref.responsible(), "shifted", fact, (piece.id,))


def left_circle(ref: "Referee", fact: "Fact") -> None:
    """A piece lies outside; in contact with one that is inside it is in. Book: 004 FAQ 11."""
    position = ref.position
    if position.red_id and fact.piece == position.red_id:
        if ref.edition["loss_red_off"]:
            ending.lose(ref, fact, "red_off")
        return
    circle = ref.edition["out"] == "circle"
    if fact.confidence < ending.SURE:
        if circle:
            ref.unsure("out", fact, (fact.piece,))
        return
    piece = position.pieces.get(fact.piece)
    if circle and fact.piece in position.carried:
        position.carried[fact.piece].lands_outside()
        return
    if piece is None:
        missing(ref, fact)
        return
    rest(piece, fact)
    piece.outside = True
    if piece.due:
        position.reserve[piece.due_to] += position.take(piece.id).discs
    elif piece is position.trial() and position.group_of(piece.id) is None:
        position.refund(position.active, position.take(piece.id).discs)
        ref.rule("try_again", position.active, "", (piece.id,), (fact.seq,))
    elif circle:
        judge_out(ref, fact, [piece])


def judge_out(ref: "Referee", fact: "Fact", pieces: "list[Piece]") -> None:
    """Which of these pieces are out of play now: they go to the reserve of whoever is at fault."""
    position = ref.position
    out = []
    for piece in pieces:
        if not piece.outside or piece.id not in position.pieces or piece.id in out:
            continue
        group = position.group_of(piece.id)
        together = group.ids if group else [piece.id]
        inside = [i for i in together if not position.pieces[i].outside]
        x, y, far = piece.x_cmm, piece.y_cmm, 3 * ref.circle_radius_cmm >> 1
        # magnets may have flung it off what it touched
        if x * x + y * y > far * far or not (inside and ref.edition["group_in_by_one"]):
            out += together if not inside else [piece.id]
    if not out:
        return
    discs = 0
    for ident in out:
        discs += position.take(ident).discs
    player = ref.responsible()
    position.refund(player, discs)
    ref.fault(player, "out", fact, out, discs)


def jolt(ref: "Referee", fact: "Fact") -> None:
    """The mat was shaken: who did it only the players know. Book: 004 Basic Etiquette.

    There is no question where everything in a turn is its player's responsibility.
    """
    position = ref.position
    if ref.charged:
        position.intruder = ref.charged
        position.intruder_left_ms = fact.t_ms + SHAKING_MS
    elif ref.edition["off_turn"] and not ref.waived:
        ref.unsure("jolt", fact)


def unsure(ref: "Referee", fact: "Fact") -> None:
    """The field does not decide; the players may: a colour, or that nothing was wrong."""
    piece = ref.position.pieces.get(fact.others[0] if fact.others else fact.piece)
    if piece and fact.face:
        piece.face = fact.face
    ref.unsure(fact.why, fact, fact.others or ((fact.piece,) if fact.piece else ()))


def question_about(fact: "Fact") -> str:
    """What players can decide about a fact that the referee cannot: WAS_IT_SO, or WHOSE colour or
    doing it was; else an empty string.
    """
    kind = fact.kind
    if kind == facts.JOLT:
        return WHOSE
    if kind == facts.UNSURE:
        return WHOSE if fact.why == "face" else WAS_IT_SO
    if kind in CARRIED:
        return WHOSE if fact.face == 0 and fact.shape != facts.RED else ""
    if fact.confidence <= facts.SUSPECT:
        return WAS_IT_SO
    doubtful = kind in (facts.TOUCHED_RED, facts.RED_OFF, facts.LEFT_CIRCLE)
    return WAS_IT_SO if doubtful and fact.confidence < ending.SURE else ""


def missing(ref: "Referee", fact: "Fact", ident: int = 0) -> None:
    """A fact about a piece (`ident`, else the fact's own) that is not on the mat.

    That is expected if it has just gone, or if it is the red disc: pushing it about on its dot is
    nobody's fault, and there are other facts for a red disc that is touched or off the dot. Book:
    001 End of the Game.
    """
    position = ref.position
    ident = ident or fact.piece
    if ident in position.gone or ident in position.carried:
        return
    if position.red_id and ident == position.red_id:
        if fact.kind == facts.SHIFTED and (fact.x or fact.y):
            ending.red_moved(ref, fact)
    else:
        ref.unsure("unknown_piece", fact, (ident,))


def rest(piece: "Piece", fact: "Fact") -> None:
    """The piece rests where the fact says, if it does."""
    if fact.x or fact.y:
        piece.rest(fact.x, fact.y)
