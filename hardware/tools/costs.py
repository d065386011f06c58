"""What a mat costs in all: parts, boards, assembly, freight and tax, for one mat and for five.

Parts are bought for what is needed and a few spares; boards in the packs they are sold in. Assembly
counts sides, kinds of parts and soldered pads of each kind of board. The prices besides the parts'
are those of hardware/costs.toml.
"""

import math
import tomllib
from dataclasses import dataclass
from functools import cache

from polarity_host.mats.description import MAT_TOML, Mat

from . import boards, bom
from .parts import extras, part_kinds

COSTS_TOML = MAT_TOML.parent / "costs.toml"
FIVE = 5
BOARDS = ("tile_board", "carrier_board", "arc_board")


@dataclass(frozen=True)
class Costs:
    """Dollars of so many mats together."""

    mats: int
    parts: float
    boards: float
    assembly: float
    freight: float
    tax: float

    def total(self) -> float:
        """All of it."""
        return self.parts + self.boards + self.assembly + self.freight + self.tax

    def each(self) -> float:
        """The share of one mat."""
        return self.total() / self.mats


@cache
def _listed() -> dict[str, dict[str, float]]:
    return tomllib.loads(COSTS_TOML.read_text(encoding="utf-8"))


def price(name: str, mats: int) -> float:
    """One price of costs.toml for so many mats."""
    return float(_listed()[name]["many" if mats >= FIVE else "few"])


def costs(mat: Mat, netlists: dict[str, str], mats: int) -> Costs:
    """The costs of so many mats, all boards assembled by the board house. The stencil for one's own
    hot plate is left out. Five mats pay the prices of one for their parts: only boards and freight
    are shared."""
    parts = 0.0
    for (kind, value), needed in bom.counted(mat, netlists).items():
        spare = bom.SPARE if needed >= 30 else 0.0
        del value
        parts += math.ceil(mats * needed * (1 + spare)) * part_kinds()[kind].usd_few
    bare = 0.0
    each = bom.numbers(mat)
    for id, extra in extras().items():
        if id == "stencil":
            continue
        packs = math.ceil(mats * extra.count * each[extra.per] / extra.pack)
        usd = packs * extra.pack * extra.usd_few
        if id in BOARDS:
            bare += usd
        else:
            parts += usd
    assembly = _assembly(mat, netlists, mats)
    freight = price("freight_boards", mats) + price("freight_parts", mats)
    tax = price("tax_share", mats) * (parts + bare + assembly + freight)
    return Costs(mats, parts, bare, assembly, freight, tax)


def _assembly(mat: Mat, netlists: dict[str, str], mats: int) -> float:
    total = 0.0
    for name, number in bom.boards_of(mat).items():
        if name not in boards.LAID_OUT:
            continue
        layout = boards.layout_of(name, mat, netlists[name])
        bought = [part for part in layout.parts if part_kinds()[part.kind].mpn]
        refs = {part.ref for part in bought}
        sides = len({part.layer for part in bought})
        kinds = len({(part.kind, part.value) for part in bought})
        joints = sum(pad.ref in refs for pad in layout.pads)
        if name == "tile":  # sensors, and the capacitors beside them, only where the grid has them
            empty = mats * (number * 16 - mat.n) * (5 + 2)
        else:
            empty = 0
        total += sides * (price("setup", mats) + price("stencil", mats))
        total += kinds * price("feeder", mats)
        total += (mats * number * joints - empty) * price("joint", mats)
    return total


def as_section(mat: Mat, netlists: dict[str, str]) -> str:
    """Markdown for BOM.md."""
    one, five = (costs(mat, netlists, mats) for mats in (1, FIVE))
    text = f"""
## What it costs in all

With all boards assembled by the board house, at the estimates of [costs.toml](costs.toml):
{one.total():.0f} USD for one mat, {five.each():.0f} USD each for five. Soldering by hand saves
the assembly.

| USD | one mat | five mats together |
|---|---|---|
"""
    for name in ("parts", "boards", "assembly", "freight", "tax"):
        text += f"| {name} | {getattr(one, name):.0f} | {getattr(five, name):.0f} |\n"
    return text + f"| together | {one.total():.0f} | {five.total():.0f} |\n"
