"""The settings of the broker that is offered for docker are such as a real mosquitto accepts, with
the access list that the command prints; `make club` uses them where docker is.

Docker itself does not run here: a stand-in takes its command line and the compose file, and starts
the real mosquitto with the files that the broker's container would have.
"""

import os
import shutil
import subprocess
import sys
from contextlib import ExitStack
from importlib.resources import files
from pathlib import Path

import pytest

from polarity_bench.club import evening
from polarity_bench.club.composed import ComposedServers, docker_answers
from polarity_bench.club.servers import answers, free_port, mosquitto
from polarity_host.errors import BAD_INPUT, FAILED, HostError
from polarity_host.mqtt.broker import Broker
from tests.hall import Listener, needs_broker
from tests.waiting import wait_for

FAKE_DOCKER = Path(__file__).with_name("fake_docker.py")

SETTINGS = files("polarity_host.hub") / "compose" / "mosquitto.conf"


class Logins:
    """How to log in at a broker on a port."""

    def __init__(self, port):
        self._port = port

    def broker(self, user):
        return Broker("127.0.0.1", self._port, user=user, password="word")


@needs_broker
def test_mosquitto_takes_the_settings_and_the_access_list(polarity, tmp_path):
    (tmp_path / "polarity.acl").write_text(polarity("hub", "--acl", "oak", "elm")[1])
    passwords = tmp_path / "polarity.passwords"
    passwords.write_text("hub:word\noak:word\nelm:word\n")
    subprocess.run([shutil.which("mosquitto_passwd"), "-U", passwords], check=True)
    port = free_port()
    text = SETTINGS.read_text().replace("listener 1883", f"listener {port} 127.0.0.1")
    text = text.replace("/mosquitto/config", str(tmp_path)).replace(
        "/mosquitto/data", str(tmp_path)
    )
    if os.geteuid() == 0:
        text += "user root\n"
    (tmp_path / "mosquitto.conf").write_text(text)
    broker = subprocess.Popen([mosquitto(), "-c", tmp_path / "mosquitto.conf"])
    try:
        wait_for(lambda: answers(port))
        hub, oak = Listener(Logins(port)), Listener(Logins(port), "oak", ())
        oak.connection.publish("polarity/elm/status", b"offline")
        oak.connection.publish("polarity/oak/status", b"online")
        wait_for(lambda: hub.got)
        assert hub.got == [("polarity/oak/status", b"online")]
        hub.close()
        oak.close()
    finally:
        broker.terminate()
        broker.wait()


def test_a_hub_without_broker_or_database_says_what_to_name(polarity):
    code, out, err = polarity("hub")
    assert (code, out) == (BAD_INPUT, "") and "--mqtt" in err and err.count("\n") == 1
    assert polarity("hub", "--acl", "Oak!")[0] == BAD_INPUT


@pytest.fixture
def docker(tmp_path, monkeypatch):
    """A `docker` on the path; `docker(engine)` says whether its engine runs. Its calls are kept."""
    program, calls = tmp_path / "bin" / "docker", tmp_path / "calls"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} {FAKE_DOCKER} "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    monkeypatch.setenv("FAKE_DOCKER_CALLS", str(calls))
    monkeypatch.setenv("FAKE_DOCKER_MOSQUITTO", mosquitto())

    def state(engine):
        monkeypatch.setenv("FAKE_DOCKER_ENGINE", "yes" if engine else "")
        return lambda: calls.read_text().splitlines() if calls.exists() else []

    return state


@needs_broker
def test_where_docker_is_the_club_has_broker_and_database_of_the_compose_file(docker, tmp_path):
    calls = docker(engine=True)
    with ExitStack() as stack:
        url, database = evening.servers(stack, tmp_path / "club")
        hub, oak = (
            Listener(Logged(url(user)), user, topics)
            for user, topics in (("hub", ("polarity/#",)), ("oak", ()))
        )
        oak.connection.publish("polarity/elm/status", b"offline")  # its access list is there, too
        oak.connection.publish("polarity/oak/status", b"online")
        wait_for(lambda: hub.got)
        assert hub.got == [("polarity/oak/status", b"online")]
        hub.close()
        oak.close()
        (up,) = [call for call in calls() if " up " in call]
        password, port = up.split()[-2:]  # what the database is made with
        assert database == f"postgresql://polarity:{password}@127.0.0.1:{port}/hall"
        assert not [call for call in calls() if " down " in call]
    assert [call for call in calls() if " down --volumes" in call]


class Logged:
    """How to log in by a URL."""

    def __init__(self, url):
        self._url = url

    def broker(self, user):
        return Broker.of(self._url)


@needs_broker
def test_where_docker_has_no_engine_debian_s_packages_are_used(docker, tmp_path, monkeypatch):
    calls = docker(engine=False)
    assert not docker_answers()
    monkeypatch.setattr(evening, "postgres", lambda: "")
    with ExitStack() as stack:
        url, database = evening.servers(stack, tmp_path / "club")
        assert answers(Broker.of(url("hub")).port) and database.endswith("hall.db")
    assert not [call for call in calls() if " up " in call]


def test_without_either_one_line_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(evening, "mosquitto", lambda: "")
    with pytest.raises(HostError) as failure, ExitStack() as stack:
        evening.servers(stack, tmp_path / "club")
    assert failure.value.exit_code == FAILED
    assert "apt install mosquitto postgresql" in failure.value.message
    assert "docker" in failure.value.message and "\n" not in failure.value.message


def test_what_docker_has_started_ends_though_the_rest_does_not_start(docker, tmp_path, monkeypatch):
    calls = docker(engine=True)
    monkeypatch.setenv("FAKE_DOCKER_MOSQUITTO", "")  # `up` fails
    with pytest.raises(HostError) as failure, ComposedServers(tmp_path / "club", ["oak"]):
        pass
    assert "docker compose up" in failure.value.message
    assert [call for call in calls() if " down --volumes" in call]
