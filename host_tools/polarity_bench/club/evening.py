"""`make club`: a club's evening on this computer. A broker, a database, the hub and eight virtual
mats that play; the hall opens in the browser. Ctrl-C ends it."""

import contextlib
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from polarity_bench.club.servers import (
    POLARITY,
    LocalBroker,
    LocalPostgres,
    ended_by,
    postgres,
    started_hub,
)
from polarity_host.errors import FAILED, INTERRUPTED, HostError

MATS = ("ash", "birch", "elm", "hazel", "lime", "maple", "oak", "rowan")


def evening(stack: contextlib.ExitStack, folder: Path) -> None:
    """Starts everything; `stack` ends it. HostError FAILED when something does not start."""
    broker = stack.enter_context(LocalBroker(folder / "broker", MATS))
    where = str(folder / "hall.db")
    if postgres():
        where = stack.enter_context(LocalPostgres(folder / "postgres")).url
    else:
        print("PostgreSQL is not installed (apt install postgresql): SQLite keeps the games.")
    hub, link = started_hub(stack, broker.url(), where)
    for number, mat in enumerate(MATS):
        command = [
            *POLARITY, "log", f"sim://game?seed={201 + number}&turns=200&speed=1",
            "--mqtt", broker.url(mat), "--name", mat, "--arbiter",
            "--db", str(folder / f"{mat}.db"),
            "--white", f"{mat} 1", "--black", f"{mat} 2",
        ]  # fmt: skip
        ended_by(stack, subprocess.Popen(command, stdout=subprocess.DEVNULL))
    print(f"The hall: {link} (Ctrl-C ends the evening)", flush=True)
    _open(link)
    hub.wait()


def _open(link: str) -> None:
    from webbrowser import Error, open_new_tab

    with contextlib.suppress(Error):
        open_new_tab(link)


def main() -> int:
    """Runs the evening; returns the exit code."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # it ends what it has started, too
    folder = Path(tempfile.mkdtemp(prefix="polarity-club-"))
    with contextlib.ExitStack() as stack:
        try:
            evening(stack, folder)
        except KeyboardInterrupt:
            return INTERRUPTED
        except HostError as error:
            print(f"make club: {error.message}", file=sys.stderr)
            return error.exit_code
    return FAILED


if __name__ == "__main__":
    sys.exit(main())
