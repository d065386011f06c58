"""Distributes the sensors of a mat over boards and addresses: tiles, chains and banks.

A tile is a square board of `side` x `side` grid places with one multiplexer. The tiles of a column
are a chain: cables go from the carrier board to the column's lowest tile and from each tile to the
next. Neighbouring columns share an ADC input. An address is `16 * bank + channel`: a bank is one
tile of every input at once, a channel the place in the tile, by rows from the lowest.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polarity_host.errors import SaidError

CHANNELS = 16
LETTERS = "ABCDEFGHIJKLMNOP"


class TileError(SaidError):
    """The grid cannot be cut into tiles like this. One line."""


@dataclass(frozen=True)
class Tile:
    """One board: `name` is its column's letter and its number in the chain, 1 next to the carrier.

    `column`, `row` count tiles from the left and from below; `corner` is the grid index (column,
    row) of its first place; `sensors` are (frame index, channel) of the places that have a sensor.
    """

    name: str
    column: int
    row: int
    corner: tuple[int, int]
    adc: int
    bank: int
    sensors: tuple[tuple[int, int], ...]

    @property
    def position(self) -> int:
        """Place in its chain, from 1."""
        return int(self.name[1:])


def cut_into_tiles(
    places: NDArray[np.int_], adcs: int, side: int, first: int, chain: int, banks: int = 16
) -> list[Tile]:
    """Cuts grid places (n, 2), in frame order, into tiles, chain after chain from the carrier on.

    Neighbouring chains have different ADC inputs, so that a noisy input has quiet neighbours.

    Raises TileError when a chain is longer than `chain`, has a gap, or there are more than `banks`.
    """
    if side * side > CHANNELS:
        raise TileError("a tile of {side} x {side} has more places than its multiplexer", side=side)
    found: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for index, (i, j) in enumerate(places - first):
        if min(i, j) < 0:
            raise TileError(
                "tiles begin at {first}, but there is a sensor at {place}",
                first=first,
                place=min(places[index]),
            )
        channel = int(j % side * side + i % side)
        found.setdefault((int(i // side), int(j // side)), []).append((index, channel))
    columns = max(column for column, _ in found) + 1
    if columns > len(LETTERS):
        raise TileError(
            "{columns} columns of tiles are more than there are letters for", columns=columns
        )
    shared = -(-columns // adcs)
    tiles: list[Tile] = []
    for column in range(columns):
        rows = sorted(row for at, row in found if at == column)
        if len(rows) > chain or rows != list(range(rows[0], rows[0] + len(rows))):
            raise TileError(
                "the tiles of column {column} are no chain of at most {chain}",
                column=column,
                chain=chain,
            )
        for position, row in enumerate(rows):
            tiles.append(
                Tile(
                    f"{LETTERS[column]}{position + 1}", column, row,
                    (first + side * column, first + side * row), column % adcs,
                    chain * (column // adcs) + position, tuple(found[column, row]),
                )
            )  # fmt: skip
    if max(tile.bank for tile in tiles) >= banks:
        raise TileError(
            "{shared} chains of {chain} tiles on an input are more than {banks} banks: "
            "it has too few address lines",
            shared=shared,
            chain=chain,
            banks=banks,
        )
    return tiles
