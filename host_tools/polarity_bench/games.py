"""Seeded virtual games against the engine: facts missed and invented, rulings wrong.

    polarity bench games --seeds 1-10                           the figures
    python -m polarity_bench.games --seed 3 --timeline     truth and engine side by side
    python -m polarity_bench.games --seed 3 --at 41.5      the true scene and the engine's

The latter two are for whoever works on perception.
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TypedDict

from polarity_host.simulation.drivers import DRIVERS, SCRIPTED_EDITION
from polarity_host.simulation.players.skill import SKILLS
from polarity_host.simulation.twin.nuisances import NAMES, USUAL, condition
from polarity_host.simulation.twin.truth import Record
from polarity_host.simulation.twin.whole_games import demo_game

from . import timeline
from .judge_game import Judged, judge
from .matching import Match, match_facts, needed
from .parallel import in_parallel
from .rulings import Compared, compare_rulings
from .virtual_games import SCRIPTS, Kind, VirtualGame

DETAILS = 12  # discrepancies in words, of a game and of all games
JOLT_LASTS_US = 500_000  # a question about a jolt comes within so long of it


class GameFigures(TypedDict):
    """The figures of one game."""

    turns: int
    facts: int
    facts_missed: int
    facts_invented: int
    rulings: int
    rulings_wrong: int
    game_s: float
    engine_s: float
    details: list[str]


class Figures(TypedDict):
    """The figures of `run`."""

    games: int
    turns: int
    facts_missed: int
    facts_invented: int
    rulings_wrong: int
    realtime_factor: float
    facts: int
    rulings: int
    details: list[str]


def run(
    seeds: Iterable[int],
    turns: int = 30,
    jobs: int | None = None,
    dump_dir: str | Path | None = None,
    on_done: Callable[[int, GameFigures], object] | None = None,
    nuisances: str = USUAL,
    kind: Kind = SCRIPTS,
) -> Figures:
    """Play and judge a game of this kind for every seed, `jobs` at a time (default: one for every
    core). `on_done` is called with (seed, figures) of each game in turn. `nuisances` names a
    condition.

    Returns {"games", "turns", "facts_missed", "facts_invented", "rulings_wrong",
    "realtime_factor", "facts", "rulings", "details"}; a wrong fact counts as missed and as
    invented; `details` are the first discrepancies in words.
    """
    seeds = list(seeds)
    one = partial(figures_of, turns=turns, dump_dir=dump_dir, nuisances=nuisances, kind=kind)
    games = []
    for seed, figures in zip(seeds, in_parallel(one, seeds, jobs)):
        games.append(figures)
        if on_done:
            on_done(seed, figures)
    engine_s = sum(game["engine_s"] for game in games)
    return {
        "games": len(games),
        "turns": sum(game["turns"] for game in games),
        "facts_missed": sum(game["facts_missed"] for game in games),
        "facts_invented": sum(game["facts_invented"] for game in games),
        "rulings_wrong": sum(game["rulings_wrong"] for game in games),
        "realtime_factor": round(sum(game["game_s"] for game in games) / max(engine_s, 1e-9), 2),
        "facts": sum(game["facts"] for game in games),
        "rulings": sum(game["rulings"] for game in games),
        "details": [line for game in games for line in game["details"]][:DETAILS],
    }


def figures_of(
    seed: int,
    turns: int = 30,
    dump_dir: str | Path | None = None,
    game: VirtualGame | None = None,
    nuisances: str = USUAL,
    kind: Kind = SCRIPTS,
) -> GameFigures:
    """The figures of one game, that of `seed` unless `game` is given."""
    game = game or kind.game(seed, turns, nuisances)
    judged = judge(game, dump_dir)
    match, compared = compare(judged)
    facts = [r for r in judged.truth if r["k"] == "fact"]
    facts_wrong = sum(bool(pair.wrong) for pair in match.pairs)
    details = timeline.discrepancies(match, compared)
    if judged.broke:
        details.insert(0, (int(judged.game_s * 1e6), f"the engine broke: {judged.broke}"))
    return {
        "turns": judged.turns,
        "facts": sum(needed(fact, facts) for fact in facts),
        "facts_missed": len(match.missed) + facts_wrong,
        "facts_invented": len(match.invented) + facts_wrong,
        "rulings": sum(r["k"] == "ruling" for r in judged.truth),
        "rulings_wrong": compared.wrong,
        "game_s": round(judged.game_s, 2),
        "engine_s": round(judged.engine_s, 2),
        "details": [f"seed {seed}: {words}" for _, words in details[:DETAILS]],
    }


def compare(judged: Judged) -> tuple[Match, Compared]:
    """(Match of facts, Compared rulings) of a Judged."""
    match = match_facts(judged.truth, judged.facts)
    expected = [r for r in judged.truth if r["k"] == "ruling"]
    expected = [r for r in expected if not _asks_of_jolt(r, r["t_us"], judged.truth)]
    given = [r for r in judged.rulings if not _asks_of_jolt(r, r["sent_us"], judged.truth)]
    return match, compare_rulings(expected, given, match)


def _asks_of_jolt(ruling: Record, asked_us: int, truth: Sequence[Record]) -> bool:
    """Whether the ruling asks who has shaken the mat, when it was shaken: the books of a script do
    not ask."""
    if (ruling["code"], ruling["why"]) != ("unsure", "jolt"):
        return False
    jolts = [r["t_us"] for r in truth if r["k"] == "fact" and r["f"] == "jolt"]
    return any(0 <= asked_us - t_us < JOLT_LASTS_US for t_us in jolts)


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line of this module, for whoever works on perception."""
    parser = argparse.ArgumentParser(
        prog="polarity_bench.games",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--seeds", default="1-10", help="A-B")
    parser.add_argument("--seed", type=int, help="a single game")
    parser.add_argument("--turns", type=int, default=30)
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--nuisances", choices=NAMES, default=USUAL)
    parser.add_argument("--demo", action="store_true", help="the demo game instead of a random one")
    parser.add_argument("--driver", choices=DRIVERS, default="")
    parser.add_argument("--edition", default=SCRIPTED_EDITION)
    parser.add_argument("--skill", choices=SKILLS, default="usual")
    parser.add_argument("--timeline", action="store_true", help="truth and engine side by side")
    parser.add_argument("--wrong", action="store_true", help="only what differs, with what is near")
    parser.add_argument("--at", type=float, action="append", metavar="S", help="scenes at a time")
    parser.add_argument("--dump", metavar="DIR", help="keep recording and truth there")
    args = parser.parse_args(arguments)
    kind = Kind(args.driver, args.edition, args.skill)
    if args.seed is None:
        first, _, last = args.seeds.partition("-")
        seeds = range(int(first), int(last or first) + 1)
        figures = run(seeds, args.turns, args.jobs, args.dump, _tell_progress, args.nuisances, kind)
        print(json.dumps(figures, indent=1, ensure_ascii=False))
        return
    if args.demo:
        game = demo_game(args.seed, condition=condition(args.nuisances))
    else:
        game = kind.game(args.seed, args.turns, args.nuisances)
    if not (args.timeline or args.wrong or args.at):
        figures = figures_of(args.seed, dump_dir=args.dump, game=game)
        print(json.dumps(figures, indent=1, ensure_ascii=False))
        return
    scenes = timeline.Scenes(args.at or (), sys.stdout)
    judged = judge(game, args.dump, scenes.look if args.at else None)
    if args.timeline or args.wrong:
        timeline.show(judged, *compare(judged), sys.stdout, only_wrong=args.wrong)


def _tell_progress(seed: int, figures: GameFigures) -> None:
    words = ", ".join(f"{name} {value}" for name, value in figures.items() if name != "details")
    print(f"seed {seed}: {words}", file=sys.stderr)


if __name__ == "__main__":
    main()
