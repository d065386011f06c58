"""Ratings over all tournaments, by OpenSkill's Plackett-Luce model (Weng and Lin, 2011), on the
scale that players know: 1500 for who has not played yet.
"""

from dataclasses import dataclass

from openskill.models import PlackettLuce

from polarity_host.hub.tournaments.model import Tournament

MEAN = 1500.0
#: The library's own proportions (a mean of 25, deviations of 25/3, 25/6 and 25/300), on this scale.
SIGMA, BETA, TAU = MEAN / 3, MEAN / 6, MEAN / 300


@dataclass(frozen=True)
class Rating:
    """A player's strength, how sure that is (one standard deviation), and his games."""

    name: str
    rating: int
    deviation: int
    games: int


def ratings(tournaments: list[Tournament]) -> list[Rating]:
    """Of everybody who has played a game, the strongest first. The tournaments come in the order in
    which they were played; a game counts in the order of its round and board."""
    model = PlackettLuce(mu=MEAN, sigma=SIGMA, beta=BETA, tau=TAU)
    found, names, games = {}, {}, {}
    for tournament in tournaments:
        names |= {player.id: player.name for player in tournament.players}
        for pairing in tournament.pairings:
            if pairing.black is None or not pairing.points or pairing.points == (0, 0):
                continue
            pair = (pairing.white, pairing.black)
            teams = [[found.get(one) or model.rating()] for one in pair]
            rated = model.rate(teams, scores=list(pairing.points))
            for one, (rating,) in zip(pair, rated):
                found[one] = rating
                games[one] = games.get(one, 0) + 1
    rows = [
        Rating(names[one], round(rating.mu), round(rating.sigma), games[one])
        for one, rating in found.items()
    ]
    return sorted(rows, key=lambda row: (-row.rating, row.name))
