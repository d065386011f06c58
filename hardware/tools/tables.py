"""Tables that a program makes, in pages that people write."""

from pathlib import Path


def put_between(page: Path, mark: str, end: str, text: str) -> None:
    """Puts `text` between a mark in a page and the `end` that follows it."""
    before, _, after = page.read_text(encoding="utf-8").partition(mark)
    _, _, after = after.partition(end)
    page.write_text(f"{before}{mark}{text}{end}{after}", encoding="utf-8")
