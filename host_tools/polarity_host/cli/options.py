"""What several subcommands share: the form of their help and some of their options."""

import argparse
import os
import textwrap
from pathlib import Path

from polarity_host.simulation.twin.nuisances import NAMES, USUAL
from polarity_host.words import LANGUAGES, language_of


def add_command(commands, name: str, run, summary: str, example: str, more: str = ""):
    """A subcommand's parser with `--help` that ends in an example."""
    parser = commands.add_parser(
        name,
        help=summary,
        description=textwrap.fill(f"{summary[0].upper()}{summary[1:]}. {more}".strip(), 78),
        epilog=f"example:\n  {example}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    return parser


def add_db(parser) -> None:
    """--db"""
    parser.add_argument(
        "--db",
        type=Path,
        metavar="FILE",
        help="games database (default: games.db in POLARITY_DATA, else in the user's data "
        "directory, on Linux $XDG_DATA_HOME/polarity or ~/.local/share/polarity)",
    )


def add_json(parser, what: str) -> None:
    """--json"""
    parser.add_argument("--json", action="store_true", help=what)


def add_words(parser) -> None:
    """--lang and --explain, for a command that tells rulings"""
    add_lang(parser)
    parser.add_argument(
        "--explain",
        action="store_true",
        help="with each fault, capture and end: the rule, what was seen, and who owes what",
    )


def add_lang(parser) -> None:
    """--lang"""
    parser.add_argument(
        "--lang",
        choices=LANGUAGES,
        default=language_of(os.environ),
        help="language of the game's words (default: the one of LANG, else en)",
    )


def add_progress(parser) -> None:
    """--progress"""
    parser.add_argument(
        "--progress",
        action="store_true",
        help="show progress on stderr also when it is no terminal",
    )


def add_nuisances(parser, default: str = USUAL) -> None:
    """--nuisances"""
    parser.add_argument(
        "--nuisances", choices=NAMES, default=default, metavar="NAME",
        help=f"what disturbs the virtual mat: one of {', '.join(NAMES)} (default: {default})",
    )  # fmt: skip


def natural(text: str) -> int:
    """An argument that is a whole number from 0 on."""
    value = int(text)
    if value < 0:
        raise ValueError
    return value


natural.__name__ = "number"


def seconds(text: str) -> float:
    """An argument that is a time or a factor: 0 or more."""
    value = float(text)
    if not 0 <= value < 1e6:
        raise ValueError
    return value


seconds.__name__ = "number"
