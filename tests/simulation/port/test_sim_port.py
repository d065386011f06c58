import socket
import threading
import time

import pytest
import serial
from hypothesis import given
from hypothesis import strategies as st

from polarity_host.device import ports
from polarity_host.device.link import Link, PortState
from polarity_host.errors import BAD_INPUT, FAILED, HostError
from polarity_host.simulation.port import power
from polarity_host.simulation.port.address import SimGame
from polarity_host.simulation.port.serve import MatServer
from polarity_host.simulation.port.sim_mat import CABLE_BYTES, SimMat
from polarity_host.wire.lines import Message
from tests.fake_engine import FakeEngine, frames

URL = "sim://demo?seed=9999"


@pytest.fixture
def plug_in():
    """Puts a virtual mat with a FakeEngine behind URL."""

    def plug(count=50, speed=0.0, stays=False, hz=100, **options):
        engine = FakeEngine(end_at=count, **options)
        mat = SimMat(engine, frames(count, hz), speed=speed, stays=stays)
        power.put_at(URL, mat)
        return mat

    yield plug
    power.remove(URL)


def opened(**options):
    return serial.serial_for_url(URL, **{"timeout": 5, **options})


def numbered(events):
    return [event.number for event in events if isinstance(event, Message) and event.numbered]


def everything(link):
    return [event for batch in link.batches() for event in batch]


def test_a_virtual_game_is_followed_to_its_end_without_loss(plug_in):
    plug_in(count=400)
    events = everything(Link(URL))
    assert numbered(events) == list(range(1, 400 + 80 + 2))
    assert [e.state for e in events if isinstance(e, PortState)] == ["open", "over"]


def test_the_cable_holds_only_so_much_and_unlimited_speed_waits_for_the_reader(plug_in):
    mat = plug_in(count=1000)
    port = opened()
    until = time.monotonic() + 10
    while port.in_waiting < CABLE_BYTES - 300 and time.monotonic() < until:
        time.sleep(0.01)
    assert port.in_waiting <= CABLE_BYTES
    assert mat.engine.frames < 100
    port.close()


def test_at_a_given_speed_time_does_not_wait_for_the_reader(plug_in):
    mat = plug_in(count=300, speed=100.0, stays=True)
    with opened():
        until = time.monotonic() + 20
        while mat.engine.frames < 300 and time.monotonic() < until:
            time.sleep(0.01)
        assert mat.engine.frames == 300
    events = []
    for batch in Link(URL).batches():
        events += batch
        if numbered(events)[-1:] == [361]:
            break
    assert "Gap" in {type(event).__name__ for event in events}


def test_reads_end_at_their_time_out(plug_in):
    plug_in(count=0, stays=True)
    with opened() as port:
        assert port.read_until(b"\n")  # all that this mat sends
        port.timeout = 0.05
        assert port.read(1) == b""
        port.timeout = 0
        assert port.read(1) == b""


def test_a_waiting_read_can_be_cancelled(plug_in):
    plug_in(count=0, stays=True)
    with opened() as port:
        port.read_until(b"\n")
        port.timeout = None
        timer = threading.Timer(0.1, port.cancel_read)
        timer.start()
        assert port.read(1) == b""
        timer.join()


def test_a_read_waits_for_as_much_as_was_asked(plug_in):
    plug_in(count=5)
    with opened() as port:
        assert len(port.read(333)) == 333


def test_a_last_byte_that_comes_alone_is_not_lost(plug_in):
    mat = plug_in(count=5)
    port = ports.Port(URL)
    mat._thread.join(timeout=10)  # the game is over, and all of it is in the cable
    del mat._to_host[:-1]
    assert port.read() == b"\n"
    with pytest.raises(ports.PortOver):
        port.read()


def test_a_closed_port_refuses(plug_in):
    plug_in(count=5)
    port = opened()
    port.close()
    with pytest.raises(serial.PortNotOpenError):
        port.read(1)
    with pytest.raises(serial.PortNotOpenError):
        port.write(b"hello\n")


def test_commands_reach_the_mat_and_are_answered(plug_in):
    plug_in(count=0, stays=True)
    with opened(timeout=30) as port:
        port.write(b"hello\n")
        answer = b'"cmd":"hello","ok":true'
        assert answer in port.read_until(answer)


def test_closing_and_opening_again_finds_the_same_game(plug_in):
    plug_in(count=100)
    first = []
    for batch in Link(URL).batches():
        first += batch
        if len(numbered(first)) >= 10:
            break
    got = numbered(first)
    rest = everything(Link(URL, known=lambda boot: got[-1]))
    assert got + numbered(rest) == list(range(1, 122))


def test_a_port_that_is_unplugged_ends_in_one_line(plug_in):
    mat = plug_in(count=20, stays=True)
    events = []
    with pytest.raises(HostError) as failure:
        for batch in Link(URL, wait_s=0).batches():
            events += batch
            if len(numbered(events)) >= 20:
                mat.unplug()
    assert failure.value.exit_code == FAILED
    assert "disappeared" in failure.value.message
    assert len(numbered(events)) >= 20


def test_a_virtual_mat_that_breaks_down_says_so_at_once(plug_in):
    mat = plug_in(count=20)
    mat.engine.frame = lambda *_: 1 // 0
    with pytest.raises(HostError, match="broke down") as failure:
        everything(Link(URL))
    assert failure.value.exit_code == FAILED


@pytest.mark.parametrize(
    "url, words",
    [
        ("sim://nothing", "write sim://demo"),
        ("sim://demo?sed=1", "no option 'sed'"),
        ("sim://demo?seed=x", "seed must be a number"),
        ("sim://demo?seed=-1", "seed from 0"),
        ("sim://demo?speed=-1", "speed 0"),
        ("sim://demo?speed=nan", "speed 0"),
        ("sim://game?turns=0", "turns 1"),
        ("sim://game?nuisances=cat", "no nuisances 'cat'; there are usual"),
        ("simm://demo", "cannot open simm://demo"),
        ("/dev/no-such-port", "there is no port /dev/no-such-port"),
        ("socket://127.0.0.1:1", "nothing answers at socket://127.0.0.1:1"),
        ("socket://127.0.0.1:99999", "names no port"),
        ("/dev/null", "cannot open /dev/null"),
    ],
)
def test_ports_that_do_not_exist(url, words):
    with pytest.raises(HostError) as failure:
        ports.Port(url)
    assert failure.value.exit_code == BAD_INPUT
    assert words in failure.value.message and "\n" not in failure.value.message


@given(st.text(max_size=30))
def test_any_sim_url_is_understood_or_refused(rest):
    try:
        SimGame.from_url("sim://" + rest)
    except HostError as error:
        assert error.exit_code == BAD_INPUT


def test_a_served_mat_outlives_its_hosts():
    mat = SimMat(FakeEngine(end_at=60), frames(60), speed=0.0, stays=True)
    server = MatServer(mat, "127.0.0.1:0")
    thread = threading.Thread(target=server.serve, daemon=True)
    thread.start()
    seen = []

    def known(boot):
        return seen[-1] if seen else 0

    for enough in (20, 40, 73):
        for batch in Link(server.url, known=known).batches():
            seen += numbered(batch)
            if len(seen) >= enough:
                break
    server.close()
    mat.unplug()
    thread.join(timeout=10)
    assert not thread.is_alive()
    assert seen == list(range(1, 74))


def test_an_address_in_use_is_one_clear_line():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        mat = SimMat(FakeEngine(), frames(1))
        with pytest.raises(HostError, match="cannot listen") as failure:
            MatServer(mat, address)
        assert failure.value.exit_code == FAILED
    for wrong in ("7007", "localhost:x", "localhost:70000", ""):
        with pytest.raises(HostError, match="write HOST:PORT"):
            MatServer(mat, wrong)
