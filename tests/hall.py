"""A broker, a database and mats for the tests of `mqtt` and `hub`: the real mosquitto and the real
PostgreSQL. Where one is not installed the test is skipped, and says so."""

import threading

import pytest

from polarity_bench.club.servers import LocalBroker, LocalPostgres, mosquitto, postgres
from polarity_host.mqtt.broker import Connection

needs_broker = pytest.mark.skipif(not mosquitto(), reason="no mosquitto: apt install mosquitto")
needs_postgres = pytest.mark.skipif(not postgres(), reason="no PostgreSQL: apt install postgresql")
MATS = ("oak", "elm", "ash")


class Listener:
    """Somebody who listens to all mats: (topic, payload) in the order of their coming."""

    def __init__(self, broker, user="hub", topics=("polarity/#",)):
        self.got, self._lock = [], threading.Lock()
        self.connection = Connection(
            broker.broker(user), f"listener-{id(self)}", lambda *what: self._add(*what)
        )
        if topics:  # what is published before the broker has answered does not come
            answered = threading.Event()
            self.connection._client.on_subscribe = lambda *_: answered.set()
            self.connection.subscribe(list(topics))
            assert answered.wait(20)

    def _add(self, topic, payload, token):
        with self._lock:
            self.got.append((topic, payload))

    def under(self, leaf):
        with self._lock:
            return [payload for topic, payload in self.got if topic.endswith(f"/{leaf}")]

    def close(self):
        self.connection.close()


@pytest.fixture
def broker(tmp_path):
    with LocalBroker(tmp_path / "broker", MATS, strict=False) as running:
        yield running


@pytest.fixture(scope="session")
def postgres_server(tmp_path_factory):
    with LocalPostgres(tmp_path_factory.mktemp("postgres")) as running:
        yield running
