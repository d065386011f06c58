"""Faults between the programs of a hall, on a real broker and a real PostgreSQL: cables are cut and
slow, the disk is full, and somebody pretends to be another."""

import signal
import subprocess
import sys
import time
from contextlib import ExitStack, closing
from threading import Thread

import pytest

from polarity_bench.club.cable import Cable
from polarity_bench.club.servers import LocalBroker, LocalPostgres
from polarity_host.games.store import Store
from polarity_host.hub.record import Record
from polarity_host.mqtt import topics
from polarity_host.mqtt.broker import Connection
from polarity_host.simulation.port.serve import MatServer
from polarity_host.simulation.port.sim_mat import SimMat
from tests.fake_engine import FakeEngine, frames
from tests.hall import MATS, needs_broker, needs_postgres
from tests.hub.conftest import emptied
from tests.hub.test_intake import Hub, all_of
from tests.made_messages import made_message
from tests.mqtt.test_publisher import Mat, played
from tests.waiting import wait_for

pytestmark = [needs_broker, needs_postgres]
#: At each end: what takes a minute at the usual times is over in two seconds.
KEEP_ALIVE_S, CUT_S = 1, 2.5


class Wired:
    """A broker whose connections go through a cable."""

    def __init__(self, broker, cable):
        self._broker, self._cable = broker, cable

    def broker(self, user="hub"):
        return self._broker.broker(user, self._cable.port)


@pytest.mark.parametrize("between", ["mat and broker", "broker and hub", "hub and database"])
def test_a_network_that_is_cut_for_long_loses_and_doubles_nothing(
    between, broker, postgres_server, tmp_path, monkeypatch
):
    monkeypatch.setattr("polarity_host.mqtt.broker.KEEP_ALIVE_S", KEEP_ALIVE_S)
    monkeypatch.setattr("polarity_host.mqtt.broker.CONNECT_S", 1.0)
    monkeypatch.setattr("polarity_host.hub.intake.SLOW_S", 1.0)
    emptied(postgres_server.url)
    with ExitStack() as stack:
        of_mat, of_hub = (stack.enter_context(Cable(broker.port)) for _ in range(2))
        of_database = stack.enter_context(Cable(postgres_server.port))
        cables = {
            "mat and broker": of_mat,
            "broker and hub": of_hub,
            "hub and database": of_database,
        }
        hub = Hub(Wired(broker, of_hub), postgres_server.url_at(of_database.port))
        stack.callback(hub.close)
        mat = Mat(Wired(broker, of_mat), tmp_path / "oak.db")
        mat.play(played(boot=1))
        wait_for(lambda: hub.numbers("oak", 1) == all_of(played()))
        cables[between].cut()
        mat.play(played(boot=2))
        time.sleep(CUT_S)
        with closing(Record(postgres_server.url)) as record:
            assert record.numbers("oak", 2) == [], "it went around the cable"
        if between == "hub and database":
            assert hub.hall.whole()["problem"] == "the database is slow"
        mat.play(played(boot=3))
        cables[between].join()
        for boot in (1, 2, 3):
            wait_for(lambda boot=boot: hub.numbers("oak", boot) == all_of(played()))
        wait_for(lambda: hub.hall.whole()["problem"] == "")
        mat.publisher.stop()


def test_a_slow_database_is_told_of_and_everything_comes(
    broker, postgres_server, tmp_path, monkeypatch
):
    monkeypatch.setattr("polarity_host.hub.intake.SLOW_S", 0.5)
    emptied(postgres_server.url)
    with Cable(postgres_server.port) as cable:
        with closing(Hub(broker, postgres_server.url_at(cable.port))) as hub:
            cable.slow(0.15)
            mat, many = Mat(broker, tmp_path / "oak.db"), played(events=150)
            mat.play(many)
            wait_for(lambda: hub.hall.whole()["problem"] == "the database is slow")
            with closing(Record(postgres_server.url)) as record:
                wait_for(lambda: record.numbers("oak", 1) == all_of(many))
            cable.slow(0)
            wait_for(lambda: hub.hall.whole()["problem"] == "")
            mat.publisher.stop()


def test_a_full_database_server_is_waited_for(broker, tmp_path_factory, tmp_path):
    with LocalPostgres(tmp_path_factory.mktemp("own")) as server:
        with closing(Hub(broker, server.url)) as hub:
            server.kill(signal.SIGINT)
            server.start(full=True)
            mat = Mat(broker, tmp_path / "oak.db")
            many = [made_message("log", n, text="x" * 200) for n in range(1, 4001)]
            mat.play(many)
            wait_for(lambda: "File too large" in hub.hall.whole()["problem"])
            assert 0 < len(hub.numbers("oak") or ()) < len(all_of(many))
            server.kill(signal.SIGINT)
            server.start()
            wait_for(lambda: hub.numbers("oak") == all_of(many))
            wait_for(lambda: hub.hall.whole()["problem"] == "")
            mat.publisher.stop()


def test_who_logs_in_with_the_clients_name_of_another_disturbs_nobody(tmp_path):
    with LocalBroker(tmp_path / "broker", MATS) as broker:
        with closing(Hub(broker, str(tmp_path / "hub.db"))) as hub:
            mat = Mat(broker, tmp_path / "oak.db")
            number = hub.intake._number
            for boot, name in enumerate(("polarity-hub", "hub", "polarity-mat-oak", "oak"), 1):
                got = []
                elm = Connection(broker.broker("elm"), name, lambda *one, got=got: got.append(one))
                elm.subscribe(["polarity/#"])
                elm.publish("polarity/oak/status", topics.OFFLINE)
                elm.publish("homeassistant/sensor/polarity_oak_turn/config", b"{}", retain=True)
                mat.play(played(boot=boot))
                wait_for(lambda boot=boot: hub.numbers("oak", boot) == all_of(played()))
                elm.close()
                assert not [topic for topic, *_ in got if topic != "polarity/elm/ask"]
            assert hub.intake._number == number, "the hub was thrown out"
            assert hub.hall.whole()["boards"]["oak"]["online"]
            mat.publisher.stop()


def test_a_log_that_is_killed_and_begun_again_on_the_same_mat_sends_all_once(broker, tmp_path):
    engine = FakeEngine(boot_id=77, end_at=150, ring_bytes=200_000)
    server = MatServer(SimMat(engine, frames(150, 40), speed=1.0, stays=True), "127.0.0.1:0")
    Thread(target=server.serve, daemon=True).start()
    games = str(tmp_path / "oak.db")
    command = [sys.executable, "-m", "polarity_host.cli", "log", server.url, "--mqtt",
               broker.url("oak"), "--name", "oak", "--db", games, "--json"]  # fmt: skip
    with closing(Hub(broker, str(tmp_path / "hub.db"))) as hub:
        for pause_s in (0.4, 0.9):
            log = subprocess.Popen(command, stdout=subprocess.PIPE)
            assert log.stdout.readline()
            time.sleep(pause_s)
            log.send_signal(signal.SIGKILL)
            log.communicate()
        log = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        wanted = list(range(1, 1 + 1 + 150 + 30))
        wait_for(lambda: hub.numbers("oak", 77) == wanted)
        log.terminate()
        log.wait()
    server.close()
    with Store(tmp_path / "oak.db") as store:
        query = "SELECT n FROM messages WHERE boot = 77 AND numbered ORDER BY n"
        assert [row["n"] for row in store.query(query, {})] == wanted
