"""Message catalogues: one TOML file a language, read with the standard library.

The differences between languages are data: the messages, their plural forms and the counts that
take them, the forms of a player's name, how a list is joined, the decimal sign. `en.toml` describes
the format.
"""

import string
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

DIRECTORY = Path(__file__).parent
LANGUAGES = ("en", "fr", "de", "nl")
DEFAULT = "en"
MINUS = "−"  # U+2212
PLURAL_FORMS = {"none", "one", "other"}

#: The variables that name the user's language; the first that is set counts (POSIX; LANGUAGE is
#: gettext's).
VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")


def language_of(environment: Mapping[str, str]) -> str:
    """The first of the user's languages that has a catalogue, else English.

    LANGUAGE, a list, comes first unless the locale is C, as in gettext.
    """
    locale = next((environment[name] for name in VARIABLES if environment.get(name)), "")
    wanted = [locale]
    if _code(locale) not in ("", "c", "posix"):
        wanted = [*environment.get("LANGUAGE", "").split(":"), locale]
    return next((code for code in map(_code, wanted) if code in LANGUAGES), DEFAULT)


def _code(locale: str) -> str:
    """de_AT.UTF-8@euro -> de"""
    return locale.split(".")[0].split("@")[0].split("_")[0].lower()


#: Says a text of a section, by its key and the values that it names.
Sayer = Callable[..., str]


class _Formatter(string.Formatter):
    """Fills messages in; `!c` makes the first letter a capital."""

    def convert_field(self, value: Any, conversion: str | None) -> Any:
        if conversion == "c":
            text = str(value)
            return text[:1].upper() + text[1:]
        return super().convert_field(value, conversion)


_FORMATTER = _Formatter()


@cache
def catalogue(language: str) -> "Catalogue":
    """The catalogue of one of LANGUAGES."""
    with open(DIRECTORY / f"{language}.toml", "rb") as file:
        return Catalogue(tomllib.load(file))


class Catalogue:
    """The messages of one language. Keys are paths: `fault.contact`."""

    def __init__(self, messages: dict[str, Any]):
        self.messages = messages
        self._singular = messages["language"]["singular"]

    def say(self, key: str, why: str = "", count: int = 1, **values: object) -> str:
        """The message, filled in. `why` chooses from a table by reason, `count` from plural forms.

        KeyError when there is no such message: has() asks first.
        """
        message = self._at(key)
        if isinstance(message, dict) and not set(message) <= PLURAL_FORMS:
            message = message[why if why in message else "plain"]
        if isinstance(message, dict):
            message = message[self._form(message, count)]
        return _FORMATTER.vformat(message, (), {"why": why, "count": count, **values})

    def has(self, key: str) -> bool:
        """Whether there is such a message."""
        try:
            self._at(key)
        except KeyError:
            return False
        return True

    def section(self, name: str) -> Sayer:
        """The texts of one of its sections; a key that it lacks is its own text."""

        def say(key: str, **values: Any) -> str:
            path = f"{name}.{key}"
            return self.say(path, **values) if self.has(path) else key

        return say

    def player(self, letter: str) -> "Forms":
        """The forms of a player's name; of "" those of nobody."""
        forms = self.messages["players"].get(letter or "nobody")
        return Forms(forms or dict.fromkeys(self.messages["players"]["w"], letter))

    def seat(self, seat: int, letter: str) -> "Forms":
        """The forms of the name of a player who sits there, where more than two play."""
        if not seat:
            return self.player(letter)
        kind = "seat" if letter else "seat_alone"
        values = {"seat": seat, "colour": self.face(letter)}
        forms = self.messages["players"][kind]
        return Forms({form: self.say(f"players.{kind}.{form}", **values) for form in forms})

    def face(self, letter: str) -> str:
        """A colour."""
        return self.messages["faces"].get(letter or "nobody", letter)

    def pieces(self, numbers: Sequence[int]) -> "Forms":
        """These pieces, by each of the nouns: discs 3, 7 and 12."""
        ids = self.listed(numbers)
        nouns = self.messages["nouns"]
        return Forms(
            {noun: self.say(f"nouns.{noun}", count=len(numbers), ids=ids) for noun in nouns}
        )

    def listed(self, numbers: Iterable[int | str]) -> str:
        """A list as the language writes it: 3, 7 and 12."""
        lists = self.messages["lists"]
        texts = [str(number) for number in numbers]
        most = lists["between"].join(texts[:-1])
        return most + lists["last"] + texts[-1] if most else "".join(texts)

    def groups(self, texts: Iterable[str]) -> str:
        """A list of lists: discs 3 and 7; disc 12."""
        return self.messages["lists"]["groups"].join(texts)

    def millimetres(self, hundredths: int) -> str:
        """A length to a tenth of a millimetre, without its unit."""
        return self.number(hundredths / 100, 1)

    def number(self, value: float, digits: int = 0) -> str:
        """A number as the language writes it, with so many digits after the decimal sign."""
        decimal = self.messages["language"]["decimal"]
        return f"{value:.{digits}f}".replace(".", decimal).replace("-", MINUS)

    def day_and_time(self, moment: datetime) -> str:
        """A moment as the language writes it."""
        return moment.strftime(self.messages["stats"]["day_and_time"])

    def edition(self, name: str) -> str:
        """The name of an edition and its options, such as `temple+starting_point`; a part that has
        none as it is."""
        known = self.messages["editions"]
        return ", ".join(known.get(part, part) for part in name.split("+"))

    def _at(self, key: str) -> Any:
        found = self.messages
        for part in key.split("."):
            if not isinstance(found, dict):
                raise KeyError(key)
            found = found[part]
        return found

    def _form(self, forms: dict[str, str], count: int) -> str:
        if count == 0 and "none" in forms:
            return "none"
        return "one" if count in self._singular else "other"


class Forms:
    """The forms of a name or noun, which a message can use as {name.form}."""

    def __init__(self, forms: dict[str, str]):
        self._forms = forms

    def __getattr__(self, form: str) -> str:
        try:
            return self._forms[form]
        except KeyError:
            raise AttributeError(form) from None
