"""What each nuisance alone does to perception: the table of firmware/polarity/perception/README.md.

    python -m polarity_bench.by_nuisance --write

plays the same games and scenes under every condition of twin/nuisances.py, which takes hours, and
puts the table between the page's two marks. Without --write it prints the table.
"""

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from hardware.tools.tables import put_between
from polarity_host.simulation.twin.nuisances import ALL, NAMES, NONE, USUAL

from . import facts, perception
from .facts import GameCounts
from .parallel import in_parallel

PAGE = Path(__file__).resolve().parents[2] / "firmware/polarity/perception/README.md"
BEGIN = "<!-- begin: polarity_bench.by_nuisance -->"
END = "<!-- end: polarity_bench.by_nuisance -->"
ORDER = (NONE, USUAL, *(name for name in NAMES if name not in (NONE, USUAL, ALL)), ALL)
HEADS = (
    "nuisances", "facts F1", "wrong facts, the worst kinds", "flat mm", "leaner mm", "tilt °",
    "missed", "invented",
)  # fmt: skip
WORST = 3  # kinds of facts that are listed for a condition


def row(name: str, seeds: Sequence[int], turns: int, jobs: int | None = None) -> tuple[str, ...]:
    """One condition's cells, as text."""
    one = partial(facts.count_game, turns=turns, nuisances=name)
    games = list(in_parallel(one, seeds, jobs))
    judged = facts.figures(games, name)
    found = perception.run(seeds, name, jobs)
    return (
        name,
        f"{judged['facts_f1']:.3f}",
        worst_kinds(games),
        *(_number(found[key]) for key in ("flat_rms_mm", "leaner_rms_mm", "leaner_tilt_rms_deg")),
        f"{found['missed']} of {found['bodies']}",
        str(found["invented"]),
    )


def worst_kinds(games: Sequence[GameCounts]) -> str:
    """In words: the kinds of facts that were missed, wrong or invented most often."""
    words: dict[str, dict[str, int]] = {}
    for way in ("missed", "wrong", "invented"):
        for game in games:
            for kind, count in game[way].items():
                words.setdefault(kind, {}).setdefault(way, 0)
                words[kind][way] += count
    ranked = sorted(words.items(), key=lambda item: -sum(item[1].values()))[:WORST]
    return "; ".join(
        f"{kind} " + ", ".join(f"{count} {way}" for way, count in ways.items())
        for kind, ways in ranked
    )


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def table(rows: Sequence[Sequence[str]]) -> str:
    """The rows as a Markdown table."""
    lines = ["| " + " | ".join(HEADS) + " |", "|" + "---|" * len(HEADS)]
    return "\n".join(lines + ["| " + " | ".join(cells) + " |" for cells in rows]) + "\n"


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line of this module."""
    parser = argparse.ArgumentParser(
        prog="polarity_bench.by_nuisance",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--seeds", default="1-4", help="A-B (default: 1-4)")
    parser.add_argument("--turns", type=int, default=12, help="of each game (default: 12)")
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--only", nargs="+", choices=NAMES, default=ORDER)
    parser.add_argument("--write", action="store_true", help=f"into {PAGE.name}")
    args = parser.parse_args(arguments)
    first, _, last = args.seeds.partition("-")
    seeds = range(int(first), int(last or first) + 1)
    rows = []
    for name in args.only:
        rows.append(row(name, seeds, args.turns, args.jobs))
        print(" | ".join(rows[-1]), file=sys.stderr, flush=True)
    about = f"Seeds {args.seeds}, {args.turns} turns a game, three looks a scene.\n\n"
    text = about + table(rows)
    if not args.write:
        print(text)
        return
    put_between(PAGE, BEGIN, END, f"\n{text}")


if __name__ == "__main__":
    main()
