"""Tables on a terminal, whose words are never broken."""

from collections.abc import Sequence

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table

GUTTER = 2  # columns of a terminal between two of a table


def table_console() -> Console:
    """The console that tables are printed on."""
    return Console(highlight=False, soft_wrap=True)


def show_table(console: Console, heads: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Prints a table, and an empty line. Where it is too wide for whole words, each of its rows is
    a list."""
    widths = [
        max(cell_len(word) for cell in column for word in str(cell).split() or ["–"])
        for column in zip(heads, *rows)
    ]
    if sum(widths) + GUTTER * len(widths) > console.width:
        for row in rows:
            for head, cell in zip(heads, row):
                console.print(f"{head}: {cell}", markup=False)
            console.print()
        return
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, GUTTER, 0, 0))
    for head, width in zip(heads, widths):
        table.add_column(head, min_width=width)
    for row in rows:
        table.add_row(*(str(cell).replace("[", "\\[") for cell in row))
    console.print(table, soft_wrap=False)
    console.print()
