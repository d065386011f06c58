"""One well-formed line with hostile contents costs itself alone: port, link, store, words, page."""

import json
import sqlite3
from io import StringIO

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from polarity.facts import KINDS
from polarity.rules.editions import EDITIONS
from polarity.rules.vocabulary import RULINGS
from polarity.wire.framing import frame
from polarity.wire.reading import SCHEMA
from polarity_host.device.link import Link
from polarity_host.device.ports import PortOver
from polarity_host.games.store import Store
from polarity_host.live.mat_session import MatSession
from polarity_host.terminal.reporter import Reporter
from polarity_host.wire.lines import Damaged, Message, decode
from polarity_host.words import LANGUAGES, Words
from tests.fake_engine import FakeEngine

WORDS = "w b flat leaner tower red stack contact temple play so over resume snap".split()
texts = (
    st.sampled_from(["", *WORDS, *KINDS, *RULINGS, *EDITIONS, "fault.contact", "../x", "{0.x}"])
    | st.sampled_from(["\ud800", "x\udfff", "\0", "\x1b[2J", "\u202e", "<b>", "w" * 900])
    | st.text(st.characters(), max_size=6)
)
ints = (
    st.integers(-3, 70)
    | st.sampled_from([2**31, 2**53, 2**63 - 1, 2**63, -(2**63), 2**64, 10**400, -(10**308)])
    | st.integers(-(2**70), 2**70)
)
anything = st.recursive(
    ints | texts | st.none() | st.booleans() | st.floats(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
rows = st.lists(st.tuples(ints, texts, texts, *[ints] * 6).map(list) | anything, max_size=3)
STATE = "phase turn active done reserve owed founded question cube outcome final seats pieces"
states = st.dictionaries(
    st.sampled_from(STATE.split()) | texts,
    anything | st.lists(ints, max_size=4) | st.lists(st.tuples(texts, st.lists(ints)), max_size=2),
    max_size=5,
)
TYPES = {
    "i": ints,
    "s": texts,
    "b": st.booleans(),
    "l": rows,
    "n": st.lists(ints, max_size=4),
    "g": st.lists(st.tuples(texts, st.lists(ints, max_size=3)), max_size=3),
    "r": st.lists(st.tuples(texts, ints), max_size=3),
    "o": states | st.lists(anything, max_size=3),
}
DEEP = "[" * 1900 + "]" * 1900


@st.composite
def hostile_lines(draw):
    """A line with a right checksum, each field of the right type or not."""
    kind = draw(st.sampled_from(sorted(SCHEMA)))
    boot, number = draw(st.integers(0, 2) | ints), draw(st.integers(0, 30) | ints)
    fields = {"v": 1, "b": boot, "n": number, "t": draw(ints), "k": kind}
    odd = draw(st.integers(0, 40))
    for index, (name, sort) in enumerate(SCHEMA[kind]):
        if not sort.endswith("?") or draw(st.booleans()):
            fields[name] = draw(anything if index == odd else TYPES[sort[0]])
    fields |= draw(st.dictionaries(st.sampled_from(["later", "more"]), anything, max_size=1))
    return framed(fields)


def framed(fields):
    text = json.dumps(fields, separators=(",", ":")).replace("~", "\\u007e")
    return frame(text.replace("\x7f", "\\u007f"))


def of(kind, boot=1, number=2, **fields):
    empty = {"i": 0, "s": "", "b": False, "l": [], "n": [], "g": [], "r": [], "o": {}}
    values = {name: empty[sort] for name, sort in SCHEMA[kind] if not sort.endswith("?")}
    return framed({"v": 1, "b": boot, "n": number, "t": 5, "k": kind, **values, **fields})


class HostilePort:
    """A mat's port on which `lines` come between what the mat sends, at `frames` each."""

    def __init__(self, lines, frames=3):
        self.engine, self.lines, self.frames = FakeEngine(end_at=10**6), list(lines), frames
        self.t_ms = 0

    def read(self):
        if not self.lines and self.frames < 0:
            raise PortOver("the game is over")
        if not self.lines:
            self.frames -= 1
        for _ in range(2):
            self.t_ms += 10
            self.engine.frame(self.t_ms, None)
        own = self.engine.read(100_000)
        return own + (self.lines.pop(0) if self.lines else b"")

    def write_line(self, text):
        self.engine.command(text.encode() + b"\n")

    def close(self):
        pass


def followed(lines, games):
    """(what the mat numbered, the session, the texts) once all came that is to come."""
    port, output = HostilePort(lines, frames=12), StringIO()
    session = MatSession(
        "hostile", games, Reporter(words=Words("de"), explain=True, stream=output),
        connect=lambda url, known, wait_s: Link(url, known, wait_s, lambda url: port),
    )  # fmt: skip
    session.run()
    return port, session, output.getvalue()


def numbers(games, boot):
    with sqlite3.connect(games) as db:
        query = "SELECT n FROM messages WHERE numbered AND boot = ? ORDER BY n"
        return [row[0] for row in db.execute(query, (boot,))]


def is_of_the_record(item):
    """Whether the mat itself could have said so: then it counts as one of its own."""
    own = isinstance(item, Message) and item.boot == 1
    return own and (item.numbered or item.kind in ("gap", "ack"))


def as_http(state):
    """What `/api/v1/state` answers, by the same encoder settings as Starlette's JSONResponse."""
    json.dumps(state.whole(), allow_nan=False, ensure_ascii=False).encode()
    json.dumps(state.changes(), allow_nan=False, ensure_ascii=False).encode()


@settings(max_examples=60, suppress_health_check=list(HealthCheck), deadline=None)
@given(st.lists(hostile_lines(), min_size=1, max_size=6))
@example([of("log", text="\ud800", level="info")])
@example([of("gap", first=1, last=2**63)])
@example([of("gap", first=1, last=2**53 - 1)])
@example([of("fact", d=10**400)])
@example([of("snap", state={"reserve": float("nan"), "turn": float("inf")})])
@example([of("health", why="x", more=DEEP)])
@example([of("health", number=2**50)])
@example([of("health", number=2**50), of("health", number=2**50)] * 3)
@example([framed({"v": 2, "b": 1, "n": 1, "t": 1, "k": "log"})])
@example([of("ruling", code="fault.contact", more={"x": float("nan")})])
def test_play_goes_on_whatever_a_line_says(tmp_path_factory, lines):
    games = tmp_path_factory.mktemp("games") / "games.db"
    port, session, told = followed(lines, games)
    as_http(session.state)
    found = [decode(line[:-1]) for line in lines]
    if not any(is_of_the_record(item) for item in found):
        assert numbers(games, boot=1) == list(range(1, port.engine.outbox.last + 1))
    with Store(games) as store:
        for game in store.games():
            for line in store.raw_lines(game["id"]):
                line.encode()
        aside = [(item.why, item.aside) for item in found if isinstance(item, Damaged)]
        assert [why for why, _ in aside if Words("de").aside(why) not in told] == []
        assert store.set_aside() == aside
    assert session.state.whole()["port"]["state"] == "over"


@pytest.mark.parametrize("language", LANGUAGES)
@settings(max_examples=25, suppress_health_check=list(HealthCheck), deadline=None)
@given(st.lists(hostile_lines(), min_size=1, max_size=6))
def test_every_language_has_words_for_whatever_comes(language, lines):
    reporter = Reporter(words=Words(language), explain=True, stream=StringIO())
    for line in lines:
        reporter.report(decode(line[:-1]))
