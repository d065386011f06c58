"""`polarity tournament`: players, rounds, pairings and standings of a hall."""

import json
from argparse import Namespace
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from polarity_host.cli.options import (
    Subcommands,
    add_command,
    add_json,
    add_lang,
    natural,
    plain_text,
)
from polarity_host.errors import BAD_INPUT, DONE, FAILED, HostError
from polarity_host.words import Words

if TYPE_CHECKING:
    from polarity_host.hub.tournaments.book import Book
    from polarity_host.hub.tournaments.model import Tournament

NONE = "-"  # takes a result, a mat or a game away


def add_to(commands: Subcommands) -> None:
    """Adds the subcommand."""
    parser = add_command(
        commands, "tournament", run, "pair the players of a hall, and show how they stand",
        "polarity tournament 'Spring cup' --db hall.db --new swiss --rounds 5 --add Ada Ben Cy\n"
        "  polarity tournament 'Spring cup' --db hall.db --pair\n"
        "  polarity tournament 'Spring cup' --db hall.db --result 1.2 0-1\n"
        "  polarity tournament 'Spring cup' --db hall.db --export cup.csv",
        "The database is that of `polarity hub`, whose page shows the tournament too. A board's "
        "result is that of the first game that is played to its end on its mat after its round was "
        "paired; the arbiter may name another game, or another result. Boards are written as "
        "ROUND.BOARD. Without a name it lists what there is; without an option it shows one.",
    )  # fmt: skip
    parser.add_argument(
        "name", metavar="NAME", nargs="?", type=plain_text, help="of the tournament"
    )
    parser.add_argument(
        "--db", metavar="DATABASE", required=True,
        help="a file for SQLite, which is enough for a small club, or postgresql://USER@HOST/NAME",
    )  # fmt: skip
    parser.add_argument(
        "--new", choices=("swiss", "round-robin"), metavar="SYSTEM",
        help="make it: `swiss`, in which those with as many points meet, or `round-robin`, in "
        "which all meet",
    )  # fmt: skip
    parser.add_argument(
        "--rounds", type=natural, default=0, metavar="N",
        help="how many; without it all against all has as many as it takes, with twice as many "
        "all meet with the other colour too",
    )  # fmt: skip
    parser.add_argument(
        "--mats", nargs="+", default=[], metavar="MAT",
        help="where the boards are played, in this order (default: on all that have played)",
    )  # fmt: skip
    parser.add_argument(
        "--add", nargs="+", default=[], type=plain_text, metavar="PLAYER",
        help="add players, the strongest first; who has left comes back",
    )  # fmt: skip
    parser.add_argument(
        "--withdraw", type=plain_text, metavar="PLAYER", help="a player leaves after this round"
    )
    parser.add_argument("--pair", action="store_true", help="pair the next round")
    parser.add_argument("--unpair", action="store_true", help="take the last round back")
    parser.add_argument(
        "--result", nargs=2, metavar=("BOARD", "RESULT"),
        help="1-0, 0-1, =-= (a draw) or 0-0; - for what the mat says",
    )  # fmt: skip
    parser.add_argument(
        "--mat", nargs=2, metavar=("BOARD", "MAT"), help="where a board is played from now on"
    )
    parser.add_argument(
        "--game", nargs=2, metavar=("BOARD", "GAME"),
        help="the game that belongs to a board, as --games shows it; - for the one by mat and time",
    )  # fmt: skip
    parser.add_argument(
        "--swap", metavar="BOARD", help="who was white at this board is black, and the reverse"
    )
    parser.add_argument("--games", metavar="MAT", help="list the newest games of a mat")
    parser.add_argument(
        "--ratings", action="store_true", help="list the ratings over all tournaments"
    )
    parser.add_argument(
        "--export", type=Path, metavar="FILE", help="write it to FILE.json or FILE.csv"
    )
    add_json(parser, "print what is shown as JSON")
    add_lang(parser)


def run(args: Namespace) -> int:
    """Does what the options say, then shows the tournament. HostError for what cannot be done."""
    from polarity_host.hub.record import Away, Record
    from polarity_host.hub.tournaments.book import Book

    words, record = Words(args.lang), Record(args.db)
    try:
        book = Book(record)
        if args.games or args.ratings or args.name is None:
            lines, found = _listed(args, book, words)
        else:
            _change(args, book)
            tournament = book.tournament(args.name)
            lines, found = _shown(args, tournament, words)
    except Away as away:
        raise HostError(FAILED, "the database is away: {why}", why=away) from away
    finally:
        record.close()
    if args.json:
        print(json.dumps(found))
    else:
        print("\n".join(lines))
    return DONE


def _listed(args: Namespace, book: "Book", words: Words) -> tuple[list[str], object]:
    from polarity_host.hub.tournaments.ratings import ratings

    if args.games:
        games = book.games(args.games)
        rows = [(f"{one.mat}/{one.boot}/{one.n}", one.result or "…", one.why) for one in games]
        return list(_table(rows)), [asdict(one) for one in games]
    if args.ratings:
        rated = ratings(book.all())
        rows = [(one.name, f"{one.rating} ±{one.deviation}", str(one.games)) for one in rated]
        heads = (words.said("Player"), words.said("Rating"), words.said("Games"))
        return list(_table([heads, *rows])), [asdict(one) for one in rated]
    names = book.names()
    none = words.said("There is no tournament yet; --new makes one.")
    return names or [none], names


def _change(args: Namespace, book: "Book") -> None:
    name = args.name
    if args.new:
        book.create(name, args.new, args.rounds, args.mats)
    if args.add:
        book.enter(name, args.add)
    if args.withdraw:
        book.withdraw(name, args.withdraw)
    if args.unpair:
        book.unpair(name)
    if args.pair:
        book.pair(name, args.mats)
    if args.result:
        board, result = args.result
        book.set_result(name, _place(board), "" if result == NONE else result)
    if args.mat:
        board, mat = args.mat
        book.set_mat(name, _place(board), "" if mat == NONE else mat)
    if args.game:
        board, game = args.game
        book.set_game(name, _place(board), None if game == NONE else _game(game))
    if args.swap:
        book.swap(name, _place(args.swap))


def _place(text: str) -> tuple[int, int]:
    number, _, board = text.partition(".")
    if not (number.isdecimal() and board.isdecimal()):
        raise HostError(BAD_INPUT, "{text!r} is no board: write ROUND.BOARD, as 2.1", text=text)
    return int(number), int(board)


def _game(text: str) -> tuple[str, int, int]:
    mat, *numbers = text.split("/")
    if len(numbers) != 2 or not all(one.isdecimal() and len(one) < 16 for one in numbers):
        raise HostError(
            BAD_INPUT, "{text!r} is no game: write MAT/BOOT/N, as --games shows it", text=text
        )
    return mat, int(numbers[0]), int(numbers[1])


def _shown(
    args: Namespace, tournament: "Tournament", words: Words
) -> tuple[list[str], dict[str, object]]:
    from polarity_host.hub.tournaments.export import as_csv, as_object

    whole = as_object(tournament)
    if args.export:
        suffix = args.export.suffix
        if suffix not in (".json", ".csv"):
            raise HostError(BAD_INPUT, "write FILE.json or FILE.csv")
        text = as_csv(tournament) if suffix == ".csv" else json.dumps(whole, indent=1)
        args.export.write_text(text, encoding="utf-8")
    lines = [
        words.said(
            "{name}: {system}, round {round} of {rounds}", name=tournament.name,
            system=tournament.system, round=tournament.round, rounds=tournament.rounds,
        )
    ]  # fmt: skip
    arbiter, bye = words.said("arbiter"), words.said("bye")
    last = [board for board in whole["boards"] if board["round"] == tournament.round]
    lines += _table(
        [
            (
                f"{one['round']}.{one['board']}",
                f"{one['white']} – {one['black'] or bye}",
                one["result"] or ("…" if one["game"] else ""),
                one["mat"] + (f" ({arbiter})" if one["by"] == "arbiter" else ""),
            )
            for one in last
        ]
    )
    heads = ("", words.said("Player"), words.said("Points"), "Buchholz", "Sonneborn-Berger")
    rows = [
        (str(one["place"]), one["name"], f"{one['points']:g}", f"{one['buchholz']:g}",
         f"{one['sonneborn_berger']:g}")
        for one in whole["standings"]
    ]  # fmt: skip
    return [*lines, "", *_table([heads, *rows])], whole


def _table(rows: list[tuple[str, ...]]) -> Iterator[str]:
    """The rows with their columns one below the other."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    for row in rows:
        yield "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths)).rstrip()
