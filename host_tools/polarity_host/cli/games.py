"""`polarity games`: lists stored games, and keeps them in order."""

import json
import sys
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from polarity_host.cli.options import Subcommands, add_command, add_db, add_json, add_lang
from polarity_host.errors import BAD_INPUT, DONE, FAILED, HostError
from polarity_host.games.folders import games_file
from polarity_host.games.recordings import pruned, recording_of, recordings, size_of
from polarity_host.games.schema import GameRow
from polarity_host.terminal.progress import Progress
from polarity_host.words import Words
from polarity_host.words.catalogue import Sayer, catalogue

if TYPE_CHECKING:
    from polarity_host.games.store import Store

COLUMNS = ("game", "date", "white", "black", "edition", "event", "result", "note", "recording_mb")
FIXED = 4  # columns that are shown even where they say nothing
MB = 1e6


def add_to(commands: Subcommands) -> None:
    """Adds the subcommand."""
    parser = add_command(
        commands, "games", run, "list the stored games; archive, delete and merge them",
        "polarity games\n  polarity games --prune 500MB\n  polarity games --archive 3 4\n"
        "  polarity games --merge 5 6\n  polarity games --check\n"
        "  polarity games --backup saved.db",
        "An archived game is kept, but neither the page nor the statistics show it. --delete takes "
        "a game's recording with it. --prune deletes the oldest recordings; their games stay. "
        "--check tells the seal of each result: note it elsewhere, and nobody can change the game "
        "without another seal.",
    )  # fmt: skip
    what = parser.add_mutually_exclusive_group()
    what.add_argument(
        "--prune", type=size_of, metavar="SIZE",
        help="delete the oldest recordings until the others take no more than SIZE, as 500MB",
    )  # fmt: skip
    what.add_argument("--archive", type=int, nargs="+", metavar="N", help="put games away")
    what.add_argument("--restore", type=int, nargs="+", metavar="N", help="undo --archive")
    what.add_argument("--delete", type=int, nargs="+", metavar="N", help="delete games for good")
    what.add_argument(
        "--merge", type=int, nargs=2, metavar=("N", "M"),
        help="game M is the rest of game N, as after a power cut: make one of them",
    )  # fmt: skip
    what.add_argument(
        "--check", type=int, nargs="*", metavar="N",
        help="look whether games (default: all) are as they were stored, and tell their seals",
    )  # fmt: skip
    what.add_argument(
        "--backup", type=Path, metavar="FILE",
        help="copy all games to a new file, also while they are played",
    )  # fmt: skip
    parser.add_argument("--yes", action="store_true", help="delete without asking")
    add_db(parser)
    add_json(parser, "print each game, or what was done, as one JSON object a line")
    add_lang(parser)


def run(args: Namespace) -> int:
    """Lists, or does what is asked. HostError BAD_INPUT when there is no such game."""
    say = catalogue(args.lang).section("stats")
    if args.prune is not None:
        gone = pruned(args.prune)
        left = sum(one.size for one in recordings())
        sizes = {"freed": sum(one.size for one in gone), "left": left}
        words = {name: _megabytes(size, args.lang) for name, size in sizes.items()}
        text = say("pruned", count=len(gone), **words)
        names = [str(one.path) for one in gone]
        _told(args, text, {"k": "pruned", "deleted": names, "left_bytes": left})
        return DONE
    path = args.db or games_file()
    if not path.exists():
        raise HostError(BAD_INPUT, say("none_stored", path=path))
    from polarity_host.games import housekeeping
    from polarity_host.games.store import Store

    with Store(path) as store:
        if args.archive or args.restore:
            games = housekeeping.chosen(store, args.archive or args.restore)
            housekeeping.archive(store, games, bool(args.archive))
            _done(args, say, "put_away" if args.archive else "restored", games)
        elif args.delete:
            games = housekeeping.chosen(store, args.delete)
            if not _may_delete(args, say, games):
                return FAILED
            files = [recording_of(game) for game in games]
            housekeeping.delete(store, games)
            kept = {one.path for one in map(recording_of, store.games()) if one}
            for one in files:
                if one and one.path not in kept and one in recordings():
                    one.delete()
            _done(args, say, "deleted", games)
        elif args.merge:
            first, second = _two(housekeeping.chosen(store, args.merge))
            housekeeping.merge(store, first, second)
            numbers = {"first": first["id"], "second": second["id"]}
            _told(args, say("merged", **numbers), {"k": "merged", **numbers})
        elif args.check is not None:
            return _check(args, store)
        elif args.backup:
            store.copy_to(args.backup)
            count = len(store.games())
            text = Words(args.lang).said(
                "{count} games are copied to {path}.", count=count, path=args.backup
            )
            _told(args, text, {"k": "copied", "games": count, "file": str(args.backup)})
        else:
            _list(args, say, store.games())
    return DONE


def _check(args: Namespace, store: "Store") -> int:
    """Tells of each game whether it is sound. FAILED when one is not, or the file is not."""
    from polarity_host.games import housekeeping
    from polarity_host.games.soundness import Checked, check

    words, code = Words(args.lang), DONE
    progress = Progress()
    games = housekeeping.chosen(store, args.check) if args.check else store.games()
    for what in store.faults_of_file():
        code = FAILED
        text = words.said("{path} is damaged: {what}", path=store.path, what=what)
        _told(args, text, {"k": "file", "wrong": what})

    def told(one: Checked) -> str:
        if one.wrong:
            wrong = "; ".join(map(words.said, one.wrong))
            return words.said("Game {number}: {wrong}", number=one.game, wrong=wrong)
        text = words.said("Game {number} is as it was stored.", number=one.game)
        if one.seal:
            text += " " + words.said("Seal of its result: {seal}", seal=one.seal)
        if one.unsealed:
            text += " " + words.said(
                "{count} of {lines} lines have no seal: an earlier version stored them.",
                count=one.unsealed, lines=one.lines,
            )  # fmt: skip
        return text

    for done, game in enumerate(games):
        progress.show(words.said("game {number}", number=game["id"]), done / len(games))
        one = check(store, game)
        progress.clear()
        code = FAILED if one.wrong else code
        record = {name: getattr(one, name) for name in ("game", "lines", "unsealed", "seal")}
        wrong = [str(what) for what in one.wrong]
        _told(args, told(one), {"k": "checked", **record, "wrong": wrong})
    return code


def _two(games: list[GameRow]) -> tuple[GameRow, GameRow]:
    if len(games) != 2:
        raise HostError(BAD_INPUT, "a game cannot be merged with itself: name two games")
    return games[0], games[1]


def _may_delete(args: Namespace, say: Sayer, games: list[GameRow]) -> bool:
    """Whether a person agrees. HostError BAD_INPUT when nobody can be asked."""
    if args.yes:
        return True
    if not (sys.stdin and sys.stdin.isatty()) or args.json:
        raise HostError(BAD_INPUT, "add --yes to delete games for good")
    for game in games:
        words = {"game": game["id"], "date": _date(game, say)}
        names = {name: game[name] or say(name[0]) for name in ("white", "black")}
        answer = input(say("ask_delete", **words, **names))
        if answer.strip().lower()[:1] != say("ask_delete_yes"):
            return False
    return True


def _list(args: Namespace, say: Sayer, games: list[GameRow]) -> None:
    from polarity_host.games.search import is_demo
    from polarity_host.games.statistics.report import result_of
    from polarity_host.terminal.table import show_table, table_console

    if not games and not args.json:
        raise HostError(FAILED, say("none_stored", path=args.db or games_file()))
    rows = []
    for game in games:
        file = recording_of(game)
        if args.json:
            about = {"demo": is_demo(game), "recording": str(file.path) if file else None}
            print(json.dumps({"k": "game", **game, **about}))
            continue
        notes = [say("demo")] * is_demo(game) + [say("archived")] * bool(game["archived"])
        names = [game[name] or "–" for name in ("white", "black")]
        size = _megabytes(file.size, args.lang) if file else ""
        place = (game["edition"], game["event"], result_of(game, say))
        rows.append((game["id"], _date(game, say), *names, *place, ", ".join(notes), size))
    if args.json:
        return
    used = [i for i in range(len(COLUMNS)) if i < FIXED or any(row[i] for row in rows)]
    heads = [say(COLUMNS[i]) for i in used]
    show_table(table_console(), heads, [[row[i] for i in used] for row in rows])


def _date(game: GameRow, say: Sayer) -> str:
    from polarity_host.games.search import begun

    return begun(game).strftime(say("day_and_time"))


def _megabytes(size: int, language: str) -> str:
    return f"{size / MB:.1f}".replace(".", catalogue(language).messages["language"]["decimal"])


def _done(args: Namespace, say: Sayer, what: str, games: list[GameRow]) -> None:
    numbers = [game["id"] for game in games]
    text = say(what, count=len(numbers), games=", ".join(map(str, numbers)))
    _told(args, text, {"k": what, "games": numbers})


def _told(args: Namespace, text: str, record: dict[str, object]) -> None:
    print(json.dumps(record) if args.json else text)
