import random

import pytest

from polarity.wire.framing import frame
from polarity.wire.messages import encode
from polarity_host.device.link import Gap, Link, PortState
from polarity_host.device.ports import PortGone, PortOver
from polarity_host.errors import BAD_INPUT, FAILED, HostError
from polarity_host.wire.lines import Message
from tests.fake_engine import FakeEngine


class Clock:
    """A clock that only the test moves."""

    def __init__(self):
        self.now_s = 0.0

    def __call__(self):
        return self.now_s

    def sleep(self, seconds):
        self.now_s += seconds


class MatPort:
    """A port to a FakeEngine whose cable damages lines as `damage(line) -> line` says."""

    def __init__(self, engine, clock, damage=lambda line: line, reads=200, end=PortOver):
        self.engine, self.clock, self.damage = engine, clock, damage
        self.reads, self.end = reads, end
        self.rest = b""

    def read(self):
        self.clock.now_s += 0.2
        self.reads -= 1
        if self.reads < 0:
            raise self.end("unplugged")
        lines = (self.rest + self.engine.read(2000)).splitlines(keepends=True)
        self.rest = b"" if not lines or lines[-1].endswith(b"\n") else lines.pop()
        return b"".join(self.damage(line) for line in lines)

    def write_line(self, text):
        self.engine.command(text.encode() + b"\n")

    def close(self):
        pass


def engine_with(events, **options):
    engine = FakeEngine(end_at=10**6, **options)
    for index in range(events):
        engine.frame(index * 10, None)
    return engine


def followed(port, **options):
    clock = port.clock if isinstance(port, MatPort) else port[0].clock
    ports = [port] if isinstance(port, MatPort) else list(port)

    def open_port(url):
        if not ports:
            raise HostError(BAD_INPUT, "no such port")
        found = ports.pop(0)
        if isinstance(found, Exception):
            raise found
        return found

    link = Link("fake", open_port=open_port, clock=clock, sleep=clock.sleep, **options)
    return [event for batch in link.batches() for event in batch]


def numbered(events):
    return [event.number for event in events if isinstance(event, Message) and event.numbered]


def test_a_new_host_gets_everything_in_order():
    engine = engine_with(40)
    events = followed(MatPort(engine, Clock()))
    assert numbered(events) == list(range(1, engine.outbox.last + 1))


def test_a_host_that_knows_some_gets_the_rest_once():
    engine = engine_with(40)
    events = followed(MatPort(engine, Clock()), known=lambda boot: 20)
    assert numbered(events) == list(range(21, engine.outbox.last + 1))


@pytest.mark.parametrize("seed", range(10))
def test_damaged_lines_are_asked_for_again(seed):
    engine, chance = engine_with(60), random.Random(seed)

    def damage(line):
        return b"?" + line[2:] if chance.random() < 0.15 else line

    events = followed(MatPort(engine, Clock(), damage, reads=2000))
    assert numbered(events) == list(range(1, engine.outbox.last + 1))
    assert not any(isinstance(event, Gap) for event in events)


def test_a_damaged_last_line_is_noticed_by_the_next_hello():
    engine, once = engine_with(10), []

    def damage(line):
        if b'"n":12,' in line and b'"fact"' in line and not once:
            once.append(line)
            return line[:-9] + b"\n"
        return line

    events = followed(MatPort(engine, Clock(), damage))
    assert once and numbered(events) == list(range(1, engine.outbox.last + 1))


def test_what_the_mat_no_longer_has_is_reported_as_a_gap():
    engine = engine_with(60, ring_bytes=2000)
    events = followed(MatPort(engine, Clock()))
    first = engine.outbox.first
    assert [event for event in events if isinstance(event, Gap)] == [Gap(1, 1, first - 1)]
    assert numbered(events) == list(range(first, engine.outbox.last + 1))


def test_a_line_that_never_comes_through_is_given_up_alone():
    engine = engine_with(30)

    def damage(line):
        return b"\n" if b'"n":9,' in line and b'"k":"ack"' not in line else line

    events = followed(MatPort(engine, Clock(), damage))
    assert Gap(1, 9, 9) in events
    assert numbered(events) == [n for n in range(1, engine.outbox.last + 1) if n != 9]


def test_a_mat_that_never_answers_still_gets_logged():
    engine = engine_with(300)
    engine.command = lambda data: None

    def damage(line):
        return b"\n" if b'"n":9,' in line else line

    events = followed(MatPort(engine, Clock(), damage, reads=2000))
    assert any(isinstance(event, Gap) for event in events)
    assert numbered(events)[-1] == engine.outbox.last


def test_a_port_that_comes_back_is_taken_up_where_it_was():
    clock, engine = Clock(), engine_with(40)
    first = MatPort(engine, clock, reads=3, end=PortGone)
    second = MatPort(engine, clock)
    gone = HostError(BAD_INPUT, "not there yet")
    events = followed([first, gone, gone, second])
    assert numbered(events) == list(range(1, engine.outbox.last + 1))
    states = [event.state for event in events if isinstance(event, PortState)]
    assert states == ["open", "lost", "open", "over"]


def test_a_port_that_stays_away_ends_in_one_clear_line():
    clock = Clock()
    with pytest.raises(HostError) as failure:
        followed([MatPort(engine_with(5), clock, reads=3, end=PortGone)], wait_s=30)
    assert failure.value.exit_code == FAILED
    assert "did not come back within 30 s" in failure.value.message
    assert 29 < clock.now_s < 40


@pytest.mark.parametrize("at", ["received", "lost"])
def test_a_link_that_is_stopped_ends(at):
    """Also while it waits for a lost port, which then stays as it is."""
    clock, opened = Clock(), []

    def open_port(url):
        opened.append(MatPort(engine_with(3), clock, reads=5, end=PortGone))
        return opened[-1]

    link = Link("fake", open_port=open_port, clock=clock, sleep=clock.sleep)
    batches = link.batches()
    for batch in batches:
        received = any(isinstance(event, Message) for event in batch)
        lost = any(getattr(event, "state", "") == "lost" for event in batch)
        if received if at == "received" else lost:
            break
    link.stop()
    assert list(batches) in ([], [[]]) and len(opened) == 1


def test_a_link_that_is_stopped_while_it_opens_its_port_again_closes_that():
    clock, closed = Clock(), []

    class Closing(MatPort):
        def close(self):
            closed.append(self)

    first, second = (Closing(engine_with(3), clock, reads=5, end=PortGone) for _ in range(2))

    def open_port(url):
        if first in closed:
            link.stop()
        return second if first in closed else first

    link = Link("fake", open_port=open_port, clock=clock, sleep=clock.sleep)
    assert numbered([event for batch in link.batches() for event in batch])
    assert closed == [first, second]


def test_a_restarted_mat_begins_a_new_count():
    clock = Clock()
    before, after = engine_with(10, boot_id=1), engine_with(10, boot_id=2)
    events = followed(
        [MatPort(before, clock, reads=50, end=PortGone), MatPort(after, clock)],
    )
    boots = [(event.boot, event.number) for event in events if isinstance(event, Message)]
    numbers = [(boot, n) for boot, n in boots]
    assert (1, before.outbox.last) in numbers and (2, 1) in numbers


@pytest.mark.parametrize("noise", [b"", b"\x00\xffgarbage\n~~~"])
def test_a_port_without_a_mat_is_told_apart(noise):
    clock = Clock()
    port = MatPort(engine_with(0), clock, reads=1000)
    port.read = lambda: (clock.sleep(0.2), noise)[1]
    with pytest.raises(HostError) as failure:
        followed(port)
    assert failure.value.exit_code == FAILED
    assert "no mat on fake" in failure.value.message


def test_a_newer_wire_asks_for_an_update():
    clock, engine = Clock(), engine_with(0)
    port = MatPort(engine, clock)
    newer = encode("log", 1, 1, 1, ("info", "")).replace('"v":1', '"v":9')
    port.read = lambda: frame(newer)
    with pytest.raises(HostError, match="update this program"):
        followed(port)


def test_two_boots_that_take_turns_within_one_read_are_each_received_once():
    """As a device in a restart loop, or a hostile one, sends them; nothing is stored meanwhile."""

    def line(boot, number):
        return frame(encode("log", boot, number, number, ("info", "x")))

    port = MatPort(engine_with(0), Clock(), reads=3)
    port.rest = b"".join(line(*which) for which in ((5, 1), (6, 1), (5, 1), (5, 2), (6, 1), (6, 2)))
    received = [(m.boot, m.number) for m in followed(port) if getattr(m, "boot", 0) in (5, 6)]
    assert received == [(5, 1), (6, 1), (5, 2), (6, 2)]
