"""The hub between a real broker and a real database: nothing is lost, nothing doubled."""

import random
import signal
import time
from contextlib import closing

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import create_engine

from polarity_bench.club.servers import LocalPostgres
from polarity_host.errors import BAD_INPUT, FAILED, HostError
from polarity_host.games.outbox import Outbox
from polarity_host.games.store import Store
from polarity_host.hub.hall import Hall
from polarity_host.hub.intake import Intake
from polarity_host.hub.record import Away, Record
from polarity_host.hub.schema import METADATA
from polarity_host.mqtt import topics
from tests.hall import Listener, needs_broker, needs_postgres
from tests.mqtt.test_publisher import Mat, played, wanted
from tests.waiting import wait_for

pytestmark = needs_broker


class Hub:
    def __init__(self, broker, where):
        self.record, self.hall = Record(where), Hall()
        self.intake = Intake(broker.broker(), self.record, self.hall)
        self.intake.start()

    def numbers(self, mat, boot=1):
        try:
            return self.record.numbers(mat, boot)
        except Away:
            return None

    def close(self):
        self.intake.stop()
        self.record.close()


def all_of(messages):
    return [number for _, number in wanted(messages)]


def test_the_migrations_make_the_schema(where):
    Record(where).close()
    url = where if "://" in where else f"sqlite:///{where}"
    with create_engine(url.replace("postgresql:", "postgresql+psycopg:")).connect() as db:
        assert compare_metadata(MigrationContext.configure(db), METADATA) == []
    Record(where).close()  # once more changes nothing


def test_several_mats_are_stored_once_each_and_shown(broker, where, tmp_path):
    with closing(Hub(broker, where)) as hub:
        mats = [Mat(broker, tmp_path / f"{name}.db", name) for name in ("oak", "elm", "ash")]
        for number, mat in enumerate(mats):
            mat.play(played(boot=number + 1))
        for number, name in enumerate(("oak", "elm", "ash")):
            wait_for(lambda n=number, name=name: hub.numbers(name, n + 1) == all_of(played()))
        wait_for(
            lambda: (
                [board["game"].get("outcome") for board in hub.hall.whole()["boards"].values()]
                == 3 * [["touched_red", "b"]]
            )
        )
        for mat in mats:
            mat.publisher.stop()


def test_what_comes_twice_and_out_of_order_is_stored_once(broker, where):
    messages = [message for message in played() if message.numbered]
    with closing(Hub(broker, where)) as hub:
        mat = Listener(broker, "oak", ())
        sent = messages * 3
        random.Random(1).shuffle(sent)
        for message in sent:
            event = topics.encoded(topics.Event("oak", 0, message.raw))
            mat.connection.publish("polarity/oak/event", event)
        wait_for(lambda: hub.numbers("oak") == all_of(messages))
        seen = [event["n"] for event in hub.hall.changes()["events"]]
        assert sorted(seen) == all_of(messages)


def test_a_hub_that_is_killed_and_a_broker_that_forgets_lose_nothing(broker, where, tmp_path):
    first, second, third = (played(boot=boot) for boot in (1, 2, 3))
    hub, mat = Hub(broker, where), Mat(broker, tmp_path / "oak.db")
    mat.play(first)
    wait_for(lambda: hub.numbers("oak"))
    hub.intake._connection.drop()  # as a kill would: nothing more is receipted
    hub.close()
    mat.play(second)  # the broker receipts it, and then forgets it
    with Store(mat.games) as store:
        last = store.query("SELECT max(id) AS last FROM messages", {})[0]["last"]
        wait_for(lambda: Outbox(store, "oak").position == last)
    broker.kill(signal.SIGKILL)
    for path in (tmp_path / "broker").glob("mosquitto.db*"):
        path.unlink()
    broker.start()
    with closing(Hub(broker, where)) as hub:
        mat.play(third)
        for boot, messages in enumerate((first, second, third), 1):
            wait_for(lambda b=boot, m=messages: hub.numbers("oak", b) == all_of(m))
    mat.publisher.stop()


@needs_postgres
@pytest.mark.parametrize("how", ["killed", "hangs"])
def test_a_database_that_is_away_is_waited_for(broker, tmp_path_factory, tmp_path, how):
    with LocalPostgres(tmp_path_factory.mktemp("own")) as server:
        with closing(Hub(broker, server.url)) as hub:
            mat = Mat(broker, tmp_path / "oak.db")
            mat.play(played(boot=1))
            wait_for(lambda: hub.numbers("oak") == all_of(played()))
            server.kill() if how == "killed" else server.stop_answering()
            mat.play(played(boot=2))
            if how == "killed":
                wait_for(lambda: hub.hall.whole()["problem"])
                server.start()
            else:
                time.sleep(2)
                server.stop_answering(False)
            wait_for(lambda: hub.numbers("oak", 2) == all_of(played()))
            wait_for(lambda: hub.hall.whole()["problem"] == "")
            mat.publisher.stop()


def test_a_hostile_publisher_costs_nobody_else_anything(broker, tmp_path):
    with closing(Hub(broker, str(tmp_path / "hub.db"))) as hub:
        elm = Listener(broker, "elm", ())
        line = next(message.raw for message in played() if message.numbered)
        for payload in (
            b"", b"[", b"\xff", b"[" * 9000, b"x" * 20000, b'{"mat":"elm","at_ms":"x","line":1}',
            topics.encoded(topics.Event("oak", 0, line)),  # speaks for another
            topics.encoded(topics.Event("elm", 0, line[:-5])),  # half a line
        ):  # fmt: skip
            for leaf in topics.PUBLISHED:
                elm.connection.publish(f"polarity/elm/{leaf}", payload)
        nasty = topics.State(
            "elm", 0, "<b>", -1, {}, {"why": "<script>" * 99}, {"turn": "1", "question": 7},
            [[1], "x", [1, "flat", "w", 1, 2, 3, 4, 5.5]], {"white": "<img>" * 99}, {"words": []},
        )  # fmt: skip
        elm.connection.publish("polarity/elm/state", topics.encoded(nasty))
        mat = Mat(broker, tmp_path / "oak.db")
        mat.play(played())
        wait_for(lambda: hub.numbers("oak") == all_of(played()))
        mat.publisher.stop()
        assert hub.numbers("elm") == []
        board = hub.hall.whole()["boards"]["elm"]
        assert (board["game"], board["pieces"], len(board["names"]["white"])) == ({}, [], 120)
        assert hub.hall.whole()["problem"] == ""


def test_clocks_that_differ_change_nothing(broker, tmp_path, monkeypatch):
    with closing(Hub(broker, str(tmp_path / "hub.db"))) as hub:
        elm = Listener(broker, "elm", ())
        for message in played():
            if message.numbered:
                event = topics.Event("elm", -(10**15) * (message.number % 2), message.raw)
                elm.connection.publish("polarity/elm/event", topics.encoded(event))
        wait_for(lambda: hub.numbers("elm") == all_of(played()))


def test_a_database_that_is_none_ends_in_one_clear_line(tmp_path):
    with pytest.raises(HostError) as failure:
        Record("mysql://x")
    assert failure.value.exit_code == BAD_INPUT
    with pytest.raises(HostError) as failure:
        Record("postgresql://nobody:secret@127.0.0.1:1/x")
    assert failure.value.exit_code == FAILED and "secret" not in failure.value.message
    (tmp_path / "text").write_text("no database" * 1000)
    with pytest.raises(HostError):
        Record(str(tmp_path / "text"))
