"""The words that are printed on the boards, besides their parts' names."""

from collections.abc import Sequence
from typing import TypeAlias

from .layout import Layout
from .outline import Sector

REVISION = "A"  # printed on the boards: the next letter when boards that were ordered change
WORDS_MM = 1.2  # how high letters are

Words: TypeAlias = tuple[str, float, float, str]  # layer, x, y, text


def words_on(layout: Layout) -> list[Words]:
    """(layer, x, y, text): what is printed on a board besides its parts' names."""
    at = {part.ref: (part.x, part.y) for part in layout.parts}
    if layout.name == "tile":
        return [
            ("F.SilkS", 44.0, 82.0, f"Polarity tile rev {REVISION}"),
            ("F.SilkS", 44.0, 6.0, "this edge to the carrier"),
            ("F.SilkS", 22.0, 82.0, "name:"), ("B.SilkS", 44.0, 18.5, "IN"),
            ("B.SilkS", 44.0, 69.5, "OUT"),
            *_test_points(layout, ("3V3", "GND", "AOUT", "EN", "SEL")),
        ]  # fmt: skip
    if isinstance(layout.outline, Sector):
        ring = layout.outline
        radius = (ring.inner + ring.outer) / 2
        shown = (
            (-9.0, "IN"), (9.0, "OUT"), (3.6, "5V outside"), (-2.6, "Polarity arc"),
            (-7.6, f"rev {REVISION}"),
        )  # fmt: skip
        return [("F.SilkS", *ring.at(radius, 90.0 + turn), text) for turn, text in shown]
    found = [
        ("F.SilkS", at[ref][0] - dx, at[ref][1] + dy, text)
        for ref, text, dx, dy in (
            ("J20", "LEDs", 0.0, 7.0),
            ("J21", "button", 9.5, 0.0),
            ("J22", "button", 9.5, 0.0),
        )
    ]
    for part in layout.parts:
        if part.kind == "ffc":
            letter = "ABCDEF"[int(part.ref[1:]) - 1]
            found.append(("B.SilkS", part.x, part.y, f"chain {letter}"))
    names = ("USB", "FUSE", "5V", "3V3", "GND", "LEDs", "IN0", "IN1", "IN2")
    return [
        *found,
        *_test_points(layout, names),
        ("F.SilkS", at["D2"][0], at["D2"][1] + 2.2, "3V3 on"),
        ("F.SilkS", at["C15"][0] - 5.7, at["C15"][1], "+"),
        ("F.SilkS", 42.0, 81.0, f"Polarity carrier rev {REVISION}"),
        ("F.SilkS", 34.0, 55.5, "plug below"),
    ]  # fmt: skip


def _test_points(layout: Layout, names: Sequence[str]) -> list[Words]:
    """What each test point is, beside it."""
    points = [part for part in layout.parts if part.kind == "testpoint"]
    return [
        (f"{part.layer}.SilkS", part.x, part.y + 2.2, name)
        for part, name in zip(points, names, strict=True)
    ]
