"""A mat from above in letters: a place for each sensor, white's side below."""

import numpy as np

SOUND, MARGIN = "·", "  "


def in_letters(mat, marks: dict[int, str], strokes: bool = False) -> list[str]:
    """Lines: the letter that `marks` has for a sensor (a frame index), else SOUND. `strokes`: how a
    disc is drawn over it, to and fro, stands before each line.
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
