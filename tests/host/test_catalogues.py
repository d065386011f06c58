"""Every code that the mat can send has words in every language, and the languages agree."""

import ast
import inspect
import re
import string
from pathlib import Path

import pytest

from polarity import facts
from polarity.rules import ruling as rulings
from polarity.rules.citations import CITATIONS, OPTION_CITATIONS
from polarity.rules.editions import EDITIONS, rules_of
from polarity_host.words import LANGUAGES
from polarity_host.words.catalogue import PLURAL_FORMS, catalogue
from polarity_host.words.explain import EXPLAINED
from polarity_host.words.points import RESTS_ON, value_words
from polarity_host.words.rulings import REASONS

SCENARIOS = Path(__file__).parent.parent / "rules" / "scenarios"


JUDGEMENTS = {"fault": "fault", "irregular": "irregular", "unsure": "unsure", "finish": "end"}


def named_in_the_rules():
    """(code, why) of every judgement in the rules whose reason is named in the call itself:
    ref.fault(player, codes.WHY, ...), ref.say(codes.CODE, ..., codes.WHY, ...)."""
    for file in sorted(Path(inspect.getfile(rulings)).parent.glob("*.py")):
        for call in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)):
                continue
            named = [
                getattr(rulings, node.attr)
                for argument in call.args
                for node in ast.walk(argument)
                if isinstance(node, ast.Attribute)
                and getattr(node.value, "id", "") == "codes"
                and hasattr(rulings, node.attr)
            ]
            if call.func.attr == "say" and named:
                yield from ((named[0], why) for why in named[1:] or [""])
            elif call.func.attr in JUDGEMENTS:
                yield from ((JUDGEMENTS[call.func.attr], why) for why in named)


def expected_by_the_scenarios():
    """(code, why) of every ruling in the plain-text suite of the rules."""
    for file in SCENARIOS.glob("*.txt"):
        for line in file.read_text(encoding="utf-8").splitlines():
            if ruling := re.match(r" *= ([a-z_]+) [a-z]+(?: ([a-z_]+))?(?:;| *$)", line):
                yield ruling[1], ruling[2] or ""


def by_code(pairs):
    found = {}
    for code, why in pairs:
        found.setdefault(code, set()).add(why)
    return {code: whys - {""} for code, whys in found.items()}


TOLD = by_code([*named_in_the_rules(), *expected_by_the_scenarios()])
WHYS = {
    value
    for name, value in inspect.getmembers(rulings)
    if name[0] in string.ascii_uppercase and isinstance(value, str)
}


def test_what_the_referee_tells_is_found():
    assert {"contact", "leaner_fell", "flipped", "snapped", "shifted", "out"} <= TOLD["fault"]
    assert {"touched_red", "red_off", "reserve_empty"} <= TOLD["end"]
    assert {"lifted", "in_place", "flip"} <= TOLD["captured"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_code_and_why_has_words(language):
    said = catalogue(language)
    missing = []
    for code, whys in TOLD.items():
        if not said.has(f"ruling.{code}"):
            missing.append(code)
        if code == "capture_failed":  # the fault before it has told why
            continue
        for why in whys:
            section = REASONS.get(code)
            if not (said.has(f"{section}.{why}") or said.has(f"ruling.{code}.{why}")):
                missing.append(f"{code}: {why}")
    assert not missing, f"say in polarity_host/words/{language}.toml what these mean: {missing}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_name_in_ruling_py_is_somewhere_in_the_catalogue(language):
    """Also those that the referee does not hand to a judgement by name."""
    messages = catalogue(language).messages
    sections = [*REASONS.values(), "ruling"]
    known = {key for section in sections for key in messages[section]}
    known |= {key for table in messages["ruling"].values() if type(table) is dict for key in table}
    assert WHYS - known == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_fact_has_words(language):
    for kind in facts.KINDS:
        assert catalogue(language).has(f"fact.{kind}")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_point_of_the_table_and_every_value_has_words(language):
    said = catalogue(language)
    options = [f"{edition}+{option}" for option in OPTION_CITATIONS for edition in EDITIONS]
    for rules in filter(None, map(rules_of, [*EDITIONS, *options])):
        assert set(rules) == set(CITATIONS)
        for point, value in rules.items():
            assert said.has(f"points.{point}")
            if isinstance(value, str) and value:
                assert said.has(f"values.{point}_{value}") or said.has(f"values.{value}"), value
            assert value_words(said, point, value)


# ---------------------------------------------------------------- the catalogues agree


def flat(table, path=""):
    """{path: text} for every message of a catalogue."""
    found = {}
    for key, value in table.items():
        if isinstance(value, dict):
            found |= flat(value, f"{path}{key}.")
        elif isinstance(value, str):
            found[path + key] = value
    return found


def asked_for(text):
    """What a message names: {player.whose} and {player.who} are the same thing named."""
    return {name.split(".")[0] for _, name, _, _ in string.Formatter().parse(text) if name}


def without_plural(path):
    head, _, last = path.rpartition(".")
    return head if last in PLURAL_FORMS else path


def by_message(language):
    """{path: placeholders}, plural forms taken together."""
    found = {}
    for path, text in flat(catalogue(language).messages).items():
        if path.split(".")[0] != "language":
            found.setdefault(without_plural(path), set()).update(asked_for(text))
    return found


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_the_same_messages_with_the_same_placeholders(language):
    theirs, ours = by_message(language), by_message("en")
    assert set(theirs) == set(ours)
    unequal = {path: (theirs[path], ours[path]) for path in ours if theirs[path] != ours[path]}
    assert not unequal, "a message names other things than the English one"


@pytest.mark.parametrize("language", LANGUAGES)
def test_plural_forms_are_whole(language):
    def check(table, path):
        if set(table) & PLURAL_FORMS:
            assert {"one", "other"} <= set(table) <= PLURAL_FORMS, path
        for key, value in table.items():
            if isinstance(value, dict):
                check(value, f"{path}.{key}")

    check(catalogue(language).messages, language)


def test_every_rule_that_rulings_rest_on_is_a_point_of_the_table():
    named = {point for points in RESTS_ON.values() for point in points}
    assert named <= set(CITATIONS)
    for key in RESTS_ON:
        code, whys = (key, set()) if isinstance(key, str) else (key[0], {key[1]})
        assert code in EXPLAINED and whys <= WHYS
