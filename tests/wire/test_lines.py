import json

from hypothesis import given
from hypothesis import strategies as st

from polarity.wire.framing import MAX_LINE_BYTES, frame
from polarity.wire.messages import encode
from polarity_host.wire.lines import Damaged, LineSplitter, Message, decode


def line(number, text="x"):
    return frame(encode("log", 1, number, number, ("info", text)))


def numbers(chunks):
    splitter = LineSplitter()
    items = [decode(found) for chunk in chunks for found in splitter.feed(chunk)]
    return [item.number for item in items if isinstance(item, Message)]


def cut(data, places):
    edges = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    return [data[a:b] for a, b in zip(edges, edges[1:])]


@given(st.lists(st.binary(max_size=300)))
def test_bytes_of_any_kind_never_raise_and_never_pile_up(chunks):
    splitter = LineSplitter()
    for chunk in chunks:
        for found in splitter.feed(chunk):
            assert isinstance(decode(found), (Message, Damaged))
        assert len(splitter._line) <= MAX_LINE_BYTES


@given(st.lists(st.integers(0, 10**6), max_size=12))
def test_any_cutting_gives_the_same_messages(places):
    data = b"".join(line(number) for number in range(1, 9))
    assert numbers(cut(data, places)) == list(range(1, 9))


@given(st.binary(max_size=200), st.lists(st.integers(0, 10**6), max_size=5))
def test_noise_between_two_messages_costs_neither(noise, places):
    data = line(1) + noise + line(2)
    found = numbers(cut(data, places))
    assert found[0] == 1 and found[-1] == 2


@given(st.integers(0, 70), st.integers(0, 255))
def test_a_damaged_byte_costs_its_line_only(at, new):
    whole = bytearray(line(2))
    at %= len(whole)
    whole[at] = new
    found = numbers([line(1) + bytes(whole) + line(3)])
    assert found[0] == 1 and found[-1] == 3 and set(found) <= {1, 2, 3}


@given(st.integers(0, 200))
def test_a_line_broken_off_is_lost_and_the_next_is_not(keep):
    assert numbers([line(1) + line(2, "y" * 100)[: keep % 100] + line(3)]) == [1, 3]


def test_an_endless_line_is_let_go():
    splitter = LineSplitter()
    for _ in range(1000):
        assert splitter.feed(b"x" * 4096) == []
    (found,) = splitter.feed(b"\n")
    assert isinstance(decode(found), Damaged)
    assert splitter.feed(line(1)) == [line(1)[:-1]]


def test_carriage_returns_of_a_terminal_do_no_harm():
    assert numbers([line(1).replace(b"\n", b"\r\n"), line(2)]) == [1, 2]


def test_what_is_wrong_is_said_in_printable_text():
    bad = decode(b"\x1b[2J Traceback")
    assert bad.why == "not a line of a mat" and "\x1b" not in bad.text
    assert decode(frame('{"v":1')[:-1]).why == "no JSON inside"
    assert decode(frame("[" * 3000)[:-1]).why == "no JSON inside"
    assert decode(frame('{"v":2,"b":1,"n":1,"t":1,"k":"log"}')).why.startswith("wire version 2")
    huge = json.dumps({"v": 1, "b": 10**30, "n": 1, "t": 1, "k": "log", "level": "", "text": ""})
    assert decode(frame(huge)).why == "a number too large"
