"""What commands say, in the other languages: help, errors and reports.

The English text stands in the code, where it is said (`Said`, or an argument's `help`). The files
in `said/` have it beside the others, by the English text.
"""

import tomllib
from collections.abc import Callable
from functools import cache

from polarity_host.errors import Said, SaidError
from polarity_host.words.catalogue import DEFAULT, DIRECTORY, LANGUAGES

TEXTS = DIRECTORY / "said"


def translator(language: str) -> Callable[[str], str]:
    """Gives an English text in one of LANGUAGES; one that no file has as it is."""
    if language == DEFAULT:
        return str
    return lambda text: _texts(language).get(text, text)


def in_all_languages(text: str | Said | SaidError) -> dict[str, str]:
    """A text that stands in the code in English, by language."""
    said = Said(text) if isinstance(text, str) else text
    return {language: said.by(translator(language)) for language in LANGUAGES}


@cache
def _texts(language: str) -> dict[str, str]:
    found = {}
    for path in sorted(TEXTS.glob("*.toml")):
        with open(path, "rb") as file:
            entries = tomllib.load(file)["text"]
        found.update((entry[DEFAULT], entry[language]) for entry in entries)
    return found
