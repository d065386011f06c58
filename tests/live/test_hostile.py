"""Whatever a serial device says in the form of a mat's messages, the page goes on."""

import base64
import json

from hypothesis import given, settings
from hypothesis import strategies as st

from polarity.facts import KINDS
from polarity.rules.vocabulary import RULINGS
from polarity.wire.framing import frame
from polarity.wire.reading import HEAD, SCHEMA
from polarity_host.errors import FAILED, HostError
from polarity_host.live.evidence import unpacked
from polarity_host.live.live_state import LiveState
from polarity_host.wire.lines import Message, decode

WORDS = "w b flat leaner tower red stack standard temple play so over".split()
words = st.sampled_from(["", *WORDS, *KINDS, *RULINGS]) | st.text(max_size=8)
ints = st.integers(-3, 20) | st.integers(-(2**70), 2**70)
anything = st.recursive(
    ints | words | st.none() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(words, inner, max_size=4),
    max_leaves=12,
)
pieces = st.lists(
    st.tuples(ints, words, words, *[ints] * 6).map(list) | anything, max_size=4
)  # fmt: skip
states = st.fixed_dictionaries(
    {},
    optional={
        name: anything | st.lists(ints, max_size=3) | st.tuples(ints, words).map(list)
        for name in (
            "phase", "turn", "active", "done", "reserve", "owed", "founded", "question", "cube",
            "outcome", "pieces", "held", "edition",
        )
    },
)  # fmt: skip
TYPES = {
    "i": ints,
    "s": words,
    "b": st.booleans(),
    "l": pieces | st.lists(anything, max_size=3),
    "n": st.lists(ints, max_size=4),
    "g": st.lists(st.tuples(words, st.lists(ints, max_size=3)), max_size=3),
    "r": st.lists(st.tuples(words, ints), max_size=3),
    "o": states | anything.filter(lambda value: isinstance(value, (dict, list))),
}


def fields(kind):
    return st.fixed_dictionaries(
        {name: TYPES[sort[0]] for name, sort in SCHEMA[kind] if sort[-1] != "?"},
        optional={name: TYPES[sort[0]] for name, sort in SCHEMA[kind] if sort[-1] == "?"},
    )


heads = st.tuples(st.just(1), st.integers(0, 2), ints, ints)
messages = st.sampled_from(sorted(SCHEMA)).flatmap(
    lambda kind: st.tuples(heads, st.just(kind), fields(kind))
)


@settings(max_examples=60)
@given(st.lists(messages, min_size=1, max_size=12))
def test_no_message_can_stop_the_page(said):
    kept = []
    state = LiveState(store_evidence=lambda boot, number, data: kept.append(data) or True)
    state.handle(started())
    for head, kind, values in said:
        text = json.dumps({**dict(zip(HEAD, (*head, kind))), **values}, separators=(",", ":"))
        message = decode(frame(text.replace("~", "\\u007e")))
        if isinstance(message, Message):
            state.handle(message)
            json.dumps(state.changes())
    state.fail(HostError(FAILED, "over"))
    json.dumps(state.whole())
    assert all(unpacked(data)["k"] == "evidence" for data in kept)


def started():
    values = {"edition": "temple", "mat": "standard"}
    text = json.dumps({**dict(zip(HEAD, (1, 1, 1, 0, "game"))), **values}, separators=(",", ":"))
    return decode(frame(text))


def test_a_frame_of_another_size_is_no_picture():
    state = LiveState()
    state.handle(started())
    for counts in ("", "?", base64.b64encode(b"\0" * 9).decode(), "AAAA" * 300):
        head = dict(zip(HEAD, (1, 1, 1, 5, "frame")))
        state.handle(decode(frame(json.dumps({**head, "us": 5, "counts": counts}))))
    assert state.field() == (0, "")
