"""`polarity review`: judges an old game again and shows which rulings change."""

import json
import sys
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
from polarity_host.errors import BAD_INPUT, DONE, HostError
from polarity_host.games.folders import games_file
from polarity_host.games.notation.sources import judged, opened, stored
from polarity_host.games.recordings import ALIKE, likeness, of_recording
from polarity_host.replay.review import COMPARED, Change, TimedRuling, changes, rulings
from polarity_host.terminal.progress import Progress
from polarity_host.words import Words, clock
from polarity_host.words.catalogue import catalogue

#: A game's number, its rulings as they were made, and how many corrections it has.
Reviewed = tuple[int, list[TimedRuling], int]


def add_to(commands: Subcommands) -> None:
    """Adds the subcommand."""
    parser = add_command(
        commands, "review", run, "judge an old recording again and show which rulings change",
        "polarity review game.matrec --game 3",
        "Compares with a game of the database, as it was judged when it was played: - marks the "
        "rulings that are gone, + the new ones. Rulings that players corrected are not compared. "
        "Without --game it is the game while which the recording was written, else the one with "
        "the same rulings at the same times; where there is none, you are asked.",
    )  # fmt: skip
    parser.add_argument("file", type=Path, metavar="FILE", help="recording: NAME.matrec")
    parser.add_argument(
        "--game",
        type=int,
        metavar="N",
        help="which game of the database (default: the recording's)",
    )
    add_db(parser)
    add_json(parser, "print each change as one JSON object a line, then the counts")
    add_lang(parser)
    add_progress(parser)


def run(args: Namespace) -> int:
    """Judges and compares. HostError when the recording or the game cannot be read."""
    path, words = args.db or games_file(), Words(args.lang)
    game = args.game
    if game is None:
        game = _written_meanwhile(path, args.file)
    before, corrections = rulings(stored(path, game)[1]) if game is not None else ([], 0)
    now, _ = rulings(judged(args.file, Progress(args.progress), args.lang))
    if game is None:
        game, before, corrections = _alike(path, now, args)
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
        print(json.dumps({"k": "review", "game": game, **counts}))
    else:
        print(words.text("reviewed", game=game, count=gone + new, **counts))
    return DONE


def _written_meanwhile(path: Path, file: Path) -> int | None:
    """The number of the game while which a recording was written. HostError when there are none."""
    with opened(path) as store:
        game = of_recording(store.games(), file)
    return game["id"] if game else None


def _alike(path: Path, now: list[TimedRuling], args: Namespace) -> Reviewed:
    """The stored game whose rulings are most like these, else the one that a person names.
    HostError BAD_INPUT when nobody can be asked."""
    best: tuple[float, Reviewed] = (0.0, (0, [], 0))
    with opened(path) as store:
        for row in store.games():
            before, corrections = rulings(store.messages(row["id"])[0])
            alike = likeness(before, now)
            if alike >= max(ALIKE, best[0]):
                best = alike, (row["id"], before, corrections)
    if best[0]:
        return best[1]
    if args.json or not (sys.stdin and sys.stdin.isatty()):
        raise HostError(
            BAD_INPUT,
            "no game in {path} has the rulings of {file}: --game says which one to "
            "compare with, `polarity games` lists them",
            path=path,
            file=args.file,
        )
    say = catalogue(args.lang).section("stats")
    while not (answer := input(say("ask_which", file=args.file)).strip()).isdecimal():
        pass
    return int(answer), *rulings(stored(path, int(answer))[1])


def _details(change: Change, ruling: TimedRuling) -> str:
    """The fields in which the two sides of a change differ, where the sentences are alike."""
    if len(change.before) != 1 or len(change.now) != 1:
        return ""
    sides = (change.before[0].received, change.now[0].received)
    names = [name for name in COMPARED if sides[0].get(name) != sides[1].get(name)]
    if set(names) & {"code", "player", "why"}:
        return ""
    return f" ({', '.join(f'{name} {ruling.received.get(name)}' for name in names)})"
