"""What tunes perception, read from its table, firmware/polarity/perception/parameters.py; and the
limits that the kernels in C hold too, from kernels/_limits.py."""

import ast
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from polarity.units import INT16, MM
from polarity_host.sources import FIRMWARE

TABLE = FIRMWARE / "polarity" / "perception" / "parameters.py"
LIMITS = FIRMWARE / "polarity" / "kernels" / "_limits.py"
#: What the end of a name says.
UNITS = {
    "UT": "µT",
    "16UT": "16 µT",
    "MS": "ms",
    "US": "µs",
    "FRAMES": "frames",
    "MM_Q8": "1/256 mm",
    "MM": "mm",
    "SINE_Q12": "1/4096 of a sine",
    "TURN_Q12": "1/4096 of an axis",
    "MOMENT_Q10": "1/1024 of the nominal moment",
    "COST": "(64 µT)^2 a sensor",
    "EXCESS": "(8 µT)^2",
    "INFORMATION": "a squared step",
    "STEPS": "steps",
    "BITS": "bits",
    "TIMES": "times",
    "HALVES": "halves",
    "3RDS": "thirds",
    "4THS": "quarters",
    "5THS": "fifths",
    "8THS": "eighths",
    "10THS": "tenths",
    "PERCENT": "%",
    "BODIES": "bodies",
    "DISCS": "discs",
    "SENSORS": "sensors",
    "RADII": "radii of a disc",
    "ROUNDS": "rounds",
}
_UNIT = re.compile(rf"_({'|'.join(sorted(UNITS, key=len, reverse=True))})$")
_TRADES = re.compile(r"^(.*) Smaller: (.*) Larger: (.*)$")

Value = int | tuple[int, ...]


@dataclass(frozen=True)
class Parameter:
    """A row of the table. `smaller`, `larger`: what such a value does."""

    name: str
    value: Value
    unit: str
    about: str
    smaller: str
    larger: str


def unit_of(name: str) -> str:
    """The unit that the end of a name says, "" for none."""
    found = _UNIT.search(name)
    return UNITS[found[1]] if found else ""


@cache
def parameters(path: Path = TABLE) -> dict[str, Parameter]:
    """The table, by name. ValueError for a row without a unit, or that does not say what it
    trades."""
    source = path.read_text(encoding="utf-8")
    lines, values = source.splitlines(), {"MM": MM, "INT16": INT16}
    rows: dict[str, Parameter] = {}
    trades = None
    for line in ast.parse(source).body:
        if not isinstance(line, ast.Assign):
            continue
        comment = _comment_above(lines, line.lineno)
        if comment:
            trades = _TRADES.match(comment)
        (target,) = line.targets
        name = ast.unparse(target)
        if not unit_of(name):
            raise ValueError(f"{name} does not end in a unit: {', '.join(UNITS)}")
        if trades is None:
            raise ValueError(f"the comment above {name} must say `Smaller: … Larger: …`")
        value = eval(compile(ast.Expression(line.value), "", "eval"), {"__builtins__": {}}, values)
        rows[name] = Parameter(name, value, unit_of(name), *trades.groups())
    return rows


def _comment_above(lines: list[str], number: int) -> str:
    """The lines of comment right above a line, as one; "" for none, as for the second of rows that
    stand together."""
    first = number - 1
    while first and lines[first - 1].startswith("# ") and not lines[first - 1].startswith("# --"):
        first -= 1
    return " ".join(line[2:] for line in lines[first : number - 1])


def parse_value(text: str) -> Value:
    """A value from "350", or of several numbers from "2,5,10"."""
    if "," not in text:
        return int(text)
    return tuple(int(part) for part in text.split(","))


parse_value.__name__ = "value"
