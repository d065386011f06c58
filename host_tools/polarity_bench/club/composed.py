"""Broker and database by the compose file of the hub, where docker is."""

import os
import secrets
import shutil
import subprocess
import time
from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path

from polarity_bench.club.servers import answers, free_port, password_line
from polarity_host.errors import FAILED, HostError
from polarity_host.mqtt.access_list import HUB_USER, access_list

COMPOSE = files("polarity_host.hub") / "compose"
ASK_S, START_S = 20.0, 20.0


def docker_answers() -> bool:
    """Whether docker is here with its compose, and its engine runs."""
    if not shutil.which("docker"):
        return False
    try:
        asked = subprocess.run(
            ["docker", "compose", "ls", "--quiet"], capture_output=True, timeout=ASK_S
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return asked.returncode == 0


class ComposedServers:
    """Both, with a folder of their own; use as a context manager. Every mat and the hub have a
    password."""

    def __init__(self, folder: Path, mats: Iterable[str]):
        self._folder, self._port, self._database_port = folder, free_port(), free_port()
        mats = list(mats)
        self._passwords = {name: secrets.token_hex(8) for name in (HUB_USER, *mats)}
        self._hall = secrets.token_hex(8)
        folder.mkdir(mode=0o700, parents=True)
        for name in ("compose.yml", "mosquitto.conf"):
            (folder / name).write_bytes((COMPOSE / name).read_bytes())
        (folder / "polarity.acl").write_text(access_list(mats))
        (folder / "polarity.passwords").write_text(
            "".join(password_line(*login) for login in self._passwords.items())
        )
        for file in folder.iterdir():
            file.chmod(0o644)  # the broker in its container is another user; the folder is private

    def __enter__(self) -> "ComposedServers":
        try:
            self._compose("up", "--detach", "--wait")
            until_s = time.monotonic() + START_S
            while not answers(self._port):
                if time.monotonic() > until_s:
                    raise HostError(FAILED, "the broker that docker started does not answer")
                time.sleep(0.05)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._compose("down", "--volumes")

    def url(self, user: str = HUB_USER) -> str:
        """How to log in at the broker as a mat or the hub."""
        return f"mqtt://{user}:{self._passwords[user]}@127.0.0.1:{self._port}"

    @property
    def database(self) -> str:
        """For `polarity hub --db`."""
        return f"postgresql://polarity:{self._hall}@127.0.0.1:{self._database_port}/hall"

    def _compose(self, *words: str) -> None:
        """HostError FAILED when docker cannot; it says itself why."""
        settings = {
            "HALL_PASSWORD": self._hall,
            "HALL_PORT": str(self._port),
            "HALL_DATABASE_PORT": str(self._database_port),
        }
        project = ("--project-directory", str(self._folder), "--project-name", self._project)
        done = subprocess.run(["docker", "compose", *project, *words], env=os.environ | settings)
        if done.returncode:
            raise HostError(FAILED, "docker compose {what} failed", what=words[0])

    @property
    def _project(self) -> str:
        return f"polarity-club-{self._port}"
