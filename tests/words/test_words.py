import pytest
from hypothesis import given
from hypothesis import strategies as st

from polarity import facts
from polarity.perception.tracker import NOISE
from polarity.rules.citations import CITATIONS
from polarity.rules.editions import rules_of
from polarity.rules.vocabulary import RULINGS
from polarity.wire.reading import SCHEMA
from polarity_host.wire.messages import body_of
from polarity_host.words import LANGUAGES, Words, clock, language_of
from polarity_host.words.catalogue import catalogue
from polarity_host.words.points import rule_words

RULING = {
    "k": "ruling",
    "code": "turn", "player": "w", "why": "", "pieces": [], "facts": [], "owed": [], "returns": [],
    "reserve": [20, 19], "turn": 3, "active": "w",
}  # fmt: skip
FACT = {
    "k": "fact",
    "f": "placed", "piece": 7, "others": [], "face": "w", "discs": 1, "x": 0, "y": 0, "tilt": 0,
    "d": 0, "shape": "flat", "why": "", "conf": 100,
}  # fmt: skip
CONTACT = {"code": "fault", "player": "b", "why": "contact", "pieces": [3, 7]}
SNAPPED = {"code": "fault", "why": "snapped", "pieces": [12, 3], "returns": [["w", 2]]}


@pytest.mark.parametrize(
    "fields, sentence",
    [
        ({}, "White's turn. Reserves: white 20, black 19."),
        (
            {"owed": [["w", [3, 4]]]},
            "White's turn. Reserves: white 20, black 19. To capture first: discs 3 and 4.",
        ),
        (
            {**CONTACT, "owed": [["w", [3, 7]], ["w", [9]]]},
            "Black's fault: discs 3 and 7 touch. "
            "To capture, by White: discs 3 and 7; disc or tower 9.",
        ),
        (
            {"code": "captured", "why": "lifted", "pieces": [3], "owed": [["w", [5, 6]]]},
            "White captures the group: it is tower 3 now. To capture first: discs 5 and 6.",
        ),
        (SNAPPED, "White's fault: disc 3 jumped to the hand. 2 discs go to White's reserve."),
        ({"code": "fault", "why": "sneezed_on"}, "White's fault: sneezed on."),
        (
            {"code": "capture_failed", "why": "leaner_fell", "pieces": [1, 2, 8]},
            "White's capture of discs 1, 2 and 8 failed.",
        ),
        (
            {"code": "end", "player": "b", "why": "touched_red", "score": [4, 7]},
            "A disc touched the red disc. Black wins.",
        ),
        (
            {"code": "end", "player": "", "why": "reserve_empty", "score": [3, 3]},
            "A reserve is empty. A draw, 3 to 3 (white to black).",
        ),
        (
            {"code": "unsure", "player": "", "why": "face", "pieces": [5]},
            "Unsure: which colour does disc 5 show?",
        ),
        (
            {"seat": 3, "reserve": [14, 13, 12]},
            "Player 3's (white) turn. Reserves: 14, 13 and 12 (players 1 to 3).",
        ),
        (
            {"code": "end", "why": "reserve_empty", "score": [5, 4, 2], "player": "", "seat": 2},
            "A reserve is empty. Player 2 wins; the points of players 1 to 3: 5, 4 and 2.",
        ),
        (
            {"code": "overruled", "why": "charged", "player": "b", "names": 17},
            "The players overrule no. 17: it was Black's doing.",
        ),
        (  # at the fault it touched another disc, with which it is captured
            {
                "code": "irregular",
                "why": "flat_after_fault",
                "pieces": [9],
                "owed": [["b", [3, 9]]],
            },
            "Not allowed: disc 9 lies flat after the fault and touches another disc, so it stays.",
        ),
        ({"code": "from_the_future", "why": "so_it_is"}, "White: from the future (so it is)."),
    ],
)
def test_rulings_in_english(fields, sentence):
    assert Words().ruling(body_of({**RULING, **fields})) == sentence


@pytest.mark.parametrize(
    "language, fields, sentence",
    [
        (
            "fr",
            {**CONTACT, "owed": [["w", [3, 7]]], "returns": [["b", 1]]},
            "Faute de Noir : les disques 3 et 7 se touchent. "
            "À convertir par Blanc : les disques 3 et 7. "
            "1 disque retourne dans la réserve de Noir.",
        ),
        (
            "de",
            {"code": "fault", "why": "leaner_fell", "pieces": [12]},
            "Fehler von Weiß: Flieger 12 ist flach gefallen.",
        ),
        (
            "nl",
            {"code": "captured", "why": "in_place", "pieces": [3]},
            "Wit keert ter plaatse om: stapel 3 blijft staan.",
        ),
    ],
)
def test_rulings_in_the_game_s_other_languages(language, fields, sentence):
    assert Words(language).ruling(body_of({**RULING, **fields})) == sentence


@pytest.mark.parametrize(
    "fields, phrase",
    [
        ({}, "disc 7 lies flat, white up"),
        (
            {"shape": "leaner", "others": [3], "tilt": 71, "face": "b"},
            "disc 7 leans over disc 3 at 71°, black up",
        ),
        (
            {"shape": "leaner", "others": [3], "tilt": 90, "face": "", "discs": 4},
            "tower 7 (4 discs) rests on its edge, at 90°",
        ),
        ({"f": "shifted", "d": 3456}, "disc 7 moved by 34.6 mm"),
        ({"f": "contact", "others": [3, 7], "shape": "kiss"}, "discs 3 and 7 touch side by side"),
        (
            {"f": "snapped", "others": [4], "discs": 2},
            "disc 4 jumped to the hand, which now holds 2",
        ),
        ({"f": "touched_red", "shape": ""}, "disc 7 touches the red disc"),
        ({"f": "unsure", "why": "height"}, "unsure: how many discs are in tower 7?"),
        ({"f": "from_the_future"}, "from the future"),
    ],
)
def test_facts_in_english(fields, phrase):
    assert Words().fact(body_of({**FACT, **fields})) == phrase


def test_lengths_are_written_as_the_language_writes_them():
    moved = body_of({**FACT, "f": "shifted", "d": 3456})
    said = [Words(language).fact(moved) for language in LANGUAGES]
    assert "34.6 mm" in said[0] and all("34,6 mm" in words for words in said[1:])


# ---------------------------------------------------------------- why


def test_a_ruling_explains_itself():
    changes = {"active": "b", "facts": [17, 18], "owed": [["w", [3, 7]]]}
    ruling = body_of({**RULING, **CONTACT, **changes})
    seen = {18: "00:46 discs 3 and 7 touch side by side"}
    assert Words().explanation(ruling, "temple", seen) == [
        "rule: it is a fault when two or more discs come to touch "
        "(Temple: Temple Games rules, Faults 1)",
        "seen: no. 18, 00:46 discs 3 and 7 touch side by side",
        "owed: White to capture discs 3 and 7; Black nothing",
    ]
    french = Words("fr").explanation(ruling, "original", seen)
    assert french[0].startswith("règle : faute si deux disques ou plus entrent en contact")
    assert french[2] == "dû : Blanc doit convertir les disques 3 et 7 ; Noir ne doit rien"


@pytest.mark.parametrize(
    "fields, rules",
    [
        (
            {"why": "flipped", "player": "b", "active": "b", "pieces": [4], "owed": [["w", [4]]]},
            ["it is a fault when a leaner falls flat", "whether the opponent captures his leaner"],
        ),
        (
            {"why": "flipped", "pieces": [4]},
            ["it is a fault when a leaner falls flat", "one's own leaner that flipped stays"],
        ),
        (
            {"why": "leaner_fell", "player": "b", "active": "w", "pieces": [4]},
            ["it is a fault when a leaner falls flat", "who answers for a disturbance off turn"],
        ),
    ],
)
def test_a_fault_s_rules_are_those_of_its_circumstances(fields, rules):
    told = Words().explanation(body_of({**RULING, "code": "fault", **fields}), "temple", {})
    told = [line.removeprefix("rule: ") for line in told if line.startswith("rule: ")]
    assert len(told) == len(rules)
    assert all(line.startswith(rule) for line, rule in zip(told, rules))


def test_an_option_is_cited_where_it_changes_the_rule():
    said = catalogue("en")
    assert "German text" in rule_words(said, "in_place", "fourlang+german")
    assert "German text" not in rule_words(said, "fault_contact", "fourlang+german")
    assert rule_words(said, "fault_contact", "of_the_house") == ""
    assert rules_of("of_the_house") is None


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("edition", ["temple", "fourlang+german", "original", "scaled"])
def test_every_point_of_every_edition_can_be_explained(language, edition):
    for point in CITATIONS:
        words = rule_words(catalogue(language), point, edition)
        assert (
            catalogue(language).edition(edition) in words and "{" not in words and "00" not in words
        )


def test_what_the_mat_has_against_itself():
    assert Words("nl").health(NOISE).startswith("Het speelkleed: het ziet alleen ruis")
    assert Words().health("my own: reasons") == "The mat: my own: reasons"
    assert Words("nl").log(NOISE) == Words("nl").health(NOISE)
    assert Words("nl").log("memory free: 90 KB") == "memory free: 90 KB"


# ---------------------------------------------------------------- nothing fails

text = st.text(max_size=12)
anything = {
    "i": st.integers(),
    "s": text,
    "b": st.booleans(),
    "n": st.lists(st.integers(), max_size=3),
    "2": st.tuples(st.integers(), st.integers()),
    "g": st.lists(st.tuples(text, st.lists(st.integers())), max_size=3),
    "r": st.lists(st.tuples(text, st.integers()), max_size=3),
}
known = {"code": st.sampled_from(sorted(RULINGS)), "f": st.sampled_from(facts.KINDS),
         "why": st.sampled_from(sorted({why for whys in RULINGS.values() for why in whys})),
         "player": st.sampled_from(["w", "b", ""]),
         "shape": st.sampled_from(["flat", "leaner", "tower", "red", "kiss"])}  # fmt: skip


@pytest.mark.parametrize("language", LANGUAGES)
@given(data=st.data())
def test_no_value_of_the_right_type_makes_words_fail(language, data):
    words = Words(language)
    for kind in ("fact", "ruling"):
        fields = {"k": kind}
        for name, sort in SCHEMA[kind]:
            drawn = anything[sort[0]]
            fields[name] = data.draw(known[name] | drawn if name in known else drawn)
        body = body_of(fields)
        if kind == "fact":
            assert isinstance(words.fact(body), str)
        else:
            assert isinstance(words.ruling(body), str)
            for line in words.explanation(body, data.draw(text), {}):
                assert isinstance(line, str)


# ---------------------------------------------------------------- which language


@pytest.mark.parametrize(
    "environment, language",
    [
        ({}, "en"),
        ({"LANG": "C"}, "en"),
        ({"LANG": "de_AT.UTF-8@euro"}, "de"),
        ({"LANG": "nl"}, "nl"),
        ({"LANG": "ja_JP.UTF-8"}, "en"),
        ({"LANG": "fr_FR", "LC_MESSAGES": "nl_BE"}, "nl"),
        ({"LANG": "fr_FR", "LC_ALL": "C.UTF-8"}, "en"),
        ({"LANG": "fr_FR", "LC_ALL": ""}, "fr"),
        ({"LANG": "fr_FR", "LANGUAGE": "br:de:en"}, "de"),
        ({"LANG": "C", "LANGUAGE": "de"}, "en"),
    ],
)
def test_the_user_s_language(environment, language):
    assert language_of(environment) == language


def test_clock():
    assert [clock(t_ms) for t_ms in (-5, 0, 61_999, 3_600_000)] == [
        "00:00",
        "00:00",
        "01:01",
        "60:00",
    ]
