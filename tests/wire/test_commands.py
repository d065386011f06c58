import pytest
from hypothesis import given
from hypothesis import strategies as st

from polarity.wire.commands import MAX_COMMAND_BYTES, MAX_COMMANDS, CommandReader


@pytest.mark.parametrize(
    "line, name, argument",
    [
        ("hello", "hello", None),
        ("resume 17", "resume", 17),
        ("  resume   17 ", "resume", 17),
        ("snap", "snap", None),
        ("frames on", "frames", "on"),
        ("new scaled", "new", "scaled"),
        ("settings", "settings", None),
        ("set port_ma 1500", "set", ["port_ma", "1500"]),
        ("settings port_ma", "", "argument"),
        ("resume", "", "argument"),
        ("resume -1", "", "argument"),
        ("resume 99999999999999", "", "argument"),
        ("resume 1 2", "", "argument"),
        ("frames maybe", "", "argument"),
        ("new ../etc", "", "argument"),
        ("hello there", "", "argument"),
        ("Hello", "", "unknown"),
        ("import os", "", "unknown"),
        ("h\x00llo", "", "not text"),
        ("h\xe9llo", "", "not text"),
        ("x" * 81, "", "too long"),
    ],
)
def test_command_lines(line, name, argument):
    ((got_name, got_argument, echo),) = CommandReader().feed(line.encode("latin-1") + b"\n")
    assert (got_name, got_argument) == (name, argument)
    assert len(echo) <= MAX_COMMAND_BYTES and echo.isprintable()


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n", b"\n\n"])
def test_every_line_end_of_every_terminal(end):
    assert [name for name, _, _ in CommandReader().feed(b"hello" + end + b"snap" + end)] == [
        "hello",
        "snap",
    ]


@given(st.lists(st.binary(max_size=200)))
def test_garbage_never_raises_and_never_grows(chunks):
    reader = CommandReader()
    for chunk in chunks:
        assert len(reader.feed(chunk)) <= MAX_COMMANDS + 1
        assert len(reader._line) <= MAX_COMMAND_BYTES
    reader.feed(b"\n")
    assert reader.feed(b"snap\n") == [("snap", None, "snap")]


def test_a_flood_is_refused_once():
    found = CommandReader().feed(b"snap\n" * 100)
    assert len(found) == MAX_COMMANDS + 1 and found[-1][1] == "too many"
