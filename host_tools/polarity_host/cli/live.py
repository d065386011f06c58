"""`polarity live`: the mat in a browser, as it is played."""

import json
import os
import sys
import threading
import warnings
from argparse import Namespace
from itertools import count, repeat
from pathlib import Path
from typing import TYPE_CHECKING

from polarity_host.cli.options import (
    Subcommands,
    add_command,
    add_db,
    add_json,
    add_lang,
    add_new_links,
    natural,
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
from polarity_host.errors import DONE, FAILED, INTERRUPTED
from polarity_host.games.folders import games_file
from polarity_host.terminal.reporter import Reporter
from polarity_host.words import Words

if TYPE_CHECKING:
    from polarity_host.live.mat_session import MatSession
    from polarity_host.live.server import LiveServer
    from polarity_host.simulation.play.page import PageHands

LIVE_PORTS = (
    "device path, usb:SERIAL (as `polarity ports` lists it), socket://HOST:PORT or sim://…; "
    "`virtual`: a mat to play on in the page; several, each with a name if wanted, as "
    "oak=/dev/ttyACM0, and `all`, every mat that is plugged in, now or later: each has a page of "
    "its own, on the TCP ports from --http on"
)
HOURS_24 = 86400.0
VIRTUAL_URL = "sim://virtual"


def add_to(commands: Subcommands) -> None:
    """Adds the subcommand."""
    parser = add_command(
        commands, "live", run, "show a mat in the browser as it is played, and log its games",
        "polarity live /dev/ttyACM0\n  polarity live 'sim://demo?seed=1'\n"
        "  polarity live /dev/ttyACM0 --host 0.0.0.0\n  polarity live virtual",
        "Only this computer can open the page, unless --host names another address; then a link "
        "with a token is shown, another for those who only watch, and QR codes for phones. These "
        "links stay the same from start to start. Scripts can use what the page uses: "
        "host_tools/polarity_host/live/API.md.",
    )  # fmt: skip
    parser.add_argument("ports", metavar="PORT", nargs="+", help=LIVE_PORTS)
    parser.add_argument(
        "--host", default="127.0.0.1", metavar="ADDRESS",
        help="address to serve at; 0.0.0.0 for all of this computer (default: 127.0.0.1)",
    )  # fmt: skip
    parser.add_argument(
        "--http", type=natural, default=7080, metavar="N", help="TCP port of the page (0: any)"
    )
    parser.add_argument(
        "--cert", type=Path, metavar="FILE",
        help="certificate (PEM): serve https, by which phones can install the page",
    )  # fmt: skip
    parser.add_argument(
        "--key", type=Path, metavar="FILE", help="its key (PEM; default: in the same file)"
    )
    add_new_links(parser)
    add_db(parser)
    add_json(parser, "print the links, then every message, as one JSON object a line")
    add_lang(parser)
    parser.add_argument(
        "--no-browser", action="store_true", help="do not open the page in a browser"
    )
    parser.add_argument(
        "--wait", type=seconds, default=HOURS_24, metavar="S",
        help="how long to wait for a port that disappears (default: a day)",
    )  # fmt: skip


def run(args: Namespace) -> int:
    """Serves until Ctrl-C. HostError when the port or the address cannot be opened, or no mat is on
    the port."""
    # What asyncio says when Ctrl-C comes before uvicorn listens to it.
    warnings.filterwarnings("ignore", "coroutine 'Server.serve' was never awaited", RuntimeWarning)
    urls = [VIRTUAL_URL if port == "virtual" else port for port in args.ports]
    ports = read_ports(urls)
    return _show_one(args, ports.named[0]) if ports.single else _show_several(args, ports)


def _show_one(args: Namespace, port: NamedPort) -> int:
    words = Words(args.lang)
    shown = Shown(args, port, args.http, Reporter(as_json=True) if args.json else None)
    session, server = shown.session, shown.server
    if args.json:
        print(json.dumps({"k": "live", **shown.links}), flush=True)
    session.start()
    if not args.json:
        show_links(server, words)
    if not args.no_browser:
        open_browser(server.links[-1])
    end_without_mat(session, server)
    server.serve()
    session.stop()
    if session.failure and session.state.boot is None:
        raise session.failure
    if not args.json:
        print(f"\n{words.text('stored', path=session.games)}")
    return INTERRUPTED  # nothing else ends it without an error


def _show_several(args: Namespace, ports: Ports) -> int:
    words, http = Words(args.lang), count(args.http) if args.http else repeat(0)

    def begin(port: NamedPort) -> Shown:
        stream = Tagged(port.name, args.json, 0)
        reporter = Reporter(True, quiet_progress(), words, stream=stream) if args.json else None
        shown = Shown(args, port, next(http), reporter)
        shown.session.start()
        shown.serving = shown.server.in_background()
        if args.json:
            print(json.dumps({"mat": port.name, "k": "live", **shown.links}), flush=True)
        else:
            print(f"{port.name}:")
            show_links(shown.server, words)
        if not args.no_browser:
            open_browser(shown.server.links[-1])
        return shown

    several = Several(ports, begin, complaint(words, "live"))
    try:
        several.begin()
        several.run()
    except KeyboardInterrupt:
        return INTERRUPTED
    finally:
        several.end()
        if not args.json:
            print(f"\n{words.text('stored', path=args.db or games_file())}")
    return FAILED if several.failed else DONE


class Shown:
    """A mat with its page."""

    def __init__(self, args: Namespace, port: NamedPort, http: int, reporter: "Reporter | None"):
        """HostError when the address cannot be had, or the certificate is none."""
        from polarity_host.live.access import is_loopback
        from polarity_host.live.mat_session import MatSession
        from polarity_host.live.server import LiveServer
        from polarity_host.live.tokens import kept_tokens

        path: Path = args.db or games_file()
        session = self.session = MatSession(port.url, path, reporter, args.wait)
        tls = (args.cert, args.key or args.cert) if args.cert else None
        tokens = None
        if args.new_links or not is_loopback(args.host):
            tokens = kept_tokens(f"live-{port.name}", args.new_links)
        self.server = LiveServer(
            session.state, session.send, path, args.host, http, hands_on(port.url),
            session.maintenance, tls, tokens,
        )  # fmt: skip
        self.links = {
            "links": self.server.links,
            "spectator_links": self.server.spectator_links,
            "db": str(path),
        }
        self.serving: threading.Thread | None = None

    @property
    def stays(self) -> bool:
        """Whether the page shows what a mat has played, also once no more comes."""
        return self.session.state.boot is not None and not self.session.failure

    def end(self) -> None:
        """Ends its page."""
        self.server.stop()
        if self.serving:
            self.serving.join()


def end_without_mat(session: "MatSession", server: "LiveServer") -> None:
    """Stops the server when it turns out that no mat is on the port. A mat that was followed stays
    on the page."""

    def wait() -> None:
        session.over.wait()
        if session.failure and session.state.boot is None:
            server.stop()

    threading.Thread(target=wait, name="is there a mat", daemon=True).start()


def hands_on(url: str) -> "PageHands | None":
    """What the page's pointers move: hands on a virtual mat, None on any other."""
    if not url.startswith(VIRTUAL_URL):
        return None
    from polarity_host.simulation.play.page import PageHands
    from polarity_host.simulation.port.power import hand_game_at

    game = hand_game_at(url)
    return PageHands(game) if game else None


def show_links(server: "LiveServer", words: Words) -> None:
    """Prints the page's link; for other devices a QR code, and the same for who only watches."""
    print(words.text("shown", link=server.links[0]), flush=True)
    if server.tokens:
        show_code(server.links[0])
        print(words.text("token"), flush=True)
        print(words.text("shown_to_watch", link=server.spectator_links[0]), flush=True)
        show_code(server.spectator_links[0])


def show_code(link: str) -> None:
    """Prints a QR code."""
    import segno

    segno.make(link, error="l").terminal(sys.stdout, compact=True)


def has_display() -> bool:
    """Whether a browser could show a page here."""
    displays = ("DISPLAY", "WAYLAND_DISPLAY")
    return not sys.platform.startswith("linux") or any(map(os.environ.get, displays))


def open_browser(link: str) -> bool:
    """Opens the page where there is a display; False where there is none."""
    import webbrowser

    try:
        return has_display() and webbrowser.open(link)
    except webbrowser.Error:
        return False
