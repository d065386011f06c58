"""What a player does with his hand, and how that follows the books."""

import math
from types import SimpleNamespace

import pytest

from polarity_host.simulation.play.body import RESTING, BodyState
from polarity_host.simulation.players.foresight import Foresight
from polarity_host.simulation.players.match import Match
from polarity_host.simulation.players.places import Places
from polarity_host.simulation.players.player import Player
from polarity_host.simulation.players.skill import CAREFUL, CLUMSY
from tests.simulation.conftest import Table


class Rules:
    """A Judge that says what a test wants it to."""

    def __init__(self, table, active="w", owed=()):
        self.table, self.active, self.owed = table, active, list(owed)
        self.faults = False

    def state(self):
        return {"active": self.active, "done": False, "phase": "play", "owed": self.owed}

    def faulted(self):
        return self.faults

    def due(self):
        return []

    def body_of(self, piece):
        return self.table.world.witness.body_of(piece)


def player_of(table, skill=CAREFUL, **rules):
    return Player(table.world, "a player", Rules(table, **rules), 1, -90.0, skill)


def do(table, script, each=lambda: None):
    """Plays a script to its end; returns what it returns."""
    try:
        while True:
            next(script)
            table.world.advance()
            each()
    except StopIteration as over:
        return over.value


def ident(table, body):
    return table.world.witness.id_of(body)


def kinds(table, since=0):
    return [fact.kind for fact in table.world.truth.facts[since:]]


def stand_leaner(table, x, y, tilt_deg=40.0):
    body = table.put("w", x, y)
    body.become(BodyState.LEANING)
    body.lean(0.0)
    body.set_lean(tilt=math.radians(tilt_deg))
    body.stand()
    body.rest()
    return body


# ---- carrying
@pytest.mark.parametrize("mat", ["standard", "small"])
def test_a_disc_is_carried_over_leaners_and_not_higher_than_its_field_reaches(mat):
    """A leaner is no higher than a disc is wide, and what is carried must clear it. The field of a
    dipole falls with the cube of the height over its size: the same share is left on both mats."""
    table = Table(mat=mat)
    player = player_of(table)
    heights = []
    table.world.take(player.hand, "w", table.world.place_outside(-90.0, 160.0))
    do(
        table,
        player.carry((0.0, 0.0), player.hover_mm),
        lambda: heights.append(player.hand.body.low_point),
    )
    diameter = table.world.mat.disc.diameter_mm
    assert heights[-1] > diameter * 1.1
    assert max(heights[len(heights) // 2 :]) / diameter == pytest.approx(82.0 / 34.0, rel=0.05)


def test_what_is_taken_out_does_not_go_over_others_if_there_is_another_way(table):
    for y in (-190.0, -150.0):
        table.put("w", 0.0, y, discs=9)
    table.run(0.1)
    player = player_of(table)
    body = table.world.take(player.hand, "w", (0.0, -60.0))
    table.run(0.2)
    goal = do(table, player.way_out(body))
    assert math.hypot(*goal) > table.world.mat.circle_radius_mm + 100.0
    foresight = Foresight(table.world)

    def worst(end):
        way = [(s * end[0], -60.0 + s * (end[1] + 60.0)) for s in (0.2, 0.3, 0.4, 0.5)]
        return max(foresight.carried(body.discs, 1, way, player.high_mm()))

    assert worst(goal) < 0.8 * worst((0.0, goal[1] / abs(goal[1]) * math.hypot(*goal)))


def test_a_disc_that_rolled_out_is_taken_up_and_one_that_touches_or_lies_inside_is_not(table):
    player = player_of(table)
    out, beside, inside = (table.put("w", x, 260.0) for x in (0.0, 80.0, -80.0))
    inside.place((-80.0, 100.0, inside.centre[2]))
    table.put("b", 114.0, 260.0)
    table.run(0.3)
    assert len(table.world.touching(beside)) == 2
    assert [player._rolled_out(body) for body in (out, beside, inside)] == [True, False, False]


# ---- before he plays
def test_who_takes_his_time_waits_for_what_rolls(table):
    body = stand_leaner(table, 0.0, 0.0, 89.0)
    table.run(0.1)
    for skill, waits in ((CAREFUL, True), (CLUMSY, False)):
        body.set_rim_speed(0.0, 0.0, 60.0, 0.0)
        body.wake()
        table.run(0.05)
        do(table, player_of(table, skill).calm())
        assert (not body.awake) == waits
        table.run(3.0)


def test_who_owes_a_capture_takes_no_disc_from_his_reserve(table):
    """001 Capturing Faults: first all discs in contact, then a normal turn."""
    a, b = table.put("w", 0.0, 0.0), table.put("b", 40.0, 0.0)
    table.put("w", -100.0, 0.0)
    table.run(0.5)
    ids = [ident(table, a), ident(table, b)]
    player = player_of(table)
    site = do(table, player.places.to_lean(table.world.reserves["w"][-1], 1))
    player.judge.owed = [("w", ids)]  # it has come to that while he looked
    left = len(table.world.reserves["w"])
    do(table, player.lean("w", site, True))
    assert player.hand.body is None and len(table.world.reserves["w"]) == left
    player.judge.owed = []
    taken = []
    do(
        table,
        player.lean("w", site, True),
        lambda: taken.append(len(table.world.reserves["w"]) < left),
    )
    assert any(taken)


def test_a_tower_that_he_leaves_in_place_is_captured_once_it_has_grown(table):
    """001 Capturing Faults: in place only a tower that shows his own colour."""
    tower = table.put("w", 0.0, 0.0, discs=2)
    table.run(0.3)
    ids = [ident(table, tower)]
    player = player_of(table, owed=[("w", ids)])
    player.plays_by(in_place=True, may_leave=False, lifts_whole=True)
    do(table, player.capture_all("w"))
    assert "lifted" not in kinds(table) and player._owes("w") == []
    tower.place(axis=(0.0, 0.0, -1.0))
    assert player._owes("w") == [ids]


# ---- where
def test_a_disc_that_would_lean_across_the_line_is_taken_back(table):
    """A hand is inside the circle beyond doubt, or it might count as gone (004 Turn)."""
    player = player_of(table)
    radius = table.world.mat.circle_radius_mm
    assert player.places.inside((0.0, radius - 10.0))
    assert not player.places.inside((0.0, radius - 6.0))
    table.put("w", 0.0, 140.0)
    table.run(0.1)
    let_go = []
    for contact, azimuth in (((15.0, radius - 3.0), 0.0), ((0.0, 198.0), 90.0)):
        site = SimpleNamespace(strain=0.5, lean=(contact, azimuth, 40.0))
        body = do(table, player.lean("w", site, True))
        let_go.append(body is not None)
        assert player.hand.body is None
        table.run(1.0)
    assert let_go == [False, True]
    assert len(table.world.reserves["w"]) == 26 - 1 - 1


def test_with_nothing_better_a_player_leans_over_what_shows_his_colour(table):
    """He must play: 001 Game Play 1 asks for his own discs, and a leaner of his is one."""
    player = player_of(table)
    disc = table.world.reserves["w"][-1]
    table.put("b", 90.0, 0.0)
    table.run(0.1)
    assert do(table, player.places.to_lean(disc, 1)) is None
    leaner = stand_leaner(table, -60.0, -60.0)
    assert player.places.bases(1) == []
    site = do(table, player.places.to_lean(disc, 1))
    assert math.dist(site.lean[0], leaner.centre[:2]) < 100.0


@pytest.mark.parametrize("mat", ["standard", "small"])
def test_who_finds_no_place_at_last_makes_a_fault_with_a_disc_of_his_own(mat):
    """001 Game Play 4: he may try again without limit; a game has to go on all the same."""
    table = Table(mat=mat)
    table.put("w", 30.0, -20.0)
    table.put("b", -50.0, 40.0)
    table.run(0.1)
    player = player_of(table)
    do(table, player.play_disc("w", 2 * CAREFUL.attempts + 1))
    table.run(1.5)
    faults = [kind for kind in kinds(table) if kind in ("contact", "snapped")]
    assert faults == ["contact" if mat == "standard" else "snapped"]


@pytest.mark.parametrize("mat", ["standard", "small"])
def test_who_has_no_disc_in_the_circle_makes_a_fault_with_another_players(mat):
    """Else nobody could do anything any more: by the rules of the small set (003) what is off the
    mat is out, so a disc outside the circle is in play, and he has not lost."""
    table = Table(mat=mat)
    radius = table.world.mat.circle_radius_mm
    outside = table.put("w", 0.0, -radius - 20.0)
    table.put("b", 0.0, radius / 2, discs=3)
    table.run(0.1)
    player = player_of(table)
    do(table, player.play_disc("w", 2 * CAREFUL.attempts + 1))
    table.run(1.5)
    assert table.world.witness.lies_outside(outside)
    assert "snapped" in kinds(table)
    assert player.hand.body is None


def test_nothing_is_put_down_near_the_red_disc(table):
    """Who causes red to be touched loses (001 End of the Game)."""
    red = table.world.take(table.hand, "red", (0.0, 0.0))
    table.world.release(table.hand)
    table.run(0.4)
    table.put("w", 0.0, 58.0)  # a disc that leans beside it, and not behind it, is near red
    table.run(0.1)
    disc = table.world.reserves["w"][-1]
    for seed in range(6):
        places = Places(table.world, player_of(table).rng.spawn(seed + 1)[-1])
        spots = [do(table, places.to_lean(disc, 1)).lean[0]]
        spots += filter(None, (places._somewhere(()) for _ in range(50)))
        assert min(math.dist(spot, red.centre[:2]) for spot in spots) > 90.0


# ---- captures
@pytest.mark.parametrize("lifts_whole", [True, False])
def test_a_tower_is_lifted_whole_or_by_a_part_of_it_as_the_rules_want(table, lifts_whole):
    """000 Eroberung (DE): only a part of a tower may be lifted first; what stays jumps to it."""
    tower = table.put("b", 40.0, 0.0, discs=3)
    table.run(0.3)
    piece = ident(table, tower)
    player = player_of(table, owed=[("w", [piece])])
    player.plays_by(in_place=False, may_leave=False, lifts_whole=lifts_whole)
    since = len(table.world.truth.facts)
    do(table, player.capture([tower], "w"))
    table.run(0.5)
    facts = table.world.truth.facts[since:]
    first = facts[0]
    assert first.kind == "lifted"
    assert (first.discs, first.others) == ((3, ()) if lifts_whole else (2, (piece,)))
    assert ("snapped" in kinds(table, since)) != lifts_whole
    placed = [fact for fact in facts if fact.kind == "placed"]
    assert [(fact.shape, fact.face, fact.discs) for fact in placed] == [("tower", 1, 3)]


def test_a_hand_that_gathers_keeps_low_until_the_last_disc_sticks(table):
    """Else that one would hang from it and be dropped: it is still 6 mm under what is held."""
    first, second = table.put("w", 0.0, 0.0), table.put("b", 40.0, 0.0)
    table.run(0.5)
    table.world.grab(table.hand, first.id, gather=[second], height_mm=82.0)
    lows = []
    for _ in range(100):
        table.world.advance()
        lows.append(table.hand.body.low_point)
        if "snapped" in kinds(table):
            break
    assert kinds(table)[-1] == "snapped" and second not in table.world.bodies
    assert max(lows) < 15.0 + 6.0 + 1.5
    table.run(1.0)
    assert table.hand.body.low_point > 60.0


# ---- leaning
def test_a_disc_that_is_brought_to_lean_does_not_stand_still_in_the_hand(table):
    """A mat takes for placed what is still for some half a second (perception/settle.py)."""
    table.put("w", 0.0, 0.0)
    table.run(0.1)
    player = player_of(table)
    site = SimpleNamespace(strain=0.5, lean=((58.0, 0.0), 0.0, 40.0))
    on_rim = []

    def look():
        body = player.hand.body
        on_rim.append(body.centre if body and body.low_point < 0.5 else None)

    assert do(table, player.lean("w", site, True), look) is not None
    moved = [math.dist(a[:2], b[:2]) for a, b in zip(on_rim, on_rim[40:]) if a and b]
    assert any(on_rim) and min(moved, default=math.inf) > 0.5


# ---- a match
def test_what_a_ruling_sent_to_a_reserve_is_taken_there():
    """001 Capturing Faults, note: discs of a capture that failed are his to play again."""
    match = Match("temple", seed=107)
    for _ in match.times():
        if match.turns:
            break
    victim = next(b for b in match.world.bodies if not b.is_red and b.state in RESTING)
    piece = match.world.witness.id_of(victim)
    position = match.oracle.referee.position
    position.refund(1, position.take(piece).discs)
    assert match._is_no_piece(victim)
    for _ in match._put_right():
        match.world.advance()
    assert victim not in match.world.bodies
    trays = sum(len(match.world.reserves[side]) for side in "wb")
    held = sum(len(p.hand.body.discs) for p in match.players if p.hand.body)
    assert trays + held == 2 * 26 - 9
