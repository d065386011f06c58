"""The `polarity` command: one module for each subcommand, and one way to fail.

A package that is installed beside this one adds a subcommand by an entry point in the group
`polarity.commands`: a module with `add_to`, like those here. `polarity bench` is one.
"""

import io
import os
import sys
from importlib.metadata import PackageNotFoundError, entry_points, version

from polarity_host.cli import (
    calibrate,
    conform,
    demo,
    doctor,
    export,
    flash,
    games,
    hub,
    import_club,
    live,
    log,
    mat,
    ports,
    replay,
    review,
    settings,
    sim,
    stats,
    tournament,
)
from polarity_host.cli.completion import add_completion
from polarity_host.cli.options import add_lang
from polarity_host.cli.parsing import Parser, language_wanted
from polarity_host.errors import (
    BAD_INPUT,
    DONE,
    EXTRAS,
    FAILED,
    INTERRUPTED,
    HostError,
    MissingExtra,
)
from polarity_host.words.catalogue import DEFAULT

COMMANDS = (
    demo,
    live,
    log,
    hub,
    tournament,
    import_club,
    replay,
    review,
    export,
    games,
    stats,
    sim,
    calibrate,
    doctor,
    conform,
    settings,
    mat,
    ports,
    flash,
)


def parser(language: str = DEFAULT) -> Parser:
    """The parser of the whole command line, in one of LANGUAGES."""
    top = Parser("polarity", language)
    top.describe(
        "follows and referees the magnetic stone game Polarity on an instrumented mat",
        "Each command has a --help with an example; demo and sim need no mat.",
        "polarity demo --fast",
    )
    top.add_argument("--version", action="version", version=f"polarity {installed_version()}")
    add_completion(top)
    add_lang(top)
    commands = top.add_commands("command", "COMMAND")
    added = [entry.load() for entry in entry_points(group="polarity.commands")]
    for module in (*COMMANDS, *added):
        module.add_to(commands)
    return top


def main(argv: list[str] | None = None) -> int:
    """Runs one command line and returns its exit code (polarity_host.errors)."""
    _print_whatever_comes()
    words = sys.argv[1:] if argv is None else argv
    top = parser(language_wanted(words))
    try:
        args = top.parse_args(words)
    except BrokenPipeError:  # --help and the like, for a reader who has gone
        _mute()
        return DONE
    if not args.command:
        top.print_help(sys.stderr)
        return BAD_INPUT
    try:
        code = args.run(args)
        sys.stdout.flush()
        return code
    except HostError as error:
        return _fail(args.command, error.by(top.translate), error.exit_code)
    except ModuleNotFoundError as missing:
        module = (missing.name or "").partition(".")[0]
        if module not in EXTRAS:
            raise
        return _fail(args.command, MissingExtra(module).by(top.translate), FAILED)
    except KeyboardInterrupt:
        return _fail(args.command, top.translate("interrupted"), INTERRUPTED)
    except BrokenPipeError:
        _mute()
        return DONE
    except OSError as error:
        return _fail(args.command, f"{error.strerror or error}", FAILED)


def installed_version() -> str:
    """The version of this program; the firmware's own, where it is not installed."""
    try:
        return version("polarity-mat")
    except PackageNotFoundError:
        from polarity.version import number

        return number


def _print_whatever_comes() -> None:
    """A character that the output's encoding lacks becomes a question mark, instead of an error."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _fail(command: str, message: str, code: int) -> int:
    print(f"polarity {command}: {' '.join(message.split())}", file=sys.stderr)
    try:
        sys.stdout.flush()
    except OSError:
        _mute()
    return code


def _mute() -> None:
    """Nobody reads the output any more: discards the rest, also at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
