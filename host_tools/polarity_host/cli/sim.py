"""`polarity sim`: virtual games as recordings, or a virtual mat for other programs to connect
to.
"""

import json
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from polarity_host.cli.options import (
    Subcommands,
    add_command,
    add_driver,
    add_json,
    add_lang,
    add_nuisances,
    add_progress,
    natural,
    seconds,
)
from polarity_host.errors import BAD_INPUT, DONE, FAILED, INTERRUPTED, HostError
from polarity_host.replay.recording import VERSION, VERSIONS
from polarity_host.terminal.progress import Progress
from polarity_host.words import Words, clock

if TYPE_CHECKING:
    from polarity_host.simulation.port.address import SimGame


SHARE_EVERY = 50  # frames, after which the share of the game is counted anew


def add_to(commands: Subcommands) -> None:
    """Adds the subcommand."""
    parser = add_command(
        commands, "sim", run, "record a virtual game with its truth, or serve a virtual mat",
        "polarity sim --seed 3 --turns 30 -o game.matrec\n"
        "  polarity sim --edition scaled -o game.matrec\n  polarity sim --serve 127.0.0.1:7007",
        "A recording's truth is written beside it as NAME.truth.jsonl.",
    )  # fmt: skip
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="recording to write: NAME.matrec[.gz]"
    )
    where.add_argument("--serve", metavar="HOST:PORT", help="offer the mat as socket://HOST:PORT")
    parser.add_argument(
        "--seed", type=natural, default=1, metavar="N", help="which game (default: 1)"
    )
    length = parser.add_mutually_exclusive_group()
    length.add_argument(
        "--turns", type=natural, metavar="N",
        help="how many turns at most (default: 12; of practice players, to the result)",
    )  # fmt: skip
    length.add_argument("--demo", action="store_true", help="the game of `polarity demo`")
    length.add_argument(
        "--calibration", action="store_true", help="no game: a hand calibrates the mat"
    )
    parser.add_argument(
        "--format", type=int, choices=VERSIONS, default=VERSION, metavar="N",
        help="version of the recording's format: 2 knows when it is damaged, 1 is without "
        "checksums (default: 2)",
    )  # fmt: skip
    parser.add_argument(
        "--mat", default="", metavar="NAME", help="which mat (default: that of the edition)"
    )
    parser.add_argument(
        "--speed", type=seconds, default=1.0, metavar="X",
        help="with --serve: times real time, 0 as fast as it is read (default: 1)",
    )  # fmt: skip
    add_driver(parser)
    add_nuisances(parser)
    add_json(parser, "print what was recorded, or where it is served, as one JSON object")
    add_lang(parser)
    add_progress(parser)


def run(args: Namespace) -> int:
    """Records, or serves until Ctrl-C."""
    from polarity_host.simulation.port.address import CALIBRATION, SimGame

    if args.turns is not None and not 1 <= args.turns <= 1000:
        raise HostError(BAD_INPUT, "--turns must be from 1 to 1000")
    game = SimGame(
        kind="demo" if args.demo else CALIBRATION if args.calibration else "game",
        seed=args.seed,
        turns=None if args.demo or args.calibration else args.turns,
        speed=args.speed,
        mat=args.mat,
        edition=args.edition,
        driver=args.driver,
        skill=args.skill,
        nuisances=args.nuisances,
        record=str(args.output or ""),
        record_version=args.format,
    )
    if args.output:
        return _record(game, Progress(args.progress), args.json, Words(args.lang))
    return _serve(game, args.serve, args.json, Words(args.lang))


def _record(game: "SimGame", progress: Progress, as_json: bool, words: Words) -> int:
    from polarity_host.replay.truth import truth_path
    from polarity_host.simulation.port.game_source import GameSource

    played, count, t_us = GameSource(game), 0, 0
    share: float | None = None
    for t_us, _ in played.frames():
        count += 1
        share = played.share if count % SHARE_EVERY == 1 else share
        place = {"clock": clock(t_us // 1000), "frames": count}
        progress.show(words.text("progress_played", **place), share)
    progress.clear()
    truth = truth_path(game.record)
    if as_json:
        told = {"k": "recorded", "file": game.record, "truth": str(truth)}
        print(json.dumps({**told, "frames": count, "t_us": t_us}))
    else:
        place = {"clock": clock(t_us // 1000), "frames": count}
        print(words.text("recorded", file=game.record, **place))
        print(words.text("recorded_truth", file=truth))
    return DONE if count else FAILED


def _serve(game: "SimGame", address: str, as_json: bool, words: Words) -> int:
    from polarity_host.simulation.port.power import switch_on
    from polarity_host.simulation.port.serve import MatServer

    server = MatServer(switch_on(game, stays=True), address)
    if as_json:
        print(json.dumps({"k": "serving", "url": server.url}), flush=True)
    else:
        print(words.text("served", url=server.url), flush=True)
        print(words.text("log_it", command=f"polarity log {server.url}"), flush=True)
    try:
        server.serve()
    except KeyboardInterrupt:
        server.close()
        return INTERRUPTED
    return DONE
