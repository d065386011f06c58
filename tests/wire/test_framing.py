import json
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polarity.wire.framing import MAX_LINE_BYTES, frame, frame_long
from polarity.wire.messages import FIELDS, Text, WireError, encode, encode_long, json_text
from polarity.wire.reading import SCHEMA, TYPES, problem, unframe

values = st.recursive(
    st.integers() | st.booleans() | st.text(max_size=40),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=20,
)


def test_a_line_is_what_the_protocol_page_says():
    assert frame('{"a":1}') == b"~%08x " % zlib.crc32(b'{"a":1}') + b'{"a":1}\n'


@given(values)
def test_encoded_text_reads_back_and_never_holds_a_tilde_or_a_line_feed(value):
    text = json_text(value)
    assert json.loads(text) == value
    assert "~" not in text and "\n" not in text and text.isascii()
    if len(text) < MAX_LINE_BYTES - 20:
        assert unframe(frame(text)) == text


def test_an_objects_keys_come_sorted():
    assert json_text({"b": 1, "a": [True, False, ""]}) == '{"a":[true,false,""],"b":1}'


@given(st.binary(max_size=200))
def test_unframe_never_raises(line):
    assert unframe(line) is None or isinstance(unframe(line), str)


@given(st.data())
def test_one_changed_byte_is_always_noticed(data):
    line = bytearray(frame('{"v":1,"b":7,"n":12,"t":3000,"k":"log","level":"info","text":"x"}'))
    at = data.draw(st.integers(0, len(line) - 2))
    new = data.draw(st.integers(0, 255).filter(lambda code: code != line[at]))
    line[at] = new
    assert unframe(bytes(line)) is None


def test_a_line_over_the_limit_is_no_message():
    assert unframe(frame("x" * MAX_LINE_BYTES)) is None


def test_every_field_has_a_type():
    assert {kind: len(names) for kind, names in FIELDS.items()} == {
        kind: len(types) for kind, types in TYPES.items()
    }


def test_head_and_fields_come_in_schema_order():
    text = encode("ack", 5, 3, 1200, ("snap", True, ""))
    assert text == '{"v":1,"b":5,"n":3,"t":1200,"k":"ack","cmd":"snap","ok":true,"why":""}'
    assert list(json.loads(text))[5:] == [name for name, _ in SCHEMA["ack"]]


@pytest.mark.parametrize(
    "kind, fields",
    [("nonsense", ()), ("log", ("info",)), ("log", ("info", 1.5)), ("log", ("info", None))],
)
def test_what_the_wire_cannot_carry_is_refused(kind, fields):
    with pytest.raises(WireError):
        encode(kind, 1, 1, 1, fields)


@pytest.mark.parametrize(
    "message, reason",
    [
        ([], "not an object"),
        ({"v": 1, "b": 1, "n": True, "t": 0, "k": "log"}, "no number in n"),
        ({"v": 2, "b": 1, "n": 1, "t": 0, "k": "log"}, "wire version 2 is newer than 1"),
        ({"v": 1, "b": 1, "n": 1, "t": 0, "k": ["log"]}, "unknown kind"),
        ({"v": 1, "b": 1, "n": 1, "t": 0, "k": "log", "level": "info"}, "log without text"),
        (
            {"v": 1, "b": 1, "n": 1, "t": 0, "k": "log", "level": "i", "text": 3},
            "log: wrong type in text",
        ),
        ({"v": 1, "b": 1, "n": 1, "t": 0, "k": "log", "level": "i", "text": "", "later": 1}, ""),
    ],
)  # fmt: skip
def test_a_message_is_checked_against_the_schema(message, reason):
    assert problem(message) == reason


@pytest.mark.parametrize(
    "name, value, fits",
    [
        ("pieces", [1, 2], True),
        ("pieces", [1, "2"], False),
        ("pieces", {"1": 2}, False),
        ("reserve", [1, 2], True),
        ("reserve", [14, 14, 13], True),
        ("reserve", [1, "2"], False),
        ("score", [True, 2], False),
        ("owed", [["w", [1, 2]]], True),
        ("owed", [["w", 1]], False),
        ("owed", [1], False),
        ("returns", [["b", 2], ["w", 1]], True),
        ("returns", [["b", "2"]], False),
        ("returns", [["b"]], False),
        ("turn", 1.0, False),
    ],
)
def test_lists_are_checked_to_the_bottom(name, value, fits):
    fields = ("fault", "b", "", [], [], [], [], [1, 2], 1, "w", [1, 2], None, 7)
    message = json.loads(encode("ruling", 1, 1, 1, fields))
    assert problem({**message, name: value}) == ("" if fits else f"ruling: wrong type in {name}")


def test_a_long_message_in_parts_is_the_same_line():
    state = {"phase": "play", "turn": 3, "odd": "~"}
    rows = [[7, "flat", "w", 1, -300, 5, 0, 0], [9, "leaner", "b", 1, 40, 2, 30, 90]]
    whole = frame(encode("snap", 5, 3, 1200, ("temple", rows, state)))
    texts = ["[" + json_text(rows[:1])[1:-1], "," + json_text(rows[1:])[1:-1], "]"]
    values = ("temple", Text(texts), Text([json_text(state)]))
    assert b"".join(frame_long(encode_long("snap", 5, 3, 1200, values))) == whole
