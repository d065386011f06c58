"""`polarity export`: a game as text that a person can read, keep and write."""

from datetime import UTC, datetime
from pathlib import Path

from polarity_host.cli.options import add_command, add_db, add_progress, add_words
from polarity_host.errors import BAD_INPUT, DONE, FAILED, HostError
from polarity_host.lines import Message, decode
from polarity_host.paths import games_file
from polarity_host.progress import Progress
from polarity_host.words import Words, clock


def add_to(commands) -> None:
    """Adds the subcommand."""
    parser = add_command(
        commands, "export", run, "write a game as text, or check such a text",
        "polarity export -o game.polarity\n  polarity export game.matrec\n"
        "  polarity export --check game.polarity",
        "The text has header tags, every fact and ruling with its time, and the last position; "
        "host_tools/RECORD.md describes it. With --explain, comments tell each ruling in words.",
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
        help="read a game's text, judge its facts again, and say what does not fit",
    )  # fmt: skip
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="text to write (default: stdout)"
    )
    add_db(parser)
    add_words(parser)
    add_progress(parser)


def run(args) -> int:
    """Writes or checks. HostError BAD_INPUT for what cannot be read, FAILED for what differs."""
    if args.check:
        if args.file or args.output or args.game is not None:
            raise HostError(BAD_INPUT, "--check reads one text and writes none; leave out the rest")
        return _check(args.check)
    if args.file and (args.game is not None or args.db):
        raise HostError(BAD_INPUT, f"either the recording {args.file} or a game of the database")
    from polarity_host.record import text_of
    from polarity_host.record.messages import record_of_messages

    date, messages = _of_recording(args) if args.file else _of_game(args)
    words = Words(args.lang) if args.explain else None
    _write(text_of(record_of_messages(messages, date, words)), args.output)
    return DONE


def _of_game(args) -> tuple[str, list[Message]]:
    """When a game of the database was played, and what the mat said."""
    from polarity_host.store import Store

    path = args.db or games_file()
    if not path.exists():
        raise HostError(BAD_INPUT, f"no games in {path} yet: `polarity demo` plays one")
    with Store(path) as store:
        games = {game["id"]: game for game in store.games()}
        wanted = args.game if args.game is not None else max(games, default=0)
        if wanted not in games:
            known = f"it has {min(games)} to {max(games)}" if games else "it has none"
            raise HostError(BAD_INPUT, f"no game {wanted} in {path}: {known}")
        lines = store.raw_lines(wanted)
    begun = datetime.fromtimestamp(games[wanted]["begun_ms"] / 1000, UTC)
    messages = [decode(line.encode()) for line in lines]
    date = begun.strftime("%Y-%m-%dT%H:%M:%SZ")
    return date, [message for message in messages if isinstance(message, Message)]


def _of_recording(args) -> tuple[str, list[Message]]:
    """What the firmware says of a recording; when it was played is not known."""
    from polarity_host.replay import Replay

    progress = Progress(args.progress)
    replay = Replay(args.file)
    messages = []
    try:
        for _, message in replay.messages():
            messages.append(message)
            progress.show(f"{clock(replay.last_t_us // 1000)} judged, {replay.frames} frames")
    finally:
        progress.clear()
    if replay.torn:
        progress.warn(f"{args.file} is torn: its incomplete last record was dropped")
    if replay.why_blind:
        raise HostError(FAILED, f"{args.file} cannot be judged: {replay.why_blind}")
    return "", [*messages, *replay.snapshot()]


def _write(text: str, path: Path | None) -> None:
    if path is None:
        print(text, end="")
        return
    try:
        with open(path, "x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise HostError(
            FAILED, f"{path} exists already; choose another name or delete it"
        ) from None
    except OSError as error:
        raise HostError(FAILED, f"cannot write {path}: {error.strerror}") from error


def _check(path: Path) -> int:
    from polarity_host.record import RecordError, record_of
    from polarity_host.record.check import complaints, judged_again, why_not_judged

    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise HostError(BAD_INPUT, f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError:
        raise HostError(BAD_INPUT, f"{path} is no text; give a game's record") from None
    try:
        record = record_of(text)
    except RecordError as error:
        raise HostError(BAD_INPUT, f"{path}, {error}") from error
    for line, what in complaints(record):
        raise HostError(BAD_INPUT, f"{path}, line {line}: {what}")
    turns = sum(e.fields.get("code") == "turn" for e in record.entries if e.kind == "ruling")
    rulings = sum(entry.kind == "ruling" for entry in record.entries)
    print(f"{path}: {turns} turns, {rulings} rulings. Result: {record.tag('Result') or '?'}")
    if why := why_not_judged(record):
        print(f"Not judged again: {why}.")
        return DONE
    line, difference = judged_again(record)
    if difference:
        raise HostError(FAILED, f"{path}, line {line}: {difference}")
    print("Judged again from its facts: the same rulings.")
    return DONE
