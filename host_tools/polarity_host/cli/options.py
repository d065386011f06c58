"""What several subcommands share: the form of their help and some of their options."""

import argparse
from collections.abc import Callable
from pathlib import Path

from polarity_host.cli.parsing import Parser, Subcommands
from polarity_host.replay.pace import Pace
from polarity_host.simulation.drivers import DRIVERS, SCRIPTED_EDITION
from polarity_host.simulation.players.skill import SKILLS
from polarity_host.simulation.twin.nuisances import NAMES, USUAL
from polarity_host.words import LANGUAGES


def add_command(
    commands: Subcommands,
    name: str,
    run: Callable[[argparse.Namespace], int],
    summary: str,
    example: str,
    more: str = "",
) -> Parser:
    """Adds a subcommand, whose `--help` ends in an example; returns its parser."""
    parser = commands.add_parser(name, help=summary)
    parser.describe(summary, more, example)
    parser.set_defaults(run=run)
    return parser


def add_db(parser: argparse.ArgumentParser) -> None:
    """--db"""
    parser.add_argument(
        "--db",
        type=Path,
        metavar="FILE",
        help="games database (default: games.db in POLARITY_DATA, else in the user's data "
        "directory, on Linux $XDG_DATA_HOME/polarity or ~/.local/share/polarity)",
    )


def add_new_links(parser: argparse.ArgumentParser) -> None:
    """--new-links"""
    parser.add_argument(
        "--new-links", action="store_true",
        help="make new links: those of before, bookmarks and installed pages admit nobody any more",
    )  # fmt: skip


def add_json(parser: argparse.ArgumentParser, what: str) -> None:
    """--json"""
    parser.add_argument("--json", action="store_true", help=what)


def add_words(parser: Parser) -> None:
    """--lang and --explain, for a command that reports rulings"""
    add_lang(parser)
    parser.add_argument(
        "--explain",
        action="store_true",
        help="with each fault, capture and end: the rule, what was observed, and who owes what",
    )


def add_lang(parser: Parser) -> None:
    """--lang"""
    parser.add_argument(
        "--lang",
        choices=LANGUAGES,
        default=parser.language,
        help="language of all that is said (default: the one of LANG, else en)",
    )


def add_progress(parser: argparse.ArgumentParser) -> None:
    """--progress"""
    parser.add_argument(
        "--progress",
        action="store_true",
        help="show progress on stderr even when it is no terminal",
    )


def add_nuisances(parser: argparse.ArgumentParser, default: str = USUAL) -> None:
    """--nuisances"""
    parser.add_argument(
        "--nuisances", choices=NAMES, default=default, metavar="NAME",
        help="what disturbs the virtual mat: one of %(choices)s (default: %(default)s)",
    )  # fmt: skip


def add_driver(parser: argparse.ArgumentParser) -> None:
    """--edition, --driver and --skill: of a virtual game that nobody plays by hand"""
    parser.add_argument(
        "--edition", default=SCRIPTED_EDITION, metavar="NAME",
        help="by which rules: temple, fourlang, original or scaled, with options as in "
        "fourlang+german (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--driver", choices=DRIVERS, default="", metavar="NAME",
        help="what moves the discs: `scripted`, which there is for temple rules alone, or "
        "`physics`, in which practice players play until there is a result "
        "(default: scripted if there is a script, else physics)",
    )  # fmt: skip
    parser.add_argument(
        "--skill", choices=SKILLS, default="usual", metavar="NAME",
        help="of practice players: one of %(choices)s (default: %(default)s)",
    )  # fmt: skip


def add_pace(parser: argparse.ArgumentParser, *names: str) -> None:
    """--pace, also under these names."""
    parser.add_argument(
        "--pace", *names, type=pace, metavar="PACE",
        help="judge as a chip would that needs time for each frame: `chip` (as measured at "
        "125 MHz), `2x` (any multiple of that), or ONE,MORE (ms while at most one body is in "
        "flight, and while several are); default: no time",
    )  # fmt: skip


def pace(text: str) -> Pace:
    """The times of a chip, see Pace.of."""
    return Pace.of(text)


def plain_text(text: str) -> str:
    """An argument that is a name or the like. Bytes that are no text in this system's encoding
    become question marks, because no database and no file could hold them."""
    return text.encode("utf-8", "replace").decode()


plain_text.__name__ = "text"


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


def played_of(url: str) -> Callable[[], float | None]:
    """Says how much of the game of the virtual mat at `url` has been played, from 0 to 1; None of
    any other mat."""

    def share() -> float | None:
        from polarity_host.simulation.port.power import share_at  # needs an extra

        return share_at(url)

    return share if url.lower().startswith("sim://") else lambda: None


def is_recording(source: str) -> bool:
    """Whether an argument PORT|FILE names a recording."""
    return source.endswith((".matrec", ".matrec.gz")) or Path(source).is_file()
