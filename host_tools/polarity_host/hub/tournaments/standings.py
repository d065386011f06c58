"""How a tournament stands: points, then Buchholz (the points of the opponents), then
Sonneborn-Berger (the points of those beaten, half of those drawn with), then wins; then the seed.
The tie-breaks are those of the FIDE Handbook, C.07, of games that were played.
"""

from dataclasses import dataclass

from polarity_host.hub.tournaments.model import Tournament


@dataclass
class Standing:
    """One player: half points, and what of his games so far counts for ties and pairings. `colour`
    is how much more often he had white; `last_colour` 1 for white, -1 for black. `buchholz` is in
    half points, `sonneborn` in quarters."""

    player: int
    name: str
    seed: int
    place: int = 0
    half_points: int = 0
    played: int = 0
    wins: int = 0
    buchholz: int = 0
    sonneborn: int = 0
    colour: int = 0
    last_colour: int = 0
    had_bye: bool = False
    opponents: frozenset[int] = frozenset()


def standings(tournament: Tournament) -> list[Standing]:
    """Everybody, the first first; who is equal in all but the seed has the same place."""
    rows = {one.id: Standing(one.id, one.name, one.seed) for one in tournament.players}
    games: list[tuple[Standing, Standing, int, int]] = []
    for pairing in tournament.pairings:
        white, points = rows[pairing.white], pairing.points
        if pairing.black is None:
            white.had_bye = True
            white.half_points += points[0] if points else 0
            continue
        black = rows[pairing.black]
        for one, other, colour in ((white, black, 1), (black, white, -1)):
            one.opponents |= {other.player}
            one.colour += colour
            one.last_colour = colour
        if points:
            games += [(white, black, *points), (black, white, *points[::-1])]
    for one, _, own, other in games:
        one.half_points += own
        one.played += 1
        one.wins += own > other
    for one, other, own, _ in games:
        one.buchholz += other.half_points
        one.sonneborn += own * other.half_points
    ordered = sorted(rows.values(), key=lambda row: (*_worth(row), row.seed))
    for k, row in enumerate(ordered):
        equal = k and _worth(ordered[k - 1]) == _worth(row)
        row.place = ordered[k - 1].place if equal else k + 1
    return ordered


def _worth(row: Standing) -> tuple[int, int, int, int]:
    """What decides, the best first when sorted."""
    return -row.half_points, -row.buchholz, -row.sonneborn, -row.wins
