"""Who plays whom in the next round: all against all by the circle method, or Swiss as a matching of
least weight.
"""

from itertools import combinations

import networkx

from polarity_host.errors import BAD_INPUT, HostError
from polarity_host.hub.tournaments.model import Player, Tournament
from polarity_host.hub.tournaments.standings import Standing, standings

#: What a Swiss pairing costs: for each half point between the two, squared; where both have had
#: one colour twice more than the other, which one of them would then have a third time; where both
#: have had one more often; and for each place by which it misses the upper half meeting the lower.
PER_HALF_POINT, THIRD_TIME, PER_COLOUR = 10_000, 10_000_000, 100
MOST_PLACES = 99

#: (white, black); black is None for a bye.
Pair = tuple[int, int | None]


def next_round(tournament: Tournament) -> list[Pair]:
    """The pairs of the next round, in the order of their boards. HostError BAD_INPUT where it
    cannot be paired: all rounds are, results are missing, or nobody is left who has not met."""
    number = tournament.round + 1
    if number > tournament.rounds:
        raise HostError(BAD_INPUT, "all {rounds} rounds are paired", rounds=tournament.rounds)
    if sum(player.plays(number) for player in tournament.players) < 2:
        raise HostError(BAD_INPUT, "a round needs two players or more: add them first")
    if tournament.system == "round-robin":
        return _round_robin(tournament, number)
    if missing := tournament.open_boards():
        text = ", ".join(f"{of}.{board}" for of, board in missing)
        raise HostError(BAD_INPUT, "these boards have no result yet: {boards}", boards=text)
    return _swiss(tournament, number)


def rounds_of_all(players: int) -> int:
    """How many rounds it takes until each has met each."""
    return players - 1 + players % 2


def _round_robin(tournament: Tournament, number: int) -> list[Pair]:
    """The circle method: one stays, the others move on by a place each round. Colours alternate;
    once each has met each they are swapped. Who has left gives a bye."""
    seeded = sorted(tournament.players, key=lambda one: one.seed)
    order: list[Player | None] = [*seeded]
    if len(order) % 2:
        order.append(None)
    cycle, turn = divmod(number - 1, len(order) - 1)
    last, circle = order[-1], order[:-1]
    size = len(circle)
    fixed = (circle[turn], last) if turn % 2 == 0 else (last, circle[turn])
    pairs = [fixed]
    pairs += [
        (circle[(turn + k) % size], circle[(turn - k) % size]) for k in range(1, len(order) // 2)
    ]
    if cycle % 2:
        pairs = [(black, white) for white, black in pairs]
    there = [tuple(one if one and one.plays(number) else None for one in pair) for pair in pairs]
    games: list[Pair] = [(w.id, b.id) for w, b in there if w and b]
    byes: list[Pair] = [(one.id, None) for pair in there for one in pair if one and None in pair]
    return games + byes


def _swiss(tournament: Tournament, number: int) -> list[Pair]:
    """Those who have as many points as each other meet, and nobody twice; of an odd number the
    lowest who has had no bye gets one."""
    by_id = {player.id: player for player in tournament.players}
    rows = [row for row in standings(tournament) if by_id[row.player].plays(number)]
    if len(rows) % 2 == 0:
        pairs, byes = _matched(rows), []
    else:
        pairs, byes = None, [row for row in reversed(rows) if not row.had_bye] or rows[::-1]
    for row in byes:
        pairs = _matched([one for one in rows if one is not row])
        if pairs is not None:
            pairs.append((row.player, None))
            break
    if pairs is None:
        raise HostError(
            BAD_INPUT, "no round is left in which nobody meets the same opponent again: the "
            "tournament is over",
        )  # fmt: skip
    place = {row.player: k for k, row in enumerate(rows)}
    return sorted(pairs, key=lambda p: (p[1] is None, min(place[one] for one in p if one)))


def _matched(rows: list[Standing]) -> list[Pair] | None:
    """The pairs of least weight in which everybody is; None where somebody is left over."""
    graph = networkx.Graph()
    graph.add_nodes_from(range(len(rows)))
    size = {}  # of each group of equal points
    for row in rows:
        size[row.half_points] = size.get(row.half_points, 0) + 1
    for (k, a), (m, b) in combinations(enumerate(rows), 2):
        if b.player in a.opponents:
            continue
        cost = PER_HALF_POINT * (a.half_points - b.half_points) ** 2
        if a.colour * b.colour > 0:
            cost += THIRD_TIME if min(abs(a.colour), abs(b.colour)) > 1 else PER_COLOUR
        wanted = size[a.half_points] // 2 if a.half_points == b.half_points else 1
        cost += min(MOST_PLACES, abs(m - k - wanted))
        graph.add_edge(k, m, weight=cost)
    # integers throughout: the matching is exact, and the same everywhere
    found = networkx.min_weight_matching(graph)
    if 2 * len(found) < len(rows):
        return None
    return [_coloured(rows[min(pair)], rows[max(pair)], min(pair)) for pair in found]


def _coloured(upper: Standing, lower: Standing, place: int) -> Pair:
    """White is who has had black more often, else who had black last; else it alternates."""
    for mine, other in ((upper.colour, lower.colour), (upper.last_colour, lower.last_colour)):
        if mine != other:
            white, black = (upper, lower) if mine < other else (lower, upper)
            return white.player, black.player
    white, black = (upper, lower) if place % 2 == 0 else (lower, upper)
    return white.player, black.player
