"""A game's record in every form: as text, JSON and CSV for programs, HTML for people."""

import csv
import io
import json
from collections.abc import Callable
from dataclasses import asdict
from html import escape
from math import cos, radians, sin
from pathlib import Path
from typing import Any

from polarity_host.games.exported_page import about_table, page
from polarity_host.games.notation import text_of
from polarity_host.games.notation.messages import record_of_messages
from polarity_host.games.notation.model import Entry, Record, RecordedPosition, fields_of
from polarity_host.games.notation.sources import named, stored
from polarity_host.mats.description import MatError, load_mat
from polarity_host.wire.messages import FactMessage, RulingMessage
from polarity_host.words import Words, clock

CSV_COLUMNS: tuple[str, ...] = (
    "n", "t_ms", "kind", "what", "player", "why", "pieces", "face", "discs", "x_mm", "y_mm",
    "tilt_deg", "d_mm", "shape", "turn", "said",
)  # fmt: skip


def as_json(record: Record, words: Words) -> str:
    """{"tags": {…}, "entries": […]}: an entry has `k`, `n`, `t_ms` and the fields of its message
    (PROTOCOL.md), facts and rulings also `said` in words; a position those of RecordedPosition."""
    entries = []
    for entry in record.entries:
        item: dict[str, Any] = {"k": entry.kind, "n": entry.number, "t_ms": entry.t_ms}
        if isinstance(entry.body, RecordedPosition):
            item |= asdict(entry.body)
        elif entry.body:
            item |= fields_of(entry.body)
        if sentence := _sentence(entry, words, record.tag("Edition")):
            item["said"] = sentence
        entries.append(item)
    return json.dumps({"tags": dict(record.tags), "entries": entries}, ensure_ascii=False) + "\n"


def as_csv(record: Record, words: Words) -> str:
    """A row for each fact and ruling, with CSV_COLUMNS; lengths in mm, pieces by spaces."""
    text = io.StringIO()
    table = csv.DictWriter(text, CSV_COLUMNS, lineterminator="\n")
    table.writeheader()
    for entry in record.entries:
        row: dict[str, Any] = {"n": entry.number, "t_ms": entry.t_ms, "kind": entry.kind}
        match entry.body:
            case FactMessage() as fact:
                row |= {"what": fact.kind, "why": fact.why, "face": fact.face, "discs": fact.discs}
                row |= {"x_mm": fact.x / 100, "y_mm": fact.y / 100, "d_mm": fact.d / 100}
                row |= {"tilt_deg": fact.tilt, "shape": fact.shape}
                row["pieces"] = " ".join(map(str, (fact.piece, *fact.others)))
            case RulingMessage() as ruling:
                row |= {"what": ruling.code, "why": ruling.why, "player": ruling.player}
                row |= {"turn": ruling.turn, "pieces": " ".join(map(str, ruling.pieces))}
            case _:
                continue
        table.writerow(_harmless(row | {"said": _sentence(entry, words, record.tag("Edition"))}))
    return text.getvalue()


def as_html(record: Record, words: Words) -> str:
    """One file that needs nothing else: who played, each ruling, and the last position. Names are
    text in it, never markup."""
    bodies = [entry.body for entry in record.entries]
    rulings = [body for body in bodies if isinstance(body, RulingMessage)]
    over = rulings[-1] if rulings and rulings[-1].code == "end" else None
    edition = record.tag("Edition")
    written = {
        "Date": words.day_and_time(record.tag("Date")),
        "Edition": words.edition(edition),
        "Result": words.result(over, edition) if over else words.heading("open"),
    }
    about = [
        (words.heading(name), written.get(name, value))
        for name, value in record.tags
        if value not in ("", "?") and name not in ("Polarity", "Mat")
    ]
    told = "".join(
        f"<li class='{escape(entry.body.code)}'><time>{clock(entry.t_ms or 0)}</time> "
        f"<span class='said'>{escape(words.ruling(entry.body, edition))}</span></li>"
        for entry in record.entries
        if isinstance(entry.body, RulingMessage)
    )
    position = next((body for body in bodies if isinstance(body, RecordedPosition)), None)
    picture = _picture(position, record.tag("Mat")) if position else ""
    body = f"<div class='game'><div>{picture}{about_table(about)}</div><ol>{told}</ol></div>"
    return page("Polarity", words.language, body)


def _picture(position: RecordedPosition, mat: str) -> str:
    """The pieces from above: white's side below."""
    try:
        known = load_mat(mat)
    except MatError:
        return ""
    circle, radius = known.circle_radius_mm, known.disc.diameter_mm / 2
    shapes = [f"<circle r='{circle}' fill='#82948b' stroke='#232c28' stroke-width='1.5'/>"]
    for ident, shape, face, discs, x, y, tilt, azimuth in position.pieces:
        fill = "#850f0c" if shape == "red" else "#141717" if face == "b" else "#fffdf6"
        ink = "#fffdf6" if face == "b" or shape == "red" else "#141717"
        leans = shape == "leaner"
        narrow = radius * cos(radians(tilt)) if leans else radius
        back = -narrow if leans else 0.0  # a leaner's place is where its rim touches the mat
        turned = radians(azimuth)
        middle = f" x='{back * cos(turned):.1f}' y='{-back * sin(turned):.1f}'" if leans else ""
        name = f"{int(ident)}" + (f" ×{int(discs)}" if discs > 1 else "")
        shapes.append(
            f"<g transform='translate({x / 100:.1f} {-y / 100:.1f})'>"
            f"<g transform='rotate({-azimuth})'><ellipse cx='{back:.1f}' rx='{max(narrow, 1):.1f}'"
            f" ry='{radius}' fill='{fill}' stroke='#777'/></g>"
            + (f"<text{middle} fill='{ink}'>{name}</text>" if shape != "red" else "")
            + "</g>"
        )
    edge = circle + radius + 4
    return (
        f"<svg viewBox='{-edge} {-edge} {2 * edge} {2 * edge}' role='img'"
        f" aria-label='Polarity' font-size='10' text-anchor='middle'"
        f" dominant-baseline='central'>{''.join(shapes)}</svg>"
    )


def _sentence(entry: Entry, words: Words, edition: str) -> str:
    if isinstance(entry.body, RulingMessage):
        return words.ruling(entry.body, edition)
    return words.fact(entry.body) if isinstance(entry.body, FactMessage) else ""


def _harmless(row: dict[str, Any]) -> dict[str, Any]:
    """The row without cells that a spreadsheet takes for formulas."""
    return {
        name: f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@") else value
        for name, value in row.items()
    }


def _as_text(record: Record, words: Words) -> str:
    """As host_tools/RECORD.md describes it."""
    return text_of(record)


#: How a record is written in each form: (record, words) -> text.
FORMS: dict[str, Callable[[Record, Words], str]] = {
    "text": _as_text,
    "json": as_json,
    "csv": as_csv,
    "html": as_html,
}


def exported(path: Path, game: int | None, form: str, words: Words, explain: bool = False) -> str:
    """A game of the database (None: the last) in one of FORMS; with `explain` its text has each
    ruling in words. HostError BAD_INPUT when there is no such game.
    """
    date, messages = stored(path, game)
    comments = words if explain and form == "text" else None
    record = record_of_messages(messages, date, comments, named(path, game))
    return FORMS[form](record, words)
