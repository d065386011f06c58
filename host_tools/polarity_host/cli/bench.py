"""`polarity bench`: the project's numbers, measured."""

import importlib
import json

from polarity_host.cli.options import add_command, add_json, natural
from polarity_host.errors import DONE, FAILED, HostError

ABOUT = {
    "games": "virtual games against their truth: facts missed and invented, rulings wrong",
    "heap": "the engine's heap under MicroPython with all discs on the mat",
}


def add_to(commands) -> None:
    """Adds the subcommand with a subcommand for each measurement."""
    example = "polarity bench games --seeds 1-10 --json"
    parser = add_command(commands, "bench", run, "measure the project's numbers", example)
    names = parser.add_subparsers(
        dest="bench", metavar="WHAT", required=True, parser_class=type(parser)
    )
    games = add_command(names, "games", run, ABOUT["games"], example)
    games.add_argument(
        "--seeds",
        type=seed_range,
        default=range(1, 11),
        metavar="A-B",
        help="games (default: 1-10)",
    )
    games.add_argument("--turns", type=natural, default=30, metavar="N", help="turns (default: 30)")
    heap = add_command(names, "heap", run, ABOUT["heap"], "polarity bench heap --json")
    heap.add_argument("--seed", type=natural, default=1, metavar="N", help="game (default: 1)")
    for one in (games, heap):
        add_json(one, "print the figures as one JSON object")


def run(args) -> int:
    """Runs one measurement and prints its figures. HostError FAILED when it cannot be made."""
    module = importlib.import_module(f"polarity_host.bench.{args.bench}")
    try:
        if args.bench == "games":
            figures = module.run(args.seeds, turns=args.turns)
        else:
            figures = module.run(args.seed)
    except getattr(module, "RuntimeMissing", ()) as error:
        raise HostError(FAILED, str(error)) from error
    if args.json:
        print(json.dumps(figures))
        return DONE
    for name, value in figures.items():
        print(f"{name:18} {value}")
    return DONE


def seed_range(text: str) -> range:
    """Seeds from "3" or "1-10", both ends included."""
    first, _, last = text.partition("-")
    seeds = range(int(first), int(last or first) + 1)
    if not seeds or seeds.start < 0:
        raise ValueError
    return seeds


seed_range.__name__ = "range"
