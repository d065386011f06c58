"""The measurements of `polarity bench`, one entry each: its name, help, options, and how it is run.

A measurement's module is imported when it runs: some need SciPy or an emulator.
"""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from polarity_host.cli.options import (
    add_driver,
    add_nuisances,
    add_pace,
    add_progress,
    natural,
    seconds,
)
from polarity_host.mats.description import load_mat, mat_names
from polarity_host.replay.pace import write_measured
from polarity_host.simulation.twin.nuisances import ALL, USUAL
from polarity_host.terminal.progress import Progress

from .parameters import parse_value

if TYPE_CHECKING:
    from polarity_bench.virtual_games import Kind

Figures: TypeAlias = Mapping[str, Any]
Option: TypeAlias = Callable[[ArgumentParser], object]

FAULT_PARTS = (
    "power", "wire", "files", "facts", "page", "kills", "stores", "sick", "clocks", "memory",
    "week",
)  # fmt: skip
SEEDS_APART = "Report seeds from 1 on; tune with seeds from 101 on."


@dataclass(frozen=True)
class Measurement:
    """One subcommand of `polarity bench`. `run` takes the parsed arguments and the progress line,
    and returns the figures; "table" and "details" among them are lines for people. `options` stand
    before --json in the help, `more_options` after it.
    """

    name: str
    about: str
    example: str
    run: Callable[[Namespace, Progress], Figures]
    options: tuple[Option, ...] = ()
    more_options: tuple[Option, ...] = ()
    more: str = ""


# ---- options
def _option(*names: str, **how: Any) -> Option:
    return lambda parser: parser.add_argument(*names, **how)


def _seeds(first: int, last: int, what: str) -> Option:
    default = range(first, last + 1)
    return _option("--seeds", type=seed_range, default=default, metavar="A-B", help=what)


def _nuisances(default: str) -> Option:
    return lambda parser: add_nuisances(parser, default)


def _pace(*names: str) -> Option:
    return lambda parser: add_pace(parser, *names)


def seed_range(text: str) -> range:
    """Seeds from "3" or "1-10", both ends included."""
    first, _, last = text.partition("-")
    seeds = range(int(first), int(last or first) + 1)
    if not seeds or seeds.start < 0:
        raise ValueError
    return seeds


seed_range.__name__ = "range"


def names(text: str) -> list[str]:
    """Names between commas."""
    return [name for name in text.split(",") if name]


names.__name__ = "list"

TUNING_SEED = 101

SEED = _option("--seed", type=natural, default=1, metavar="N", help="which game (default: 1)")
TURNS = _option("--turns", type=natural, default=30, metavar="N", help="turns a game (default: 30)")
SECONDS = _option(
    "--seconds", type=natural, default=30, metavar="S", help="for how long (default: 30)"
)
JOBS = _option(
    "--jobs", type=natural, default=0, metavar="N",
    help="processes at a time (default: one for every core)",
)  # fmt: skip


# ---- how each is run
def _counter(args: Namespace, progress: Progress, unit: str) -> Callable[[int, object], None]:
    """Shows how many of the seeds are judged, each time that it is called."""
    judged, total = 0, len(args.seeds)

    def count(seed: int, figures: object) -> None:
        nonlocal judged
        judged += 1
        progress.show(f"{judged} of {total} {unit} judged")

    progress.show(f"0 of {total} {unit} judged")
    return count


def _kind(args: Namespace) -> "Kind":
    from polarity_bench.virtual_games import Kind

    return Kind(args.driver, args.edition, args.skill)


def _games(args: Namespace, progress: Progress) -> Figures:
    from polarity_bench import games

    return games.run(
        args.seeds, turns=args.turns, nuisances=args.nuisances, jobs=args.jobs,
        on_done=_counter(args, progress, "games"), kind=_kind(args),
    )  # fmt: skip


def _facts(args: Namespace, progress: Progress) -> Figures:
    from polarity_bench import facts

    return facts.run(
        args.seeds, turns=args.turns, nuisances=args.nuisances, jobs=args.jobs,
        on_done=_counter(args, progress, "games"), pace=args.pace, kind=_kind(args),
    )  # fmt: skip


def _sweep(args: Namespace, progress: Progress) -> Figures:
    from polarity_bench import sweep

    return sweep.run(
        args.parameter, args.values, args.seeds, args.scenes, args.turns, args.nuisances, args.jobs,
        progress.show, _kind(args),
    )  # fmt: skip


def _play(args: Namespace, progress: Progress) -> Figures:
    from polarity_bench import campaign

    variants = campaign.all_variants() if args.variants == ["all"] else args.variants
    variants = [] if variants == ["none"] else variants
    first = TUNING_SEED if args.tuning else 1
    games = campaign.plan(args.editions, variants, args.games, first)

    def count(done: int, total: int) -> None:
        progress.show(f"{done} of {total} games played", done / max(1, total))

    figures = campaign.run(
        games, args.skill, args.nuisances, args.engine, args.pace, args.jobs, args.into, args.keep,
        args.recordings, not args.silent, count,
    )  # fmt: skip
    if figures["programs"] > 1:
        progress.warn(
            f"the games in {args.into} were played by {figures['programs']} states of the program; "
            "for one alone use a new folder"
        )
    return figures


def _perception(args: Namespace, progress: Progress) -> Figures:
    from polarity_bench import perception

    return perception.run(
        args.seeds, nuisances=args.nuisances, jobs=args.jobs,
        on_done=_counter(args, progress, "scenes"),
    )  # fmt: skip


def _calibration(args: Namespace, progress: Progress) -> Figures:
    from polarity_bench import calibration

    return calibration.run(
        args.seeds, nuisances=args.nuisances, mat=args.mat, jobs=args.jobs,
        on_done=_counter(args, progress, "mats"),
    )  # fmt: skip


def _replay(args: Namespace, progress: Progress) -> Figures:
    from polarity_bench import replay

    return replay.run(args.file, args.seed, args.turns)


def _heap(args: Namespace, progress: Progress) -> Figures:
    from polarity_bench import heap

    return heap.run(args.seed)


def _rules(args: Namespace, progress: Progress) -> Figures:
    from polarity_bench import rules

    def count(played: int) -> None:
        if played % 1000 == 0:
            progress.show(f"{played} of {args.sequences + args.orders} random games judged")

    return rules.run(args.sequences, args.orders, on_done=count)


def _device(args: Namespace, progress: Progress) -> Figures:
    from polarity_bench import chip_engine, device

    def count(part: str, number: int, parts: int) -> None:
        progress.show(f"{number} of {parts} parts measured: {part}")

    progress.show("the emulated chip starts")
    if args.write_pace:
        pace = chip_engine.pace(load_mat(None).id, args.jobs, partial(count, "a scene"))
        write_measured(pace)
        return {"pace": pace}
    return device.run(None, args.jobs, count, args.faults, args.games, args.mhz)


def _club(args: Namespace, progress: Progress) -> Figures:
    from polarity_bench.club import bench

    return bench.run(args.mats, args.spectators, float(args.seconds), args.cut, progress.show)


def _live(args: Namespace, progress: Progress) -> Figures:
    from polarity_bench import live

    figures = live.run(max(1, args.viewers), max(1, args.seconds))
    if args.no_page:
        return figures
    from polarity_bench import live_page

    progress.show("games are played in a browser")
    return {**figures, **live_page.run()}


def _install(args: Namespace, progress: Progress) -> Figures:
    from polarity_bench import install

    return install.run(args.mutations, progress.show)


def _kills(args: Namespace, progress: Progress) -> Figures:
    from polarity_bench import kills

    return kills.run(
        max(1, args.kills), args.seed, lambda done: progress.show(f"killed {done} times")
    )


def _faults(args: Namespace, progress: Progress) -> Figures:
    from polarity_bench.faults import campaign

    parts = args.only or campaign.PARTS
    return campaign.run(parts, args.length, args.count, args.seed, progress.show)


# ---- the table
MEASUREMENTS = (
    Measurement(
        "games",
        "judge virtual games and count what differs from their truth",
        "polarity bench games --seeds 1-10 --json\n"
        "  polarity bench games --driver physics --edition fourlang --seeds 1-2",
        _games,
        (_seeds(1, 10, "which games (default: 1-10)"), TURNS),
        (add_driver, _nuisances(USUAL), JOBS, add_progress),
        "facts_missed and facts_invented count facts that the referee needs, one told wrong in "
        "both; rulings_wrong counts rulings; details tells the first of them in words.",
    ),
    Measurement(
        "facts",
        "judge disturbed virtual games and tell how well facts are seen",
        "polarity bench facts --json\n  polarity bench facts --seeds 101-104 --nuisances reserve",
        _facts,
        (
            _seeds(1, 60, "which games (default: 1-60, an hour on two cores)"),
            _pace("--frame-ms"),
            TURNS,
        ),
        (add_driver, _nuisances(ALL), JOBS, add_progress),
        "Prints a table by kind of fact and what went wrong first, or with --json the figures. "
        + SEEDS_APART,
    ),
    Measurement(
        "perception",
        "measure how near the pieces of random scenes are found to where they are",
        "polarity bench perception --json\n  polarity bench perception --seeds 101-104",
        _perception,
        (_seeds(1, 100, "which scenes (default: 1-100)"),),
        (_nuisances(ALL), JOBS, add_progress),
        "On the same frames it measures a threshold at each sensor, a least-squares fit of exact "
        "fields that starts near the truth, and what Fisher information allows. It needs SciPy. "
        + SEEDS_APART,
    ),
    Measurement(
        "sweep",
        "judge the same games and scenes with some values of a parameter of perception",
        "polarity bench sweep --parameter QUIET_UT --values 300 350 400 --seeds 101-104\n"
        "  polarity bench sweep --parameter INITIATE_FRAMES --values 2,5,10 1,4,9 --scenes 101-110",
        _sweep,
        (
            _option(
                "--parameter", required=True, metavar="NAME",
                help="one of firmware/polarity/perception/parameters.py",
            ),
            _option(
                "--values", required=True, nargs="+", type=parse_value, metavar="V",
                help="which values, besides the present one; 2,5,10 is one of three numbers",
            ),
            _option(
                "--seeds", type=seed_range, default=range(TUNING_SEED, TUNING_SEED + 4),
                metavar="A-B", help="which games (default: 101-104)",
            ),
            _option(
                "--scenes", type=seed_range, default=(), metavar="A-B",
                help="which random scenes besides, as of `polarity bench perception` "
                "(default: none)",
            ),
            TURNS,
        ),
        (add_driver, _nuisances(ALL), JOBS, add_progress),
        "The games are played once. In the table a star marks the present value; red and out are "
        "false ones, rulings wrong ones, settled and transient how late such facts come in ms. "
        + SEEDS_APART,
    ),
    Measurement(
        "calibration",
        "calibrate virtual mats and measure how true that is and what it is good for",
        "polarity bench calibration --json\n  polarity bench calibration --seeds 101-102",
        _calibration,
        (
            _seeds(1, 6, "which mats (default: 1-6)"),
            _option(
                "--mat", choices=mat_names(), default="standard", metavar="NAME",
                help=f"which mat: one of {', '.join(mat_names())} (default: standard)",
            ),
        ),
        (_nuisances(USUAL), JOBS, add_progress),
        "Gains and moments as shares; where flat discs are found before and after, in mm. "
        + SEEDS_APART,
    ),
    Measurement(
        "replay",
        "measure how much faster than it was played a game is judged",
        "polarity bench replay\n  polarity bench replay game.matrec --json",
        _replay,
        (
            _option(
                "file", nargs="?", type=Path, metavar="FILE",
                help="recording (default: one of a virtual game made for it)",
            ),
            SEED,
            TURNS,
        ),
    ),
    Measurement(
        "play",
        "play whole games by every edition, and compare each ruling and result with the truth",
        "polarity bench play --json\n  polarity bench play --into games --progress\n"
        "  polarity bench play --engine none --skill clumsy --games 12",
        _play,
        (
            _option(
                "--editions", type=names, default=["temple", "fourlang", "original", "scaled"],
                metavar="A,B", help="which rules (default: all four)",
            ),
            _option(
                "--variants", type=names, default=["all"], metavar="A,B",
                help="which options of theirs as well: names, all or none (default: all)",
            ),
            _option(
                "--games", type=natural, default=108, metavar="N",
                help="how many: the editions in turn, each with its variants in turn "
                "(default: 108)",
            ),
            _option(
                "--skill", choices=["clumsy", "usual", "careful"], default="careful",
                help="of the players (default: careful)",
            ),
            _nuisances(USUAL),
            _pace(),
        ),
        (
            _option(
                "--engine", choices=["perception", "none"], default="perception",
                help="none: play for the true facts alone, without counts (default: perception)",
            ),
            _option(
                "--tuning", action="store_true",
                help=f"seeds from {TUNING_SEED} on, for whoever changes the engine",
            ),
            _option(
                "--into", metavar="DIR",
                help="store each game there when it is over; do not play again what is there; "
                "the figures are those of all games there",
            ),
            _option(
                "--keep", metavar="DIR",
                help="record games that go wrong there, with their truth and a picture of the "
                "first wrong moment (default: with --into there, else nowhere)",
            ),
            _option(
                "--silent", action="store_true",
                help="the players answer nothing that the mat asks (default: they answer, and "
                "count their trays)",
            ),
            _option(
                "--recordings", metavar="DIR",
                help="record whole games there (6 MB each); those that are there are judged over "
                "their recordings, not played again (without their rest_cost_ms)",
            ),
            JOBS,
            add_progress,
        ),
        "Physics decides what happens in these games. An oracle, which is the referee fed with "
        "what really happened, says what must be ruled.",
    ),
    Measurement(
        "heap",
        "measure the engine's heap under MicroPython with all discs on the mat",
        "polarity bench heap --json",
        _heap,
        (SEED,),
        more="It needs Node 20 or later, and `make test` once to install MicroPython for it.",
    ),
    Measurement(
        "rules",
        "judge the books' scenarios and random games, and weigh the rules core",
        "polarity bench rules --json",
        _rules,
        (
            _option(
                "--sequences", type=natural, default=100_000, metavar="N",
                help="random games (default: 100000, some two minutes)",
            ),
            _option(
                "--orders", type=natural, default=100_000, metavar="N",
                help="games reported out of order (default: 100000, some minutes)",
            ),
        ),
        (add_progress,),
        "It needs the checkout with all that `make test` installs.",
    ),
    Measurement(
        "device",
        "measure the firmware on an emulated Pico",
        "polarity bench device --json",
        _device,
        (
            _option(
                "--write-pace", action="store_true",
                help="measure only the times of its frames at 125 MHz, and store them for "
                "--pace chip",
            ),
            _option(
                "--faults", type=natural, default=5, metavar="N",
                help="how many faults are timed, 20 s for each (default: 5)",
            ),
            _option(
                "--games", type=natural, default=0, metavar="N",
                help="judge N whole games as well, ten minutes for each (default: none)",
            ),
            _option(
                "--mhz", type=int, default=125, choices=(125, 200),
                help="the processor's clock (default: 125): the firmware sets 200, but a real chip "
                "also waits for its flash then, so that frames take about as long as on the "
                "emulated one, which does not wait, at 125",
            ),
        ),
        (JOBS, add_progress),
        "It needs the extra `emulated` and an image of MicroPython for the Pico: one that "
        "POLARITY_UF2 names, or that the emulator can download. It takes half an hour of one core.",
    ),
    Measurement(
        "live",
        "measure what many viewers of the live page get, and what it costs the log",
        "polarity bench live --json\n  polarity bench live --viewers 10 --seconds 10",
        _live,
        (
            _option(
                "--viewers", type=natural, default=50, metavar="N",
                help="how many look (default: 50)",
            ),
            SECONDS,
            _option("--no-page", action="store_true", help="without the page in a browser"),
            add_progress,
        ),
        more="A virtual game is played at its own speed, logged, and looked at by WebSockets of "
        "another process.",
    ),
    Measurement(
        "club",
        "measure a hall of many mats, and what it gets over, on a real broker and database",
        "polarity bench club --json\n  polarity bench club --mats 8 --spectators 20 --seconds 10",
        _club,
        (
            _option(
                "--mats", type=natural, default=30, metavar="N", help="how many (default: 30)"
            ),
            _option(
                "--spectators", type=natural, default=200, metavar="N",
                help="how many look (default: 200)",
            ),
            _option(
                "--cut", type=seconds, default=120.0, metavar="S",
                help="how long a network is cut (default: 120)",
            ),
            SECONDS,
            add_progress,
        ),
        more="mosquitto and PostgreSQL have to be installed. The mats repeat the messages of a "
        "virtual game at its own pace. It takes a quarter of an hour.",
    ),
    Measurement(
        "install",
        "build and install the wheel elsewhere, and run what it brings; damage recordings",
        "polarity bench install --json",
        _install,
        (
            _option(
                "--mutations", type=natural, default=2000, metavar="N",
                help="of recordings (default: 2000, some minutes)",
            ),
        ),
        (add_progress,),
        "It needs the checkout, and the package index.",
    ),
    Measurement(
        "kills",
        "kill `polarity log` again and again and count what is lost",
        "polarity bench kills --json",
        _kills,
        (
            _option(
                "--kills", type=natural, default=200, metavar="N",
                help="how often (default: 200, some five minutes)",
            ),
            SEED,
        ),
        (add_progress,),
        "A virtual mat plays on, with the memory of a real one; the log is killed at random points "
        "and started again.",
    ),
    Measurement(
        "faults",
        "attack every promise of the mat, and count what does not hold",
        "polarity bench faults --json\n  polarity bench faults --only wire --count 100000",
        _faults,
        (
            _option(
                "--only", action="append", choices=FAULT_PARTS, metavar="PART",
                help=f"this part alone; may be repeated: {', '.join(FAULT_PARTS)}",
            ),
            _option(
                "--length", choices=("tests", "short", "nightly"), default="short",
                help="how often each part attacks: a few seconds, two minutes (default) or hours",
            ),
            _option(
                "--count", type=natural, default=0, metavar="N",
                help="so many attacks of each part instead",
            ),
            SEED,
        ),
        (add_progress,),
        "power: cuts while the mat saves; wire: hostile lines both ways, port to page; files: "
        "damaged recordings, stores, texts, calibrations, settings, kept games and evidence; "
        "facts: random facts and declarations; page: hostile requests and slow readers; kills: of "
        "the log; stores: several loggers and a lock; sick: sensors that fall ill during a game, "
        "each fault alone and in pairs; clocks: times beyond 2^30, 2^31 and 2^32 ms; memory: "
        "allocations that fail, full disks; week: of simulated time. `held` says whether "
        "all that must be 0 is; docs/PROMISES.md has the promise that each attacks.",
    ),
)  # fmt: skip
