"""The list of parts of a mat, counted from its netlists, with prices."""

import csv
import io
import math
from collections import Counter
from dataclasses import dataclass

from polarity_host.mats.description import Mat

from . import drawings, trace
from .parts import Extra, PartKind, extras, part_kinds
from .schematic import LEDS_AN_ARC, chains

SPARE = 0.03  # of the small parts: some are lost, some are soldered wrongly
MANY = 10
MOST_USD = 300.0  # what one mat's parts may cost


@dataclass(frozen=True)
class Line:
    """One line of the list: `needed` for one mat, `ordered` and dollars for one and for ten."""

    id: str
    value: str
    mpn: str
    maker: str
    what: str
    needed: int
    ordered: int
    ordered_many: int
    usd: float  # of all of them, for one mat
    usd_many: float  # of all of them, for ten mats
    basis: str
    second: str
    lcsc: str | None  # LCSC's number, "" where none is known, None where there is nothing to list


def boards_of(mat: Mat) -> dict[str, int]:
    """How many of each board a mat takes, by the netlist's name."""
    arcs = math.ceil(mat.led_count / LEDS_AN_ARC)
    return {"tile": len(mat.tiles), "carrier_" + mat.id: 1, "led_arc": arcs}


def counted(mat: Mat, netlists: dict[str, str]) -> Counter[tuple[str, str]]:
    """{(kind of part, value): number} of a mat; sensors only where the grid has one."""
    found: Counter[tuple[str, str]] = Counter()
    for board, number in boards_of(mat).items():
        read = trace.read(netlists[board])
        for ref, kind in read.kind.items():
            if part_kinds()[kind].mpn:  # else it is pads only
                found[kind, read.value[ref]] += number
    found = Counter({key: n for key, n in found.items() if key[0] != "sensor"})
    found["sensor", part_kinds()["sensor"].mpn] = mat.n
    return found


def lines(mat: Mat, netlists: dict[str, str]) -> list[Line]:
    """The whole list, the dearest first."""
    found = []
    for (id, value), needed in counted(mat, netlists).items():
        kind = part_kinds()[id]
        spare = SPARE if needed >= 30 else 0.0
        few, many = (math.ceil(mats * needed * (1 + spare)) for mats in (1, MANY))
        found.append(_line(kind, "" if value == kind.mpn else value, needed, few, many))
    each = numbers(mat)
    for extra in extras().values():
        needed = extra.count * each[extra.per]
        if not needed:
            continue
        few, many = (math.ceil(mats * needed / extra.pack) * extra.pack for mats in (1, MANY))
        found.append(_line(extra, "", needed, few, many))
    return sorted(found, key=lambda line: (-line.usd, line.id, line.value))


def numbers(mat: Mat) -> dict[str, int]:
    """How many of each `per` of an extra a mat has."""
    found = {"mat": 1, "tile": len(mat.tiles), "chain": len(chains(mat))}
    found["arc"] = boards_of(mat)["led_arc"]
    return found | {f"cable_{mm}": number for mm, number in cables(mat).items()}


def cables(mat: Mat) -> dict[int, int]:
    """{length in mm: number} of the flat cables: from tile to tile the shortest, and to each chain
    the shortest that is sold and reaches, or the longest."""
    sold = sorted(
        int(extra.per.partition("_")[2])
        for extra in extras().values()
        if extra.per.startswith("cable_")
    )
    found = dict.fromkeys(sold, 0)
    found[sold[0]] += len(mat.tiles) - len(chains(mat))
    for chain in range(len(chains(mat))):
        path_mm = drawings.lead_mm(mat, chain)
        found[next((mm for mm in sold if mm >= path_mm), sold[-1])] += 1
    return found


def _line(part: PartKind | Extra, value: str, needed: int, few: int, many: int) -> Line:
    if isinstance(part, PartKind):
        mpn, lcsc = part.number(value), part.lcsc_number(value)
    else:
        mpn, lcsc = part.mpn, None
    return Line(
        part.id, value, mpn, part.maker, part.what, needed, few, many,
        few * part.usd_few, many * part.usd_many, part.basis, part.second, lcsc,
    )  # fmt: skip


def total_usd(listed: list[Line]) -> tuple[float, float]:
    """Dollars of one mat when one is built, and of one when ten are."""
    return sum(line.usd for line in listed), sum(line.usd_many for line in listed) / MANY


def estimated_usd(listed: list[Line]) -> float:
    """The dollars of one mat that are estimates: no shop's price is behind them, neither read here
    nor noted by others."""
    return sum(line.usd for line in listed if line.basis.startswith("estimate"))


def as_csv(listed: list[Line]) -> str:
    """For a spreadsheet, or a shop's upload."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(
        ("part", "value", "number", "maker", "what", "needed", "order for one mat", "USD",
         "order for ten", "USD for ten", "basis of the price", "second source", "LCSC")
    )  # fmt: skip
    for line in listed:
        rows.writerow(
            (line.id, line.value, line.mpn, line.maker, line.what, line.needed, line.ordered,
             f"{line.usd:.2f}", line.ordered_many, f"{line.usd_many:.2f}", line.basis, line.second,
             line.lcsc or "")
        )  # fmt: skip
    return out.getvalue()


def as_page(mat: Mat, listed: list[Line]) -> str:
    """For people."""
    one, many = total_usd(listed)
    guessed = estimated_usd(listed)
    spare = 100 * (MOST_USD - one) / guessed
    unlisted = ", ".join(line.mpn for line in listed if line.lcsc == "")
    text = f"""# Parts of the mat "{mat.id}"

GENERATED by `make hardware` from mat.toml, parts.toml and the netlists: do not edit.

{one:.0f} USD for one mat, {many:.0f} USD each for ten, in parts: no freight, duty, tax or tools.
Sensors are bought for the {mat.n} places that have one. The basis of each price stands beside it:
an estimate is nobody's offer. {one - guessed:.0f} of the {one:.0f} USD rest on shops' prices,
{guessed:.0f} on estimates: all of these may be {spare:.0f} % too low before one mat costs more than
{MOST_USD:.0f} USD. LCSC's numbers stand in [bom.csv](bom.csv). Without one: {unlisted}.

| part | number | needed | order | USD | basis | second source |
|---|---|---|---|---|---|---|
"""
    for line in listed:
        value = f" {line.value}" if line.value else ""
        text += (
            f"| {line.what}{value} | {line.maker} {line.mpn} | {line.needed} | {line.ordered} "
            f"| {line.usd:.2f} | {line.basis} | {line.second} |\n"
        )
    return text
