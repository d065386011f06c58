"""`polarity --completion SHELL`: a script that completes command lines with the Tab key."""

import argparse
from collections.abc import Iterator, Sequence
from typing import Any, cast

from polarity_host.cli.parsing import Parser
from polarity_host.errors import DONE

SHELLS = ("bash", "zsh", "tcsh")
#: What an argument is called that names a file, a folder, or a device's path.
FILES = ("FILE", "PORT", "PORT|FILE", "FOLDER")


class PrintCompletion(argparse.Action):
    """Prints the script for a shell, and ends."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        """As argparse calls it."""
        print(completion(cast("Parser", parser), str(values)))
        parser.exit(DONE)


def add_completion(parser: Parser) -> None:
    """--completion"""
    parser.add_argument(
        "--completion",
        action=PrintCompletion,
        choices=SHELLS,
        help="print a script that completes commands with the Tab key in this shell",
    )


def completion(parser: Parser, shell: str) -> str:
    """The script for one of SHELLS."""
    import shtab

    for action in _actions(parser):
        vars(action)["help"] = action.help and parser.translate(action.help)
        if action.metavar in FILES:
            vars(action)["complete"] = shtab.FILE
    return shtab.complete(parser, shell)


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for inner in action.choices.values():
                yield from _actions(inner)
