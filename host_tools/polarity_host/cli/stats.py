"""`polarity stats`: finds games, and counts what their players did in them."""

import json
import sys
from argparse import Namespace
from datetime import date
from pathlib import Path

from polarity_host.cli.options import (
    Subcommands,
    add_command,
    add_db,
    add_json,
    add_lang,
    plain_text,
)
from polarity_host.errors import BAD_INPUT, DONE, FAILED, HostError
from polarity_host.games.folders import games_file
from polarity_host.games.notation.sources import lines_left_out
from polarity_host.words import Words
from polarity_host.words.catalogue import catalogue


def day(text: str) -> date:
    """An argument that is a day, as 2026-03-31."""
    return date.fromisoformat(text)


day.__name__ = "day, as 2026-03-31:"


def add_to(commands: Subcommands) -> None:
    """Adds the subcommand."""
    parser = add_command(
        commands, "stats", run, "find games, and count what their players did",
        "polarity stats --player Ada --since 2026-01-01\n"
        '  polarity stats --name 3 white=Ada black=Ben event="Club night"\n'
        "  polarity stats --html stats.html",
        "Faults by kind, how steeply leaners were placed, the time a turn took, captures won and "
        "lost. Without names, players are counted by their colour. Demos, games without an end and "
        "archived ones count with --all only, or when --game names them.",
    )  # fmt: skip
    parser.add_argument("--player", default="", metavar="TEXT", help="games this person played")
    parser.add_argument("--event", default="", metavar="TEXT", help="games of this event")
    parser.add_argument("--edition", default="", metavar="NAME", help="games by these rules")
    parser.add_argument("--since", type=day, metavar="DAY", help="games from this day on")
    parser.add_argument("--until", type=day, metavar="DAY", help="games up to this day")
    parser.add_argument("--game", type=int, metavar="N", help="this game alone")
    parser.add_argument(
        "--all", action="store_true", help="demos, games without an end and archived ones, too"
    )
    parser.add_argument(
        "--name", nargs="+", type=plain_text, metavar=("N", "WHAT=TEXT"),
        help="write white=, black=, event= or notes= of game N",
    )  # fmt: skip
    parser.add_argument(
        "--html", type=Path, metavar="FILE", help="write tables and plots as one HTML file"
    )
    add_db(parser)
    add_json(parser, "print each game and each player as one JSON object a line")
    add_lang(parser)


def run(args: Namespace) -> int:
    """Names a game, or shows the games found. HostError when there is none."""
    from polarity_host.games.search import Wanted
    from polarity_host.games.statistics import report
    from polarity_host.games.store import Store

    path = args.db or games_file()
    if not path.exists():
        raise HostError(BAD_INPUT, "no games in {path} yet: `polarity demo` plays one", path=path)
    with Store(path) as store:
        if args.name:
            store.name(*_named(args.name))
            return DONE
        wanted = Wanted(
            args.player, args.event, args.edition, args.since, args.until, args.game,
            only_counted=not args.all and args.game is None,
        )  # fmt: skip
        found, total = report.found(store, wanted), len(store.games())
    if not found.games and found.not_counted:
        say = catalogue(args.lang).section("stats")
        raise HostError(
            FAILED,
            f"{say('not_counted', count=found.not_counted)} {say('with_all')}",
        )
    if not found.games and not total:
        say = catalogue(args.lang).section("stats")
        raise HostError(FAILED, say("none_stored", path=path))
    if not found.games:
        raise HostError(
            FAILED, "no game in {path} fits; `polarity games` lists all there are", path=path
        )
    for game, lines in found.left_out.items():
        missing = Words(args.lang).said(lines_left_out(game, lines))
        print(f"polarity stats: {missing}", file=sys.stderr)
    if args.html:
        _write(report.as_html(found, args.lang), args.html)
    if args.json:
        for line in report.as_records(found):
            print(json.dumps(line))
    elif not args.html:
        report.show(found, args.lang)
    return DONE


def _named(words: list[str]) -> tuple[int, dict[str, str]]:
    number, *rest = words
    pairs = [word.split("=", 1) for word in rest]
    if not number.isdigit() or not pairs or any(len(pair) != 2 for pair in pairs):
        raise HostError(BAD_INPUT, "write `polarity stats --name 3 white=Ada black=Ben`")
    return int(number), dict(pairs)


def _write(text: str, path: Path) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise HostError(
            FAILED, "cannot write {path}: {why}", path=path, why=error.strerror
        ) from error
