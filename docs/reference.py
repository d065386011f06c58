"""Writes docs/pages/commands.md from the parsers of the commands: `python -m docs.reference`.

With --check it writes nothing, and fails when the page is stale.
"""

import argparse
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from polarity_host import cli
from polarity_host.errors import DONE, FAILED

PAGE = Path(__file__).parent / "pages" / "commands.md"
COMMAND = "python -m docs.reference"
HEAD = f"""# The commands

<!-- Generated from the code: `{COMMAND}` writes this page. Do not edit it. -->

`polarity --help` lists them, and each has a `--help` of its own. A port is a device path,
`socket://HOST:PORT`, or `sim://…` for a virtual mat. Exit codes: 0 done, 1 the work failed, 2 bad
usage or input, 130 Ctrl-C.

The Tab key completes commands, options and files after `source <(polarity --completion bash)`, in
`~/.bashrc` for good. `--completion zsh` and `tcsh` print the scripts of these shells, and say in
their first lines where they belong. `polarity --version` tells which version you have.
"""
#: What defaults depend on that the help names.
ENGLISH = {"LC_ALL": "C.UTF-8"}


def page_text() -> str:
    """The whole page."""
    before = {name: os.environ.get(name) for name in ENGLISH}
    os.environ.update(ENGLISH)
    try:
        return HEAD + "".join(_sections(cli.parser()))
    finally:
        for name, value in before.items():
            os.environ.pop(name)
            if value is not None:
                os.environ[name] = value


def subcommands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The subcommands of a parser, by name."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    return {}


def _sections(top: argparse.ArgumentParser) -> Iterator[str]:
    for name, parser in subcommands(top).items():
        yield _section(f"## `polarity {name}`", parser)
        for part, inner in subcommands(parser).items():
            yield _section(f"### `polarity {name} {part}`", inner)


def _section(heading: str, parser: argparse.ArgumentParser) -> str:
    text = f"\n{heading}\n\n{' '.join((parser.description or '').split())}\n"
    rows = [
        f"| {_cell(_name(action))} | {_cell(_help(parser, action))} |\n"
        for action in parser._actions
        if not isinstance(action, (argparse._HelpAction, argparse._SubParsersAction))
    ]
    if rows:
        text += f"\n| argument | what it does |\n|---|---|\n{''.join(rows)}"
    examples = [line.strip() for line in (parser.epilog or "").splitlines()[1:] if line.strip()]
    if examples:
        text += "\n" + "".join(f"    {line}\n" for line in examples)
    return text


def _name(action: argparse.Action) -> str:
    value = action.metavar or (action.dest.upper() if action.nargs != 0 else "")
    if action.choices and not action.metavar:
        value = "{" + ",".join(map(str, action.choices)) + "}"
    value = " ".join(value) if isinstance(value, tuple) else str(value)
    names = ", ".join(action.option_strings)
    return f"`{names} {value}`".replace(" `", "`") if names else f"`{value}`"


def _help(parser: argparse.ArgumentParser, action: argparse.Action) -> str:
    return argparse.HelpFormatter(parser.prog)._expand_help(action) if action.help else ""


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def main(argv: list[str] | None = None) -> int:
    """Writes the page, or only reports whether it is stale."""
    parser = argparse.ArgumentParser(prog=COMMAND, description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail when stale")
    args = parser.parse_args(argv)
    new = page_text()
    if not args.check:
        PAGE.write_text(new, encoding="utf-8")
        return DONE
    if PAGE.read_text(encoding="utf-8") == new:
        return DONE
    print(f"{PAGE.name} is stale: run `{COMMAND}`", file=sys.stderr)
    return FAILED


if __name__ == "__main__":
    sys.exit(main())
