"""How far an assumed figure of a part may be off before the design fails.

    python -m hardware.tools.slack              prints the table (some minutes; ngspice)
    python -m hardware.tools.slack --write      puts it into hardware/SOURCES.md

Every figure of figures.toml is made worse, alone, by the FACTORS, and all simulations and the
budget are run again each time. It holds while what the ADC sees is within one LSB when the firmware
first converts, the supply is back within one, the plug draws no more than a port gives at once, and
the port feeds everything.
"""

import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from polarity_host.mats.description import MAT_TOML, Mat, load_mat

from . import power, spice
from .figures import figure, figures
from .tables import put_between

SOURCES_MD = MAT_TOML.parent / "SOURCES.md"
MARK = "<!-- of `python -m hardware.tools.slack`: do not edit -->"
END = "<!-- end -->"
FACTORS = (1.25, 1.5, 2.0, 3.0, 5.0, 10.0)
#: Less of these is worse; of all others more is.
LESS = (
    "amplifier_least_us", "mux_on_least_ohm", "sensor_drive_ma", "sensor_load_pf", "ceramic_left",
    "regulator_khz", "fet_threshold_v",
)  # fmt: skip
LED_COUNTED_MA = 15  # by which the firmware counts a channel at full: drivers/pixels.py
#: What a port may be asked for while a device is plugged in: as much as it gives.
MOST_INRUSH_MA = 500.0


@contextmanager
def as_if(name: str, value: float) -> Iterator[None]:
    """A figure has another value, for as long as this lasts."""
    listed = figures()[name]
    before = listed["value"]
    listed["value"] = value
    try:
        yield
    finally:
        listed["value"] = before


_measured: dict[str, spice.Samples] = {}


def _run_once(deck: str, folder: Path) -> spice.Samples:
    """spice.run, once for each deck: most do not depend on the figure that changes."""
    if deck not in _measured:
        _measured[deck] = spice.run(deck, folder)
    return _measured[deck]


def broken(mat: Mat) -> str:
    """What fails with the figures as they are, in a few words; "" if nothing does."""
    try:
        budget = power.budget(mat, mat.port_ma)
    except power.PowerError:
        return "a 500 mA port"
    worse_lights = budget["lights"] * (figure("led_ma") / LED_COUNTED_MA - 1)
    if sum(budget.values()) + worse_lights > mat.port_ma:
        return "a 500 mA port"
    if spice.load_pf(mat) > figure("sensor_load_pf"):
        return "a steady output"
    with tempfile.TemporaryDirectory() as folder:
        shown = spice.measure(mat, Path(folder), _run_once)
    if shown["settling_lsb"] >= 1:
        return "settling"
    if shown["droop_lsb"] >= 1:
        return "the supply as a bank wakes"
    if shown["inrush_ma"] > MOST_INRUSH_MA:
        return "inrush"
    return ""


def slack(name: str, mat: Mat) -> tuple[float, str]:
    """(the largest factor by which a figure may be worse, what fails at the next, or "")."""
    value, held = figure(name), 1.0
    for factor in FACTORS:
        with as_if(name, value / factor if name in LESS else value * factor):
            fails = broken(mat)
        if fails:
            return held, fails
        held = factor
    return held, ""


def table(report: Callable[[str], object] = lambda text: None) -> str:
    """Markdown: every figure, its value and source, and its slack."""
    mat = load_mat()
    text = "| figure | value | may be | then fails | source |\n|---|---|---|---|---|\n"
    for name, listed in figures().items():
        held, fails = slack(name, mat)
        way = "÷" if name in LESS else "×"
        may = "as it is" if held == 1.0 else f"{way} {held:g}"
        value, source = listed["value"], listed["source"]
        text += f"| `{name}` | {value:g} | {may} | {fails or '-'} | {source} |\n"
        report(f"{name}: {may}, {fails or 'nothing fails'}")
    return text


def main(argv: Sequence[str]) -> int:
    """Prints the table, and with --write puts it into SOURCES.md. 1 when ngspice fails."""
    try:
        found = table(lambda line: print(line, file=sys.stderr, flush=True))
    except spice.SpiceError as error:
        print(f"slack: {error}", file=sys.stderr)
        return 1
    print(found)
    if argv == ["--write"]:
        put_between(SOURCES_MD, MARK, END, f"\n\n{found}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
