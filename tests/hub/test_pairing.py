"""Who plays whom: what the rules of chess tournaments ask for, over whole tournaments in which
chance decides the games."""

import random
from collections import Counter
from dataclasses import replace

import pytest

from polarity_host.errors import HostError
from polarity_host.hub.tournaments.model import Pairing, Player, Tournament
from polarity_host.hub.tournaments.pairing import next_round, rounds_of_all
from polarity_host.hub.tournaments.ratings import ratings
from polarity_host.hub.tournaments.standings import standings


def of(count, system="swiss", rounds=9):
    players = tuple(Player(k, f"p{k}", k) for k in range(1, count + 1))
    return Tournament(1, "Cup", system, rounds, (), players)


def played(tournament, results):
    """The tournament with its next round, whose results come from a function of the two players."""
    number = tournament.round + 1
    pairs = next_round(tournament)
    new = tuple(
        Pairing(number, board, white, black, result=results(white, black) if black else None)
        for board, (white, black) in enumerate(pairs, 1)
    )
    return replace(tournament, pairings=tournament.pairings + new)


def by_chance(seed):
    chance = random.Random(seed)
    return lambda white, black: chance.choice(("1-0", "0-1", "=-="))


def stronger(white, black):
    return "1-0" if white < black else "0-1"


@pytest.mark.parametrize("count", [2, 3, 6, 7, 12])
def test_all_against_all_meet_once_with_each_colour_about_as_often(count):
    tournament = of(count, "round-robin", 2 * rounds_of_all(count))
    single = rounds_of_all(count)
    for _ in range(2 * single):
        tournament = played(tournament, by_chance(1))
        for one in tournament.players:  # everybody once a round
            own = [p for p in tournament.of_round(tournament.round) if one.id in (p.white, p.black)]
            assert len(own) == 1
        if tournament.round == single:
            met = Counter(frozenset((p.white, p.black)) for p in tournament.pairings if p.black)
            assert len(met) == count * (count - 1) // 2 and set(met.values()) == {1}
            assert max(abs(row.colour) for row in standings(tournament)) <= 1
    colours = Counter((p.white, p.black) for p in tournament.pairings if p.black)
    assert set(colours.values()) == {1}  # each once with white against each
    with pytest.raises(HostError, match="rounds are paired"):
        next_round(tournament)


def all_pairings(rows):
    """Every way to pair in which nobody meets twice, or has a colour three times too often."""
    if not rows:
        yield []
        return
    first, *others = rows
    for other in others:
        colours = sorted((abs(first.colour), abs(other.colour)))
        third = first.colour * other.colour > 0 and colours[0] > 1
        if other.player not in first.opponents and not third:
            for rest in all_pairings([one for one in others if one is not other]):
                yield [(first, other), *rest]


def apart(pairs):
    """Half points between those who meet, squared."""
    return sum((a.half_points - b.half_points) ** 2 for a, b in pairs)


@pytest.mark.parametrize("count, rounds", [(8, 5), (9, 5), (30, 7), (31, 7)])
@pytest.mark.parametrize("seed", range(3))
def test_swiss_lets_nobody_meet_twice_and_equals_play(count, rounds, seed):
    tournament = of(count, rounds=rounds)
    for _ in range(rounds):
        before = {row.player: row for row in standings(tournament)}
        tournament = played(tournament, by_chance(seed))
        if count == 8:
            own = [
                (before[p.white], before[p.black]) for p in tournament.of_round(tournament.round)
            ]
            assert apart(own) == min(apart(pairs) for pairs in all_pairings(list(before.values())))
    met = Counter(frozenset((p.white, p.black)) for p in tournament.pairings if p.black)
    assert set(met.values()) == {1}
    byes = Counter(p.white for p in tournament.pairings if p.black is None)
    assert set(byes.values()) <= {1} and sum(byes.values()) == rounds * (count % 2)
    assert max(abs(row.colour) for row in standings(tournament)) <= 2


def test_the_first_round_has_the_upper_half_against_the_lower_one():
    assert {frozenset(pair) for pair in next_round(of(8))} == {
        frozenset((k, k + 4)) for k in (1, 2, 3, 4)
    }


def test_the_strongest_of_sixteen_wins_after_four_rounds():
    tournament = of(16, rounds=4)
    for _ in range(4):
        tournament = played(tournament, stronger)
    rows = standings(tournament)
    assert rows[0].player == 1 and rows[0].half_points == 8
    assert [row.half_points for row in rows].count(8) == 1
    rated = {row.name: row for row in ratings([tournament])}
    assert rated["p1"].rating == max(row.rating for row in rated.values()) > 1500
    assert rated["p1"].deviation < 500 and rated["p1"].games == 4


def test_ties_are_broken_as_in_the_handbook():
    # a cross table counted by hand: a 2, b 2, c 1, d 1; a beat b's conqueror's victims …
    results = [(1, 2, "1-0"), (3, 4, "=-="), (1, 3, "0-1"), (2, 4, "1-0"), (1, 4, "1-0"),
               (2, 3, "1-0")]  # fmt: skip
    pairings = tuple(
        Pairing(1 + k // 2, 1 + k % 2, w, b, result=r) for k, (w, b, r) in enumerate(results)
    )
    rows = standings(replace(of(4, "round-robin", 3), pairings=pairings))
    table = {row.player: (row.half_points / 2, row.buchholz / 2, row.sonneborn / 4) for row in rows}
    # 1: beat 2 (2 points) and 4 (½), lost to 3 (1½); 2: beat 4 and 3; 3: beat 1, drew with 4
    assert table == {1: (2, 4, 2.5), 2: (2, 4, 2), 3: (1.5, 4.5, 2.25), 4: (0.5, 5.5, 0.75)}
    assert [row.player for row in rows] == [1, 2, 3, 4]


def test_a_swiss_round_waits_for_results_and_ends_when_all_have_met():
    tournament = of(4, rounds=9)
    for _ in range(3):
        tournament = played(tournament, stronger)
    with pytest.raises(HostError, match="tournament is over"):
        next_round(tournament)
    missing = replace(tournament.pairings[0], result=None)
    with pytest.raises(HostError, match=r"no result yet: 1\.1"):
        next_round(replace(tournament, pairings=(missing, *tournament.pairings[1:4])))


def test_who_has_left_is_not_paired():
    tournament = played(of(5), stronger)
    gone = replace(tournament.players[0], last_round=1)
    tournament = replace(tournament, players=(gone, *tournament.players[1:]))
    assert 1 not in {one for pair in next_round(tournament) for one in pair}
