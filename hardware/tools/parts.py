"""The parts as hardware/parts.toml lists them."""

import tomllib
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from polarity_host.mats.description import MAT_TOML

PARTS_TOML = MAT_TOML.parent / "parts.toml"


@dataclass(frozen=True)
class PartKind:
    """One kind of part; `pins` are (number, name, type), types as in parts.toml's head. `numbers`
    are {value: (orderable number, LCSC's)} where the kind comes in values."""

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
    seconds: tuple[str, ...]
    lcsc: str
    numbers: dict[str, tuple[str, str]] = field(default_factory=dict)

    def number(self, value: str) -> str:
        """The orderable number of this value. KeyError: parts.toml has none."""
        return self.numbers[value][0] if self.numbers else self.mpn

    def lcsc_number(self, value: str) -> str:
        """LCSC's number of this value, "" where none is known. KeyError: no such value."""
        return self.numbers[value][1] if self.numbers else self.lcsc

    def orderable(self) -> tuple[str, ...]:
        """Every number that may be ordered: of each value, then the second sources."""
        first = tuple(mpn for mpn, _ in self.numbers.values()) or (self.mpn,)
        return (*(mpn for mpn in first if mpn), *self.seconds)


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
        id: PartKind(
            id,
            **{
                **raw,
                "pins": tuple(tuple(pin.split()) for pin in raw["pins"]),
                "seconds": tuple(raw["seconds"]),
                "numbers": {value: tuple(both) for value, both in raw.get("numbers", {}).items()},
            },
        )
        for id, raw in _listed().items()
        if id != "extra"
    }


@cache
def extras() -> dict[str, Extra]:
    """Everything else, by its id."""
    return {id: Extra(id, **raw) for id, raw in _listed()["extra"].items()}
