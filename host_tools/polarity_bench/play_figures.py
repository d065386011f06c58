"""The figures of `polarity bench play` from those of its games: sums, by edition, and a table."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeAlias, TypedDict

from .play import GameFigures

DETAILS = 40  # lines for people

Costs: TypeAlias = Sequence[Sequence[float]]
"""[ms, frames] pairs."""


class EditionFigures(TypedDict):
    """The games of one edition, with all its options."""

    games: int
    finished: int
    rulings: int
    rulings_wrong: int
    results_wrong: int
    dead_ends: int
    illegal_acts_per_100_turns: float
    realtime_factor: float


class Figures(TypedDict):
    """The figures of `polarity bench play`. `illegal_acts`: what they were, and how many of each;
    `endings`: why games ended. `programs`: by how many states of the program these games were
    played."""

    games: int
    finished: int
    rulings: int
    rulings_wrong: int
    results_wrong: int
    false_red: int
    false_out: int
    dead_ends: int
    illegal_acts_per_100_turns: float
    engine_cost_p99_ms: float | None
    rest_cost_ms: float | None
    bare_cost_ms: float | None
    realtime_factor: float
    turns: int
    fumbles: int
    unsure: int
    answers: int
    disagreements: int
    broke: int
    programs: int
    engine: str
    skill: str
    nuisances: str
    editions: dict[str, EditionFigures]
    illegal_acts: dict[str, int]
    endings: dict[str, int]
    table: list[str]
    details: list[str]


def summary(
    played: Sequence[GameFigures], skill: str, nuisances: str, engine: str, programs: int = 1
) -> Figures:
    """The figures of these games."""
    costs = _added(played, "costs_ms")
    editions = sorted({_edition(game) for game in played})
    whole = _sums(played)
    return {
        "games": whole["games"],
        "finished": whole["finished"],
        "rulings": whole["rulings"],
        "rulings_wrong": whole["rulings_wrong"],
        "results_wrong": whole["results_wrong"],
        "false_red": sum(game["false_red"] for game in played),
        "false_out": sum(game["false_out"] for game in played),
        "dead_ends": whole["dead_ends"],
        "illegal_acts_per_100_turns": whole["illegal_acts_per_100_turns"],
        "engine_cost_p99_ms": percentile(costs, 0.99),
        "rest_cost_ms": mean(_added(played, "rest_ms")),
        "bare_cost_ms": mean(_added(played, "bare_ms")),
        "realtime_factor": whole["realtime_factor"],
        "turns": sum(game["turns"] for game in played),
        "fumbles": sum(game["fumbles"] for game in played),
        "unsure": sum(game["unsure"] for game in played),
        "answers": sum(game["answers"] for game in played),
        "disagreements": sum(game["disagreements"] for game in played),
        "broke": sum(game["broke"] for game in played),
        "programs": programs,
        "engine": engine,
        "skill": skill,
        "nuisances": nuisances,
        "editions": {
            name: _sums([game for game in played if _edition(game) == name]) for name in editions
        },
        "illegal_acts": dict(sum((Counter(game["illegal"]) for game in played), Counter())),
        "endings": dict(Counter(game["why"] or game["dead_end"] for game in played)),
        "table": list(_table(played)),
        "details": list(_details(played))[:DETAILS],
    }


def _details(played: Iterable[GameFigures]) -> Iterator[str]:
    for game in played:
        for _, line in game["wrong"]:
            yield f"{game['rules']} seed {game['seed']}: {line}"


def _edition(game: GameFigures) -> str:
    return game["rules"].split("+")[0]


def _sums(played: Sequence[GameFigures]) -> EditionFigures:
    turns = sum(game["turns"] for game in played)
    illegal = sum(sum(game["illegal"].values()) for game in played)
    cpu_s = sum(game["cpu_s"] for game in played)
    return {
        "games": len(played),
        "finished": sum(not game["dead_end"] for game in played),
        "rulings": sum(game["rulings"] for game in played),
        "rulings_wrong": sum(game["rulings_wrong"] for game in played),
        "results_wrong": sum(game["result_wrong"] for game in played),
        "dead_ends": sum(bool(game["dead_end"]) for game in played),
        "illegal_acts_per_100_turns": round(100.0 * illegal / max(1, turns), 2),
        "realtime_factor": round(sum(game["game_s"] for game in played) / max(cpu_s, 1e-9), 2),
    }


def _added(played: Iterable[GameFigures], name: str) -> Costs:
    total: Counter[float] = Counter()
    for game in played:
        costs: Any = game[name]
        for ms, frames in costs:
            total[ms] += int(frames)
    return sorted(total.items())


def percentile(costs: Costs, share: float) -> float | None:
    """The least cost that this share of all frames does not exceed; None if there are none."""
    left = share * sum(frames for _, frames in costs)
    for ms, frames in costs:
        left -= frames
        if left <= 0.0:
            return round(ms, 2)
    return None


def mean(costs: Costs) -> float | None:
    """The cost of a frame; None if there are none."""
    frames = sum(count for _, count in costs)
    return round(sum(ms * count for ms, count in costs) / frames, 3) if frames else None


def _table(played: Iterable[GameFigures]) -> Iterator[str]:
    yield f"{'rules':28}{'seed':>5}{'turns':>7}{'rulings':>9}{'wrong':>7}{'illegal':>9}  result"
    for game in played:
        result = game["dead_end"] or f"{game['why']} {game['winner'] or 'draw'}"
        yield (
            f"{game['rules']:28}{game['seed']:>5}{game['turns']:>7}{game['rulings']:>9}"
            f"{game['rulings_wrong']:>7}{sum(game['illegal'].values()):>9}  {result}"
            + ("  (the engine: another)" if game["result_wrong"] else "")
        )
