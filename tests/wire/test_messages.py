"""The host's structs are the firmware's schema, field by field and type by type."""

import json
from types import NoneType
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from polarity.wire.messages import FIELDS, WireError, encode, encode_long
from polarity.wire.reading import HEAD, SCHEMA, problem
from polarity_host.wire.messages import Body, body_of

STRUCTS = {struct.__struct_config__.tag: struct for struct in get_args(Body)}

#: The host's type for each of the schema's.
TYPES = {
    "i": int,
    "s": str,
    "b": bool,
    "l": tuple[Any, ...],
    "n": tuple[int, ...],
    "g": tuple[tuple[str, tuple[int, ...]], ...],
    "r": tuple[tuple[str, int], ...],
    "o": dict[str, Any] | list[Any],
}

#: Python ints, also those beyond 64 bits: JSON knows no limit.
INTS = st.integers(-(10**30), 10**30)
ANYTHING = st.recursive(
    st.none() | st.booleans() | INTS | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)
VALUES = {
    "i": INTS,
    "s": st.text(max_size=9) | st.just("\ud800"),
    "b": st.booleans(),
    "l": st.lists(ANYTHING, max_size=3),
    "n": st.lists(INTS, max_size=3),
    "g": st.lists(st.tuples(st.text(max_size=3), st.lists(INTS, max_size=3)).map(list), max_size=3),
    "r": st.lists(st.tuples(st.text(max_size=3), INTS).map(list), max_size=3),
    "o": st.dictionaries(st.text(max_size=3), ANYTHING, max_size=3) | st.lists(ANYTHING),
}


def test_every_kind_of_the_schema_has_its_struct():
    assert list(STRUCTS) == list(SCHEMA)


@pytest.mark.parametrize("kind", SCHEMA)
def test_a_struct_has_the_fields_of_the_schema_in_their_order_and_types(kind):
    fields = msgspec.structs.fields(STRUCTS[kind])
    assert [(field.encode_name, field.type, not field.required) for field in fields] == [
        (name, TYPES[sort[0]], sort.endswith("?")) for name, sort in SCHEMA[kind]
    ]
    assert STRUCTS[kind].__struct_config__.tag_field == "k"


@st.composite
def valid_messages(draw):
    kind = draw(st.sampled_from(list(FIELDS)))
    message = {**dict.fromkeys(HEAD, 1), "k": kind}
    for name, sort in SCHEMA[kind]:
        if not sort.endswith("?") or draw(st.booleans()):
            message[name] = draw(VALUES[sort[0]])
    message |= draw(st.dictionaries(st.sampled_from(["later_field", "x2"]), ANYTHING))
    return message


@settings(max_examples=60)
@given(valid_messages())
def test_what_fits_the_schema_becomes_a_struct_with_the_same_values(message):
    assert problem(message) == ""
    body = body_of(message)
    assert type(body) is STRUCTS[message["k"]]
    for field in msgspec.structs.fields(body):
        value = getattr(body, field.name)
        if field.encode_name in message:
            assert as_json(value) == message[field.encode_name]
        else:
            assert value == field.default


USUAL_FACT = {
    "k": "fact", "f": "contact", "piece": 17, "others": [4, 17], "face": "w", "discs": 2, "x": -5,
    "y": 12034, "tilt": 0, "d": 0, "shape": "kiss", "why": "", "conf": 93,
}  # fmt: skip
USUAL_RULING = {
    "k": "ruling", "code": "fault", "player": "b", "why": "contact", "pieces": [4, 17],
    "facts": [88], "owed": [["w", [4, 17]], ["b", []]], "returns": [["b", 1]], "reserve": [20, 19],
    "turn": 3, "active": "w", "score": [3, 2],
}  # fmt: skip


@settings(max_examples=200)
@given(valid_messages())
@example(USUAL_FACT)
@example(USUAL_RULING)
def test_a_message_is_the_same_text_whichever_way_it_is_written(message):
    """At once by json or value by value: both as the host's json has it."""
    kind = message["k"]
    values = [message.get(name) for name, _ in SCHEMA[kind]]
    values = [tuple(value) if isinstance(value, list) else value for value in values]
    try:
        parts = "".join(encode_long(kind, 5, 3, 1200, values))
    except WireError:  # a float, or an object's key that is no text
        return
    fields = {name: message[name] for name, _ in SCHEMA[kind] if name in message}
    head = {"v": 1, "b": 5, "n": 3, "t": 1200, "k": kind}
    assert json.loads(parts) == head | fields
    assert encode(kind, 5, 3, 1200, values) == parts


@settings(max_examples=60)
@given(valid_messages(), st.data())
def test_what_does_not_fit_the_schema_becomes_no_struct(message, data):
    kind = message["k"]
    name, sort = data.draw(st.sampled_from(SCHEMA[kind]))
    message[name] = data.draw(ANYTHING)
    if problem(message):
        with pytest.raises(msgspec.ValidationError):
            body_of(message)
    else:
        assert isinstance(body_of(message), STRUCTS[kind])


def as_json(value):
    """Tuples of the host as JSON's lists."""
    return [as_json(item) for item in value] if isinstance(value, (tuple, list)) else value


def test_no_field_of_a_struct_accepts_null():
    for struct in STRUCTS.values():
        for field in msgspec.structs.fields(struct):
            assert NoneType not in get_args(field.type)
