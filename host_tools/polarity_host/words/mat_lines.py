"""What the mat says of itself, in the other languages. Its log and its complaints are English lines
on the wire (firmware/PROTOCOL.md): `mat_lines.toml` has them beside the others, with placeholders
for what differs.
"""

import re
import tomllib
from functools import cache

from polarity_host.words.catalogue import DEFAULT, DIRECTORY, catalogue

BETWEEN = "; "  # the mat joins its lines so
MOST_CHARACTERS = 1000  # of a line that is looked at


def in_language(text: str, language: str) -> str:
    """The mat's lines in a language; one that is not known as it is."""
    if language == DEFAULT or len(text) > MOST_CHARACTERS:
        return text
    return BETWEEN.join(_line(part, language) for part in text.split(BETWEEN))


def _line(text: str, language: str) -> str:
    for pattern, texts in _lines():
        if found := pattern.fullmatch(text):
            values = found.groupdict()
            if "line" in values:
                values["line"] = _line(values["line"], language)
            if "refusal" in values:
                values["refusal"] = catalogue(language).section("refusals")(values["refusal"])
            return texts[language].format(**values)
    return text


@cache
def _lines() -> list[tuple[re.Pattern[str], dict[str, str]]]:
    with open(DIRECTORY / "mat_lines.toml", "rb") as file:
        entries = tomllib.load(file)["line"]
    return [(_pattern(entry[DEFAULT]), entry) for entry in entries]


def _pattern(text: str) -> re.Pattern[str]:
    """What fits a text with {placeholders}."""
    parts = re.split(r"\{(\w+)\}", text)
    return re.compile(
        "".join(f"(?P<{part}>.+)" if k % 2 else re.escape(part) for k, part in enumerate(parts))
    )
