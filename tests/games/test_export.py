from random import Random

import pytest

from polarity.facts import Fact
from polarity.rules.declarations import GRAMMAR, parse
from polarity.rules.referee import Referee
from polarity.wire.messages import fact_values, ruling_values
from polarity.wire.outbox import Outbox
from polarity_bench.sequences import RULES, random_entry, set_up
from polarity_host.errors import BAD_INPUT, DONE, FAILED
from polarity_host.games.notation import record_of, text_of
from polarity_host.games.notation.check import complaints, judged_again, why_not_judged
from polarity_host.games.notation.messages import record_of_messages
from polarity_host.games.store import Store
from polarity_host.wire.lines import LineSplitter, decode
from polarity_host.wire.messages import GapMessage
from polarity_host.words import Words
from tests.fake_engine import FakeEngine, messages_of
from tests.recordings import recording_bytes


class Mat:
    """A referee behind a wire, told what happens: as the engine is, without sensors."""

    def __init__(self, edition="temple"):
        self.edition = edition
        self.outbox = Outbox(1)
        self.referee = Referee(edition)
        self.t_ms = 5000
        self.outbox.send("game", self.t_ms, (edition, "standard"))
        self.messages = []
        self._read()

    def happens(self, kind, piece, **fields):
        self.t_ms += 500
        return self.fact(Fact(kind, self.t_ms, piece, **fields))

    def fact(self, fact):
        self.t_ms = fact.t_ms
        fact.seq = self.outbox.send("fact", fact.t_ms, fact_values(fact))
        self._rule(self.referee.handle_fact(fact))
        return fact.seq

    def declare(self, kind, *words):
        """Returns why it was refused."""
        self.t_ms += 500
        declaration = parse(kind, words, self.t_ms)
        declaration.seq = self.outbox.last + 1
        self._rule(self.referee.handle_declaration(declaration))
        return self.referee.refusal

    def _rule(self, rulings):
        for ruling in rulings:
            self.outbox.send("ruling", ruling.t_ms, ruling_values(ruling))
        self._read()

    def _read(self):
        splitter = LineSplitter()
        while chunk := self.outbox.read(4096):
            self.messages += [decode(line) for line in splitter.feed(chunk)]


@pytest.fixture(scope="module")
def played():
    """A few turns, with a fault that players overrule, charge, and take back."""
    mat = Mat()
    assert not mat.declare("toss", "w")
    mat.happens("placed", 1, shape="red")
    for number in range(2, 12):
        face = 1 if number < 7 else -1
        mat.happens("hand_in", number, face=face, x=21000, y=-3000)
        mat.happens("placed", number, face=face, shape="flat", x=2000 * number - 13000, y=6000)
    mat.happens("hand_in", 12, face=1)
    mat.happens("placed", 12, face=1, shape="leaner", others=(3,), tilt=43)
    mat.happens("hand_in", 13, face=-1)
    fault = mat.happens("contact", 3, others=(3, 8), shape="kiss", discs=2)
    assert not mat.declare("overrule", str(fault), "waived")
    assert not mat.declare("overrule", str(fault), "w")
    assert not mat.declare("reserve", "19", "b")
    mat.happens("hand_out", 13, face=-1)
    assert not mat.declare("declare", "draw")
    return mat.messages


def test_a_game_with_corrections_is_written_read_and_judged_again(played):
    text = text_of(record_of_messages(played, "2026-03-14T19:30:05Z"))
    record = record_of(text)
    assert record == record_of_messages(played, "2026-03-14T19:30:05Z")
    assert record.tag("Result").startswith("nobody declared")
    assert list(complaints(record)) == [] and not why_not_judged(record)
    assert judged_again(record) == (0, "")
    codes = [e.body.code for e in record.entries if e.kind == "ruling"]
    assert codes[0] == "toss" and codes.count("overruled") == 2 and "adjusted" in codes


def random_words(draw, kind, last):
    """What a player may say with this word, sense or none."""
    numbered, words = GRAMMAR[kind]
    number = [str(draw.randrange(26 if kind == "reserve" else last + 3))] if numbered else []
    return number + ([draw.choice(words)] if words else [])


@pytest.mark.parametrize("seed", range(3 * len(RULES)))
def test_any_game_by_any_rules_is_judged_alike_from_its_text(seed):
    """Random facts, nonsense included, and players who change their minds."""
    draw = Random(seed)
    mat = Mat(RULES[seed % len(RULES)])
    for fact in set_up(mat.edition):
        fact.t_ms = mat.t_ms + 400
        mat.fact(fact)
    refused = 0
    for _ in range(60):
        entry = random_entry(draw, mat.t_ms + draw.choice((0, 10, 2000)), mat.outbox.last)
        if isinstance(entry, Fact):
            mat.fact(entry)
        else:
            words = random_words(draw, entry.kind, mat.outbox.last)
            refused += bool(mat.declare(entry.kind, *words))
    record = record_of_messages(mat.messages)
    read = record_of(text_of(record))
    assert read == record
    assert not why_not_judged(read) and judged_again(read) == (0, "")
    known = [what for _, what in complaints(read) if "called nonsense" not in what]
    assert known == []


def test_times_count_from_the_beginning_and_holes_are_told(played):
    record = record_of_messages(m for m in played if m.number not in (7, 8))
    assert record.entries[0].t_ms == 500
    gap = next(e for e in record.entries if e.kind == "gap")
    assert (gap.body.first, gap.body.last) == (7, 8)
    assert str(why_not_judged(record)) == "messages are missing in it"
    assert list(complaints(record)) == []


def test_a_game_whose_beginning_was_never_received_has_a_gap_there(played):
    first = record_of_messages(played[4:]).entries[0]
    assert first.kind == "gap" and first.body == GapMessage(first=1, last=4)


@pytest.mark.parametrize(
    "was, now, said",
    [
        ("leaner_placed white", "leaner_placed black", "the rules give leaner_placed white here"),
        ("= fault black contact", "= fault white contact", "the rules give fault black contact"),
        ("returns black 1", "returns black 2", "the rules give returns [['b', 1]] here, not"),
        ("; facts 42; owed", "; facts 42; score 1 2; owed", "the rules give score None here"),
        ("overruled nobody waived", "overruled nobody denied", "the rules "),
    ],
)
def test_what_is_judged_differently_is_told(played, was, now, said):
    text = text_of(record_of_messages(played))
    assert was in text
    line, difference = judged_again(record_of(text.replace(was, now, 1)))
    at = next(n for n, each in enumerate(text.splitlines(), 1) if was in each)
    assert line >= at and said in difference


@pytest.mark.parametrize(
    "was, now, said",
    [
        ('[Edition "temple"]', '[Edition "tempel"]', "line 4: no edition 'tempel'"),
        ('[Mat "standard"]', '[Mat "carpet"]', "line 3: "),
        ("= fault black contact", "= fualt black contact", "did you mean fault?"),
        ("= fault black contact", "= fault black contract", "did you mean contact?"),
        ("> contact 3", "> contract 3", "no fact called contract; did you mean contact?"),
        ("facts 42;", "facts 99;", "no line before this one has the number 99"),
        ("   5  0:01.500", "   2  0:01.500", "number 2 comes after 4; number the lines upwards"),
        ('[Result "nobody declared', '[Result "white declared', "line 7: the tag Result says"),
    ],
)
def test_check_names_what_cannot_be(polarity, played, tmp_path, was, now, said):
    text = text_of(record_of_messages(played))
    assert was in text
    path = tmp_path / "game.polarity"
    path.write_text(text.replace(was, now, 1), encoding="utf-8")
    code, out, err = polarity("export", "--check", path)
    assert (code, out) == (BAD_INPUT, "") and said in err and err.count("\n") == 1
    assert err.startswith(f"polarity export: {path}, line ")


def test_a_stored_game_goes_out_and_comes_back(polarity, played, tmp_path):
    db, path = tmp_path / "g.db", tmp_path / "game.polarity"
    with Store(db, utc_ms=lambda: 1_773_516_605_000) as store:
        store.add(messages_of(FakeEngine(boot_id=7)))
        store.add(played)
    assert polarity("export", "--db", db, "-o", path) == (DONE, "", "")
    assert '[Date "2026-03-14T19:30:05Z"]' in path.read_text(encoding="utf-8")
    code, out, _ = polarity("export", "--check", path)
    assert code == DONE
    assert out.splitlines()[-1] == "Judged again from its facts: the same rulings."
    code, out, _ = polarity("export", "--db", db, "--game", "2")
    assert (code, out) == (DONE, path.read_text(encoding="utf-8"))
    code, _, err = polarity("export", "--db", db, "--game", "3")
    assert code == BAD_INPUT and "no game 3" in err and "it has 1 to 2" in err
    code, _, err = polarity("export", "--db", db, "-o", path)
    assert code == FAILED and "exists already" in err


def test_comments_tell_each_ruling_in_the_language_asked_for(polarity, played, tmp_path):
    db = tmp_path / "g.db"
    with Store(db) as store:
        store.add(played)
    code, out, _ = polarity("export", "--db", db, "--explain", "--lang", "de")
    assert code == DONE and "# Fehler von Schwarz: Die Scheiben 3 und 8 berühren sich." in out
    assert "\n# Regel: Ein Fehler ist es, wenn sich zwei oder mehr Scheiben berühren" in out
    assert record_of(out) == record_of_messages(played, record_of(out).tag("Date"), Words("de"))


def test_a_recording_goes_out_with_the_position_at_its_end(polarity, tmp_path):
    recording, path = tmp_path / "still.matrec", tmp_path / "still.polarity"
    recording.write_bytes(recording_bytes())
    assert polarity("export", recording, "-o", path)[0] == DONE
    record = record_of(path.read_text(encoding="utf-8"))
    assert record.entries[-1].kind == "position"
    assert record.entries[-1].body.reserve == (26, 26)
    code, out, _ = polarity("export", "--check", path)
    assert code == DONE and "Not judged again: it holds no facts." in out


@pytest.mark.parametrize(
    "words, said",
    [
        (["--check", "none.polarity"], "cannot read"),
        (["--check", "a", "-o", "b"], "leave out the rest"),
        (["a.matrec", "--game", "1"], "either the recording"),
        (["7"], "--game 7"),
        (["a.matrec"], "cannot read a.matrec"),
        ([], "no games in"),
        (["--check", "noise"], "is no text"),
        (["--check", "empty"], 'it must begin with [Polarity "1"]'),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(polarity, tmp_path, monkeypatch, words, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "noise").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "empty").write_bytes(b"")
    code, out, err = polarity("export", *words)
    assert (code, out) == (BAD_INPUT, "") and said in err and err.count("\n") == 1
