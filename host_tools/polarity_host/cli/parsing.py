"""The parser of the command line, in the user's language."""

import argparse
import os
import textwrap
from collections.abc import Callable, Sequence
from functools import partial
from typing import NoReturn, TypeAlias, cast

from polarity_host.errors import BAD_INPUT, Said
from polarity_host.words import LANGUAGES, language_of
from polarity_host.words.said import translator

WIDTH = 78  # of a description


class HelpForm(argparse.RawDescriptionHelpFormatter):
    """Help in a language, whose lines break between words only: no option and no URL is cut at a
    hyphen."""

    def __init__(self, prog: str, translate: Callable[[str], str] = str):
        super().__init__(prog)
        self._translate = translate

    def _get_help_string(self, action: argparse.Action) -> str | None:
        return action.help and self._translate(action.help)

    def _split_lines(self, text: str, width: int) -> list[str]:
        return _wrapped(text, width)


class Parser(argparse.ArgumentParser):
    """An argument parser that says everything in one of LANGUAGES, and whose errors are one line
    that says what to do. Its subcommands are parsers of the same language."""

    def __init__(self, prog: str, language: str):
        self.language, self.translate = language, translator(language)
        _speak(self.translate)
        super().__init__(prog, formatter_class=partial(HelpForm, translate=self.translate))

    def describe(self, summary: str, more: str, example: str) -> None:
        """Sets what --help says around the arguments."""
        summary, more = self.translate(summary), self.translate(more)
        text = f"{summary[0].upper()}{summary[1:]}. {more}".strip()
        self.description = "\n".join(_wrapped(text, WIDTH))
        self.epilog = f"{self.translate('example:')}\n  {example}"

    def add_commands(self, dest: str, metavar: str, required: bool = False) -> "Subcommands":
        """Where its subcommands are added."""
        return self.add_subparsers(
            dest=dest, metavar=metavar, required=required,
            parser_class=cast("type[Parser]", partial(_subparser, self.language)),
        )  # fmt: skip

    def error(self, message: str) -> NoReturn:
        """As argparse calls it."""
        said = Said("{prog}: {message}; see `{prog} --help`", prog=self.prog, message=message)
        self.exit(BAD_INPUT, f"{said.by(self.translate)}\n")


#: What `Parser.add_commands` returns.
Subcommands: TypeAlias = "argparse._SubParsersAction[Parser]"


def _subparser(language: str, prog: str) -> Parser:
    return Parser(prog, language)


def _speak(translate: Callable[[str], str]) -> None:
    """Gives argparse's own words in a language. It looks each up with the two functions that it
    imports from gettext, whose catalogues of compiled files this project has not."""

    def counted(one: str, more: str, count: int) -> str:
        return translate(one if count == 1 else more)

    for name, function in (("_", translate), ("ngettext", counted)):
        setattr(argparse, name, function)


def language_wanted(words: Sequence[str]) -> str:
    """The language of a command line: what its --lang names, else the user's own. It counts for
    --help and for a complaint, which come before the line is parsed."""
    own = argparse.ArgumentParser(add_help=False, exit_on_error=False)
    own.add_argument("--lang", choices=LANGUAGES)
    try:
        wanted = own.parse_known_args(words)[0].lang
    except argparse.ArgumentError:  # the command's parser complains
        wanted = None
    return wanted or language_of(os.environ)


def _wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(
        " ".join(text.split()), width, break_on_hyphens=False, break_long_words=False
    )
