"""`polarity log`: a game as it is played, on the terminal and in the database."""

import sys
from argparse import Namespace
from collections.abc import Callable
from threading import Thread

from polarity_host.cli.mqtt import Published, add_mqtt
from polarity_host.cli.options import (
    Subcommands,
    add_command,
    add_db,
    add_json,
    add_progress,
    add_words,
    plain_text,
    played_of,
    seconds,
)
from polarity_host.errors import DONE, INTERRUPTED, HostError
from polarity_host.games.folders import games_file
from polarity_host.games.schema import NAMES
from polarity_host.games.seals import shown
from polarity_host.games.store import Store
from polarity_host.live.mat_session import MatSession
from polarity_host.terminal.progress import Progress
from polarity_host.terminal.reporter import Reporter
from polarity_host.wire.player_commands import refusal
from polarity_host.words import Words


def add_to(commands: Subcommands) -> None:
    """Adds the subcommand."""
    parser = add_command(
        commands, "log", run, "log games from a mat into the database",
        "polarity log /dev/ttyACM0\n  polarity log 'sim://demo?seed=1&speed=4' --json\n"
        "  polarity log /dev/ttyACM0 --say 'overrule 0 waived'",
        "Each ruling is stored with the frames around it, for slow motion. Ctrl-C ends it. "
        "Whatever ends it, all that was shown is stored; started again, it asks the mat for what "
        "it missed. On a terminal, each line you type goes to the mat: `undo 0` takes the last "
        "ruling back; `overrule 41 denied`, `... waived` and `... w` correct the ruling that "
        "rests on no. 41 (--explain shows the numbers). firmware/PROTOCOL.md has all commands.",
    )  # fmt: skip
    parser.add_argument("port", metavar="PORT", help="device path, socket://HOST:PORT or sim://…")
    add_db(parser)
    add_json(parser, "print every message as one JSON object a line")
    add_words(parser)
    add_progress(parser)
    for name in NAMES:
        parser.add_argument(
            f"--{name}",
            default="",
            type=plain_text,
            metavar="TEXT",
            help="%(dest)s of the games that begin now",
        )
    parser.add_argument(
        "--say", action="append", default=[], type=player_command, metavar="COMMAND",
        help="send this to the mat first, such as a correction; may be repeated",
    )  # fmt: skip
    add_mqtt(parser)
    parser.add_argument("--once", action="store_true", help="stop when a game has ended")
    parser.add_argument(
        "--wait", type=seconds, default=60.0, metavar="S",
        help="how long to wait for a port that disappears (default: 60)",
    )  # fmt: skip


def player_command(text: str) -> str:
    """An argument that is a command which players may send to a mat."""
    if refusal(text):
        raise ValueError
    return text


player_command.__name__ = "command of PROTOCOL.md:"


def run(args: Namespace) -> int:
    """Logs until the port is over, Ctrl-C, or (--once) the end of a game."""
    progress = Progress(args.progress)
    words = Words(args.lang)
    reporter = Reporter(args.json, progress, words, args.explain, share=played_of(args.port))
    path = args.db or games_file()
    names = {name: getattr(args, name) for name in NAMES if getattr(args, name)}
    published = Published(args, path, reporter, words) if args.mqtt else None
    session = MatSession(args.port, path, published or reporter, args.wait, names)
    if published:
        published.begin(session)
    for command in args.say:
        session.send(command)
    if sys.stdin and sys.stdin.isatty():
        Thread(target=_send_typed, args=(session.send, reporter), daemon=True).start()
    code = DONE
    try:
        session.run(args.once)
    except KeyboardInterrupt:
        code = INTERRUPTED
    except HostError as error:
        if not (session.given_up and reporter.result):
            raise
        print(f"polarity log: {words.said(error)}", file=sys.stderr)
    finally:
        if published:
            published.end()
        progress.clear()
    seal = _seal(session) if reporter.result else ""
    if seal:
        reporter.line(words.said("Seal of its result: {seal}", seal=seal))
    reporter.line(words.text("stored", path=path))
    reporter.json_line({"k": "stored", "db": str(path), "seal": seal})
    return code


def _seal(session: MatSession) -> str:
    """The seal of the game that the mat has last played to its end; "" where none is stored."""
    with Store(session.games) as store:
        own = [game["id"] for game in store.games() if game["boot"] == session.state.boot]
        seals = [seal for game in own if (seal := store.seal(game))]
    return shown(seals[-1]) if seals else ""


def _send_typed(send: Callable[[str], None], reporter: Reporter) -> None:
    """Sends the mat each line that is typed."""
    for line in sys.stdin:
        command = line.strip()
        why = refusal(command)
        if not why:
            send(command)
        elif command:
            reporter.line(f"{command}: {why}", "yellow")
