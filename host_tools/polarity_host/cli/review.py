"""`polarity review`: an old game judged again, and which rulings change."""

import json
from pathlib import Path

from polarity_host.cli.options import add_command, add_db, add_json, add_lang, add_progress
from polarity_host.errors import DONE
from polarity_host.games.folders import games_file
from polarity_host.replay.review import COMPARED, Change, TimedRuling, changes, rulings
from polarity_host.terminal.progress import Progress
from polarity_host.words import Words, clock


def add_to(commands) -> None:
    """Adds the subcommand."""
    parser = add_command(
        commands, "review", run, "judge an old recording again and show which rulings change",
        "polarity review game.matrec --game 3",
        "Compares with a game of the database, as it was told when it was played: what is said no "
        "more is marked -, what is said now +. What players corrected is not compared.",
    )  # fmt: skip
    parser.add_argument("file", type=Path, metavar="FILE", help="recording: NAME.matrec")
    parser.add_argument(
        "--game", type=int, metavar="N", help="which game of the database (default: the last)"
    )
    add_db(parser)
    add_json(parser, "print each change as one JSON object a line, then the counts")
    add_lang(parser)
    add_progress(parser)


def run(args) -> int:
    """Judges and compares. HostError when the one or the other cannot be read."""
    from polarity_host.games.notation.sources import judged, stored

    before, corrections = rulings(stored(args.db or games_file(), args.game)[1])
    now, _ = rulings(judged(args.file, Progress(args.progress)))
    words = Words(args.lang)
    found = list(changes(before, now))
    for change in found:
        for mark, told in (("-", change.before), ("+", change.now)):
            for ruling in told:
                if args.json:
                    line = {"k": "change", "was": mark == "-", "t": ruling.t_ms}
                    print(json.dumps({**ruling.received, **line}))
                else:
                    said = words.ruling(ruling.ruling)
                    print(f"{mark} {clock(ruling.t_ms)}  {said}{_details(change, ruling)}")
    gone = sum(len(change.before) for change in found)
    new = sum(len(change.now) for change in found)
    counts = {"before": len(before), "gone": gone, "new": new, "corrections": corrections}
    if args.json:
        print(json.dumps({"k": "review", **counts}))
    else:
        print(words.text("reviewed", count=gone + new, **counts))
    return DONE


def _details(change: Change, ruling: TimedRuling) -> str:
    """The fields that the two sides of a change differ in, where a sentence would not tell."""
    if len(change.before) != 1 or len(change.now) != 1:
        return ""
    sides = (change.before[0].received, change.now[0].received)
    names = [name for name in COMPARED if sides[0].get(name) != sides[1].get(name)]
    if set(names) & {"code", "player", "why"}:
        return ""
    return f" ({', '.join(f'{name} {ruling.received.get(name)}' for name in names)})"
