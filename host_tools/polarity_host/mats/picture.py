"""A mat from above as lines of letters: a place for each sensor, white's side below."""

from collections.abc import Mapping

import numpy as np

from polarity_host.mats.description import Mat

SOUND, MARGIN = "·", "  "


def in_letters(mat: Mat, marks: Mapping[int, str], strokes: bool = False) -> list[str]:
    """The lines: for each sensor (a frame index) its letter in `marks`, or SOUND. With `strokes`,
    an arrow before each line shows the direction in which a disc is drawn along it.
    """
    places = np.rint(mat.sensor_xyz_mm[:, :2] / mat.pitch_mm * 2).astype(int)
    left, low = places.min(axis=0)
    columns, rows = (places - (left, low)).T // 2
    drawn = np.full((rows.max() + 1, columns.max() + 1), " ")
    for index, (row, column) in enumerate(zip(rows, columns, strict=True)):
        drawn[row, column] = marks.get(index, SOUND)
    ways = ["→ " if k % 2 else "← " for k in range(len(drawn))] if strokes else [""] * len(drawn)
    return [
        f"{MARGIN}{way}{' '.join(line).rstrip()}" for way, line in zip(ways, drawn, strict=True)
    ][::-1]
