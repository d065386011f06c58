"""`polarity demo`: a short game on a virtual mat, from raw counts to the result."""

from urllib.parse import quote

from polarity_host.cli.options import (
    add_command,
    add_db,
    add_json,
    add_nuisances,
    add_progress,
    add_words,
    natural,
    seconds,
)
from polarity_host.errors import DONE, FAILED, HostError
from polarity_host.follow import follow
from polarity_host.link import Link
from polarity_host.paths import games_file, recording_file
from polarity_host.progress import Progress
from polarity_host.show import Teller
from polarity_host.store import Store
from polarity_host.words import Words


def add_to(commands) -> None:
    """Adds the subcommand."""
    parser = add_command(
        commands, "demo", run, "play, judge and log a short game on a virtual mat",
        "polarity demo --seed 7 --speed 2",
        "The firmware sees raw sensor counts only. The same seed gives the same game.",
    )  # fmt: skip
    parser.add_argument(
        "--seed", type=natural, default=1, metavar="N", help="which game (default: 1)"
    )
    pace = parser.add_mutually_exclusive_group()
    pace.add_argument(
        "--speed", type=seconds, default=4.0, metavar="X", help="times real time (default: 4)"
    )
    pace.add_argument("--fast", action="store_true", help="as fast as this computer can")
    add_nuisances(parser)
    add_db(parser)
    add_json(parser, "print every message as one JSON object a line")
    add_words(parser)
    add_progress(parser)


def run(args) -> int:
    """Plays the demo. HostError FAILED when it does not come to an end."""
    recording = recording_file(f"demo-{args.seed}")
    speed = 0 if args.fast else args.speed
    url = (
        f"sim://demo?seed={args.seed}&speed={speed:g}&nuisances={args.nuisances}"
        f"&record={quote(str(recording), safe='')}"
    )
    path = args.db or games_file()
    progress = Progress(args.progress)
    words = Words(args.lang)
    teller = Teller(args.json, progress, words, args.explain)
    with Store(path, url) as store:
        teller.line(words.told("virtual", number=args.seed))
        try:
            follow(Link(url, store.last_number), store, teller)
        finally:
            progress.clear()
    if teller.result is None:
        raise HostError(FAILED, f"the game came to no end; its record is in {path} and {recording}")
    teller.json_line({"k": "stored", "db": str(path), "recording": str(recording)})
    teller.line("")
    result = words.result(teller.result)
    teller.line(words.told("result", result=result), "bold green")
    teller.line(words.told("kept_game", path=path))
    teller.line(words.told("kept_recording", path=recording))
    teller.line(words.told("judge_again", command=f"polarity replay {recording}"))
    return DONE
