"""`polarity demo`: a short game on a virtual mat, from raw counts to the result."""

import sys
import time
from argparse import Namespace
from pathlib import Path
from urllib.parse import quote

from polarity_host.cli.called import called
from polarity_host.cli.live import has_display, open_browser
from polarity_host.cli.missed_end import Rulings, missed_end
from polarity_host.cli.options import (
    Subcommands,
    add_command,
    add_db,
    add_driver,
    add_json,
    add_nuisances,
    add_progress,
    add_words,
    natural,
    played_of,
    seconds,
)
from polarity_host.errors import DONE, FAILED, INTERRUPTED, HostError
from polarity_host.games.folders import games_file, recording_file
from polarity_host.games.follow import Follower
from polarity_host.live.mat_session import MatSession
from polarity_host.simulation.drivers import driver_of
from polarity_host.terminal.progress import Progress
from polarity_host.terminal.reporter import Reporter
from polarity_host.words import Words

PATIENCE_S = 10.0  # for a browser to show the page, and to come back to it


def add_to(commands: Subcommands) -> None:
    """Adds the subcommand."""
    parser = add_command(
        commands, "demo", run, "play, judge and log a short game on a virtual mat",
        "polarity demo --seed 7 --speed 2\n  polarity demo --edition scaled --skill clumsy",
        "The firmware sees raw sensor counts only. The same seed gives the same game. Where there "
        "is a display, a browser shows it too.",
    )  # fmt: skip
    parser.add_argument(
        "--seed", type=natural, default=1, metavar="N", help="which game (default: 1)"
    )
    pace = parser.add_mutually_exclusive_group()
    pace.add_argument(
        "--speed", type=seconds, default=4.0, metavar="X", help="times real time (default: 4)"
    )
    pace.add_argument("--fast", action="store_true", help="as fast as this computer can")
    add_driver(parser)
    add_nuisances(parser)
    add_db(parser)
    add_json(parser, "print every message as one JSON object a line")
    add_words(parser)
    add_progress(parser)
    parser.add_argument(
        "--no-browser", action="store_true", help="show the game on the terminal only"
    )


def run(args: Namespace) -> int:
    """Plays the demo. HostError FAILED when the game does not end, or as driver_of."""
    driver = driver_of(args.edition, args.driver)
    recording = recording_file(f"demo-{args.seed}")
    speed = 0 if args.fast else args.speed
    url = (
        f"sim://demo?seed={args.seed}&speed={speed:g}&nuisances={args.nuisances}"
        f"&edition={quote(args.edition)}&driver={driver}&skill={args.skill}"
        f"&record={quote(str(recording), safe='')}"
    )
    path = args.db or games_file()
    progress = Progress(args.progress)
    words = Words(args.lang)
    reporter = Reporter(args.json, progress, words, args.explain, share=played_of(url))
    rulings = Rulings(reporter)
    page = Page.opened(url, path, rulings) if _wanted(args) else None
    reporter.line(words.text("virtual", number=args.seed))
    try:
        if page:
            page.play()
        else:
            MatSession(url, path, rulings).run()
    finally:
        progress.clear()
    if reporter.result is None:
        if page:
            page.close()
        raise HostError(
            FAILED,
            "on the mat the game came to no end: {missed}. It is kept in {path}, with "
            "its recording {recording}: {program} replay {recording} judges that again",
            missed=missed_end(recording, rulings.ruled),
            path=path,
            recording=recording,
            program=called(),
        )
    reporter.json_line({"k": "stored", "db": str(path), "recording": str(recording)})
    reporter.line("")
    result = reporter.result_words(reporter.result)
    reporter.line(words.text("result", result=result), "bold green")
    reporter.line(words.text("kept_game", path=path))
    reporter.line(words.text("kept_recording", path=recording))
    reporter.line(words.text("judge_again", command=f"{called()} replay {recording}"))
    if page:
        reporter.line(words.text("page_stays", link=page.link))
        return page.linger()
    return DONE


def _wanted(args: Namespace) -> bool:
    """Whether a page can be shown to somebody here."""
    return not (args.no_browser or args.json or args.fast) and sys.stdout.isatty() and has_display()


class Page:
    """The live page of a demo, open in a browser."""

    def __init__(self, url: str, path: Path, reporter: Follower):
        from polarity_host.live.server import LiveServer

        self._session = MatSession(url, path, reporter)
        self._server = LiveServer(self._session.state, self._session.send, path, port=0)
        self._server.in_background()
        self.link = self._server.links[0]

    @classmethod
    def opened(cls, url: str, path: Path, reporter: Follower) -> "Page | None":
        """The page, once a browser shows it; None when none does."""
        page = cls(url, path, reporter)
        if open_browser(page.link):
            for _ in range(int(PATIENCE_S * 10)):
                if page._server.viewers:
                    return page
                time.sleep(0.1)
        page._server.stop()
        return None

    def play(self) -> None:
        """Follows the game to its end. HostError as `follow`."""
        self._session.start()
        while not self._session.over.wait(0.5):
            pass
        if self._session.failure:
            raise self._session.failure

    def linger(self) -> int:
        """Serves until the last page is closed, or Ctrl-C; returns the exit code."""
        alone_s, code = 0.0, DONE
        try:
            while alone_s < PATIENCE_S:
                time.sleep(0.5)
                alone_s = 0.0 if self._server.viewers else alone_s + 0.5
        except KeyboardInterrupt:
            code = INTERRUPTED
        self._server.stop()
        return code

    def close(self) -> None:
        """Serves no more."""
        self._server.stop()
