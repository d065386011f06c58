"""`polarity import`: a club moves to another database."""

import json
from argparse import Namespace

from polarity_host.cli.options import Subcommands, add_command, add_json, add_lang, add_progress
from polarity_host.errors import DONE, FAILED, HostError
from polarity_host.terminal.progress import Progress
from polarity_host.words import Words


def add_to(commands: Subcommands) -> None:
    """Adds the subcommand."""
    parser = add_command(
        commands, "import", run, "move a hall's database from SQLite to PostgreSQL, or back",
        "polarity import hall.db postgresql://hub@localhost/hall\n"
        "  polarity import postgresql://hub@localhost/hall hall.db",
        "Everything is copied: messages, games, evidence, tournaments. The new database must be "
        "empty, and is as empty as before if anything fails; the old one stays as it is. End the "
        "hub first, and start it again with the new one: what mats play meanwhile waits for it.",
    )  # fmt: skip
    parser.add_argument("source", metavar="FROM", help="a file, or postgresql://USER@HOST/NAME")
    parser.add_argument("target", metavar="TO", help="likewise; it must be empty")
    add_json(parser, "print the copied rows by table as one JSON object")
    add_progress(parser)
    add_lang(parser)


def run(args: Namespace) -> int:
    """Copies. HostError when it cannot, and then nothing is changed."""
    from polarity_host.hub.moving import move
    from polarity_host.hub.record import Away, Record

    words, progress = Words(args.lang), Progress(args.progress)
    source = Record(args.source, make=False)
    try:
        target = Record(args.target)
        try:
            copied = move(source, target, lambda table, rows: progress.show(f"{table} {rows}"))
        except Away as away:
            raise HostError(FAILED, "the database is away: {why}", why=away) from away
        finally:
            progress.clear()
            target.close()
    finally:
        source.close()
    if args.json:
        print(json.dumps(copied))
    else:
        for table, rows in copied.items():
            print(words.said("{table}: {rows} rows", table=table, rows=rows))
    return DONE
