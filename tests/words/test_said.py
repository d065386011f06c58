"""What commands say in English in the code is in the other languages, too."""

import argparse
import ast
import re
import string
import tomllib
from pathlib import Path

import pytest

import polarity_host
from polarity_bench.measurements import MEASUREMENTS
from polarity_host import cli
from polarity_host.device.conformance import Conformance
from polarity_host.errors import BAD_INPUT, DONE
from polarity_host.mats.description import load_mat, mat_names
from polarity_host.words import LANGUAGES
from polarity_host.words.said import TEXTS

HOST = Path(polarity_host.__file__).parent
#: What takes a text that is said: errors, and texts that are said without one.
SAYING = {
    "Said", "said", "translate", "HostError", "RecordingError", "MatError", "SettlingError",
    "RecordError", "DoctorError", "Broken", "Step", "_skipped", "__init__",
}  # fmt: skip
#: For who builds mats and the program: an emulator, the parts of mat.toml, the page's own scripts.
IN_ENGLISH = ("simulation/pico", "simulation/play/inputs.py", "mats/tiles.py")
#: Subcommands of packages beside this one: their measurements are for who works on the project.
OTHERS = ("bench",)
#: What a calibration reports of sensors and views (device/calibration).
CALIBRATION = (
    "dead", "stuck", "noisy", "off the mat", "unlike one disc",
    "lay, but neither as one disc nor as two",
)  # fmt: skip
#: Argparse's own texts, some of which depend on Python's version.
OF_ARGPARSE = TEXTS / "argparse.toml"


def entries(*files):
    for file in files or sorted(TEXTS.glob("*.toml")):
        yield from tomllib.loads(file.read_text(encoding="utf-8"))["text"]


def literals(node):
    """The texts that an expression can be, of those written out in it."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.IfExp):
        yield from (*literals(node.body), *literals(node.orelse))


def in_the_code():
    """Every text in a call of SAYING."""
    for file in sorted(HOST.rglob("*.py")):
        if file.relative_to(HOST).as_posix().startswith(IN_ENGLISH):
            continue
        for call in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not isinstance(call, ast.Call):
                continue
            name = getattr(call.func, "attr", getattr(call.func, "id", ""))
            if name in SAYING:
                for argument in call.args:
                    yield from literals(argument)


def parsers(parser):
    """The parser and those of its subcommands, without OTHERS."""
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, inner in action.choices.items():
                if name not in OTHERS:
                    yield from parsers(inner)


def in_the_help(monkeypatch):
    """Every text that is looked up for the --help of all commands."""
    asked = set()

    def spy(language):
        return lambda text: asked.add(text) or text

    with monkeypatch.context() as patch:
        patch.setattr("polarity_host.cli.parsing.translator", spy)
        top = cli.parser("fr")
        for parser in parsers(top):
            parser.format_help()
    cli.parser()  # argparse speaks English again
    return asked - {text for one in MEASUREMENTS for text in (one.about, one.more)}


def of_the_mats():
    """Titles of mats, checks of the protocol, and what a calibration finds."""
    yield from (load_mat(name).title for name in mat_names())
    yield from (name.replace("_", " ") for name in vars(Conformance) if name[0] != "_")
    yield from CALIBRATION


def needs_words(text):
    return any(c.isalpha() for piece, *_ in string.Formatter().parse(text) for c in piece)


@pytest.fixture
def said(monkeypatch):
    """Every English text that is said."""
    found = {*in_the_code(), *in_the_help(monkeypatch), *of_the_mats()} - {"findings"}
    return {text for text in found if needs_words(text)}


def test_every_text_is_in_every_language(said):
    known = {entry["en"] for entry in entries()}
    assert len(said) > 300
    assert said - known == set(), "write these into polarity_host/words/said/"


def test_no_text_is_left_over(said):
    kept = [entry["en"] for entry in entries() if entry not in list(entries(OF_ARGPARSE))]
    assert set(kept) - said == set(), "nobody says these: strike them out"
    assert len(kept) == len(set(kept))


def placeholders(text):
    """{name} with its form, and argparse's %(name)s; what is there twice counts once."""
    named = {(name, form, kind) for _, name, form, kind in string.Formatter().parse(text) if name}
    return named | set(re.findall(r"%\(\w+\)[sr]|%[sr]", text))


def test_a_translation_names_what_the_english_text_names():
    for entry in entries():
        assert set(entry) == set(LANGUAGES)
        dropped = {"%(type)s"}  # the name of a type is English
        for language in LANGUAGES:
            asked = placeholders(entry[language]) | dropped
            assert asked == placeholders(entry["en"]) | dropped, entry[language]


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_help_is_in_the_chosen_language(language, polarity):
    code, out, err = polarity("--lang", language, "--help")
    english = polarity("--help")[1]
    texts = {entry["en"]: entry[language] for entry in entries()}
    assert (code, err) == (DONE, "")
    assert texts["list serial ports"] in out and texts["usage: "] in out
    assert "list serial ports" in english and "usage: " in english
    code, out, err = polarity("sim", "--help", "--lang", language)
    shown = " ".join(out.split())
    assert texts["no game: a hand calibrates the mat"] in shown and "polarity sim --seed 3" in shown
    assert texts["example:"] in shown and "options:" not in shown.replace(texts["options"], "")


#: Command lines that argparse refuses, each in another way.
REFUSED = (
    ("demo", "--seed"), ("demo", "--seed", "x"), ("demo", "--nonsense"), ("log",),
    ("demo", "--fast", "--speed", "2"), ("mat", "--json=1"), ("sim",), ("demo", "--no", "x"),
    ("nonsense",), ("demo", "--skill", "x"), ("games", "--merge", "1"), ("games", "--archive"),
)  # fmt: skip


@pytest.mark.parametrize("words", REFUSED)
def test_a_refused_command_line_is_refused_in_the_chosen_language(words, polarity):
    lines = {}
    for language in LANGUAGES:
        code, out, lines[language] = polarity(*words, "--lang", language)
        assert (code, out) == (BAD_INPUT, "") and lines[language].count("\n") == 1
    english = set(re.findall(r"[a-z]{4,}", lines["en"])) - {"polarity", "demo", "help"}
    for language in LANGUAGES[1:]:
        left = english & set(re.findall(r"[a-z]{4,}", lines[language]))
        assert "argument" in lines["en"] or "option" in lines["en"] or left == set()
        assert lines[language].split(": ", 1)[1] != lines["en"].split(": ", 1)[1]


def test_errors_and_reports_are_in_the_chosen_language(polarity, tmp_path, monkeypatch):
    nowhere = str(tmp_path / "nowhere")
    assert polarity("log", nowhere, "--lang", "fr")[2] == (
        f"polarity log: il n'y a pas de port {nowhere}; `polarity ports` donne la liste\n"
    )
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    assert "keine Schnittstelle" in polarity("flash", nowhere)[2]
    assert polarity("mat")[1].startswith("standard: Polarity-Spielplan")
    assert "keine Aufzeichnung" in polarity("replay", __file__)[2]
