"""`polarity bench`: the project's numbers, measured."""

import importlib
import json
from pathlib import Path

from polarity_host.cli.options import (
    add_command,
    add_json,
    add_nuisances,
    add_progress,
    natural,
)
from polarity_host.errors import DONE
from polarity_host.mats.description import mat_names
from polarity_host.simulation.twin.nuisances import ALL
from polarity_host.terminal.progress import Progress

ABOUT = {
    "games": "judge virtual games and count what differs from their truth",
    "facts": "judge disturbed virtual games and tell how well facts are seen",
    "perception": "measure how near the pieces of random scenes are found to where they are",
    "calibration": "calibrate virtual mats and measure how true that is and what it is good for",
    "replay": "measure how much faster than it was played a game is judged",
    "rules": "judge the books' scenarios and random games, and weigh the rules core",
    "heap": "measure the engine's heap under MicroPython with all discs on the mat",
    "device": "measure the firmware on an emulated Pico",
    "live": "measure what many viewers of the live page get, and what it costs the log",
    "kills": "kill `polarity log` again and again and count what is lost",
}


UNITS = {"games": "games", "facts": "games", "perception": "scenes", "calibration": "mats"}
SEEDS_APART = "Report seeds from 1 on; tune with seeds from 101 on."


def add_to(commands) -> None:
    """Adds the subcommand with a subcommand for each measurement."""
    example = "polarity bench games --seeds 1-10 --json"
    parser = add_command(
        commands, "bench", run, "measure the project's numbers", example,
        "Each measurement has its own --help.",
    )  # fmt: skip
    names = parser.add_subparsers(
        dest="bench", metavar="WHAT", required=True, parser_class=type(parser)
    )
    games = add_command(
        names, "games", run, ABOUT["games"], example,
        "facts_missed and facts_invented count facts that the referee needs, one told wrong in "
        "both; rulings_wrong counts rulings; details tells the first of them in words.",
    )  # fmt: skip
    games.add_argument(
        "--seeds", type=seed_range, default=range(1, 11), metavar="A-B",
        help="which games (default: 1-10)",
    )  # fmt: skip
    facts = add_command(
        names, "facts", run, ABOUT["facts"],
        "polarity bench facts --json\n  polarity bench facts --seeds 101-104 --nuisances reserve",
        "Prints a table by kind of fact and what went wrong first, or with --json the figures. "
        + SEEDS_APART,
    )  # fmt: skip
    facts.add_argument(
        "--seeds", type=seed_range, default=range(1, 61), metavar="A-B",
        help="which games (default: 1-60, an hour on two cores)",
    )  # fmt: skip
    facts.add_argument(
        "--frame-ms", type=two_times, metavar="ONE,MORE",
        help="as a chip would judge that needs ONE ms for a frame while at most one body is in "
        "flight, and MORE while several are; it misses what comes meanwhile (default: it sees all)",
    )  # fmt: skip
    perception = add_command(
        names, "perception", run, ABOUT["perception"],
        "polarity bench perception --json\n  polarity bench perception --seeds 101-104",
        "On the same frames it measures a threshold at each sensor, a least-squares fit of exact "
        "fields that starts near the truth, and what Fisher information allows. It needs SciPy. "
        + SEEDS_APART,
    )  # fmt: skip
    perception.add_argument(
        "--seeds", type=seed_range, default=range(1, 101), metavar="A-B",
        help="which scenes (default: 1-100)",
    )  # fmt: skip
    calibration = add_command(
        names, "calibration", run, ABOUT["calibration"],
        "polarity bench calibration --json\n  polarity bench calibration --seeds 101-102",
        "Gains and moments as shares; where flat discs are found before and after, in mm. "
        + SEEDS_APART,
    )  # fmt: skip
    calibration.add_argument(
        "--seeds", type=seed_range, default=range(1, 7), metavar="A-B",
        help="which mats (default: 1-6)",
    )  # fmt: skip
    calibration.add_argument(
        "--mat", choices=mat_names(), default="standard", metavar="NAME",
        help=f"which mat: one of {', '.join(mat_names())} (default: standard)",
    )  # fmt: skip
    replay = add_command(
        names, "replay", run, ABOUT["replay"],
        "polarity bench replay\n  polarity bench replay game.matrec --json",
    )  # fmt: skip
    replay.add_argument(
        "file", nargs="?", type=Path, metavar="FILE",
        help="recording (default: one of a virtual game made for it)",
    )  # fmt: skip
    heap = add_command(
        names, "heap", run, ABOUT["heap"], "polarity bench heap --json",
        "It needs Node 20 or later, and `make test` once to install MicroPython for it.",
    )  # fmt: skip
    rules = add_command(
        names, "rules", run, ABOUT["rules"], "polarity bench rules --json",
        "It needs the checkout with all that `make test` installs.",
    )  # fmt: skip
    rules.add_argument(
        "--sequences", type=natural, default=100_000, metavar="N",
        help="random games (default: 100000, some two minutes)",
    )  # fmt: skip
    device = add_command(
        names, "device", run, ABOUT["device"], "polarity bench device --json",
        "It needs the extra `emulated` and an image of MicroPython for the Pico: one that "
        "POLARITY_UF2 names, or that the emulator can download. It takes ten minutes on two cores.",
    )  # fmt: skip
    live = add_command(
        names, "live", run, ABOUT["live"],
        "polarity bench live --json\n  polarity bench live --viewers 10 --seconds 10",
        "A virtual game is played at its own speed, logged, and looked at by WebSockets of another "
        "process.",
    )  # fmt: skip
    live.add_argument(
        "--viewers", type=natural, default=50, metavar="N", help="how many look (default: 50)"
    )
    live.add_argument(
        "--seconds", type=natural, default=30, metavar="S", help="for how long (default: 30)"
    )
    kills = add_command(
        names, "kills", run, ABOUT["kills"], "polarity bench kills --json",
        "A virtual mat plays on, with the memory of a real one; the log is killed at random points "
        "and started again.",
    )  # fmt: skip
    kills.add_argument(
        "--kills", type=natural, default=200, metavar="N",
        help="how often (default: 200, some five minutes)",
    )  # fmt: skip
    for one in (replay, heap, kills):
        one.add_argument(
            "--seed", type=natural, default=1, metavar="N", help="which game (default: 1)"
        )
    for one in (games, facts, replay):
        one.add_argument(
            "--turns", type=natural, default=30, metavar="N", help="turns a game (default: 30)"
        )
    for one in (games, facts, perception, calibration, replay, rules, heap, device, live, kills):
        add_json(one, "print the figures as one JSON object")
    add_nuisances(games)
    add_nuisances(calibration)
    for one in (facts, perception):
        add_nuisances(one, ALL)
    for one in (games, facts, perception, calibration, device):
        one.add_argument(
            "--jobs", type=natural, default=0, metavar="N",
            help="processes at a time (default: one for every core)",
        )  # fmt: skip
    for one in (games, facts, perception, calibration, rules, device, kills):
        add_progress(one)


def run(args) -> int:
    """Runs one measurement and prints its figures. HostError when it cannot be made."""
    module = importlib.import_module(f"polarity_bench.{args.bench}")
    if args.bench in UNITS:
        figures = _by_seeds(module, args, UNITS[args.bench])
    elif args.bench == "rules":
        figures = _rules(module, args)
    elif args.bench == "live":
        figures = module.run(max(1, args.viewers), max(1, args.seconds))
    elif args.bench == "kills":
        figures = _kills(module, args)
    elif args.bench == "device":
        figures = _device(module, args)
    elif args.bench == "replay":
        figures = module.run(args.file, args.seed, args.turns)
    else:
        figures = module.run(args.seed)
    if args.json:
        print(json.dumps(figures))
        return DONE
    table, details = figures.pop("table", ()), figures.pop("details", ())
    for name, value in figures.items():
        print(f"{name:18} {value}")
    for line in (*table, *details):
        print(f"  {line}")
    return DONE


def _by_seeds(module, args, unit) -> dict:
    progress, judged = Progress(args.progress), 0

    def count(seed, figures):
        nonlocal judged
        judged += 1
        progress.show(f"{judged} of {len(args.seeds)} {unit} judged")

    progress.show(f"0 of {len(args.seeds)} {unit} judged")
    own = {name: getattr(args, name) for name in ("turns", "mat", "frame_ms") if name in args}
    try:
        return module.run(
            args.seeds, nuisances=args.nuisances, jobs=args.jobs, on_done=count, **own
        )
    finally:
        progress.clear()


def _rules(module, args) -> dict:
    progress = Progress(args.progress)

    def count(played):
        if played % 1000 == 0:
            progress.show(f"{played} of {args.sequences} random games judged")

    try:
        return module.run(args.sequences, on_done=count)
    finally:
        progress.clear()


def _kills(module, args) -> dict:
    progress = Progress(args.progress)
    try:
        return module.run(
            max(1, args.kills), args.seed, lambda done: progress.show(f"killed {done} times")
        )
    finally:
        progress.clear()


def _device(module, args) -> dict:
    progress = Progress(args.progress)
    progress.show("the emulated chip starts")
    try:
        return module.run(
            jobs=args.jobs,
            on_done=lambda part, number, parts: progress.show(
                f"{number} of {parts} parts measured: {part}"
            ),
        )
    finally:
        progress.clear()


def seed_range(text: str) -> range:
    """Seeds from "3" or "1-10", both ends included."""
    first, _, last = text.partition("-")
    seeds = range(int(first), int(last or first) + 1)
    if not seeds or seeds.start < 0:
        raise ValueError
    return seeds


seed_range.__name__ = "range"


def two_times(text: str) -> tuple[float, float]:
    """Milliseconds from "6,29"."""
    one, more = (float(word) for word in text.split(","))
    if not (0 < one < 1000 and 0 < more < 1000):
        raise ValueError
    return one, more


two_times.__name__ = "pair of times"
