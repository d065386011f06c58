"""What the mat says in English lines is known, in every language: all of the firmware's sources,
and what its functions return."""

import ast
import re
import tomllib
from array import array
from pathlib import Path
from types import SimpleNamespace

import pytest

from polarity import calibration, mat_data, settings
from polarity.health import baseline_report
from polarity.wire.reading import problem
from polarity_host.words import LANGUAGES, Words, mat_lines
from polarity_host.words.catalogue import DIRECTORY, catalogue

FIRMWARE = Path(__file__).resolve().parents[2] / "firmware"
ENTRIES = tomllib.loads((DIRECTORY / "mat_lines.toml").read_text(encoding="utf-8"))["line"]
#: Where texts go to no host: to the console, or to whoever wrote the program.
ELSEWHERE = (
    "start.py", "hall_grid.py", "guard.py", "facts.py", "stored.py", "messages.py", "commands.py",
)  # fmt: skip
NOT_SENT = {
    "a text, not a name: too long", "no position was stored there", "numbers start at 1",
    "line longer than the ring", "ahead of the mat, which is at %d",
    "not what comes next: begin again",  # a refusal that `polarity calibrate` gets
    "no rules called ", "noise: the counts do not come from a bare mat at rest",
}  # fmt: skip


def texts_of_the_firmware():
    """Constants of several words that are no docstrings."""
    for file in sorted(FIRMWARE.rglob("*.py")):
        if file.name in ELSEWHERE or {"rules", "kernels", "mat_data"} & {*file.parts}:
            continue
        tree = ast.parse(file.read_text(encoding="utf-8"))
        beside = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            for part in ("annotation", "returns"):
                if noted := getattr(node, part, None):
                    beside |= {id(one) for one in ast.walk(noted)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                if " " in node.value.strip() and id(node) not in beside:
                    yield node.value


def test_every_text_that_the_firmware_sends_is_known():
    known = re.sub(r"\{\w+\}", "\0", "\n".join(entry["en"] for entry in ENTRIES))
    known += "\n".join(catalogue("en").messages["refusals"])
    parts = {
        part
        for text in {*texts_of_the_firmware()} - NOT_SENT
        for part in re.split(r"%[ds]", text.strip(" ;,:"))
    }
    assert len(parts) > 60
    assert sorted(part for part in parts if part.strip() not in known) == []


def test_they_have_the_same_placeholders_in_every_language():
    for entry in ENTRIES:
        assert entry.keys() == {*LANGUAGES}
        names = [sorted(re.findall(r"\{(\w+)\}", entry[code])) for code in LANGUAGES]
        assert names == names[:1] * 4, entry["en"]
        assert all(entry[code] != entry["en"] for code in ("fr", "de", "nl"))


def settings_refused():
    wrong = {"light": 1, "brightness": 0, "edition": "chess", "mat": "big", "oversample": 3}
    yield from (settings.refusal(*one, settings.DEFAULTS) for one in wrong.items())
    for text in (b"[]", b'{"version":9}', b'{"mat":1,"port_ma":2}'):
        yield settings.read(text)[1]


def calibrations_refused():
    yield from ("", "x", '{"format":"matcal"}\n')
    yield '{"format":"matcal","version":1,"n":0}\n'


def sensors_broken():
    mat = mat_data.load("standard")
    sound = (mat.COUNT_MIN + mat.COUNT_MAX) // 2 << 4
    field = SimpleNamespace(offset=array("i", [sound] * mat.N), noise=bytearray(mat.N))
    for i in range(12):
        field.offset[i * 30] = 0
    field.noise[5] = 255
    return baseline_report(mat, field)


def wrong_lines():
    whole = {"v": 1, "b": 1, "n": 1, "t": 1, "k": "health"}
    yield from (problem(fields) for fields in ([], {}, whole, {**whole, "v": 9}))
    yield problem({**whole, "k": "x"})


def told():
    yield from settings_refused()
    yield settings.apply(["mat", "small"], settings.DEFAULTS)[1]
    yield settings.apply(["brightness", "9"], settings.DEFAULTS)[1]
    for text in calibrations_refused():
        try:
            calibration.read(text.encode(), "standard", 372)
        except calibration.CalibrationError as error:
            yield f"the stored calibration {error}"
    yield sensors_broken()
    yield from wrong_lines()


@pytest.mark.parametrize("text", sorted({*told()}))
def test_what_the_firmware_says_is_said_in_the_other_languages(text):
    assert text
    assert mat_lines.in_language(text, "en") == text
    for language in ("fr", "de", "nl"):
        said = mat_lines.in_language(text, language)
        for part in text.split("; "):
            assert part not in said
        assert "{" not in said
        assert {*re.findall(r"\d+", said)} == {*re.findall(r"\d+", text)}


@pytest.mark.parametrize(
    "text, german",
    [
        ("memory free: 92 KB, clock: 200 MHz", "freier Speicher: 92 KB, Takt: 200 MHz"),
        ("clear the mat: something lies near 3 mm, -80 mm",
         "den Spielplan leeren: etwas liegt bei 3 mm, -80 mm"),
        ("button 2: the game is over", "Taste 2: das Spiel ist zu Ende"),
        ("dead tile A2; stuck sensors 3 4 and 9 more",
         "tot: Kachel A2; festgefahren: Sensoren 3 4 und 9 weitere"),
        ("starts that failed before this one: 2, so this was set aside: game",
         "misslungene Starts vor diesem: 2, darum wurde beiseitegelegt: game"),
        ("something that nobody knows {x}; memory is short: nothing can be saved",
         "something that nobody knows {x}; der Speicher ist knapp: nichts kann aufbewahrt werden"),
    ],
)  # fmt: skip
def test_lines_in_german(text, german):
    assert Words("de").log(text) == german


def test_a_reason_of_the_health_is_as_on_the_terminal():
    assert "der" in Words("de").complaint("frozen") and Words("de").complaint("") == ""
    assert Words("fr").log("frozen") == Words("fr").health("frozen")


def test_hostile_lines_come_to_an_end():
    for text in (
        *(" with " * 160, "stored settings: " * 58, "is of mat " + "with sensors, not of " * 45),
        *("x without " * 99, "; " * 499, ": " * 499, "starts " * 100_000),
    ):
        for language in LANGUAGES:
            assert mat_lines.in_language(text, language)


def test_the_mat_that_a_game_begins_on_is_named_in_the_language():
    assert Words("de").game("temple", "small").endswith("Spielplan in kleiner Größe).")
    assert "oak" in Words("nl").game("temple", "oak")
