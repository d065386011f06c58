"""`polarity review`: judges an old game again and shows which rulings change."""

import json
from argparse import Namespace
from pathlib import Path

from polarity_host.cli.options import (
    Subcommands,
    add_command,
    add_db,
    add_json,
    add_lang,
    add_progress,
)
from polarity_host.errors import DONE
from polarity_host.games.folders import games_file
from polarity_host.replay.review import COMPARED, Change, TimedRuling, changes, rulings
from polarity_host.terminal.progress import Progress
from polarity_host.words import Words, clock


def add_to(commands: Subcommands) -> None:
    """Adds the subcommand."""
    parser = add_command(
        commands, "review", run, "judge an old recording again and show which rulings change",
        "polarity review game.matrec --game 3",
        "Compares with a game of the database, as it was judged when it was played: - marks the "
        "rulings that are gone, + the new ones. Rulings that players corrected are not compared.",
    )  # fmt: skip
    parser.add_argument("file", type=Path, metavar="FILE", help="recording: NAME.matrec")
    parser.add_argument(
        "--game", type=int, metavar="N", help="which game of the database (default: the last)"
    )
    add_db(parser)
    add_json(parser, "print each change as one JSON object a line, then the counts")
    add_lang(parser)
    add_progress(parser)


def run(args: Namespace) -> int:
    """Judges and compares. HostError when the recording or the game cannot be read."""
    from polarity_host.games.notation.sources import judged, stored

    before, corrections = rulings(stored(args.db or games_file(), args.game)[1])
    now, _ = rulings(judged(args.file, Progress(args.progress)))
    words = Words(args.lang)
    found = list(changes(before, now))
    for change in found:
        for mark, side in (("-", change.before), ("+", change.now)):
            for ruling in side:
                if args.json:
                    line = {"k": "change", "was": mark == "-", "t": ruling.t_ms}
                    print(json.dumps({**ruling.received, **line}))
                else:
                    text = words.ruling(ruling.ruling)
                    print(f"{mark} {clock(ruling.t_ms)}  {text}{_details(change, ruling)}")
    gone = sum(len(change.before) for change in found)
    new = sum(len(change.now) for change in found)
    counts = {"before": len(before), "gone": gone, "new": new, "corrections": corrections}
    if args.json:
        print(json.dumps({"k": "review", **counts}))
    else:
        print(words.text("reviewed", count=gone + new, **counts))
    return DONE


def _details(change: Change, ruling: TimedRuling) -> str:
    """The fields in which the two sides of a change differ, where the sentences are alike."""
    if len(change.before) != 1 or len(change.now) != 1:
        return ""
    sides = (change.before[0].received, change.now[0].received)
    names = [name for name in COMPARED if sides[0].get(name) != sides[1].get(name)]
    if set(names) & {"code", "player", "why"}:
        return ""
    return f" ({', '.join(f'{name} {ruling.received.get(name)}' for name in names)})"
