import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polarity_host.games.notation import (
    Entry,
    Record,
    RecordedPosition,
    RecordError,
    record_of,
    text_of,
)
from polarity_host.games.notation.model import NO_RULING, PLAIN_FACT, RULING_FIELDS, fields_of
from polarity_host.games.notation.reading import GRAMMAR
from polarity_host.games.notation.writing import SHAPES
from polarity_host.wire.messages import (
    FactMessage,
    GapMessage,
    LogMessage,
    PieceRow,
    RulingMessage,
)

HEAD = '[Polarity "1"]\n'

BY_HAND = """\
[Polarity "1"]
[Edition "temple"]
[White "Ann \\"the hand\\" A."]
[Result "*"]

# Written from memory.

  = turn white; reserve 21 21
  = try_again white; pieces 11  # twice
   9  0:31.000  > fell 4; white
  10  0:31.000  = fault white leaner_fell; pieces 4; facts 9; returns white 1

  = turn black
  = fault black contact; pieces 3 7 9; owed white 3 7, white 9; returns black 2; reserve 21 23
  = captured white lifted; owed white 9
  = captured white in_place; owed nothing
  ! lost 20 22
  * warn "sensor 17 is \\"stuck\\""
  = unsure nobody "so what"

position
  rules temple+starting_point
  phase play
  turn 3 white played
  reserve 19 20
  founded 1 1
  foundation 1; white; at -100.00 40.00
  leaner 12; white; at -10.10 30.05; tilt 43; towards -120
  tower 3; black; of 2; at 0.05 -0.05
  red 99; at 0.00 0.00
  hand 14; black; from black
  owed white 3 7
  owed white 9
  surplus 1
  outcome touched_red white
  state cube "[1, \\"w\\"]"
end
"""


def test_what_is_written_as_the_program_writes_it_comes_back_letter_by_letter():
    assert text_of(record_of(BY_HAND)) == BY_HAND


def test_what_a_record_says_is_understood():
    record = record_of(BY_HAND)
    assert record.tag("White") == 'Ann "the hand" A.'
    assert [e.kind for e in record.entries[:5]] == ["remark", "ruling", "ruling", "fact", "ruling"]
    first, fault = record.entries[1], record.entries[4]
    assert (first.body.turn, first.body.active) == (1, "w")
    assert (fault.number, fault.t_ms, fault.line) == (10, 31_000, 11)
    assert fault.body == RulingMessage(
        code="fault", player="w", why="leaner_fell", pieces=(4,), facts=(9,), owed=(),
        returns=(("w", 1),), reserve=(21, 21), turn=1, active="w",
    )  # fmt: skip
    rulings = [e.body for e in record.entries if e.kind == "ruling"]
    assert [r.turn for r in rulings] == [1, 1, 1, 2, 2, 2, 2, 2]
    assert rulings[4].owed == (("w", (3, 7)), ("w", (9,)))
    assert [r.owed for r in rulings[5:]] == [(("w", (9,)),), (), ()]
    position = record.entries[-1].body
    assert position.pieces[1] == (12, "leaner", "w", 1, -1010, 3005, 43, -120)
    assert position.owed == (("w", (3, 7)), ("w", (9,)))
    assert (position.active, position.played) == ("w", True)


def test_other_ways_to_write_the_same():
    loose = (
        '[Polarity   "1"]\r\n\t[Edition "temple"]\n'
        "0:01.5 = fault white\tcontact;pieces 3 7 ;reserve 1 2#hm\n\n\n"
        "\t> shifted 3 ;at 1 -2.5;  by 30 ; flat"
    )
    tidy = (
        '[Polarity "1"]\n[Edition "temple"]\n\n'
        "      0:01.500  = fault white contact; pieces 3 7; reserve 1 2  # hm\n"
        "  > shifted 3; flat; at 1.00 -2.50; by 30.00\n"
    )
    assert text_of(record_of(loose)) == tidy
    assert record_of("\ufeff" + tidy) == record_of(loose)


@pytest.mark.parametrize(
    "text, line, said",
    [
        ("", 1, 'it must begin with [Polarity "1"]'),
        ("{}", 1, 'it must begin with [Polarity "1"]'),
        ('[Polarity "2"]\n', 1, "version 2 is not known"),
        ('[Polarity "1"]\n[Mat "a"]\n[Mat "b"]\n', 3, "the tag Mat stands here for the second"),
        (HEAD + "= fault white contact; pices 3 7\n", 2, "did you mean pieces?"),
        (HEAD + "= fault wite contact\n", 2, "did you mean white?"),
        (HEAD + "# fine\n\n> placed a\n", 4, "cannot read 'a'; here may stand:"),
        (HEAD + "> shifted 3; by far\n", 2, "a length in mm"),
        (HEAD + "> shifted 3; by 1.234\n", 2, "cannot read '1.234'"),
        (HEAD + "> placed 3; white; black\n", 2, "face stands here twice"),
        (HEAD + "= fault white contact; pieces\n= turn black\n", 2, "a whole number"),
        (HEAD + "0:61.000 = turn black\n", 2, "cannot read '0:61.000"),
        (HEAD + '* warn "\\x"\n', 2, "is no text"),
        (HEAD + "? what\n", 2, "cannot read '? what'"),
        (HEAD + "position\n  foundation 3; grey\nend\n", 3, "cannot read 'grey'"),
        (HEAD + "position\n  phase play\n  phase play\nend\n", 2, "phase stands here twice"),
        (HEAD + "position\n  phase play\n", 3, "here may stand: end, "),
    ],
)
def test_bad_input_is_one_line_with_its_number(text, line, said):
    with pytest.raises(RecordError) as caught:
        record_of(text)
    assert caught.value.line == line
    message = str(caught.value)
    assert message.startswith(f"line {line}: ") and said in message and "\n" not in message


def test_the_page_prints_the_grammar_and_its_examples_can_be_read(project_root):
    page = (project_root / "host_tools" / "RECORD.md").read_text(encoding="utf-8")
    grammar = page.split("<!-- grammar -->\n```\n")[1].removesuffix("```\n")
    assert grammar == GRAMMAR.read_text(encoding="utf-8"), "copy grammar.lark into RECORD.md"
    examples = re.findall(r"```\n(\[Polarity.*?)```", page, re.DOTALL)
    assert len(examples) == 2
    for example in examples:
        assert record_of(example).entries


# ---------------------------------------------------------------- whatever there is to be said

word = st.from_regex(r"[a-z][a-z0-9_]{0,9}", fullmatch=True)
text = st.text(st.characters(codec="utf-8"), max_size=8)
comment = text.map(lambda t: " ".join(t.split()))
ints = st.integers(0, 10**6)
few = st.lists(ints, max_size=3).map(tuple)
many = st.lists(ints, min_size=1, max_size=3).map(tuple)
side = st.sampled_from(["w", "b", ""])
cmm = st.integers(-30000, 30000)

facts = st.builds(
    FactMessage,
    kind=word, piece=ints, others=few, face=side, discs=ints, x=cmm, y=cmm,
    tilt=st.integers(-90, 90), d=cmm, shape=st.sampled_from(SHAPES) | word | text,
    why=word | text, confidence=ints,
)  # fmt: skip
rulings = st.builds(
    RulingMessage,
    code=word | st.just("turn"), player=side, why=word | text, pieces=few, facts=few,
    owed=st.lists(st.tuples(side, many), max_size=2).map(tuple),
    returns=st.lists(st.tuples(side, ints), max_size=2).map(tuple),
    reserve=many, turn=st.integers(0, 3), active=side,
    score=st.just(()) | many, names=st.integers(0, 2**53 - 1), seat=st.integers(0, 4),
)  # fmt: skip
shapes = st.sampled_from(["flat", "leaner", "tower", "red"])
angle = st.integers(-180, 180)
positions = st.builds(
    RecordedPosition,
    rules=st.sampled_from(["", "temple", "fourlang+german", "temple+a+b"]),
    phase=st.just("") | word | text,
    turn=ints,
    active=st.sampled_from(["w", "b"]),
    played=st.booleans(),
    reserve=st.lists(ints, max_size=3).map(tuple),
    founded=st.lists(ints, max_size=2).map(tuple),
    pieces=st.lists(st.builds(PieceRow, ints, shapes, side, ints, cmm, cmm, angle, angle)).map(
        tuple
    ),
    hands=st.lists(st.tuples(ints, side, ints, side), max_size=2).map(tuple),
    owed=st.lists(st.tuples(side, many), max_size=2).map(tuple),
    surplus=ints,
    outcome=st.just(()) | st.tuples(word | text, side),
    other=st.lists(st.tuples(word | text, text), max_size=2).map(tuple),
)
stamp = {
    "number": st.none() | ints,
    "t_ms": st.none() | st.integers(-(10**7), 10**7),
    "comment": comment,
}
notes = st.builds(LogMessage, level=word, text=text)
gaps = st.builds(GapMessage, first=ints, last=ints)
entries = st.one_of(
    st.builds(Entry, facts, **stamp),
    st.builds(Entry, rulings, **stamp),
    st.builds(Entry, notes, **stamp),
    st.builds(Entry, gaps, **stamp),
    st.builds(Entry, positions, **stamp),
    st.builds(Entry, st.none(), comment=comment),
)
tags = st.dictionaries(st.from_regex(r"[A-Z][A-Za-z0-9_]{0,9}", fullmatch=True), text, max_size=3)
records = st.builds(
    lambda tags, entries: Record((("Polarity", "1"), *tags.items()), tuple(entries)),
    tags.filter(lambda tags: "Polarity" not in tags),
    st.lists(entries, max_size=6),
)


@settings(max_examples=200)
@given(records)
def test_reading_what_was_written_gives_the_same_record(record):
    written = text_of(record)
    read = record_of(written)
    assert read == record
    assert text_of(read) == written


@given(st.text(max_size=60) | st.text(alphabet='[]"#;=>!*\n abcdefw0123456789.:-', max_size=60))
def test_any_text_is_a_record_or_one_line_of_complaint(rest):
    try:
        record = record_of(HEAD + rest)
    except RecordError as error:
        assert error.line >= 1 and "\n" not in str(error)
    else:
        assert record_of(text_of(record)) == record


def test_the_model_knows_every_field_of_the_wire():
    from polarity.wire.reading import SCHEMA

    assert {name for name, _ in SCHEMA["fact"]} == set(fields_of(PLAIN_FACT))
    always = {name for name, sort in SCHEMA["ruling"] if not sort.endswith("?")}
    assert always == set(fields_of(NO_RULING))
    assert {name for name, _ in SCHEMA["ruling"]} == set(RULING_FIELDS)
