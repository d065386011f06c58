"""`polarity bench`: the project's figures, measured. The measurements: measurements.py."""

import json
from argparse import Namespace
from typing import Any

from polarity_host.cli.options import add_command, add_json
from polarity_host.errors import DONE, EXTRAS, FAILED, HostError
from polarity_host.sources import INSTALLED
from polarity_host.terminal.progress import Progress

from .measurements import MEASUREMENTS


def add_to(commands: Any) -> None:
    """Adds the subcommand with a subcommand for each measurement; `commands` as argparse's
    `add_subparsers` returns them."""
    parser = add_command(
        commands, "bench", run, "measure the project's numbers", MEASUREMENTS[0].example,
        "Each measurement has its own --help.",
    )  # fmt: skip
    names = parser.add_commands("bench", "WHAT", required=True)
    for one in MEASUREMENTS:
        own = add_command(names, one.name, run, one.about, one.example, one.more)
        for add in one.options:
            add(own)
        add_json(own, "print the figures as one JSON object")
        for add in one.more_options:
            add(own)


def run(args: Namespace) -> int:
    """Runs one measurement and prints its figures. HostError when it cannot be made."""
    measurement = next(one for one in MEASUREMENTS if one.name == args.bench)
    progress = Progress("progress" in args and args.progress)
    try:
        figures = measurement.run(args, progress)
    except (FileNotFoundError, ModuleNotFoundError) as error:
        if INSTALLED and not (isinstance(error, ImportError) and error.name in EXTRAS):
            raise HostError(
                FAILED,
                f"`polarity bench {args.bench}` reads what only a checkout has ({error}): get the "
                "project's sources and run it there",
            ) from error
        raise
    finally:
        progress.clear()
    if args.json:
        print(json.dumps(figures))
        return DONE
    for name, value in figures.items():  # "rows" are the table's
        if isinstance(value, dict):
            for part, number in value.items():
                print(f"{name:18} {part}: {_words(number)}")
        elif name not in ("table", "details", "rows"):
            print(f"{name:18} {value}")
    for lines in (figures.get("table", ()), figures.get("details", ())):
        for line in lines:
            print(f"  {line}")
    return DONE


def _words(value: object) -> str:
    """A figure, or several, on one line."""
    if isinstance(value, dict):
        return ", ".join(f"{name} {number}" for name, number in value.items())
    return str(value)
