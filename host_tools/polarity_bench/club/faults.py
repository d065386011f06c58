"""What a hall has to get over, one fault after the other, while its mats play on."""

import random
import signal
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from polarity_bench.club.cable import Cable
from polarity_host.mqtt import topics
from polarity_host.mqtt.broker import Connection
from polarity_host.mqtt.topics import topic

if TYPE_CHECKING:
    from polarity_bench.club.bench import Hall

FAULT_S = 3.0  # how long a fault lasts that is no cut
SLOW_S = 0.25  # by which each packet of a slow database is late
KILLS = 4
#: What a hostile mat sends: no JSON, half of it, too much, and what is another's.
GARBAGE = (
    b"",
    b"[",
    b"\xff" * 999,
    b"[" * 9000,
    b"x" * 450_000,
    b'{"mat":"mat1","at_ms":1,"line":"~"}',
)

Fault = Callable[["Hall", float], None]


def broker_killed(hall: "Hall", cut_s: float) -> None:
    """It is back with what it had on its disk."""
    hall.broker.kill()
    time.sleep(FAULT_S)
    hall.broker.start()


def broker_forgets(hall: "Hall", cut_s: float) -> None:
    """It is back without anything."""
    hall.broker.kill()
    hall.broker.forget()
    time.sleep(FAULT_S)
    hall.broker.start()


def database_killed(hall: "Hall", cut_s: float) -> None:
    """Its processes are killed."""
    hall.database.kill()
    time.sleep(FAULT_S)
    hall.database.start()


def database_hangs(hall: "Hall", cut_s: float) -> None:
    """Its processes stand still."""
    hall.database.stop_answering()
    time.sleep(FAULT_S)
    hall.database.stop_answering(False)


def database_full(hall: "Hall", cut_s: float) -> None:
    """Its files cannot grow."""
    hall.database.kill(signal.SIGINT)
    hall.database.start(full=True)
    time.sleep(FAULT_S)
    hall.database.kill(signal.SIGINT)
    hall.database.start()


def database_slow(hall: "Hall", cut_s: float) -> None:
    """Each packet to and from it is late."""
    hall.of_database.slow(SLOW_S)
    time.sleep(3 * FAULT_S)
    hall.of_database.slow(0.0)


def hub_killed(hall: "Hall", cut_s: float) -> None:
    """At random points, some of them while it starts."""
    chance = random.Random(28)
    for _ in range(KILLS):
        hall.hub.send_signal(signal.SIGKILL)
        hall.hub.wait()
        time.sleep(chance.uniform(0.0, FAULT_S / 2))
        hall.start_hub()
        time.sleep(chance.uniform(0.0, FAULT_S / 2))


def hub_and_broker_killed(hall: "Hall", cut_s: float) -> None:
    """What the broker had receipted and the hub had not stored is gone."""
    hall.hub.send_signal(signal.SIGKILL)
    hall.hub.wait()
    broker_forgets(hall, cut_s)
    hall.start_hub()


def computer_of_a_mat_killed(hall: "Hall", cut_s: float) -> None:
    """The process that stores and publishes a mat; begun again it sends what is missing."""
    hall.apart.kill()
    time.sleep(FAULT_S)
    hall.apart.start()


def cut_from_a_mat(hall: "Hall", cut_s: float) -> None:
    """The cable between a mat's computer and the broker."""
    _cut(hall.of_mat, cut_s)


def cut_from_the_broker(hall: "Hall", cut_s: float) -> None:
    """The cable between broker and hub."""
    _cut(hall.of_hub, cut_s)


def cut_from_the_database(hall: "Hall", cut_s: float) -> None:
    """The cable between hub and database."""
    _cut(hall.of_database, cut_s)


def twice_and_out_of_order(hall: "Hall", cut_s: float) -> None:
    """What a mat has sent comes three times more, shuffled."""
    mat = hall.mats[-1]
    mat.pause()  # its login has one connection
    events = mat.events(500) * 3
    random.Random(28).shuffle(events)
    connection = Connection(hall.broker.broker(mat.name), mat.name, lambda *_: None)
    for event in events:
        connection.publish(topic(mat.name, topics.EVENT), topics.encoded(event))
    time.sleep(FAULT_S)
    connection.close()
    mat.go_on()


def clocks_jump(hall: "Hall", cut_s: float) -> None:
    """Of the mats' computers: an hour back, a day ahead, and so on."""
    for number, mat in enumerate(hall.mats):
        mat.set_clock((-3_600_000, 86_400_000, -(10**12), 0)[number % 4])
    time.sleep(FAULT_S)


def mat_swapped(hall: "Hall", cut_s: float) -> None:
    """Another mat is plugged in, in mid-game, under the same name."""
    for mat in hall.mats[::3]:
        mat.swap()
    time.sleep(FAULT_S)


def hostile_mat(hall: "Hall", cut_s: float) -> None:
    """One that may log in sends garbage, under its own name, another's and the hub's."""
    connection = Connection(hall.broker.broker(hall.intruder), "polarity-hub", lambda *_: None)
    connection.subscribe(["#"])
    mat = hall.mats[0]
    stolen = [topics.encoded(event) for event in mat.events(20)]
    for name in (hall.intruder, mat.name, "hub"):
        for leaf in (*topics.PUBLISHED, topics.ASK):
            for payload in (*GARBAGE, *stolen):
                connection.publish(topic(name, leaf), payload)
    time.sleep(FAULT_S)
    connection.close()


def _cut(cable: Cable, seconds: float) -> None:
    cable.cut()
    time.sleep(seconds)
    cable.join()


FAULTS: tuple[Fault, ...] = (
    broker_killed,
    broker_forgets,
    database_killed,
    database_hangs,
    database_full,
    database_slow,
    hub_killed,
    hub_and_broker_killed,
    computer_of_a_mat_killed,
    cut_from_a_mat,
    cut_from_the_broker,
    cut_from_the_database,
    twice_and_out_of_order,
    clocks_jump,
    mat_swapped,
    hostile_mat,
)
