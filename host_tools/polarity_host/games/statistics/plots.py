"""Small plots as SVG, to stand in a page."""

from collections.abc import Iterable, Sequence
from html import escape

WIDE, ROW, LABEL = 320, 22, 170
HIGH = 120


def bars(title: str, counted: Sequence[tuple[str, int]]) -> str:
    """A figure with one bar for each (what, how many)."""
    most = max((n for _, n in counted), default=1)
    rows = []
    for k, (what, n) in enumerate(counted):
        y = k * ROW
        wide = (WIDE - LABEL - 30) * n / most
        rows.append(
            f"<text x='0' y='{y + 15}'>{escape(what)}</text>"
            f"<rect x='{LABEL}' y='{y + 4}' width='{wide:.1f}' height='{ROW - 8}'/>"
            f"<text x='{LABEL + wide + 5:.1f}' y='{y + 15}'>{n}</text>"
        )
    return _figure(title, max(1, len(counted)) * ROW, rows)


def histogram(title: str, values: Sequence[float], step: float, low: float, high: float) -> str:
    """A figure with a column for every `step` from `low` to `high`; the first and the last also
    count what is beyond them."""
    bins = [0] * round((high - low) / step)
    for value in values:
        bins[min(max(int((value - low) // step), 0), len(bins) - 1)] += 1
    most, wide = max(bins) or 1, WIDE / len(bins)
    parts = []
    for k, n in enumerate(bins):
        tall = HIGH * n / most
        parts.append(
            f"<rect x='{k * wide + 1:.1f}' y='{HIGH - tall + 14:.1f}' width='{wide - 2:.1f}'"
            f" height='{tall:.1f}'/><text x='{k * wide + 1:.1f}' y='{HIGH + 27}'>"
            f"{low + k * step:g}</text>"
        )
        if n:
            parts.append(f"<text x='{k * wide + 3:.1f}' y='{HIGH - tall + 11:.1f}'>{n}</text>")
    return _figure(title, HIGH + 30, parts)


def _figure(title: str, tall: int, parts: Iterable[str]) -> str:
    return (
        f"<figure><figcaption>{escape(title)}</figcaption>"
        f"<svg viewBox='0 0 {WIDE} {tall}' role='img' aria-label='{escape(title)}'>"
        f"{''.join(parts)}</svg></figure>"
    )
