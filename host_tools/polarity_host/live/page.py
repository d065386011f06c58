"""The two pages: the live one, which can be installed, and a slow motion as one self-contained
file.

Scripts import each other by the names of an import map (`mat/draw.js`). In the live page the names
lead to /static, in the self-contained file to the scripts themselves, as data.
"""

import base64
import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any

from polarity_host.live.access import Role
from polarity_host.live.evidence import Evidence
from polarity_host.words import LANGUAGES
from polarity_host.words.catalogue import catalogue

STATIC = Path(__file__).parent / "static"
#: The scripts of the page that a slow motion needs.
SLOW_SCRIPTS = (
    "draw.js", "pieces.js", "field.js", "motion.js", "numbers.js", "player.js", "slow_page.js",
)  # fmt: skip
#: Those that the live page does not load.
NOT_THE_PAGE = ("overlay.js", "slow_page.js", "sw.js", "whose.js")
#: Those that it loads when they are wanted.
LATER = (
    "field.js", "games.js", "help.js", "maintenance.js", "menu.js", "motion.js", "names.js",
    "player.js", "slow.js",
)  # fmt: skip
#: What a mat that is played on in the page needs besides.
VIRTUAL = (
    '<link rel="stylesheet" href="/static/virtual/virtual.css">\n'
    '<script type="module" src="/static/virtual/virtual.js"></script>'
)


def import_map(folders: dict[str, str]) -> tuple[str, str]:
    """Where the scripts of a served page find each other, by the beginnings of their names; where
    they may come from, for its Content-Security-Policy."""
    text = json.dumps({"imports": folders})
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return text, f"'self' 'sha256-{digest}'"


@cache
def live_page(role: Role = Role.PLAYER, is_virtual: bool = False) -> tuple[str, str]:
    """The page for a role, of a mat that is played on in it or of any other; where its scripts may
    come from, for its Content-Security-Policy."""
    imports, allowed = import_map({"mat/": "/static/"})
    text = _read("index.html").replace("{{imports}}", imports)
    scripts = sorted(STATIC.rglob("*.js"), key=lambda script: script.name)
    unused = {*NOT_THE_PAGE, *LATER}
    if not is_virtual:
        unused |= {"ask.js", *(script.name for script in (STATIC / "virtual").glob("*.js"))}
    ours = [script for script in scripts if script.name not in unused]
    text = text.replace("{{virtual}}", VIRTUAL if is_virtual else "")
    text = text.replace("{{preloads}}", "\n".join(map(_preload, ours)))
    return text.replace("{{role}}", role), allowed


def manifest(token: str) -> dict[str, Any]:
    """The page as an application that can be installed (W3C Web Application Manifest). It starts by
    the link with this token, as it may have no cookies of the browser's; "" for none."""
    icons = [
        {"src": "/static/icon.svg", "sizes": "any", "type": "image/svg+xml"},
        {"src": "/static/icon-512.png", "sizes": "512x512", "type": "image/png"},
        {
            "src": "/static/icon-512.png",
            "sizes": "512x512",
            "type": "image/png",
            "purpose": "maskable",
        },
    ]
    return {
        "id": "/", "name": "Polarity", "short_name": "Polarity", "scope": "/",
        "start_url": f"/?token={token}" if token else "/", "display": "standalone",
        "background_color": "#131617", "theme_color": "#131617", "icons": icons,
    }  # fmt: skip


@cache
def service_worker() -> str:
    """The script of the service worker, with the page's files in front."""
    files = sorted(
        f"/static/{file.relative_to(STATIC).as_posix()}"
        for file in STATIC.rglob("*.*")
        if file.suffix in (".js", ".css") and file.name not in (*NOT_THE_PAGE, "overlay.css")
    )
    return f"const FILES = {json.dumps(['/', *files])};\n" + _read("sw.js")


def slow_page(evidence: Evidence, language: str = "en") -> str:
    """The evidence of a ruling as one HTML file that plays it."""
    imports = {f"mat/{name}": _as_data(STATIC / name) for name in SLOW_SCRIPTS}
    words = {code: catalogue(code).messages["page"] for code in LANGUAGES}
    data = json.dumps({"evidence": evidence, "language": language, "words": words})
    text = _read("slow.html")
    for name, value in (
        ("{{style}}", _read("style.css")),
        ("{{imports}}", json.dumps({"imports": imports})),
        ("{{data}}", data.replace("<", "\\u003c")),  # so that no text in it can end its element
    ):
        text = text.replace(name, value)
    return text


def _read(name: str) -> str:
    return (STATIC / name).read_text(encoding="utf-8")


def _preload(script: Path) -> str:
    return f'<link rel="modulepreload" href="/static/{script.relative_to(STATIC).as_posix()}">'


def _as_data(path: Path) -> str:
    return "data:text/javascript;base64," + base64.b64encode(path.read_bytes()).decode()
