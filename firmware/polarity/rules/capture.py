"""Captures: the opponent gathers up what a fault left in contact, or flipped, and sets it down.

Books: 001 Capturing Faults; 004 Successful Capture, Unsuccessful Capture, FAQ 12 to 19.
"""

from polarity.facts import FLAT, LEANER
from polarity.rules import ending, faults
from polarity.rules.pieces import FLIP, absorb, kind_of, lay_back, put_down
from polarity.rules.position import OVER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from polarity.facts import Fact
    from polarity.rules.pieces import Carried, Group
    from polarity.rules.position import Position
    from polarity.rules.referee import Referee


IGNORED = 2  # turns in a row that began as if a group were not there, until it is given up


def contact(ref: "Referee", fact: "Fact") -> None:
    """Pieces touch. What was gathered in a hand and is one of them has been set down."""
    position = ref.position
    for ident in fact.others:
        body = position.carried.get(ident)
        if body and body.owner == 0 and body.group:
            if not body.group.ids:
                body.face = body.group.by  # as must be; if not, it is reported as placed
            body.facts.append(fact.seq)
            set_down(ref, body, body.group, fact)
    faults.contact(ref, fact)


def lifted(ref: "Referee", fact: "Fact") -> None:
    """A bare hand picked a piece up: a capture begins, or the action disc is tried again."""
    position = ref.position
    if fact.piece in position.carried:
        return
    if position.red_id and position.red_id in fact.others:
        ending.touched_red(ref, fact)
        if position.phase == OVER:
            return
    if position.red_id and position.red_id == fact.piece:
        ending.red_off(ref, fact)  # it was taken up
        return
    stayed = 0
    if fact.piece not in position.pieces:
        stayed = split(ref, fact)
        if not stayed:
            faults.missing(ref, fact)
            return
    group = position.group_of(stayed or fact.piece)
    if group:
        capturer(ref, group, fact)
        whole = position.pieces[fact.piece].discs > 1 and not (stayed or group.gathered)
        if whole and not ref.edition["lift_whole_tower"]:
            ref.irregular("whole_tower", group.by, fact, (fact.piece,))
        others = [b for b in position.bodies() if b.group is group]
        if others:
            ref.irregular("two_hands", group.by, fact, (others[0].id, fact.piece))
        owner = place = 0
        again = ""
        if fact.piece == position.action_id:
            position.action_id = 0
    else:
        piece = position.pieces[fact.piece]
        owner, again = own_again(position, fact.piece)
        place = piece.due_to if piece.due else position.stack(owner)
    body = position.pick_up(fact.piece, owner, group)
    body.facts.append(fact.seq)
    if owner:
        position.reserve[place] += body.discs
        body.unruled = 0 if position.faulted else body.discs
        if again == "taken_back":
            ref.rule("try_again", owner, again, (body.id,), (fact.seq,))
    elif group is None:
        ref.irregular("lifted", ref.responsible(), fact, (body.id,))


def split(ref: "Referee", fact: "Fact") -> int:
    """The top of a tower was lifted under a new id; returns the id of what stayed, or 0."""
    position = ref.position
    for ident in fact.others:
        tower = position.pieces.get(ident)
        if tower and tower.discs > 1 and fact.piece:
            discs = min(max(1, fact.discs), tower.discs - 1)
            tower.discs -= discs
            tower.kind = kind_of(tower.kind, tower.discs)
            position.put(
                fact.piece, fact.face or tower.face, discs, tower.kind, tower.x_cmm, tower.y_cmm
            )
            group = position.group_of(ident)
            if group:
                group.all_ids += (fact.piece,)
            return ident
    return 0


def capturer(ref: "Referee", group: "Group", fact: "Fact") -> None:
    """The hand belongs to the player who owes this capture; his turn begins if it has not.

    Once he has played on without it, it is the next player's, who must resolve whatever is in
    contact when his turn begins (004 FAQ 14). What was caused off turn its opponent captures at any
    time (004 Basic Etiquette).
    """
    position = ref.position
    position.set_down = 0
    if group.stays:
        if group.by != position.active and position.done:
            ref.begin_turn(group.by, fact)
    elif position.done and (group.by != position.active or group.shape != FLIP):
        ref.begin_turn(-position.active, fact)
    elif position.done or group.by != position.active:
        ref.irregular("out_of_turn", group.by, fact, (fact.piece,))


def own_again(position: "Position", ident: int) -> "tuple[int, str]":
    """The player who takes back his own: the action disc of this turn, or a disc due to go back.

    Returns (player or 0, "taken_back" if it had been played).
    """
    piece = position.pieces[ident]
    if ident != position.action_id:
        return piece.due, ""
    position.action_id = 0
    played = position.done and not position.faulted
    if played and not piece.due:
        position.done = False
        return position.active, "taken_back"
    return piece.due or position.active, ""


def gather(ref: "Referee", body: "Carried", group: "Group", fact: "Fact") -> None:
    """Pieces snap to the section in the capturer's hand: those of the group, or a fault."""
    belonging = list(group.ids)
    joined = absorb(ref, body, fact)
    foreign = [i for i in joined if i not in belonging and i not in group.all_ids]
    if foreign:
        ref.fault(group.by, "snapped", fact, [body.id] + joined)
    elif fact.discs > body.discs:
        ref.unsure("count", fact, (body.id,))


def parted(ref: "Referee", fact: "Fact") -> None:
    """Pieces no longer touch: in a capture something stayed behind, else less is to be captured."""
    position = ref.position
    for body in position.bodies():
        group = body.group
        if body.owner == 0 and group and group.ids:
            if [i for i in fact.others if i == body.id or i in group.ids]:
                stayed_behind(ref, body, group, fact)
                return
    for group in list(position.groups):
        pieces = [position.pieces[i] for i in group.ids]
        if group.part(fact.others, pieces):
            faults.judge_out(ref, fact, pieces)


def stayed_behind(ref: "Referee", body: "Carried", group: "Group", fact: "Fact") -> None:
    """Part of the group did not come along. Book: 004 FAQ 19."""
    if ref.edition["fault_stays_behind"]:
        apart = [b.id for b in ref.position.bodies() if b.group is group and b is not body]
        ref.fault(group.by, "stayed_behind", fact, sorted(group.ids + apart))


def set_down(ref: "Referee", body: "Carried", group: "Group", fact: "Fact") -> None:
    """The gathered discs rest on the mat: captured, if all came and the right colour shows."""
    position = ref.position
    player = group.by
    in_other_hand = [b for b in position.bodies() if b.group is group and b is not body]
    if group.ids or in_other_hand:
        stayed_behind(ref, body, group, fact)
        if body.owner:
            lay_back(ref, body, fact)
            return
    if body.outside and not ref.waived:  # it is placed within the circle
        ref.fault(player, "out", fact, (body.id,))
        position.let_go(body)
        return
    position.let_go(body)
    piece = put_down(ref, body, fact)
    wrong = ""
    if piece.face != player:
        wrong = "wrong_colour"
        position.contest(2)
    elif piece.kind == LEANER:
        wrong = "not_flat"
    if wrong:
        piece.caught = group.shape != FLIP
        group.put_down(piece.id)
        ref.irregular(wrong, player, fact, (piece.id,))
        return
    if group in position.groups:
        position.groups.remove(group)
    if not ref.edition["play_after_capture"]:
        position.done = True
    if ref.edition["set_down_fault_returns"] and group.shape != FLIP:
        position.set_down = piece.id
    why = "flip" if group.shape == FLIP else "lifted"
    ref.rule("captured", player, why, (piece.id,), body.facts)


def carried_out(ref: "Referee", body: "Carried", fact: "Fact") -> None:
    """Captured discs leave the circle: to be turned over outside, or because the capture failed."""
    position = ref.position
    group = body.group
    if group and not group.ids:
        position.let_go(body)
        position.aside.append(body)
        body.out_cmm = (fact.x, fact.y)
        return
    if group:
        stayed_behind(ref, body, group, fact)
        if not body.owner:
            position.refund(group.by, body.discs)
    else:
        player = ref.responsible()
        body.refund(player)
        position.refund(player, body.discs)
        ref.fault(player, "out", fact, (body.id,), body.discs)
    if body.id in position.carried:
        position.let_go(body)


def comes_back(ref: "Referee", player: int, fact: "Fact", discs: int) -> bool:
    """Whether these discs that come in are the captured ones that were taken out of the circle: a
    tower is, whichever face is up yet, for several discs come from nowhere else; a disc, if it was
    turned over, or comes in as it went out, and where it did."""
    position = ref.position
    body = position.aside[0]
    by = body.group.by  # pyright: ignore[reportOptionalMemberAccess] - only captured discs are aside
    dx, dy = fact.x - body.out_cmm[0], fact.y - body.out_cmm[1]
    known = (fact.x or fact.y) and fact.face == body.face
    near = known and dx * dx + dy * dy < ref.disc_diameter_cmm**2
    if body.discs == discs and (discs > 1 or by == player or near):
        position.aside.pop(0)
        body.id = fact.piece
        body.face = fact.face or body.face
        body.facts.append(fact.seq)
        position.carried[body.id] = body
        return True
    ref.fault(by, "not_set_down", fact, sorted(body.ids))
    return False


def set_down_unobserved(ref: "Referee", fact: "Fact") -> None:
    """A disc comes in while captured ones should be in the hand: they were set down unobserved."""
    position = ref.position
    for body in position.bodies():
        if body.owner or body in position.aside:
            continue
        group = body.group
        position.let_go(body)
        face = group.by if group and not group.ids else body.face
        position.put(body.id, face, body.discs, kind_of(FLAT, body.discs), 0, 0)
        if group and group.ids:
            group.ids.append(body.id)
        ref.unsure("lost", fact, (body.id,))


def declare_in_place(ref: "Referee", player: int, fact: "Fact") -> None:
    """The action disc comes in: towers of the group's discs in his colour are declared captured.

    Book: 001 Capturing Faults; 004 FAQ 15. Whatever else he owes, he should have captured first.
    """
    position = ref.position
    in_place(ref, player, (fact.seq,))
    left = []
    first = ref.edition["capture_first"]
    for group in list(position.groups):
        if group.by != player:
            continue
        owed = first == "must" or group.must or group.shape == FLIP
        if group.shape == FLIP and ref.edition["flip_capture"] == "may":
            position.groups.remove(group)  # he leaves it
        elif (group.gathered and group.ids and position.pieces[group.ids[0]].face == player) or (
            owed and group.ignored >= IGNORED
        ):  # both have played on as if there were nothing to capture: the mat was wrong about it
            position.groups.remove(group)
            for ident in group.ids:
                position.pieces[ident].caught = False
        elif owed:
            group.ignored += 1
            left += group.ids
    if left and first:
        ref.irregular("capture_owed", player, fact, left)


def in_place(ref: "Referee", player: int, facts: "tuple[int, ...]") -> bool:
    """The player declares captured where they stand all towers in his colour that he has to
    capture. Returns whether there were any. Book: 001 Capturing Faults; 004 FAQ 13 and 15."""
    position = ref.position
    found = False
    for group in list(position.groups):
        piece = position.pieces[group.ids[0]] if len(group.ids) == 1 else None
        if not ref.edition["in_place"] or piece is None or group.by != player:
            continue
        if piece.discs > 1 and piece.face == player:
            found = True
            piece.caught = False
            position.groups.remove(group)
            ref.rule("captured", player, "in_place", (piece.id,), facts)
    return found
