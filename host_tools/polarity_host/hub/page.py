"""The hall page: its HTML, and what it asks for that never changes."""

from pathlib import Path
from typing import Any

from polarity_host.live.access import Role
from polarity_host.live.evidence import mat_of
from polarity_host.live.page import import_map
from polarity_host.mats.description import load_mat, mat_names
from polarity_host.words.catalogue import catalogue

STATIC = Path(__file__).parent / "static"


def hall_page(role: Role, base: str = "/") -> tuple[str, str]:
    """The page for a role, whose files lie below `base`; where its scripts may come from, for its
    Content-Security-Policy."""
    imports, allowed = import_map({"mat/": f"{base}static/", "hall/": f"{base}hall/"})
    text = (STATIC / "hall.html").read_text(encoding="utf-8")
    for name, value in (("imports", imports), ("role", role), ("base", base)):
        text = text.replace("{{" + name + "}}", value)
    return text, allowed


def mats() -> dict[str, Any]:
    """The mats that a board may be on, by kind."""
    return {name: mat_of(load_mat(name)) for name in mat_names()}


def words_of(language: str) -> dict[str, str]:
    """The page's words: those of the live page, and the hall's own as hall.KEY."""
    messages = catalogue(language).messages
    return {**messages["page"], **{f"hall.{key}": text for key, text in messages["hall"].items()}}
