"""The parts as hardware/parts.toml lists them."""

import tomllib
from dataclasses import dataclass
from functools import cache
from typing import Any

from polarity_host.mats.description import MAT_TOML

PARTS_TOML = MAT_TOML.parent / "parts.toml"


@dataclass(frozen=True)
class PartKind:
    """One kind of part; `pins` are (number, name, type), types as in parts.toml's head."""

    id: str
    mpn: str
    maker: str
    what: str
    footprint: str
    pins: tuple[tuple[str, str, str], ...]
    usd_few: float
    usd_many: float
    basis: str
    second: str
    lcsc: str


@dataclass(frozen=True)
class Extra:
    """A part that is on no schematic: `count` for each `per`, sold by `pack`."""

    id: str
    mpn: str
    maker: str
    what: str
    per: str
    count: int
    pack: int
    usd_few: float
    usd_many: float
    basis: str
    second: str


@cache
def _listed() -> dict[str, dict[str, Any]]:
    return tomllib.loads(PARTS_TOML.read_text(encoding="utf-8"))


@cache
def part_kinds() -> dict[str, PartKind]:
    """Every kind of part that has pins, by its id."""
    return {
        id: PartKind(id, **{**raw, "pins": tuple(tuple(pin.split()) for pin in raw["pins"])})
        for id, raw in _listed().items()
        if id != "extra"
    }


@cache
def extras() -> dict[str, Extra]:
    """Everything else, by its id."""
    return {id: Extra(id, **raw) for id, raw in _listed()["extra"].items()}
