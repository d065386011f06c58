"""Faults of a hall, each on a real broker: whatever happens, every number is stored once."""

import json
import random
import signal
import subprocess
import sys
import time
from contextlib import closing

from sqlalchemy import event

from polarity_host.hub.record import Record
from tests.hall import needs_broker
from tests.hub.test_intake import Hub, all_of
from tests.mqtt.test_publisher import Mat, played, wanted
from tests.waiting import wait_for

pytestmark = needs_broker


def test_a_hub_that_is_killed_at_random_points_loses_and_doubles_nothing(broker, tmp_path):
    chance = random.Random(28)
    where, total = str(tmp_path / "hub.db"), 12
    command = [sys.executable, "-m", "polarity_host.cli", "hub", "--mqtt", broker.url(), "--db",
               where, "--http", "0", "--json"]  # fmt: skip
    mat = Mat(broker, tmp_path / "oak.db")
    for boot in range(1, total + 1):
        if boot % 4 == 1:
            hub = subprocess.Popen(command, stdout=subprocess.PIPE)
            assert json.loads(hub.stdout.readline())["arbiter"]
        mat.play(played(boot=boot, events=60))
        if boot % 4 == 0:
            time.sleep(chance.uniform(0.0, 0.4))
            hub.send_signal(signal.SIGKILL)
            hub.communicate()
    with closing(Hub(broker, where)) as last:
        for boot in range(1, total + 1):
            own = all_of(played(boot=boot, events=60))
            wait_for(lambda boot=boot, own=own: last.numbers("oak", boot) == own)
    mat.publisher.stop()


def test_a_mat_that_is_swapped_in_mid_game_mixes_nothing(broker, tmp_path):
    first, second = played(boot=1), played(boot=2)
    with closing(Hub(broker, str(tmp_path / "hub.db"))) as hub:
        mat = Mat(broker, tmp_path / "oak.db")
        mat.play(first[:9])
        mat.play(second[:9])  # another mat at the same port
        mat.play(first[9:])  # and the first again
        mat.play(second[9:])
        wait_for(lambda: hub.numbers("oak", 1) == all_of(first))
        wait_for(lambda: hub.numbers("oak", 2) == all_of(second))
        mat.publisher.stop()


def test_a_full_database_is_waited_for(broker, tmp_path):
    with closing(Hub(broker, str(tmp_path / "hub.db"))) as hub:
        mat = Mat(broker, tmp_path / "oak.db")
        mat.play(played(boot=1))
        wait_for(lambda: hub.numbers("oak") == all_of(played()))
        pages = [1]  # no more than it has: SQLite says that it is full

        def limit(connection, _record):
            connection.execute(f"PRAGMA max_page_count = {pages[0]}")

        event.listen(hub.record._engine, "connect", limit)
        hub.record._engine.dispose()
        many = played(boot=2, events=400)
        mat.play(many)
        wait_for(lambda: "full" in hub.hall.whole()["problem"])
        pages[0] = 10**6
        hub.record._engine.dispose()
        wait_for(lambda: hub.numbers("oak", 2) == all_of(many))
        wait_for(lambda: hub.hall.whole()["problem"] == "")
        mat.publisher.stop()


def test_a_mats_computer_that_is_killed_and_back_sends_the_rest(broker, tmp_path):
    messages = played(events=300)
    with closing(Hub(broker, str(tmp_path / "hub.db"))) as hub:
        mat = Mat(broker, tmp_path / "oak.db")
        mat.play(messages)
        mat.publisher._stopped.set()  # at once, wherever it is: nothing more is sent
        mat.publisher._until_s = 0.0
        mat.publisher._thread.join()
        again = Mat(broker, tmp_path / "oak.db")
        wait_for(lambda: hub.numbers("oak") == [number for _, number in wanted(messages)])
        again.publisher.stop()


def test_a_broker_that_hangs_is_left_and_found_again(broker, tmp_path):
    with closing(Hub(broker, str(tmp_path / "hub.db"))) as hub:
        mat = Mat(broker, tmp_path / "oak.db")
        mat.play(played(boot=1))
        wait_for(lambda: hub.numbers("oak"))
        broker._process.send_signal(signal.SIGSTOP)  # no byte moves, no connection ends
        mat.play(played(boot=2))
        time.sleep(3)
        broker._process.send_signal(signal.SIGCONT)
        wait_for(lambda: hub.numbers("oak", 2) == all_of(played()))
        mat.publisher.stop()
    with closing(Record(str(tmp_path / "hub.db"))) as record:
        assert record.numbers("oak", 1) == all_of(played())
