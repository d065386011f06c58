"""The catalogues use the terms of the rulebooks, one for one thing: words/glossary.toml."""

import re
import tomllib

import pytest

from polarity_host.words import LANGUAGES
from polarity_host.words.catalogue import DIRECTORY, PLURAL_FORMS, catalogue

GLOSSARY = tomllib.loads((DIRECTORY / "glossary.toml").read_text(encoding="utf-8"))
#: The sections that speak of boards and of the file itself, not of the game.
APART = ("language", "doctor")
#: A placeholder for pieces, {pieces.leaner}, is read as its noun.
NOUN = re.compile(r"\{\w+\.(\w+)(?:!c)?\}")
PLACEHOLDER = re.compile(r"\{\w+(?:!c)?\}")


def texts(table, path=""):
    """(path, text) of every message."""
    for key, value in table.items():
        if isinstance(value, dict):
            yield from texts(value, f"{path}{key}.")
        elif isinstance(value, str):
            yield path + key, value


def read(messages):
    """{path: text} of what players read, plural forms taken together."""
    nouns = {noun: " ".join(forms.values()) for noun, forms in messages["nouns"].items()}
    found = {}
    for path, text in texts(messages):
        if path.split(".")[0] in APART:
            continue
        head, _, last = path.rpartition(".")
        named = NOUN.sub(lambda asked: nouns.get(asked[1], ""), text)
        name = head if last in PLURAL_FORMS else path
        found[name] = f"{found.get(name, '')} | {PLACEHOLDER.sub('', named)}"
    return found


def has(text, words):
    """Whether it has one of these words; `*` stands for any ending."""
    patterns = (re.escape(word).replace(r"\*", r"\w*") for word in words)
    return any(re.search(rf"(?<!\w){pattern}(?!\w)", text, re.IGNORECASE) for pattern in patterns)


def mixed(language, messages):
    """(term, path) of each message with another word for a term."""
    return {
        (term, path)
        for term, entry in GLOSSARY[language].items()
        for path, text in read(messages).items()
        if has(text, entry["not"])
    }


def missing(language, messages):
    """(term, path) of each message that does not name what its English one names."""
    theirs, english = read(messages), read(catalogue("en").messages)
    return {
        (term, path)
        for term, entry in GLOSSARY["en"].items()
        for path, text in english.items()
        if has(text, entry["forms"]) and not has(theirs[path], GLOSSARY[language][term]["forms"])
    }


def allowed(language):
    return {
        (term, path) for term, entry in GLOSSARY[language].items() for path in entry.get("may", {})
    }


def test_the_languages_have_the_same_terms_each_from_a_book_or_with_a_reason():
    for language in LANGUAGES:
        assert set(GLOSSARY[language]) == set(GLOSSARY["en"])
        for term, entry in GLOSSARY[language].items():
            assert re.match(r"00\d ", entry.get("book", "")) or entry.get("ours"), term
            assert entry["forms"] and not has(" | ".join(entry["forms"]), entry["not"]), term


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_message_has_another_word_for_a_term(language):
    found = mixed(language, catalogue(language).messages) - allowed(language)
    assert not found, f"use the term of words/glossary.toml in {language}.toml"


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_a_message_names_what_the_english_one_names_by_its_term(language):
    excepted = allowed(language) | allowed("en")
    found = missing(language, catalogue(language).messages) - excepted
    assert not found, f"use the term of words/glossary.toml in {language}.toml"


def test_every_exception_is_needed():
    needed = {language: mixed(language, catalogue(language).messages) for language in LANGUAGES}
    for language in LANGUAGES[1:]:
        found = missing(language, catalogue(language).messages)
        needed[language] |= found
        needed["en"] |= found
    for language in LANGUAGES:
        assert allowed(language) <= needed[language]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_term_is_in_use(language):
    messages = read(catalogue(language).messages).values()
    unused = [
        t for t, e in GLOSSARY[language].items() if not any(has(m, e["forms"]) for m in messages)
    ]
    assert not unused


@pytest.mark.parametrize(
    "language, path, term, text",
    [
        ("de", "page.put_back", "reserve", "Zurück in den Vorrat"),
        ("de", "page.virtual", "mat", "Virtuelle Matte"),
        ("nl", "page.question", "mat", "Het speelveld vraagt"),
        ("fr", "stats.captures_won", "capture", "Captures"),
        ("nl", "stats.captures_won", "capture", "Veroveringen"),
        ("fr", "stats.leaner_fell", "leaner", "disque penché tombé"),
    ],
)
def test_words_that_were_mixed_once_are_found(language, path, term, text):
    section, key = path.split(".")
    messages = catalogue(language).messages
    messages = {**messages, section: {**messages[section], key: text}}
    assert (term, path) in mixed(language, messages)
    assert (term, path) in missing(language, messages)
