"""Damaged files of every kind: one clear line each, and what is good is served."""

import contextlib
import io
import json
import sqlite3
import tempfile
import zlib
from collections.abc import Callable
from pathlib import Path
from random import Random

from polarity import calibration, mat_data, settings
from polarity.calibration import CalibrationError
from polarity.facts import Fact
from polarity_bench import damage
from polarity_bench.faults import kept_games
from polarity_bench.faults.hostile import framed
from polarity_bench.faults.mutations import OTHERS, damaged, mutated
from polarity_bench.faults.parts import Trouble
from polarity_bench.sequences import play
from polarity_host.cli import main
from polarity_host.errors import HostError
from polarity_host.games.notation import RecordError, record_of, text_of
from polarity_host.games.notation.check import complaints, judged_again, why_not_judged
from polarity_host.games.notation.messages import record_of_messages
from polarity_host.games.store import Store
from polarity_host.live.evidence import DamagedEvidence, packed, unpacked
from polarity_host.mats import calibration_file
from polarity_host.replay import recording
from polarity_host.replay.engine import build_engine, sent_messages
from polarity_host.wire.lines import Message

EVIDENCE = {
    "v": 1, "k": "evidence", "mat": {"id": "small"}, "ruling": {"code": "fault", "n": 4},
    "facts": [{"n": 3}], "scenes": [[0, []]], "flights": [], "frames": [], "told": {"words": {}},
}  # fmt: skip
TABLES = {
    "games": ("white", "edition", "event", "begun_ms", "boot", "winner", "score_w", "ended_t_ms"),
    "messages": ("raw", "n", "t_ms", "boot", "kind", "numbered"),
    "evidence": ("n", "packed", "boot"),
}
DEEP = framed("[" * 3000).decode()  # a line of the wire
GZIP = b"\x1f\x8b"
COMMANDS = (
    ("stats", "--json"), ("stats", "--html", "{folder}/stats.html"), ("export",),
    ("export", "--as", "json"), ("export", "--as", "csv"), ("export", "--as", "html"),
    ("export", "--slow", "3", "--lang", "fr"),
)  # fmt: skip


class Files:
    """Good files of each kind, to be damaged."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.messages = game_messages()
        self.text = text_of(record_of_messages(self.messages, "2026-01-01T00:00:00Z", None, {}))
        path = folder / "good.db"
        with Store(path) as store:
            store.add(self.messages)
            for message in self.messages:
                if message.kind == "ruling":
                    store.add_evidence(message.boot, message.number, packed(EVIDENCE))
        self.store = path.read_bytes()
        self.recordings = [
            damage.real_recording(folder / name, version).read_bytes()
            for name, version in (("1.matrec", 1), ("2.matrec", 2), ("2.matrec.gz", 2))
        ]
        n = mat_data.load("small").N
        self.calibration = calibration.write(
            calibration.Calibration(
                "small", n, "2026-01-01", [1010, 22050, 3980], [[3, "dead"]],
                calibration.array("H", [0] * 4 + [32768] * (n - 4)),
                calibration.array("h", [0] * (2 * calibration.CELLS)),
            )
        )  # fmt: skip


def run(mutations: int, seed: int) -> dict[str, object]:
    """So many damaged files, the kinds in turn. Returns `mutations`; `by_kind`; `tracebacks`:
    anything but a refusal in words, or more than one line of it; `details`."""
    trouble, counted = Trouble(), dict.fromkeys(KINDS, 0)
    with tempfile.TemporaryDirectory() as folder:
        files = Files(Path(folder))
        for number in range(mutations):
            kind = tuple(KINDS)[number % len(KINDS)]
            counted[kind] += 1
            with trouble.noted(f"{kind} {seed}/{number}"):
                KINDS[kind](files, Random(f"{seed}/{number}"))
    return {
        "mutations": mutations,
        "by_kind": counted,
        "tracebacks": trouble.count,
        "details": trouble.details,
    }


def game_messages() -> list[Message]:
    """A game's messages: what a referee makes of a random but legal beginning, and a bit more."""
    engine = build_engine("small", "temple", 1)
    for entry in play(7, 40, "temple").entries:
        if isinstance(entry, Fact):
            engine.t_ms = max(0, entry.t_ms + 1000)
            entry.sent_as(0)
            engine.game.handle(entry)
    return list(sent_messages(engine))


def _text(files: Files, draw: Random) -> None:
    text = damaged(files.text.encode(), draw).decode("utf-8", "replace")
    try:
        record = record_of(text)
    except RecordError as error:
        if "\n" in str(error):
            raise AssertionError("a complaint of several lines") from error
        return
    if not list(complaints(record)) and not why_not_judged(record):
        judged_again(record)


def _calibration(files: Files, draw: Random) -> None:
    end = files.calibration.index(b"\n")
    if draw.randrange(2):
        data = damaged(files.calibration, draw)
    else:  # another header, and the right checksum
        head = json.dumps(mutated(json.loads(files.calibration[:end]), draw)).encode()
        body = head + files.calibration[end:-4]
        data = body + zlib.crc32(body).to_bytes(4, "little")
    path = files.folder / "x.matcal"
    path.write_bytes(data)
    with contextlib.suppress(HostError):
        calibration_file.load(path, "small", mat_data.load("small").N)
    with contextlib.suppress(CalibrationError):
        found = calibration.read(data, "small", mat_data.load("small").N)
        engine = build_engine("small", "temple", 1)
        engine.game.calibrate(found)


def _settings(files: Files, draw: Random) -> None:
    good = settings.record(dict(settings.DEFAULTS))
    data = damaged(good, draw)
    if draw.randrange(2):
        data = json.dumps(mutated(json.loads(good), draw)).encode()
    chosen, complaint = settings.read(data)
    if settings.read(settings.record(chosen)) != (chosen, ""):
        raise AssertionError(f"settings that are none: {chosen}")
    complaint.encode("utf-8", "replace")


def _kept_game(files: Files, draw: Random) -> None:
    kept_games.goes_on(draw.randrange(10**9))


def _evidence(files: Files, draw: Random) -> None:
    data: object = damaged(packed(EVIDENCE), draw)
    if draw.randrange(2):
        data = zlib.compress(json.dumps(mutated(EVIDENCE, draw)).encode())
    with contextlib.suppress(DamagedEvidence):
        json.dumps(unpacked(data), allow_nan=False, ensure_ascii=False).encode()


def _store_bytes(files: Files, draw: Random) -> None:
    path = files.folder / "bytes.db"
    path.write_bytes(damaged(files.store, draw))
    _served(files, path, draw)


def _store_cells(files: Files, draw: Random) -> None:
    path = files.folder / "cells.db"
    path.write_bytes(files.store)
    table = draw.choice(tuple(TABLES))
    column = draw.choice(TABLES[table])
    value = draw.choice((*OTHERS, b"\0\xff", b"~", "\u0130" * 5, DEEP))
    if isinstance(value, (list, dict)):
        value = json.dumps(value)
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        value = str(value)[:4000]
    if isinstance(value, str):
        value = value.encode("utf-8", "surrogatepass")
        as_text = True
    else:
        as_text = False
    mark = "CAST(? AS TEXT)" if as_text else "?"
    db = sqlite3.connect(path)
    db.execute("PRAGMA writable_schema = ON")
    db.execute("UPDATE sqlite_master SET sql = replace(sql, ' NOT NULL', '')")
    db.commit()
    db.close()
    db = sqlite3.connect(path)
    rows = db.execute(f"SELECT rowid FROM {table}").fetchall()
    db.execute(
        f"UPDATE OR IGNORE {table} SET {column} = {mark} WHERE rowid = ?",
        (value, draw.choice(rows)[0]),
    )
    db.commit()
    db.close()
    _served(files, path, draw)


def _recording(files: Files, draw: Random) -> None:
    data = draw.choice(files.recordings)
    path = files.folder / "x.matrec"
    head, end, rest = data.partition(b"\n")
    change = 0 if head.startswith(GZIP) else draw.randrange(8)
    if change == 1:
        data = damaged(head, draw) + end + rest
    elif change == 3:
        data = head.replace(b":", b":" + b"[" * 3000, 1) + end + rest
    elif change == 2:  # another header, and the right checksum
        found = mutated(json.loads(head), draw)
        if "check" in found:
            found["check"] = recording.checked(found)
        data = json.dumps(found).encode() + end + rest
    else:
        data = damage.mutated(data, damage.changes(draw, len(data)))
    path.write_bytes(data)
    if wrong := damage.failure([*draw.choice(damage.COMMANDS), str(path)]):
        raise AssertionError(wrong)


def _served(files: Files, path: Path, draw: Random) -> None:
    """A command on a damaged store: done or refused, in one line."""
    command = [part.format(folder=files.folder) for part in draw.choice(COMMANDS)]
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main([*command, "--db", str(path)])
    out.getvalue().encode()
    if code not in (0, 1, 2) or err.getvalue().count("\n") > 2:
        raise AssertionError(f"code {code}, {err.getvalue()[:200]!r}")
    for left in (path.with_name(path.name + end) for end in ("-wal", "-shm")):
        left.unlink(missing_ok=True)


KINDS: dict[str, Callable[[Files, Random], None]] = {
    "text": _text,
    "calibration": _calibration,
    "settings": _settings,
    "kept game": _kept_game,
    "evidence": _evidence,
    "store": _store_bytes,
    "store cell": _store_cells,
    "recording": _recording,
}
