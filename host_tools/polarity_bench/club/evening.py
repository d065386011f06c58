"""`make club`: a club's evening on this computer. A broker, a database, the hub and eight virtual
mats that play; the hall opens in the browser. Ctrl-C ends it. Broker and database are those of the
compose file where docker is, else those that Debian installs."""

import contextlib
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from polarity_bench.club.composed import ComposedServers, docker_answers
from polarity_bench.club.servers import (
    POLARITY,
    LocalBroker,
    LocalPostgres,
    ended_by,
    mosquitto,
    postgres,
    started_hub,
)
from polarity_host.errors import FAILED, INTERRUPTED, HostError
from polarity_host.mqtt.access_list import HUB_USER

MATS = ("ash", "birch", "elm", "hazel", "lime", "maple", "oak", "rowan")


def servers(stack: contextlib.ExitStack, folder: Path) -> tuple[Callable[[str], str], str]:
    """Starts broker and database, which `stack` ends: the broker's URL for a user, and that of the
    database. HostError FAILED when something does not start."""
    if docker_answers():
        print("Docker starts broker and database; the first time it loads them.", flush=True)
        composed = stack.enter_context(ComposedServers(folder / "servers", MATS))
        return composed.url, composed.database
    if not mosquitto():
        raise HostError(
            FAILED, "there is no broker: apt install mosquitto postgresql, or start docker"
        )
    broker = stack.enter_context(LocalBroker(folder / "broker", MATS))
    if postgres():
        return broker.url, stack.enter_context(LocalPostgres(folder / "postgres")).url
    print("PostgreSQL is not installed (apt install postgresql): SQLite keeps the games.")
    return broker.url, str(folder / "hall.db")


def evening(stack: contextlib.ExitStack, folder: Path) -> None:
    """Starts everything; `stack` ends it. HostError FAILED when something does not start."""
    broker, where = servers(stack, folder)
    hub, link = started_hub(stack, broker(HUB_USER), where)
    for number, mat in enumerate(MATS):
        command = [
            *POLARITY, "log", f"sim://game?seed={201 + number}&turns=200&speed=1",
            "--mqtt", broker(mat), "--name", mat, "--arbiter",
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
