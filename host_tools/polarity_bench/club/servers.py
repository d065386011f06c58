"""A broker and a database of our own, for an evening, a measurement or a test: mosquitto and
PostgreSQL as Debian installs them, each in a folder, on this computer alone.
"""

import base64
import contextlib
import glob
import hashlib
import json
import os
import pwd
import resource
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

from polarity_host.errors import FAILED, HostError
from polarity_host.mqtt.access_list import HUB_USER, access_list
from polarity_host.mqtt.broker import Broker

POLARITY = (sys.executable, "-m", "polarity_host.cli")
START_S = 20.0
FULL_BYTES = 1 << 20
PASSWORD_ROUNDS = 101
#: As root PostgreSQL does not start: then Debian's own user runs it.
POSTGRES_USER = "postgres"


def mosquitto() -> str:
    """The path of the broker; "" where it is not installed."""
    return shutil.which("mosquitto", path=f"{os.environ.get('PATH', '')}:/usr/sbin") or ""


def postgres() -> str:
    """The folder of PostgreSQL's programs, of the newest version; "" where it is not installed."""
    found = glob.glob("/usr/lib/postgresql/*/bin/initdb")
    own = max(found, key=_version) if found else shutil.which("initdb")
    return str(Path(own).parent) if own else ""


def password_line(user: str, password: str) -> str:
    """A line of mosquitto's password file, as mosquitto_passwd(1) writes it: PBKDF2 of SHA-512."""
    salt = secrets.token_bytes(12)
    digest = hashlib.pbkdf2_hmac("sha512", password.encode(), salt, PASSWORD_ROUNDS, 64)
    parts = (base64.b64encode(part).decode() for part in (salt, digest))
    return f"{user}:$7${PASSWORD_ROUNDS}${'$'.join(parts)}\n"


class LocalBroker:
    """A mosquitto in a folder; use as a context manager. Every mat and the hub have a password."""

    def __init__(
        self, folder: Path, mats: Iterable[str], persistent: bool = True, strict: bool = True
    ):
        """HostError FAILED where it is not installed. If `strict`, a user has one connection: else
        one could log in with the client id of another and end that one's."""
        self._program = mosquitto()
        if not self._program:
            raise HostError(FAILED, "there is no broker: apt install mosquitto")
        self._folder, self.port = folder, free_port()
        self._process: subprocess.Popen[bytes] | None = None
        self._passwords = {name: secrets.token_hex(8) for name in (HUB_USER, *mats)}
        folder.mkdir(parents=True, exist_ok=True)
        passwords = folder / "passwords"
        passwords.write_text("".join(password_line(*login) for login in self._passwords.items()))
        passwords.chmod(0o600)
        (folder / "acl").write_text(access_list(mats))
        (folder / "acl").chmod(0o600)
        lines = [
            f"listener {self.port} 127.0.0.1",
            "allow_anonymous false",
            f"password_file {passwords}",
            f"acl_file {folder / 'acl'}",
            "max_queued_messages 10000",
            "message_size_limit 500000",
        ]
        if strict:
            lines.append("use_username_as_clientid true")
        if persistent:
            lines += ["persistence true", f"persistence_location {folder}/", "autosave_interval 5"]
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            lines.append("user root")  # else it cannot read its folder
        (folder / "mosquitto.conf").write_text("\n".join(lines) + "\n")

    def __enter__(self) -> "LocalBroker":
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill(signal.SIGTERM)

    def broker(self, user: str = HUB_USER, port: int = 0) -> Broker:
        """How to log in there as a mat or the hub; `port`: that of a cable which leads there."""
        return Broker("127.0.0.1", port or self.port, user=user, password=self._passwords[user])

    def url(self, user: str = HUB_USER, port: int = 0) -> str:
        """The same as a URL."""
        return f"mqtt://{user}:{self._passwords[user]}@127.0.0.1:{port or self.port}"

    def start(self) -> None:
        """Starts it, once more too. HostError FAILED when it does not come."""
        command = [self._program, "-c", str(self._folder / "mosquitto.conf")]
        with open(self._folder / "log", "ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log)
        until_s = time.monotonic() + START_S
        while not answers(self.port):
            if self._process.poll() is not None or time.monotonic() > until_s:
                raise HostError(
                    FAILED, "the broker did not start: see {log}", log=self._folder / "log"
                )
            time.sleep(0.02)

    def kill(self, how: signal.Signals = signal.SIGKILL) -> None:
        """Ends it."""
        if self._process:
            self._process.send_signal(how)
            self._process.wait()
            self._process = None

    def forget(self) -> None:
        """Deletes, while it does not run, all that it has kept: sessions, queues, retained."""
        for path in self._folder.glob("mosquitto.db*"):
            path.unlink()


class LocalPostgres:
    """A PostgreSQL in a folder; use as a context manager."""

    def __init__(self, folder: Path):
        """Makes its files. HostError FAILED where it is not installed."""
        self._programs = postgres()
        if not self._programs:
            raise HostError(FAILED, "there is no database server: apt install postgresql")
        self._data, self.port = folder / "data", free_port()
        self._user: str | None = None
        folder.mkdir(parents=True, exist_ok=True)
        if os.geteuid() == 0:
            self._user = POSTGRES_USER
            account = pwd.getpwnam(POSTGRES_USER)
            os.chown(folder, account.pw_uid, account.pw_gid)
            for above in list(folder.parents)[:-1]:
                if not above.stat().st_mode & 0o001:
                    above.chmod(above.stat().st_mode | 0o011)
        self._run("initdb", "-D", self._data, "-U", "polarity", "--auth=trust", "--no-sync",
                  "-E", "UTF8", "--locale=C", f"--wal-segsize={FULL_BYTES >> 20}")  # fmt: skip
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> "LocalPostgres":
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill(signal.SIGINT)

    @property
    def url(self) -> str:
        """For `polarity hub --db`."""
        return self.url_at(self.port)

    def url_at(self, port: int) -> str:
        """The same through a cable which leads there."""
        return f"postgresql://polarity@127.0.0.1:{port}/postgres"

    def start(self, full: bool = False) -> None:
        """Starts it, once more too. If `full`, no file may grow beyond FULL_BYTES: what a full disk
        is to its tables, while its log of transactions, in files of that size, goes on. HostError
        FAILED when it does not come."""
        (self._data / "postmaster.pid").unlink(missing_ok=True)
        command = [f"{self._programs}/postgres", "-D", str(self._data), "-p", str(self.port),
                   "-h", "127.0.0.1", "-k", str(self._data)]  # fmt: skip
        with open(self._data.parent / "log", "ab") as log:
            self._process = subprocess.Popen(
                command, stdout=log, stderr=log, user=self._user, start_new_session=True,
                preexec_fn=_fill if full else None,
            )  # fmt: skip
        until_s = time.monotonic() + START_S
        while self._call("pg_isready", "-q", "-h", "127.0.0.1", "-p", self.port).returncode:
            if self._process.poll() is not None or time.monotonic() > until_s:
                raise HostError(
                    FAILED, "the database server did not start: see {log}",
                    log=self._data.parent / "log",
                )  # fmt: skip
            time.sleep(0.05)

    def kill(self, how: signal.Signals = signal.SIGKILL) -> None:
        """Ends it and all its processes."""
        if self._process:
            everyone = _children(self._process.pid)  # each is a session of its own
            self._process.send_signal(how)
            if how is signal.SIGKILL:
                for child in everyone:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(child, how)
            self._process.wait()
            while how is signal.SIGKILL and any(map(_is_there, everyone[1:])):
                time.sleep(0.02)  # else its shared memory is still in use
            self._process = None

    def stop_answering(self, stop: bool = True) -> None:
        """Its processes stand still, or go on: a server that hangs."""
        if self._process:
            for child in _children(self._process.pid):
                with contextlib.suppress(ProcessLookupError):  # it has ended meanwhile
                    os.kill(child, signal.SIGSTOP if stop else signal.SIGCONT)

    def _call(self, program: str, *words: object) -> subprocess.CompletedProcess[bytes]:
        command = [f"{self._programs}/{program}", *map(str, words)]
        return subprocess.run(command, capture_output=True, user=self._user, cwd="/")

    def _run(self, program: str, *words: object) -> None:
        done = self._call(program, *words)
        if done.returncode:
            lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
            raise HostError(
                FAILED, "{program} failed: {why}", program=program, why=(lines or [""])[-1]
            )


def _fill() -> None:
    """Limits the files of this process, and of those that it starts, to FULL_BYTES."""
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (FULL_BYTES, hard))


def ended_by(stack: contextlib.ExitStack, process: "subprocess.Popen[bytes]") -> None:
    """Has the stack end a process."""
    stack.callback(process.wait)
    stack.callback(process.terminate)


def started_hub(
    stack: contextlib.ExitStack, broker: str, database: str, *options: str
) -> "tuple[subprocess.Popen[bytes], str]":
    """A hub of a broker and a database, by their URLs, that `stack` ends, and its link for
    arbiters. HostError FAILED when it does not start."""
    command = [*POLARITY, "hub", "--mqtt", broker, "--db", database, "--http", "0", "--json",
               *options]  # fmt: skip
    hub = subprocess.Popen(command, stdout=subprocess.PIPE)
    ended_by(stack, hub)
    line = hub.stdout.readline() if hub.stdout else b""
    if not line:
        raise HostError(FAILED, "the hub did not start")
    return hub, json.loads(line)["arbiter"]


def stat_of(process: int) -> list[str]:
    """What Linux tells of a process (proc_pid_stat(5)), from its state on. OSError where there is
    none."""
    return Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()


def free_port() -> int:
    """A TCP port of this computer that nobody uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def answers(port: int) -> bool:
    """Whether somebody accepts connections at a port of this computer."""
    with socket.socket() as probe:
        probe.settimeout(0.5)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _version(path: str) -> tuple[int, ...]:
    return tuple(int(part) for part in Path(path).parts[4].split(".") if part.isdigit())


def _is_there(process: int) -> bool:
    """Whether a process runs still."""
    try:
        return stat_of(process)[0] != "Z"
    except OSError:
        return False


def _children(parent: int) -> list[int]:
    """The process and its children, by Linux's /proc."""
    found = [parent]
    for path in glob.glob("/proc/[0-9]*/stat"):
        process = int(path.split("/")[2])
        with contextlib.suppress(OSError):
            if int(stat_of(process)[1]) == parent:
                found.append(process)
    return found
