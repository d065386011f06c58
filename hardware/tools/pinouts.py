"""Checks the pins and packages of every part that can be ordered, second sources too.

    python -m hardware.tools.pinouts       a line for each orderable number; exit 1 if one is wrong

hardware/pinouts.toml has the pins as a datasheet or KiCad's library names them. They must be those
that parts.toml draws, on the same land pattern. Where KiCad's symbols are installed (Debian:
kicad-symbols), each record that names one is compared with it. A number without a record, or whose
record no maker's document stands behind, counts as unchecked.
"""

import re
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeAlias

from polarity_host.mats.description import MAT_TOML

from .parts import PartKind, part_kinds
from .trace import parse

PINOUTS_TOML = MAT_TOML.parent / "pinouts.toml"
SYMBOLS = Path("/usr/share/kicad/symbols")
#: Size codes of parts with two ends that are alike, as they stand in orderable numbers.
SIZES = ("0402", "0603", "0805", "1206")

Pins: TypeAlias = dict[str, str]  # {number: name}
Verdict: TypeAlias = Literal["right", "wrong", "unchecked"]


@dataclass(frozen=True)
class Record:
    """The pins of some orderable numbers, as `source` names them; `means` are our names for its."""

    numbers: tuple[str, ...]
    source: str
    footprint: str
    pins: Pins
    means: Mapping[str, str] = field(default_factory=dict)
    symbol: str = ""
    unread: str = ""


@dataclass(frozen=True)
class Check:
    """What became of one orderable number; `why` names the source, or says what is wrong."""

    part: str
    number: str
    verdict: Verdict
    why: str


def record_of(raw: Mapping[str, Any]) -> Record:
    """A record as pinouts.toml has it."""
    pins = dict(pin.split(" ", 1) for pin in raw["pins"])
    return Record(**{**raw, "numbers": tuple(raw["numbers"]), "pins": pins})


@cache
def records() -> tuple[Record, ...]:
    """All of pinouts.toml."""
    listed = tomllib.loads(PINOUTS_TOML.read_text(encoding="utf-8"))["pinout"]
    return tuple(record_of(raw) for raw in listed)


# ---- KiCad's library
@cache
def _library(name: str) -> dict[str, list[Any]]:
    tree = parse((SYMBOLS / f"{name}.kicad_sym").read_text(encoding="utf-8"))
    return {one[1]: one for one in tree if isinstance(one, list) and one[0] == "symbol"}


def symbol(name: str) -> tuple[Pins, str] | None:
    """({pin: name}, footprint or "") of KiCad's symbol "library:name"; None where it is not
    installed. A pin that has no name there is called by its type."""
    library, _, name = name.partition(":")
    if not (SYMBOLS / f"{library}.kicad_sym").exists() or name not in _library(library):
        return None
    tree = _library(library)[name]
    footprint = next(
        (one[2] for one in tree if isinstance(one, list) and one[:2] == ["property", "Footprint"]),
        "",
    )
    base = next((one[1] for one in tree if isinstance(one, list) and one[0] == "extends"), name)
    pins: Pins = {}
    for unit in _library(library)[base]:
        if not (isinstance(unit, list) and unit[0] == "symbol"):
            continue
        for pin in unit:
            if not (isinstance(pin, list) and pin[0] == "pin"):
                continue
            called, number = (
                next(one[1] for one in pin if isinstance(one, list) and one[0] == what)
                for what in ("name", "number")
            )
            if called == "~":
                called = pin[1] if pin[2] == "line" else f"{pin[1]} {pin[2]}"
            pins[number] = called
    return pins, footprint


def library_findings(record: Record) -> list[str]:
    """What of a record is not as KiCad's symbol has it; [] also where that is not installed."""
    found = symbol(record.symbol) if record.symbol else None
    if found is None:
        return []
    pins, footprint = found
    numbers = sorted({*pins, *record.pins}, key=lambda n: (len(n), n))
    wrong = [
        f"{record.symbol}: pin {n} is {pins.get(n, 'absent')} there, {record.pins.get(n, 'absent')}"
        " in pinouts.toml"
        for n in numbers
        if pins.get(n) != record.pins.get(n)
    ]
    # A symbol may stand for more packages than one: it names the one that it was drawn after.
    same_case = footprint.rpartition(":")[2].split("_")[0] == record.footprint.rpartition(":")[2]
    if same_case and footprint != record.footprint:
        wrong.append(f"{record.symbol}: its footprint is {footprint}")
    return wrong


# ---- our parts
def _ours(kind: PartKind) -> Pins:
    """{pin: name} as parts.toml draws it, without pins that are not connected. Grounds that have
    their pin's number in their name are all GND, and IO1_6 is pin 6 of IO1."""
    return {
        n: re.sub(r"^GND\d+$", "GND", name).removesuffix(f"_{n}")
        for n, name, sort in kind.pins
        if sort != "n"
    }


def against(kind: PartKind, record: Record) -> list[str]:
    """What a record's part would do wrong in the place of this kind, a line each."""
    theirs = {n: record.means.get(name, name) for n, name in record.pins.items()}
    ours = _ours(kind)
    wrong = [
        f"pin {n} is {theirs.get(n, 'absent')}, the board has {ours.get(n, 'nothing')}"
        for n in sorted({*ours, *theirs}, key=lambda n: (len(n), n))
        if ours.get(n) != theirs.get(n)
    ]
    if record.footprint != kind.footprint:
        wrong.append(f"its package is {record.footprint}, the board has {kind.footprint}")
    return wrong


def check(kind: PartKind, number: str) -> Check:
    """What is known of one orderable number in the place of this kind."""
    record = next((one for one in records() if number in one.numbers), None)
    if record is not None:
        wrong = against(kind, record) + library_findings(record)
        if wrong:
            return Check(kind.id, number, "wrong", "; ".join(wrong))
        if record.unread:
            return Check(kind.id, number, "unchecked", f"{record.source}; {record.unread}")
        return Check(kind.id, number, "right", record.source)
    if [name for _, name, _ in kind.pins] == ["A", "B"]:
        return _two_ends(kind, number)
    if all(name == n for n, name, _ in kind.pins):
        why = f"numbered from one end: the land pattern {kind.footprint} says from which"
        return Check(kind.id, number, "right", why)
    return Check(kind.id, number, "unchecked", "pinouts.toml has no record of it")


def _two_ends(kind: PartKind, number: str) -> Check:
    sizes = [size for size in SIZES if size in number]
    if not sizes:
        return Check(kind.id, number, "unchecked", "its number does not tell its size")
    if not any(f"_{size}_" in kind.footprint for size in sizes):
        why = f"its number says {sizes[0]}, the board has {kind.footprint}"
        return Check(kind.id, number, "wrong", why)
    return Check(kind.id, number, "right", f"its two ends are alike; {sizes[0]} by its number")


def checks() -> list[Check]:
    """Every orderable number of the parts that have pins."""
    return [check(kind, number) for kind in part_kinds().values() for number in kind.orderable()]


def unlisted_findings() -> list[str]:
    """Numbers in a part's `second` that `seconds` does not list, so that nothing checks them: words
    of capitals and digits, long enough to be a number."""
    found = []
    for kind in part_kinds().values():
        for word in re.findall(r"[A-Z0-9][A-Z0-9/,-]{6,}", kind.second):
            word = word.strip(",")
            if (
                re.search(r"\d", word)
                and word not in kind.seconds
                and "-" + word not in kind.second
            ):
                found.append(f"{kind.id}: {word} stands in `second`, but not in `seconds`")
    return found


def as_section() -> str:
    """Markdown for BOM.md: how the pins and the package of each number were checked. It is the same
    with KiCad's library and without."""
    text = """
## Pins and packages

`python -m hardware.tools.pinouts` compares the pins and the package of every number with the board,
and with KiCad's symbols where they are installed. "Unchecked" means that no maker's document stands
behind the source: read it before you order.

| part | number | | source |
|---|---|---|---|
"""
    for one in checks():
        text += f"| {one.part} | {one.number} | {one.verdict} | {one.why} |\n"
    return text


def findings() -> tuple[list[str], list[str]]:
    """(what is wrong, what is unchecked), a line each."""
    found = [(one, f"{one.part} {one.number}: {one.why}") for one in checks()]
    wrong = [line for one, line in found if one.verdict == "wrong"]
    return wrong + unlisted_findings(), [line for one, line in found if one.verdict == "unchecked"]


def main() -> int:
    """Prints each check; 1 when one is wrong."""
    found = checks()
    for one in found:
        print(f"{one.verdict:10}{one.part} {one.number}: {one.why}")
    library = "compared" if SYMBOLS.exists() else "not installed: apt install kicad-symbols"
    print(f"KiCad's symbols: {library}")
    missing = unlisted_findings()
    for line in missing:
        print(line, file=sys.stderr)
    return 1 if missing or any(one.verdict == "wrong" for one in found) else 0


if __name__ == "__main__":
    sys.exit(main())
