"""Games with every nuisance on: which facts are reported, how late, how good their confidence is.

F1 counts facts: a wrong one (see matching.py) is missed and invented. A time is from the event in
truth to the frame after which the fact was reported; of a crossing also the error of the time in
the fact itself.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypedDict

import numpy as np

from polarity.rules.ending import SURE
from polarity_host.replay.engine import build_engine
from polarity_host.replay.pace import Pace, PacedEngine
from polarity_host.simulation.twin.nuisances import ALL
from polarity_host.simulation.twin.truth import Record

from . import timeline
from .judge_game import BOOT_ID, Judged, Judging, judge
from .matching import ALL_KINDS, Pair, match_facts, needed
from .parallel import in_parallel
from .rulings import Compared
from .virtual_games import SCRIPTS, Kind, VirtualGame

TRANSIENT = ("hand_in", "hand_out", "snapped")
CROSSINGS = ("hand_in", "hand_out")
LOW_MM = 60.0  # a disc carried no higher than this is to be timed at the circle
BINS = 10
FEWEST_IN_BIN = 20  # a share of fewer facts means nothing
DETAILS = 40

if TYPE_CHECKING:
    from polarity.engine import Engine


class GameCounts(TypedDict):
    """What one game adds to the figures: facts by kind, how late those were that are right, (kind,
    ms) each, the error of the time of low crossings, and (confidence, whether right) of each."""

    turns: int
    right: Counter[str]
    wrong: Counter[str]
    missed: Counter[str]
    invented: Counter[str]
    late_ms: list[tuple[str, float]]
    crossing_ms: list[float]
    believed: list[tuple[int, bool]]
    unsure: int
    broke: bool
    details: list[str]


class FactFigures(TypedDict):
    """The figures of `run`."""

    facts_f1: float
    false_red: int
    false_out: int
    crossing_p95_ms: float | None
    settled_p95_ms: float | None
    transient_p95_ms: float | None
    confidence_gap: float | None
    games: int
    turns: int
    facts: int
    missed: int
    invented: int
    unsure: int
    broke: int
    nuisances: str
    table: list[str]
    details: list[str]


def run(
    seeds: Iterable[int],
    turns: int = 30,
    nuisances: str = ALL,
    jobs: int | None = None,
    on_done: Callable[[int, GameCounts], object] | None = None,
    pace: Pace | None = None,
    kind: Kind = SCRIPTS,
) -> FactFigures:
    """Play and judge a game of this kind for every seed. `on_done` is called with (seed, its
    counts). `pace`: of an engine that is not done at once.

    Returns "facts_f1", "false_red" and "false_out" (facts that nothing true answers to),
    "crossing_p95_ms", "settled_p95_ms", "transient_p95_ms", "confidence_gap" (between the mean
    confidence of a tenth of the scale and the share of its facts that is right, the worst of the
    tenths with at least 20 facts), "games", "turns", "facts" (true ones that count), "missed",
    "invented", "unsure" (questions asked), "broke" (engines that raised), "nuisances"; and for
    people "table", lines by kind of fact, and "details", the first discrepancies in words.
    """
    seeds = list(seeds)
    one = partial(count_game, turns=turns, nuisances=nuisances, pace=pace, kind=kind)
    games = []
    for seed, counts in zip(seeds, in_parallel(one, seeds, jobs)):
        games.append(counts)
        if on_done:
            on_done(seed, counts)
    return figures(games, nuisances)


def count_game(
    seed: int,
    turns: int = 30,
    nuisances: str = ALL,
    game: VirtualGame | None = None,
    engine: "Engine | None" = None,
    pace: Pace | None = None,
    kind: Kind = SCRIPTS,
) -> GameCounts:
    """What one game adds to the figures, that of `seed` unless `game` is given, and as an engine of
    its mat judges it unless `engine` is; `pace` as for `run`."""
    game = game or kind.game(seed, turns, nuisances)
    judging: Judging | None = engine
    if pace:
        judging = PacedEngine(engine or build_engine(game.mat.id, game.edition, BOOT_ID), pace)
    return count_judged(judge(game, engine=judging))


def count_judged(judged: Judged) -> GameCounts:
    """What a game that was judged adds to the figures."""
    claims = [fact for fact in judged.facts if not _asks(fact)]
    match = match_facts(judged.truth, claims, ALL_KINDS)
    truth = [record for record in judged.truth if record["k"] == "fact"]
    pairs = [pair for pair in match.pairs if needed(pair.truth, truth, ALL_KINDS)]
    right = [pair for pair in pairs if not pair.wrong]
    wrong = [pair for pair in pairs if pair.wrong]
    words = timeline.discrepancies(match, Compared())
    if judged.broke:
        words.insert(0, (int(judged.game_s * 1e6), f"the engine broke: {judged.broke}"))
    return {
        "turns": judged.turns,
        "right": Counter(pair.truth["f"] for pair in right),
        "wrong": Counter(pair.truth["f"] for pair in wrong),
        "missed": Counter(fact["f"] for fact in match.missed),
        "invented": Counter(fact["f"] for fact in match.invented),
        "late_ms": [(pair.truth["f"], _late_ms(pair, "sent_us")) for pair in right],
        "crossing_ms": [
            abs(_late_ms(pair, "t_us"))
            for pair in right
            if pair.truth["f"] in CROSSINGS and 0.0 < pair.truth["z_mm"] <= LOW_MM
        ],
        "believed": [(pair.reported["conf"], not pair.wrong) for pair in pairs]
        + [(fact["conf"], False) for fact in match.invented],
        "unsure": len(judged.facts) - len(claims),
        "broke": bool(judged.broke),
        "details": [f"seed {judged.seed}: {line}" for _, line in words],
    }


def _asks(fact: Record) -> bool:
    """Whether the fact claims nothing but has the referee ask."""
    return fact["f"] == "unsure" or fact["conf"] < SURE


def _late_ms(pair: Pair, stamp: str) -> float:
    return (pair.reported[stamp] - pair.truth["t_us"]) / 1000.0


def figures(games: Sequence[GameCounts], nuisances: str = ALL) -> FactFigures:
    """The figures of `run` from what `count_game` gave for each game."""
    total = {
        name: sum((game[name] for game in games), Counter())
        for name in ("right", "wrong", "missed", "invented")
    }
    right, wrong = total["right"].total(), total["wrong"].total()
    missed, invented = (total[name].total() + wrong for name in ("missed", "invented"))
    late = [pair for game in games for pair in game["late_ms"]]
    return {
        "facts_f1": _rounded(2 * right / max(1, 2 * right + missed + invented)),
        "false_red": total["invented"]["touched_red"],
        "false_out": total["invented"]["left_circle"],
        "crossing_p95_ms": _p95([ms for game in games for ms in game["crossing_ms"]]),
        "settled_p95_ms": _p95([ms for kind, ms in late if kind not in TRANSIENT]),
        "transient_p95_ms": _p95([ms for kind, ms in late if kind in TRANSIENT]),
        "confidence_gap": confidence_gap([pair for game in games for pair in game["believed"]]),
        "games": len(games),
        "turns": sum(game["turns"] for game in games),
        "facts": right + missed,
        "missed": missed,
        "invented": invented,
        "unsure": sum(game["unsure"] for game in games),
        "broke": sum(game["broke"] for game in games),
        "nuisances": nuisances,
        "table": list(_table(total, late)),
        "details": [line for game in games for line in game["details"]][:DETAILS],
    }


def confidence_gap(believed: Sequence[tuple[int, bool]]) -> float | None:
    """The worst gap over ten bins between what facts were believed, (confidence 0..100, whether
    right) each, and how often they were right; None if no bin has enough of them."""
    conf = np.array([c for c, _ in believed], float)
    right = np.array([ok for _, ok in believed], bool)
    bins = np.minimum(conf // (100 // BINS), BINS - 1)
    gaps = [
        abs(conf[bins == k].mean() / 100.0 - right[bins == k].mean())
        for k in range(BINS)
        if np.count_nonzero(bins == k) >= FEWEST_IN_BIN
    ]
    return _rounded(max(gaps)) if gaps else None


def _table(total: Mapping[str, Counter[str]], late: Sequence[tuple[str, float]]) -> Iterator[str]:
    """A row a kind, in the order of ALL_KINDS."""
    heads = ("true", "right", "wrong", "missed", "invented", "p95 ms")
    yield f"{'':12}" + "".join(f"{head:>9}" for head in heads)
    for kind in ALL_KINDS:
        right, wrong, missed, invented = (
            total[name][kind] for name in ("right", "wrong", "missed", "invented")
        )
        p95 = _p95([ms for of, ms in late if of == kind])
        late_ms = "-" if p95 is None else f"{p95:.0f}"
        true = right + wrong + missed
        row = (true, right, wrong, missed, invented, late_ms)
        yield f"{kind:12}" + "".join(f"{value:>9}" for value in row)


def _p95(values: Sequence[float]) -> float | None:
    return _rounded(float(np.percentile(values, 95)), 1) if values else None


def _rounded(value: float, digits=4) -> float:
    return round(float(value), digits)
