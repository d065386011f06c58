"""`polarity export`: writes a game as text that a person can read and edit."""

import io
import json
import sys
from argparse import Namespace
from contextlib import suppress
from pathlib import Path

from polarity_host.cli.options import (
    Subcommands,
    add_command,
    add_db,
    add_json,
    add_progress,
    add_words,
)
from polarity_host.errors import BAD_INPUT, DONE, FAILED, HostError, Said
from polarity_host.games.folders import games_file
from polarity_host.terminal.progress import Progress
from polarity_host.wire.messages import RulingMessage
from polarity_host.words import Words


def add_to(commands: Subcommands) -> None:
    """Adds the subcommand."""
    parser = add_command(
        commands, "export", run, "write a game as text, or check such a text",
        "polarity export -o game.polarity\n  polarity export game.matrec\n"
        "  polarity export --check game.polarity\n"
        "  polarity export --game 3 --as html -o game.html\n"
        "  polarity export --game 3 --play -o game.html\n"
        "  polarity export --game 3 --slow 41 -o fault.html",
        "The text has header tags, every fact and ruling with its time, and the last position; "
        "host_tools/RECORD.md describes it. With --explain, comments give each ruling in words. "
        "Other forms: JSON and CSV for programs, HTML for people. --play writes one HTML file that "
        "plays it, --slow one with the slow motion of a ruling; the JSON form has its number.",
    )  # fmt: skip
    parser.add_argument(
        "file", nargs="?", type=Path, metavar="FILE",
        help="recording to judge and write (default: a game of the database)",
    )  # fmt: skip
    parser.add_argument(
        "--game", type=int, metavar="N", help="which game of the database (default: the last)"
    )
    parser.add_argument(
        "--check", type=Path, metavar="FILE",
        help="read a game's text, judge its facts again, and report what does not fit",
    )  # fmt: skip
    parser.add_argument(
        "--as", dest="form", choices=("text", "json", "csv", "html"), default="text",
        help="form of the game (default: text)",
    )  # fmt: skip
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="text to write (default: stdout)"
    )
    parser.add_argument(
        "--slow",
        type=int,
        metavar="N",
        help="write the slow motion of ruling N of the game instead",
    )
    parser.add_argument(
        "--play", action="store_true", help="write the whole game as one HTML file that plays it"
    )
    add_db(parser)
    add_json(parser, "the same as --as json; with --check: what was found, as one JSON object")
    add_words(parser)
    add_progress(parser)


def run(args: Namespace) -> int:
    """Writes or checks. HostError BAD_INPUT for what cannot be read, FAILED for what differs."""
    if args.check:
        if args.file or args.output or args.game is not None:
            raise HostError(BAD_INPUT, "--check reads one text and writes none; leave out the rest")
        return _check(args.check, args.json, Words(args.lang))
    if args.file and (args.game is not None or args.db):
        raise HostError(
            BAD_INPUT, "either the recording {file} or a game of the database", file=args.file
        )
    if args.file and args.file.name.isdecimal() and not args.file.exists():
        raise HostError(BAD_INPUT, "no file {file}; --game {file} is a stored game", file=args.file)
    from polarity_host.games.formats import FORMS, exported
    from polarity_host.games.notation.sources import left_out

    words, form = Words(args.lang), "json" if args.json else args.form
    if args.slow is not None or args.play:
        if args.file:
            what = "--play" if args.play else "--slow"
            raise HostError(
                BAD_INPUT, "{what} is for games of the database: --game chooses one", what=what
            )
    if args.play:
        _write(_played(args.db or games_file(), args.game, args.lang), args.output)
        return DONE
    if args.slow is not None:
        _write(_slow_motion(args.db or games_file(), args.game, args.slow, args.lang), args.output)
        return DONE
    if args.file:
        from polarity_host.games.notation.messages import record_of_messages
        from polarity_host.games.notation.sources import judged

        messages = judged(args.file, Progress(args.progress), args.lang)
        comments = words if args.explain and form == "text" else None
        text = FORMS[form](record_of_messages(messages, "", comments, {}), words)
    else:
        path = args.db or games_file()
        if missing := left_out(path, args.game):
            print(f"polarity export: {words.said(missing)}", file=sys.stderr)
        text = exported(path, args.game, form, words, args.explain)
    _write(text, args.output)
    return DONE


def _slow_motion(path: Path, game: int | None, number: int, language: str) -> str:
    from polarity_host.games.notation.sources import evidence
    from polarity_host.live.evidence import DamagedEvidence, unpacked
    from polarity_host.live.page import slow_page

    data, numbers = evidence(path, game, number)
    if data is None:
        listed = ", ".join(map(str, numbers))
        kept = Said("it is of {numbers}", numbers=listed) if numbers else Said("there is none")
        raise HostError(
            BAD_INPUT, "no slow motion of ruling {number} is kept: {kept}", number=number, kept=kept
        )
    try:
        return slow_page(unpacked(data), language)
    except DamagedEvidence as damaged:
        raise HostError(
            FAILED, "the slow motion of ruling {number}: {damaged}", number=number, damaged=damaged
        ) from None


def _played(path: Path, game: int | None, language: str) -> str:
    from polarity_host.games.notation.sources import evidence
    from polarity_host.live.evidence import DamagedEvidence, joined, unpacked
    from polarity_host.live.page import slow_page

    found = []
    for number in evidence(path, game, 0)[1]:
        with suppress(DamagedEvidence):
            found.append(unpacked(evidence(path, game, number)[0]))
    if not found:
        raise HostError(FAILED, "nothing of that game's motion is kept: it cannot be played")
    return slow_page(joined(found), language)


def _write(text: str, path: Path | None) -> None:
    if path is None:
        if isinstance(sys.stdout, io.TextIOWrapper) and not sys.stdout.isatty():
            sys.stdout.flush()
            sys.stdout.buffer.write(text.encode("utf-8"))  # as in a file, whatever the terminal's
        else:
            print(text, end="")
        return
    try:
        with open(path, "x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise HostError(
            FAILED, "{path} exists already; choose another name or delete it", path=path
        ) from None
    except OSError as error:
        raise HostError(
            FAILED, "cannot write {path}: {why}", path=path, why=error.strerror
        ) from error


def _check(path: Path, as_json: bool, words: Words) -> int:
    from polarity_host.games.notation import RecordError, record_of
    from polarity_host.games.notation.check import complaints, judged_again, why_not_judged

    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise HostError(
            BAD_INPUT, "cannot read {path}: {why}", path=path, why=error.strerror
        ) from error
    except UnicodeDecodeError:
        raise HostError(BAD_INPUT, "{path} is no text; give a game's record", path=path) from None
    try:
        record = record_of(text)
    except RecordError as error:
        raise HostError(BAD_INPUT, "{path}, {error}", path=path, error=error) from error
    for line, what in complaints(record):
        raise HostError(BAD_INPUT, "{path}, line {line}: {what}", path=path, line=line, what=what)
    bodies = (entry.body for entry in record.entries)
    rulings = [body for body in bodies if isinstance(body, RulingMessage)]
    turns = sum(body.code == "turn" for body in rulings)
    why, result = why_not_judged(record), record.tag("Result") or "?"
    line, difference = (0, "") if why else judged_again(record)
    if as_json:
        told = {"k": "checked", "file": str(path), "turns": turns, "rulings": len(rulings)}
        print(json.dumps({**told, "result": result, "not_judged": str(why or ""), "line": line,
                          "difference": difference}))  # fmt: skip
    else:
        counts = {"turns": turns, "rulings": len(rulings)}
        print(words.text("checked", path=path, result=result, **counts))
        if why:
            print(words.said("Not judged again: {why}.", why=why))
    if difference:
        raise HostError(
            FAILED, "{path}, line {line}: {what}", path=path, line=line, what=difference
        )
    if not why and not as_json:
        print(words.text("same_rulings"))
    return DONE
