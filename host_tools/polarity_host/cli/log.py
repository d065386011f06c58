"""`polarity log`: a game as it is played, on the terminal and in the database."""

import json
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
from polarity_host.cli.several import (
    NamedPort,
    Ports,
    Several,
    Tagged,
    complaint,
    quiet_progress,
    read_ports,
)
from polarity_host.errors import DONE, FAILED, INTERRUPTED, HostError
from polarity_host.games.folders import games_file
from polarity_host.games.schema import NAMES
from polarity_host.games.seals import shown
from polarity_host.games.store import Store
from polarity_host.live.mat_session import MatSession
from polarity_host.terminal.progress import Progress
from polarity_host.terminal.reporter import Reporter
from polarity_host.wire.player_commands import refusal
from polarity_host.words import Words

LOG_PORTS = (
    "device path, usb:SERIAL (as `polarity ports` lists it), socket://HOST:PORT or sim://…; "
    "several, each with a name if wanted, as oak=/dev/ttyACM0; `all`: every mat that is plugged "
    "in, now or later. With several, a typed command begins with a mat's name: `oak undo 0`"
)


def add_to(commands: Subcommands) -> None:
    """Adds the subcommand."""
    parser = add_command(
        commands, "log", run, "log games from a mat into the database",
        "polarity log /dev/ttyACM0\n  polarity log 'sim://demo?seed=1&speed=4' --json\n"
        "  polarity log /dev/ttyACM0 --say 'overrule 0 waived'\n"
        "  polarity log oak=/dev/ttyACM0 elm=/dev/ttyACM1\n  polarity log all",
        "Each ruling is stored with the frames around it, for slow motion. Ctrl-C ends it. "
        "Whatever ends it, all that was shown is stored; started again, it asks the mat for what "
        "it missed. On a terminal, each line you type goes to the mat: `undo 0` takes the last "
        "ruling back; `overrule 41 denied`, `... waived` and `... w` correct the ruling that "
        "rests on no. 41 (--explain shows the numbers). firmware/PROTOCOL.md has all commands.",
    )  # fmt: skip
    parser.add_argument("ports", metavar="PORT", nargs="+", help=LOG_PORTS)
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
    """Logs until the ports are over, Ctrl-C, or (--once) the end of a game on each."""
    ports = read_ports(args.ports, args.name or "")
    return _log_one(args, *ports.named[0]) if ports.single else _log_several(args, ports)


def _log_one(args: Namespace, name: str, url: str) -> int:
    progress = Progress(args.progress)
    words = Words(args.lang)
    reporter = Reporter(args.json, progress, words, args.explain, share=played_of(url))
    logged = Logged(args, NamedPort(name, url), reporter, words)
    session = logged.session
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
        logged.end()
        progress.clear()
    logged.show_seal()
    path = session.games
    reporter.line(words.text("stored", path=path))
    reporter.json_line({"k": "stored", "db": str(path), "seal": logged.seal})
    return code


def _log_several(args: Namespace, ports: Ports) -> int:
    words = Words(args.lang)
    width = max((len(port.name) for port in ports.named), default=16)
    begun = False

    def begin(port: NamedPort) -> Logged:
        stream = Tagged(port.name, args.json, width)
        reporter = Reporter(args.json, quiet_progress(), words, args.explain, stream)
        logged = Logged(args, port, reporter, words, strict=not begun)
        logged.session.start(args.once)
        return logged

    def tell(line: str) -> None:
        name, _, command = line.partition(" ")
        if why := refusal(command):
            print(f"{line}: {why}", file=sys.stderr)
        elif not several.tell(name, command):
            print(words.said("there is no mat {name} here", name=name), file=sys.stderr)

    several = Several(ports, begin, complaint(words, "log"))
    code = DONE
    try:
        several.begin()
        begun = True
        if sys.stdin and sys.stdin.isatty():
            Thread(target=lambda: [tell(line.strip()) for line in sys.stdin], daemon=True).start()
        several.run()
    except KeyboardInterrupt:
        code = INTERRUPTED
    finally:
        several.end()
    path = args.db or games_file()
    print(
        json.dumps({"k": "stored", "db": str(path)})
        if args.json
        else words.text("stored", path=path)
    )
    return FAILED if several.failed and code == DONE else code


class Logged:
    """A mat that is logged and, with --mqtt, published."""

    def __init__(
        self,
        args: Namespace,
        port: NamedPort,
        reporter: Reporter,
        words: Words,
        strict: bool = True,
    ):
        """HostError when the broker cannot be reached, if `strict`."""
        path = args.db or games_file()
        names = {name: getattr(args, name) for name in NAMES if getattr(args, name)}
        self._reporter, self._words = reporter, words
        self._published = None
        if args.mqtt:
            self._published = Published(args, port.name, path, reporter, words)
        follower = self._published or reporter
        self.session = MatSession(port.url, path, follower, args.wait, names)
        if self._published:
            self._published.begin(self.session, strict)
        for command in args.say:
            self.session.send(command)

    @property
    def stays(self) -> bool:
        """A log ends with its mat."""
        return False

    def end(self) -> None:
        """Publishes what is stored and not published yet, as far as that is quick."""
        if self._published:
            self._published.end()
            self._published = None

    @property
    def seal(self) -> str:
        """The seal of the game that the mat has last played to its end; "" where none is stored."""
        if not self._reporter.result:
            return ""
        with Store(self.session.games) as store:
            boot = self.session.state.boot
            own = [game["id"] for game in store.games() if game["boot"] == boot]
            seals = [seal for game in own if (seal := store.seal(game))]
        return shown(seals[-1]) if seals else ""

    def show_seal(self) -> None:
        """Prints it."""
        if seal := self.seal:
            self._reporter.line(self._words.said("Seal of its result: {seal}", seal=seal))


def _send_typed(send: Callable[[str], None], reporter: Reporter) -> None:
    """Sends the mat each line that is typed."""
    for line in sys.stdin:
        command = line.strip()
        why = refusal(command)
        if not why:
            send(command)
        elif command:
            reporter.line(f"{command}: {why}", "yellow")
