"""Checks everything that `make hardware` has written, and prints its figures as one JSON object.

Findings go to stderr, a line each. Exit 1 when there are any, or a number is not what it must be.
"""

import json
import sys
import tempfile
from pathlib import Path

from polarity import mat_data
from polarity_host.mats.description import load_mat, mat_names

from . import (
    boards,
    bom,
    clearances,
    copper,
    costs,
    outputs,
    pinouts,
    places,
    power,
    sheet_check,
    spice,
    trace,
    tracks,
)
from .figures import figure
from .netlist import findings, netlist
from .scan import given_us

MARGIN = 0.30  # of the time that the analogue path needs, to spare, with a quick amplifier
MARGIN_WORST = 0.20  # and over the whole range of what is not known of it


def measured() -> tuple[dict[str, float | str | list[str]], list[str]]:
    """(figures, findings in words). SpiceError without ngspice."""
    mat = load_mat()
    drawn = outputs.boards()
    erc = [f"{name}: {line}" for name, board in drawn.items() for line in findings(board)]
    netlists = {name: netlist(board) for name, board in drawn.items()}
    wires = []
    for name in mat_names():
        carrier, tile = (trace.read(netlists[n]) for n in ("carrier_" + name, "tile"))
        found = trace.findings(load_mat(name), mat_data.load(name), carrier, tile, places.sensor_mm)
        wires += [f"{name}: {line}" for line in found]
    layout = [
        f"{name}: {line}"
        for name in boards.LAID_OUT
        for line in copper.findings(
            boards.layout_of(name, mat, netlists[name]), tracks.stored(name)
        )
    ]
    with tempfile.TemporaryDirectory() as folder:
        shown = spice.measure(mat, Path(folder))
    usd, usd_ten = bom.total_usd(bom.lines(mat, netlists))
    current_ma = round(power.current_ma(mat, mat.port_ma), 1)
    load_pf = round(spice.load_pf(mat))
    no_room = [line for name in mat_names() for line in clearances.findings(load_mat(name))]
    wrong_pins, unchecked = pinouts.findings()
    sheets = [
        f"{name}.kicad_sch: {line}"
        for name, text in netlists.items()
        for line in sheet_check.findings(_written(f"boards/{name}.kicad_sch"), trace.read(text))
    ]
    figures: dict[str, float | str | list[str]] = {
        "bom_usd": round(usd, 2),
        "total_usd_1": round(costs.costs(mat, netlists, 1).total(), 2),
        "total_usd_5": round(costs.costs(mat, netlists, costs.FIVE).total(), 2),
        "current_ma": current_ma,
        "settling_lsb": round(shown["settling_lsb"], 4),
        "settling_margin": round(shown["settling_margin"], 3),
        "settling_margin_worst": round(shown["settling_margin_worst"], 3),
        "erc_findings": len(erc),
        "netlist_findings": len(wires),
        "schematic_findings": len(sheets),
        "layout_findings": len(layout),
        "pinout_wrong": len(wrong_pins),
        "pinout_unchecked": [line.partition(":")[0] for line in unchecked],
        "clearance_findings": len(no_room),
        "mat": mat.id,
        "bom_usd_each_of_ten": round(usd_ten, 2),
        "current_typical_ma": round(sum(power.budget(mat, mat.port_ma, worst=False).values()), 1),
        "lights_cap_ma": power.budget(mat, mat.port_ma)["lights"],
        "settle_given_us": round(given_us(mat)[0], 2),
        "settle_needed_us": round(shown["settle_us"], 2),
        "settle_worst_us": round(shown["settle_worst_us"], 2),
        "wake_given_us": round(given_us(mat)[1], 2),
        "wake_needed_us": round(shown["wake_us"], 2),
        "wake_worst_us": round(shown["wake_worst_us"], 2),
        "load_pf": load_pf,
        "droop_mv": round(shown["droop_mv"], 1),
        "droop_lsb": round(shown["droop_lsb"], 4),
        "inrush_ma": round(shown["inrush_ma"]),
    }
    wrong = [
        f"{name} is {figures[name]}: {must}"
        for name, bad, must in (
            ("bom_usd", usd >= bom.MOST_USD, f"it must be below {bom.MOST_USD:g}"),
            (
                "current_ma",
                current_ma > mat.port_ma - power.RESERVE_MA,
                f"a port gives {mat.port_ma}, of which {power.RESERVE_MA:g} are left alone",
            ),
            ("load_pf", load_pf > figure("sensor_load_pf"), "outputs stand 1 nF"),
            ("settling_lsb", shown["settling_lsb"] >= 1, "it must be below 1"),
            ("settling_margin", shown["settling_margin"] < MARGIN, f"it must be {MARGIN} or more"),
            (
                "settling_margin_worst",
                shown["settling_margin_worst"] < MARGIN_WORST,
                f"it must be {MARGIN_WORST} or more",
            ),
        )
        if bad
    ]
    return figures, erc + wires + sheets + layout + wrong_pins + no_room + wrong


def _written(name: str) -> str:
    return (Path(__file__).resolve().parents[1] / name).read_text(encoding="utf-8")


def main() -> int:
    """Prints the figures; 0 when nothing was found."""
    try:
        figures, wrong = measured()
    except (spice.SpiceError, power.PowerError) as error:
        print(f"make hardware: {error}", file=sys.stderr)
        return 1
    for line in wrong:
        print(f"make hardware: {line}", file=sys.stderr)
    print(json.dumps(figures))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
