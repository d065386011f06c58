"""The parts of the campaign, how long each runs, and what has to come out."""

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any, TypeAlias

from polarity_bench import sequences
from polarity_bench.faults.parts import Trouble

Show: TypeAlias = Callable[[str], object]
Part: TypeAlias = Callable[[int, int, Show], dict[str, Any]]
"""Attacks so often, from a seed on; returns its figures and `details`."""

#: Attacks of each part, by length: `tests` in seconds, `short` in about two minutes on two cores,
#: `nightly` in hours.
LENGTHS: dict[str, dict[str, int]] = {
    "tests": {
        "power": 400, "wire": 400, "files": 40, "facts": 40, "page": 200, "kills": 0, "stores": 2,
        "sick": 6, "clocks": 3, "memory": 60, "week": 4,
    },
    "short": {
        "power": 20_000, "wire": 20_000, "files": 800, "facts": 500, "page": 3000, "kills": 3,
        "stores": 20, "sick": 15, "clocks": 6, "memory": 200, "week": 4,
    },
    "nightly": {
        "power": 100_000, "wire": 1_000_000, "files": 20_000, "facts": 100_000, "page": 100_000,
        "kills": 300, "stores": 400, "sick": 480, "clocks": 120, "memory": 4000, "week": 172,
    },
}  # fmt: skip

#: What must be 0, whatever was attacked.
MUST_BE_0 = (
    "kept_wrong", "io_unrecovered", "wire_tracebacks", "false_events", "tracebacks", "exceptions",
    "http_500", "http_tracebacks", "unanswered", "viewers_behind",
    "events_lost", "events_twice", "told_not_stored",
    "false_losses", "ill_untold", "well_complaints", "sick_exceptions",
    "unrecovered", "week_failures", "clock_differences", "clock_exceptions", "stores_wrong",
)  # fmt: skip

#: What must not be above 0.
MUST_NOT_GROW = ("heap_growth_bytes",)


def _facts(count: int, seed: int, show: Show) -> dict[str, Any]:
    trouble = Trouble()
    for number in range(count):
        with trouble.noted(f"sequence {seed + number}"):
            sequences.play(seed + number)
    return {"sequences": count, "exceptions": trouble.count, "details": trouble.details}


def _kills(count: int, seed: int, show: Show) -> dict[str, Any]:
    from polarity_bench import kills

    return dict(kills.run(count, seed, lambda done: show(f"kills: {done}"))) if count else {}


def _later(module: str, function: str = "run") -> Part:
    """A part whose module is imported once it runs: some need what others do without."""

    def part(count: int, seed: int, show: Show) -> dict[str, Any]:
        return getattr(import_module(f"polarity_bench.faults.{module}"), function)(count, seed)

    return part


PARTS: dict[str, Part] = {
    "power": _later("power"),
    "wire": _later("wire"),
    "files": _later("files"),
    "facts": _facts,
    "page": _later("page"),
    "kills": _kills,
    "stores": _later("stores"),
    "sick": _later("sick"),
    "clocks": _later("clocks"),
    "memory": _later("memory"),
    "week": _later("memory", "week"),
}


def run(parts: Iterable[str], length: str, count: int, seed: int, show: Show) -> dict[str, Any]:
    """Attacks with these parts, as often as `length` says, or `count` times each if that is not 0.
    Returns the figures of all; `held`: whether all that must be 0 is; `details`."""
    figures: dict[str, Any] = {}
    details: list[str] = []
    for part in parts:
        show(f"faults: {part}")
        found = PARTS[part](count or LENGTHS[length][part], seed, show)
        details += [f"{part}: {line}" for line in found.pop("details", ())]
        figures |= found
    broken = [name for name in MUST_BE_0 if figures.get(name)]
    broken += [name for name in MUST_NOT_GROW if (figures.get(name) or 0) > 0]
    return {**figures, "held": not broken, "details": details}
