import json

from hypothesis import given
from hypothesis import strategies as st

from polarity.wire.framing import MAX_LINE_BYTES
from polarity.wire.outbox import Outbox, Ring
from polarity.wire.reading import unframe


def messages(data):
    return [json.loads(unframe(line)) for line in data.splitlines()]


def log(outbox, text):
    return outbox.send("log", 10, ("info", text))


def numbers(data):
    return [(m["k"], m["n"]) for m in messages(data)]


@given(st.lists(st.binary(max_size=90), max_size=60), st.integers(100, 400))
def test_ring_keeps_the_newest_lines_that_fit(lines, capacity):
    ring = Ring(capacity)
    for line in lines:
        ring.append(line)
    kept = []
    for line in reversed(lines):
        if sum(len(other) + 2 for other in kept) + len(line) + 2 > capacity:
            break
        kept.insert(0, line)
    assert ring.last == len(lines)
    assert [ring.line(n) for n in range(ring.first, ring.last + 1)] == kept
    assert ring.line(ring.first - 1) is None and ring.line(ring.last + 1) is None


@given(st.lists(st.tuples(st.binary(max_size=90), st.integers(0, 3)), max_size=60))
def test_ring_is_read_on_while_lines_come(steps):
    ring, number = Ring(200), 1
    for count, (line, reads) in enumerate(steps, 1):
        ring.append(line)
        for _ in range(reads):
            number = max(number, ring.first)
            assert ring.line(number) == (steps[number - 1][0] if number <= count else None)
            number = min(number, count) + 1


def test_events_take_numbers_and_passing_messages_do_not():
    outbox = Outbox(7)
    assert log(outbox, "a") == 1
    assert outbox.send("ack", 11, ("snap", True, "")) == 1
    assert log(outbox, "b") == 2
    assert numbers(outbox.read(9999)) == [("log", 1), ("ack", 1), ("log", 2)]


@given(st.lists(st.integers(1, 70), min_size=1))
def test_any_cutting_into_reads_gives_the_same_bytes(cuts):
    whole, cut = Outbox(1), Outbox(1)
    for outbox in (whole, cut):
        for text in ("one", "two", "three"):
            log(outbox, text)
            outbox.send("ack", 1, ("hello", True, ""))
    expected = whole.read(99999)
    got = b""
    while len(got) < len(expected):
        for size in cuts:
            part = cut.pending(size)
            assert len(part) <= size
            cut.consumed(len(part))
            got += part
    assert got == expected


def test_resume_sends_again_from_there_and_the_answer_comes_last():
    outbox = Outbox(1)
    for text in "abcd":
        log(outbox, text)
    outbox.read(99999)
    assert outbox.resume(3) == ""
    outbox.send("ack", 12, ("resume 3", True, ""))
    assert numbers(outbox.read(99999)) == [("log", 3), ("log", 4), ("ack", 4)]


def test_resume_in_the_middle_of_a_line_finishes_that_line():
    outbox = Outbox(1)
    log(outbox, "a")
    log(outbox, "b")
    part = outbox.read(20)
    outbox.resume(1)
    assert numbers(part + outbox.read(99999)) == [("log", 1), ("log", 1), ("log", 2)]


def test_resume_beyond_the_ring_names_the_gap_first():
    outbox = Outbox(1, ring_bytes=400)
    for index in range(20):
        log(outbox, str(index))
    outbox.read(99999)
    assert outbox.resume(1) == ""
    got = messages(outbox.read(99999))
    assert (got[0]["k"], got[0]["first"], got[0]["last"]) == ("gap", 1, outbox.first - 1)
    assert [m["n"] for m in got[1:]] == list(range(outbox.first, 21))


def test_a_host_that_did_not_read_is_told_what_it_missed():
    outbox = Outbox(1, ring_bytes=400)
    for index in range(20):
        log(outbox, str(index))
    got = messages(outbox.read(99999))
    assert got[0]["k"] == "gap" and got[0]["first"] == 1
    assert got[0]["last"] + 1 == got[1]["n"]


def test_resume_refuses_numbers_that_do_not_exist():
    outbox = Outbox(1)
    assert outbox.resume(0) == "numbers start at 1"
    assert outbox.resume(1) == ""
    assert "ahead" in outbox.resume(2)


def test_a_host_that_never_reads_costs_bounded_memory():
    outbox = Outbox(1, ring_bytes=1000, passing_bytes=500)
    for index in range(1000):
        outbox.send("ack", index, ("hello", True, ""))
        outbox.send("snap", index, ("temple", [], {"turn": index}))
        outbox.send("frame", index, (index, "AAAA"))
        log(outbox, "x")
    assert outbox.unsent > 900
    assert len(outbox.read(10**6)) < 1000 + 500 + 200


def test_of_waiting_snapshots_only_the_newest_goes_out():
    outbox = Outbox(1)
    for turn in range(3):
        outbox.send("snap", 5, ("temple", [], {"turn": turn}))
    assert [m["state"]["turn"] for m in messages(outbox.read(9999))] == [2]


def test_frames_give_way_to_everything_else():
    outbox = Outbox(1)
    outbox.send("frame", 1, (1000, "AAAA"))
    assert not outbox.frame_room()
    log(outbox, "a")
    assert numbers(outbox.read(9999)) == [("log", 1), ("frame", 0)]
    assert outbox.frame_room()


def test_a_message_too_long_for_a_line_says_so_instead():
    outbox = Outbox(1)
    log(outbox, "x" * MAX_LINE_BYTES)
    (only,) = messages(outbox.read(99999))
    assert only["n"] == 1 and only["level"] == "error" and "kind log" in only["text"]
