"""Where things are: tiles on the mat, parts on a tile. Millimetres, x right, y up, from above."""

from polarity_host.mats.description import Mat
from polarity_host.mats.tiles import Tile

FIRST_SENSOR = 101  # U101 is channel 0


def tile_of(mat: Mat, chain: int, position: int) -> Tile:
    """The tile at a place in a chain; both count from 0."""
    columns = sorted({tile.column for tile in mat.tiles})
    return next(
        tile for tile in mat.tiles if (tile.column, tile.position) == (columns[chain], position + 1)
    )


def side(mat: Mat) -> int:
    """Sensors along a tile's edge."""
    return round(min(t.corner[0] for t in mat.tiles if t.column == 1) - mat.tiles[0].corner[0])


def sensor_on_tile_mm(mat: Mat, channel: int) -> tuple[float, float]:
    """(x, y) of a channel's sensor from the tile's lower left corner."""
    row, column = divmod(channel, side(mat))
    return (column + 0.5) * mat.pitch_mm, (row + 0.5) * mat.pitch_mm


def corner_mm(mat: Mat, tile: Tile) -> tuple[float, float]:
    """(x, y) of a tile's lower left corner, from the circle's centre."""
    column, row = tile.corner
    return (column - 0.5) * mat.pitch_mm, (row - 0.5) * mat.pitch_mm


def sensor_mm(mat: Mat, chain: int, position: int, ref: str) -> tuple[float, float]:
    """(x, y) from the circle's centre of the sensor with this reference on a tile."""
    x, y = corner_mm(mat, tile_of(mat, chain, position))
    dx, dy = sensor_on_tile_mm(mat, int(ref[1:]) - FIRST_SENSOR)
    return x + dx, y + dy
