"""What a mat's computer publishes, as others receive it from a real broker."""

import json
import signal
import sqlite3

import msgspec
import pytest
from jinja2 import Template

from polarity_host.device.link import PortState
from polarity_host.errors import FAILED, HostError
from polarity_host.games.housekeeping import delete
from polarity_host.games.outbox import Outbox
from polarity_host.games.store import Store
from polarity_host.live.live_state import LiveState
from polarity_host.mqtt import publisher, topics
from polarity_host.mqtt.broker import Broker
from polarity_host.mqtt.discovery import announcement
from polarity_host.mqtt.publisher import Publisher, state_of
from polarity_host.words import Words
from tests.fake_engine import FakeEngine, messages_of
from tests.hall import Listener, needs_broker
from tests.waiting import wait_for

pytestmark = needs_broker


def played(boot=1, events=20):
    engine = FakeEngine(boot_id=boot, end_at=events)
    for index in range(events):
        engine.frame(index * 10, None)
    return messages_of(engine)


class Mat:
    """A mat's computer: stores and publishes what a test says the mat sent."""

    def __init__(self, broker, games, name="oak", **options):
        self.state, self.games = LiveState(), games
        self.publisher = Publisher(broker.broker(name), name, games, self.state, **options)
        self.publisher.start()
        self.say(PortState("open"))

    def play(self, messages):
        with Store(self.games) as store:
            store.add(messages)
        for message in messages:
            self.say(message)

    def say(self, event):
        self.state.handle(event)
        self.publisher.note(event)


def numbers(listener, mat="oak"):
    events = [topics.decoded(data, "event", mat, topics.Event) for data in listener.under("event")]
    return [(event.message().boot, event.message().number) for event in events]


def wanted(messages):
    return [(message.boot, message.number) for message in messages if message.numbered]


def test_every_numbered_message_is_published_as_it_came(broker, tmp_path):
    listener, messages = Listener(broker), played()
    mat = Mat(broker, tmp_path / "games.db")
    mat.play(messages)
    wait_for(lambda: len(numbers(listener)) == len(wanted(messages)))
    mat.publisher.stop()
    events = [json.loads(data) for data in listener.under("event")]
    assert [event["line"] for event in events] == [m.raw for m in messages if m.numbered]
    assert numbers(listener) == wanted(messages)


def test_who_comes_later_gets_the_state_and_the_last_will(broker, tmp_path):
    mat = Mat(broker, tmp_path / "games.db")
    mat.play(played())
    wait_for(lambda: mat.publisher.problem == "" and mat.state.result)
    listener = Listener(broker)
    wait_for(lambda: any(json.loads(data)["game"]["outcome"] for data in listener.under("state")))
    state = msgspec.json.decode(listener.under("state")[-1], type=topics.State)
    assert (state.mat, state.mat_kind, state.port["state"]) == ("oak", "standard", "open")
    assert state.game["outcome"] == ["touched_red", "b"] and state.ruling["code"] == "end"
    assert listener.under("status") == [b"online"]
    later = Listener(broker)
    last = [[1, wanted(played())[-1][1]]]
    wait_for(lambda: [1 for data in later.under("record") if json.loads(data)["boots"] == last])
    mat.publisher.stop()
    wait_for(lambda: listener.under("status")[-1] == b"offline")


def test_what_the_broker_missed_is_sent_from_the_store_in_order_once(broker, tmp_path):
    first, second = played(boot=1), played(boot=2)
    mat = Mat(broker, tmp_path / "games.db")
    listener = Listener(broker)
    mat.play(first)
    wait_for(lambda: numbers(listener) == wanted(first))
    listener.close()
    broker.kill(signal.SIGKILL)
    mat.play(second)  # stored, though nobody takes it
    wait_for(lambda: mat.publisher.problem)
    broker.start()
    listener = Listener(broker)
    wait_for(lambda: set(numbers(listener)) >= set(wanted(second)))
    mat.publisher.stop()
    assert [one for one in numbers(listener) if one[0] == 2] == wanted(second)


def test_two_computers_of_one_name_notice_each_other_and_lose_nothing(
    broker, tmp_path, monkeypatch
):
    """The broker ends a connection when another one has its client id (MQTT 5, 3.1.4)."""
    monkeypatch.setattr(publisher, "RETRY_S", (0.05, 0.4))
    monkeypatch.setattr(publisher, "RIVAL_S", 1.5)
    listener, told = Listener(broker), {"here": [], "there": []}
    played_by = {"here": played(boot=1), "there": played(boot=2)}
    mats = {
        where: Mat(broker, tmp_path / f"{where}.db", on_problem=complaints.append)
        for where, complaints in told.items()
    }
    for where, mat in mats.items():
        mat.play(played_by[where])
    wait_for(lambda: all(mat.publisher.problem for mat in mats.values()))
    for complaints in told.values():
        assert "another computer publishes as oak" in str(complaints[-1])
        assert "anderer Computer sendet auch als oak" in Words("de").said(complaints[-1])
    wait_for(lambda: {*numbers(listener)} >= {*sum(map(wanted, played_by.values()), [])})
    mats["there"].publisher.stop()
    wait_for(lambda: told["here"][-1] == "")  # alone again
    mats["here"].publisher.stop()
    assert len(told["here"]) < 10  # it is not said at each turn


def test_who_lost_the_broker_or_came_after_another_is_not_told_of_a_rival(
    broker, tmp_path, monkeypatch
):
    monkeypatch.setattr(publisher, "RETRY_S", (0.05, 0.4))
    listener, before = Listener(broker), Mat(broker, tmp_path / "before.db")
    wait_for(lambda: listener.under("owner"))  # of a computer that is off now
    before.publisher.stop()
    told = []
    mat = Mat(broker, tmp_path / "games.db", on_problem=told.append)
    mat.play(played())
    for how in (signal.SIGKILL, signal.SIGTERM):
        broker.kill(how)
        wait_for(lambda: mat.publisher.problem)
        broker.start()
        wait_for(lambda: mat.publisher.problem == "")
    mat.publisher.stop()
    assert told[-1] == "" and not [why for why in told if "another" in str(why)]


def test_a_computer_that_was_off_goes_on_where_the_broker_is(broker, tmp_path):
    messages = played()
    mat = Mat(broker, tmp_path / "games.db")
    mat.play(messages[:8])
    mat.publisher.stop()
    with Store(tmp_path / "games.db") as store:
        assert Outbox(store, "oak").after(Outbox(store, "oak").position, 9) == []
        store.add(messages[8:])  # logged, and not published
    listener = Listener(broker)
    mat = Mat(broker, tmp_path / "games.db")
    wait_for(lambda: numbers(listener) == wanted(messages)[len(wanted(messages[:8])) :])
    mat.publisher.stop()


def test_the_hall_gets_again_what_it_asks_for_and_learns_what_is_lost(broker, tmp_path):
    messages = played()
    listener, mat = Listener(broker), Mat(broker, tmp_path / "games.db")
    mat.play([message for message in messages if message.number not in (4, 5)])
    wait_for(lambda: numbers(listener))
    wait_for(lambda: len(numbers(listener)) == len(wanted(messages)) - 2)
    listener.got.clear()
    ask = topics.Ask("a1", boot=1, first=3, last=7)
    for _ in range(2):  # QoS 1 may bring it twice
        listener.connection.publish("polarity/oak/ask", topics.encoded(ask))
    wait_for(lambda: listener.under("lost") and len(numbers(listener)) == 3)
    assert numbers(listener) == [(1, 3), (1, 6), (1, 7)]
    lost = json.loads(listener.under("lost")[0])
    assert (lost["boot"], lost["first"], lost["last"]) == (1, 4, 5)
    mat.publisher.stop()
    assert len(listener.under("lost")) == 1


def test_commands_of_the_hall_reach_the_mat_only_where_it_takes_them(broker, tmp_path):
    listener, said = Listener(broker), []
    mat = Mat(broker, tmp_path / "games.db", send=said.append)
    deaf = Mat(broker, tmp_path / "elm.db", name="elm")
    wait_for(lambda: len(listener.under("status")) == 2)
    for number, command in enumerate(("undo 0", "set mat small", "undo 0\nnew")):
        ask = topics.encoded(topics.Ask(f"c{number}", say=command))
        listener.connection.publish("polarity/oak/ask", ask)
        listener.connection.publish("polarity/elm/ask", ask)
    for name in ("oak", "elm"):  # what is answered shows that the commands before it have come
        asked = topics.encoded(topics.Ask("d", boot=1, first=1, last=1))
        listener.connection.publish(f"polarity/{name}/ask", asked)
    wait_for(lambda: len(listener.under("lost")) == 2)
    assert said == ["undo 0"]
    mat.publisher.stop()
    deaf.publisher.stop()


def test_a_mat_cannot_speak_for_another(broker, tmp_path):
    listener, intruder = Listener(broker), Listener(broker, "elm", ())
    intruder.connection.publish("polarity/oak/status", b"offline")
    intruder.connection.publish("polarity/oak/ask", b"{}")
    intruder.connection.publish("polarity/elm/status", b"online")
    wait_for(lambda: listener.got)
    assert {topic for topic, _ in listener.got} == {"polarity/elm/status"}


def test_positions_survive_the_deletion_of_the_newest_game(tmp_path):
    with Store(tmp_path / "games.db") as store:
        store.add(played(boot=1))
        outbox = Outbox(store, "oak")
        outbox.claim(1)
        outbox.move_to(outbox.after(0, 1000)[-1].position)
        delete(store, store.games(), now_ms=2**60)
        store.add(played(boot=2))  # SQLite gives the same ids again
        outbox.claim(2)
        sent = outbox.after(outbox.position, 1000)
        assert len(sent) == len(wanted(played(boot=2)))


def test_a_wrong_broker_ends_in_one_clear_line(tmp_path):
    nobody = Publisher(Broker("127.0.0.1", 1), "oak", tmp_path / "games.db", LiveState())
    with pytest.raises(HostError) as failure:
        nobody.start()
    assert failure.value.exit_code == FAILED and "is it running?" in failure.value.message


def test_a_wrong_password_ends_in_one_clear_line(broker, tmp_path):
    wrong = Broker("127.0.0.1", broker.port, user="oak", password="guessed")
    with pytest.raises(HostError) as failure:
        Publisher(wrong, "oak", tmp_path / "games.db", LiveState()).start()
    assert "Not authorized" in failure.value.message


def test_a_database_of_before_gets_its_outbox(tmp_path):
    with Store(tmp_path / "games.db") as store:
        store.add(played())
    with sqlite3.connect(tmp_path / "games.db") as old:
        old.executescript(
            "DROP TRIGGER outbox_after_deletion; DROP TABLE outbox; DROP TABLE outbox_boots;"
            "PRAGMA user_version = 7"
        )
    with Store(tmp_path / "games.db") as store:
        outbox = Outbox(store, "oak")
        outbox.claim(1)
        assert len(outbox.after(outbox.position, 1000)) == len(wanted(played()))


def test_home_assistant_reads_the_state_by_what_is_announced(broker, tmp_path):
    announced = announcement("oak", "en")
    mat = Mat(broker, tmp_path / "games.db", discovery=announced)
    mat.play(played())
    mat.publisher.stop()
    state = json.loads(topics.encoded(state_of("oak", mat.state, {})))
    shown = {}
    for payload in announced.values():
        config = json.loads(payload)
        assert config["state_topic"] == "polarity/oak/state"
        template = Template(config["value_template"])  # Home Assistant's templates are Jinja's
        shown[config["name"]] = template.render(value_json=state)
    assert (shown["Score of white"], shown["Score of black"]) == ("4", "7")
    assert shown["Fault"] == "OFF" and shown["Health"] == "OFF" and shown["Ruling"]
