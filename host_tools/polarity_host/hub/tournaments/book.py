"""Tournaments in the hub's database: what an arbiter does, and how they stand."""

import time
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import delete, insert, select, tuple_, update
from sqlalchemy.engine import Connection, Row

from polarity_host.errors import BAD_INPUT, HostError
from polarity_host.hub.record import Record
from polarity_host.hub.schema import ENTRIES, GAMES, MESSAGES, PAIRINGS, PLAYERS, TOURNAMENTS
from polarity_host.hub.tournaments.model import (
    MOST_NAME,
    MOST_PLAYERS,
    MOST_ROUNDS,
    RESULTS,
    SYSTEMS,
    Game,
    Pairing,
    Player,
    Tournament,
)
from polarity_host.hub.tournaments.pairing import next_round, rounds_of_all
from polarity_host.mqtt.topics import NAME

#: A game that began so long before its round was paired belongs to it still: players may have
#: started before the arbiter was done (ms).
EARLY_MS = 60_000


class Book:
    """The tournaments of a record. Its methods raise HostError BAD_INPUT for what cannot be done,
    and Away as the record's do."""

    def __init__(self, record: Record):
        self._record = record

    # ------------------------------------------------------------------ reading
    def names(self) -> list[str]:
        """The tournaments, the newest last."""
        with self._record.transaction() as db:
            query = select(TOURNAMENTS.c.name).order_by(TOURNAMENTS.c.id)
            return [row.name for row in db.execute(query)]

    def tournament(self, name: str) -> Tournament:
        """How one stands now."""
        with self._record.transaction() as db:
            return _whole(db, _found(db, name))

    def newest(self) -> Tournament | None:
        """The one that was made last."""
        with self._record.transaction() as db:
            query = select(TOURNAMENTS).order_by(TOURNAMENTS.c.id.desc()).limit(1)
            row = db.execute(query).first()
            return _whole(db, row) if row else None

    def all(self) -> list[Tournament]:
        """All of them, the newest last."""
        with self._record.transaction() as db:
            query = select(TOURNAMENTS).order_by(TOURNAMENTS.c.id)
            return [_whole(db, row) for row in db.execute(query).all()]

    # ------------------------------------------------------------------ what an arbiter does
    def create(self, name: str, system: str, rounds: int = 0, mats: Sequence[str] = ()) -> None:
        """A new tournament; `rounds` 0: until all have met all, which a Swiss one cannot be."""
        name = _as_name(name)
        if system not in SYSTEMS:
            raise HostError(BAD_INPUT, "the system is one of {systems}", systems=", ".join(SYSTEMS))
        if not 0 <= rounds <= MOST_ROUNDS or (system == "swiss" and not rounds):
            raise HostError(BAD_INPUT, "say how many rounds: 1 to {most}", most=MOST_ROUNDS)
        for mat in mats:
            _check_mat(mat)
        with self._record.transaction() as db:
            if db.execute(select(TOURNAMENTS.c.id).where(TOURNAMENTS.c.name == name)).first():
                raise HostError(BAD_INPUT, "there is a tournament {name} already", name=name)
            values = {"name": name, "system": system, "rounds": rounds, "mats": " ".join(mats),
                      "created_ms": _now_ms()}  # fmt: skip
            db.execute(insert(TOURNAMENTS), values)

    def enter(self, name: str, players: Iterable[str]) -> None:
        """Adds players, seeded in this order. One who has left comes back."""
        with self._record.transaction() as db:
            tournament = _whole(db, _found(db, name))
            known = {player.name: player for player in tournament.players}
            seed = len(known)
            for player in dict.fromkeys(map(_as_name, players)):
                if player in known:
                    _set_last_round(db, tournament, known[player].id, None)
                    continue
                if tournament.system == "round-robin" and tournament.pairings:
                    raise HostError(
                        BAD_INPUT, "all against all has begun: nobody can be added any more"
                    )
                seed += 1
                if seed > MOST_PLAYERS:
                    raise HostError(BAD_INPUT, "a tournament has {most} players at most",
                                    most=MOST_PLAYERS)  # fmt: skip
                entry = {"tournament": tournament.id, "player": _player(db, player), "seed": seed}
                db.execute(insert(ENTRIES), entry)

    def withdraw(self, name: str, player: str) -> None:
        """A player leaves after the rounds that are paired."""
        with self._record.transaction() as db:
            tournament = _whole(db, _found(db, name))
            found = [one for one in tournament.players if one.name == player]
            if not found:
                raise HostError(BAD_INPUT, "there is no player {name}", name=player)
            _set_last_round(db, tournament, found[0].id, tournament.round)

    def pair(self, name: str, mats: Sequence[str] = ()) -> int:
        """Pairs the next round and returns its number. Its boards are played on `mats`, in this
        order, and those of the later rounds; without any on those of the round before, else on all
        that are known."""
        with self._record.transaction() as db:
            tournament = _whole(db, _found(db, name))
            pairs, number = next_round(tournament), tournament.round + 1
            for mat in mats:
                _check_mat(mat)
            if mats:  # for the rounds to come as well
                own = TOURNAMENTS.c.id == tournament.id
                db.execute(update(TOURNAMENTS).where(own).values(mats=" ".join(mats)))
            where = list(mats or tournament.mats or _known_mats(db))
            now_ms = _now_ms()
            for board, (white, black) in enumerate(pairs, 1):
                mat = where[board - 1] if black is not None and board <= len(where) else None
                db.execute(
                    insert(PAIRINGS),
                    {"tournament": tournament.id, "round": number, "board": board, "white": white,
                     "black": black, "mat": mat, "since_ms": now_ms},
                )  # fmt: skip
            return number

    def unpair(self, name: str) -> int:
        """Takes the last round back, and returns its number."""
        with self._record.transaction() as db:
            tournament = _whole(db, _found(db, name))
            if not (number := tournament.round):
                raise HostError(BAD_INPUT, "no round is paired yet")
            own = PAIRINGS.c.tournament == tournament.id
            db.execute(delete(PAIRINGS).where(own, PAIRINGS.c.round == number))
            return number

    def set_result(self, name: str, place: tuple[int, int], result: str) -> None:
        """The arbiter's result of a round's board; "" for what the mat says."""
        if result and result not in RESULTS:
            raise HostError(BAD_INPUT, "a result is one of {results}, or - for what the mat says",
                            results=", ".join(RESULTS))  # fmt: skip
        with self._record.transaction() as db:
            of, pairing = _board(db, name, place)
            _change(db, of, pairing, result=result or None)

    def set_mat(self, name: str, place: tuple[int, int], mat: str) -> None:
        """Where a board is played; "" for nowhere. What was played there since the round was paired
        counts, unless it was another board's: then what begins from now on does."""
        if mat:
            _check_mat(mat)
        with self._record.transaction() as db:
            of, pairing = _board(db, name, place)
            table, values = PAIRINGS.c, {}
            others = select(table.board).where(
                table.mat == mat, table.since_ms >= pairing.since_ms, table.board != pairing.board
            )
            if mat and db.execute(others).first():
                values = {"since_ms": _now_ms()}
            _change(db, of, pairing, mat=mat or None, **values)

    def set_game(
        self, name: str, place: tuple[int, int], game: tuple[str, int, int] | None
    ) -> None:
        """The game that belongs to a board: mat, boot and the number of its `game` message; None
        for the one by mat and time."""
        mat, boot, n = game or (None, None, None)
        with self._record.transaction() as db:
            own = (GAMES.c.mat == mat, GAMES.c.boot == boot, GAMES.c.n == n)
            if game and not db.execute(select(GAMES.c.n).where(*own)).first():
                raise HostError(BAD_INPUT, "there is no game {mat}/{boot}/{n}", mat=mat, boot=boot,
                                n=n)  # fmt: skip
            of, pairing = _board(db, name, place)
            _change(db, of, pairing, game_mat=mat, game_boot=boot, game_n=n)

    def swap(self, name: str, place: tuple[int, int]) -> None:
        """The players of a board sit the other way round: who was white is black."""
        with self._record.transaction() as db:
            of, pairing = _board(db, name, place)
            _change(db, of, pairing, white=pairing.black, black=pairing.white)

    def games(self, mat: str, most: int = 20) -> list[Game]:
        """The newest games of a mat, the newest first."""
        with self._record.transaction() as db:
            query = select(GAMES).where(GAMES.c.mat == mat).order_by(GAMES.c.began_ms.desc())
            return [_game(row) for row in db.execute(query.limit(most))]


def _board(db: Connection, name: str, place: tuple[int, int]) -> tuple[Tournament, Pairing]:
    """The pairing at a round's board, and its tournament."""
    of = _whole(db, _found(db, name))
    found = [one for one in of.pairings if (one.round, one.board) == tuple(place)]
    if not found or found[0].black is None:
        raise HostError(BAD_INPUT, "there is no board {round}.{board} that is played",
                        round=place[0], board=place[1])  # fmt: skip
    return of, found[0]


def _change(db: Connection, of: Tournament, pairing: Pairing, **values: object) -> None:
    table = PAIRINGS.c
    own = (table.tournament == of.id, table.round == pairing.round, table.board == pairing.board)
    db.execute(update(PAIRINGS).where(*own).values(**values))


def _whole(db: Connection, row: Row[Any]) -> Tournament:
    entries = select(PLAYERS.c.id, PLAYERS.c.name, ENTRIES.c.seed, ENTRIES.c.last_round).join(
        ENTRIES, ENTRIES.c.player == PLAYERS.c.id
    )
    of = entries.where(ENTRIES.c.tournament == row.id).order_by(ENTRIES.c.seed)
    players = tuple(Player(*one) for one in db.execute(of))
    rounds = row.rounds or max(1, rounds_of_all(len(players)))
    own = PAIRINGS.c.tournament == row.id
    rows = db.execute(
        select(PAIRINGS).where(own).order_by(PAIRINGS.c.round, PAIRINGS.c.board)
    ).all()
    played = _Played(db, rows)
    pairings = tuple(_with_game(played, one) for one in rows)
    mats = tuple(row.mats.split())
    return Tournament(row.id, row.name, row.system, rounds, mats, players, pairings)


class _Played:
    """What was played on the mats of some pairings. It is read at once: the desk looks every
    second."""

    def __init__(self, db: Connection, rows: Sequence[Row[Any]]):
        mats = {row.mat for row in rows if row.mat}
        table, first_ms = PAIRINGS.c, min((row.since_ms for row in rows), default=0)
        begun = select(table.mat, table.since_ms).where(table.mat.in_(mats))
        self._begun: dict[str, list[int]] = {}  # when rounds were paired that are played there
        for mat, since_ms in db.execute(begun.order_by(table.since_ms)):
            self._begun.setdefault(mat, []).append(since_ms)
        game = GAMES.c
        of = select(GAMES).where(game.mat.in_(mats), game.began_ms >= first_ms - EARLY_MS)
        self._games: dict[str, list[Row[Any]]] = {}
        for row in db.execute(of.order_by(game.began_ms)):
            self._games.setdefault(row.mat, []).append(row)
        named = [(row.game_mat, row.game_boot, row.game_n) for row in rows if row.game_mat]
        key = tuple_(game.mat, game.boot, game.n)
        self._named = {
            (row.mat, row.boot, row.n): row
            for row in db.execute(select(GAMES).where(key.in_(named)))
        }

    def game_of(self, row: Row[Any]) -> Row[Any] | None:
        """The game that belongs to a pairing: the one that the arbiter has named, else the first
        that came to an end on its mat before the next round was paired there; where none did, the
        newest."""
        if row.game_mat is not None:
            return self._named.get((row.game_mat, row.game_boot, row.game_n))
        if not row.mat or row.black is None:
            return None
        begun = self._begun[row.mat]
        next_round = bisect_right(begun, row.since_ms)
        until_ms = begun[next_round] if next_round < len(begun) else 2**62
        games = [
            one
            for one in self._games.get(row.mat, ())
            if row.since_ms - EARLY_MS <= one.began_ms < until_ms - EARLY_MS
        ]
        # one that was begun anew did not come to an end
        ended = [one for one in games if one.winner is not None]
        return ended[0] if ended else games[-1] if games else None


def _with_game(played: _Played, row: Row[Any]) -> Pairing:
    """A pairing with the game that belongs to it, and the result that this or the arbiter gave."""
    pairing = Pairing(
        row.round, row.board, row.white, row.black, row.mat, row.since_ms, row.result,
        by_arbiter=row.result is not None, named=row.game_mat is not None,
    )  # fmt: skip
    found = played.game_of(row)
    if found is None:
        return pairing
    game = _game(found)
    return replace(pairing, game=game, result=row.result or game.result)


def _game(row: Row[Any]) -> Game:
    return Game(row.mat, row.boot, row.n, row.began_ms, row.winner, row.why or "")


def _found(db: Connection, name: str) -> Row[Any]:
    row = db.execute(select(TOURNAMENTS).where(TOURNAMENTS.c.name == name)).first()
    if row is None:
        raise HostError(
            BAD_INPUT, "there is no tournament {name}; `polarity tournament --db DATABASE` lists "
            "what there is", name=name,
        )  # fmt: skip
    return row


def _player(db: Connection, name: str) -> int:
    """The number of a player, who may be new."""
    query = select(PLAYERS.c.id).where(PLAYERS.c.name == name)
    found = db.execute(query).scalar()
    if found is None:
        db.execute(insert(PLAYERS), {"name": name})
        found = db.execute(query).scalar()
    return int(found or 0)


def _set_last_round(db: Connection, of: Tournament, player: int, last: int | None) -> None:
    own = (ENTRIES.c.tournament == of.id, ENTRIES.c.player == player)
    db.execute(update(ENTRIES).where(*own).values(last_round=last))


def _known_mats(db: Connection) -> list[str]:
    query = select(MESSAGES.c.mat).distinct().order_by(MESSAGES.c.mat)
    return [row.mat for row in db.execute(query)]


def _as_name(text: str) -> str:
    """A name: printable, without spaces around it, in bounded length."""
    name = " ".join(str(text).split())
    if not name or not name.isprintable() or len(name) > MOST_NAME:
        raise HostError(BAD_INPUT, "{name!r} is no name: 1 to {most} printable characters",
                        name=str(text)[:MOST_NAME], most=MOST_NAME)  # fmt: skip
    return name


def _check_mat(mat: str) -> None:
    if not NAME.fullmatch(mat):
        raise HostError(BAD_INPUT, "{mat!r} is no name of a mat", mat=str(mat)[:MOST_NAME])


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
