"""Every code that the mat can send has words in every language, and the languages agree."""

import ast
import inspect
import string
from pathlib import Path

import pytest

from polarity import facts
from polarity.rules import vocabulary
from polarity.rules.citations import CITATIONS, OPTION_CITATIONS
from polarity.rules.editions import EDITIONS, rules_of
from polarity.rules.vocabulary import RULINGS
from polarity_bench.scenarios import all_scenarios
from polarity_host.device.doctor import KINDS
from polarity_host.words import LANGUAGES
from polarity_host.words.catalogue import PLURAL_FORMS, catalogue
from polarity_host.words.explain import EXPLAINED
from polarity_host.words.points import RESTS_ON, value_words
from polarity_host.words.rulings import REASONS

RULES = Path(inspect.getfile(vocabulary)).parent


JUDGEMENTS = {"fault": "fault", "irregular": "irregular", "unsure": "unsure", "finish": "end"}


def written_in_the_rules():
    """(code, why) of every judgement in the rules whose reason is written in the call itself:
    ref.fault(player, "contact", ...), ref.rule("captured", ..., "in_place", ...)."""
    for file in sorted(RULES.glob("*.py")):
        for call in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not isinstance(call, ast.Call):
                continue
            name = getattr(call.func, "attr", getattr(call.func, "id", ""))
            words = [
                node.value
                for argument in call.args
                for node in ast.walk(argument)
                if isinstance(node, ast.Constant) and isinstance(node.value, str)
            ]
            if name == "rule":
                yield from ((words[0], why) for why in words[1:] or [""])
            elif name in JUDGEMENTS:
                yield from ((JUDGEMENTS[name], why) for why in words)


def expected_by_the_scenarios():
    """(code, why) of every ruling in the plain-text suite of the rules."""
    for scenario in all_scenarios():
        for _, _, expected in scenario.steps:
            for line in expected:
                code, _, why = (*line.split(";")[0].split(), "", "")[:3]
                if code in RULINGS:
                    yield code, why


def by_code(pairs):
    found = {}
    for code, why in pairs:
        found.setdefault(code, set()).add(why)
    return {code: whys - {""} for code, whys in found.items()}


def test_the_vocabulary_is_what_the_referee_says():
    """No word more; and none less that is written in the rules or expected by a scenario."""
    told = by_code([*written_in_the_rules(), *expected_by_the_scenarios()])
    assert {"contact", "leaner_fell", "flipped", "snapped", "shifted", "out"} <= told["fault"]
    assert {code: whys - set(RULINGS[code]) for code, whys in told.items()} == dict.fromkeys(
        told, set()
    )
    expected = by_code(expected_by_the_scenarios())
    never = {code: set(whys) - {""} - expected[code] for code, whys in RULINGS.items()}
    assert never == dict.fromkeys(RULINGS, set())


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_code_and_why_has_words(language):
    said = catalogue(language)
    missing = []
    for code, whys in RULINGS.items():
        if not said.has(f"ruling.{code}"):
            missing.append(code)
        if code == "capture_failed":  # the fault before it has told why
            continue
        for why in filter(None, whys):
            section = REASONS.get(code)
            if not (said.has(f"{section}.{why}") or said.has(f"ruling.{code}.{why}")):
                missing.append(f"{code}: {why}")
    assert not missing, f"say in polarity_host/words/{language}.toml what these mean: {missing}"


def refusals():
    """Why the rules refuse what players declare: ref.refuse("…"), or what `objection` returns."""
    for file in ("declarations.py", "corrections.py"):
        for node in ast.walk(ast.parse((RULES / file).read_text(encoding="utf-8"))):
            refuses = isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "refuse"
            objects = isinstance(node, ast.FunctionDef) and node.name == "objection"
            returned = [part for part in ast.walk(node) if isinstance(part, ast.Return)]
            for part in [node] if refuses else returned if objects else []:
                for text in ast.walk(part):
                    if isinstance(text, ast.Constant) and " " in str(text.value):
                        yield text.value


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_refusal_of_a_declaration_has_words(language):
    found = set(refusals())
    assert {"no such reserve", "too long ago", "there is no question", "no such number"} <= found
    assert found <= set(catalogue(language).messages["refusals"])


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_edition_and_option_has_a_name(language):
    assert {*EDITIONS, *OPTION_CITATIONS} <= set(catalogue(language).messages["editions"])


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_fact_has_words(language):
    for kind in facts.KINDS:
        assert catalogue(language).has(f"fact.{kind}")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_finding_of_the_doctor_has_words(language):
    said = catalogue(language)
    for kind in KINDS:
        assert said.has(f"doctor.{kind}") and said.has(f"doctor.{kind}_look")


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
        assert code in EXPLAINED and whys <= set(RULINGS[code])
