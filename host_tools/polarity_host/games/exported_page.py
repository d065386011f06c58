"""The look of the pages that are exported: one HTML file each, which needs nothing else, in the
colours of the live page (live/static/style.css), light or dark, on any screen.
"""

from collections.abc import Iterable
from html import escape

STYLE = (
    ":root{color-scheme:light dark;--paper:#f7f5f0;--card:#fff;--ink:#1b1d1e;--soft:#5c6163;"
    "--line:#dedad0;--accent:#0b6e63;--warn:#a63d12}"
    "@media(prefers-color-scheme:dark){:root{--paper:#131617;--card:#1c2021;--ink:#ece9e1;"
    "--soft:#a2a8a6;--line:#313738;--accent:#6cc8ba;--warn:#f0a884}}"
    "*{box-sizing:border-box}"
    "body{margin:0;background:var(--paper);color:var(--ink);"
    "font:16px/1.5 Inter,'Segoe UI',system-ui,sans-serif;font-variant-numeric:tabular-nums}"
    "main{max-width:70rem;margin:0 auto;padding:1.25rem;overflow-wrap:anywhere}"
    "h1,h2,.said{font-family:Charter,'Iowan Old Style',Georgia,serif}h1,h2{font-weight:600}"
    "h1{font-size:1.6rem;margin:0 0 .8rem}h2{font-size:1.2rem;margin:1.6rem 0 .6rem}"
    ".card{background:var(--card);border:1px solid var(--line);border-radius:12px;"
    "padding:.8rem 1rem;margin:0 0 1rem}"
    "table{border-collapse:collapse;width:100%}"
    "th{color:var(--soft);font-weight:400;font-size:.85rem;overflow-wrap:normal}"
    "td,th{text-align:left;vertical-align:baseline;padding:.4rem .8rem .4rem 0;"
    "border-bottom:1px solid var(--line)}tr:last-child>*{border-bottom:0}"
    ".wide td:first-child{min-width:4rem}"
    ".about th{width:9rem;font-size:1rem}"
    ".plots{display:flex;flex-wrap:wrap;gap:1rem 2rem}figure{margin:0;flex:0 1 20rem}"
    "figcaption{color:var(--soft);font-size:.85rem}"
    ".plots svg{width:100%;height:auto}svg rect{fill:var(--accent)}"
    ".plots svg text{font-size:11px;fill:currentColor}"
    ".game{display:grid;grid-template-columns:minmax(0,26rem) minmax(0,1fr);gap:0 1.5rem}"
    ".game svg{width:100%;display:block}"
    "ol{list-style:none;margin:0;padding:0}"
    "li{display:grid;grid-template-columns:3.2rem 1fr;padding:.45rem 0 .45rem .6rem;"
    "border-bottom:1px solid var(--line);border-left:3px solid transparent}"
    "time{color:var(--soft);font-size:.85rem}"
    "li.fault,li.capture_failed{border-left-color:var(--warn)}"
    "li.captured,li.end{border-left-color:var(--accent)}"
    "@media(max-width:45rem){.game{grid-template-columns:minmax(0,1fr)}main{padding:.75rem}"
    ".wide thead{position:absolute;clip-path:inset(50%)}"
    ".wide th{overflow-wrap:anywhere}"
    ".wide tr{display:block;padding:.5rem 0;border-bottom:1px solid var(--line)}"
    ".wide tr:last-child{border-bottom:0}"
    ".wide td{display:grid;grid-template-columns:10rem 1fr;gap:.8rem;border:0;padding:.1rem 0}"
    ".wide td::before{content:attr(data-label);color:var(--soft);font-size:.85rem}}"
)


def page(title: str, language: str, body: str) -> str:
    """The file: `body` is markup, the title is text."""
    return (
        f"<!doctype html>\n<html lang='{language}'><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width,initial-scale=1'>"
        f"<title>{escape(title)}</title><style>{STYLE}</style>"
        f"<main><h1>{escape(title)}</h1>{body}</main></html>\n"
    )


def wide_table(columns: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """A table, which on a narrow screen becomes a card for each row. Its cells are text."""
    heads = list(columns)
    head = "".join(f"<th scope='col'>{escape(column)}</th>" for column in heads)
    body = "".join(
        "<tr>"
        + "".join(
            f"<td data-label='{escape(name, quote=True)}'>{escape(str(cell))}</td>"
            for name, cell in zip(heads, row, strict=True)
        )
        + "</tr>"
        for row in rows
    )
    return (
        f"<div class='card wide'><table><thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table></div>"
    )


def about_table(rows: Iterable[tuple[str, str]]) -> str:
    """A table of names and what belongs to each. All of it is text."""
    cells = "".join(
        f"<tr><th scope='row'>{escape(name)}</th><td>{escape(value)}</td></tr>"
        for name, value in rows
    )
    return f"<div class='card about'><table>{cells}</table></div>"
