"""What a bare mat's frames say of its boards: which tile, which part, and what to look at.

The references are those of hardware/netlists: on a tile J1 and J2 are its cables, U1 its
multiplexer, U2 the inverter that wakes its sensors, U101 and on its sensors; on the carrier R10 and
on stand in the address lines, R30 and on in the ADC inputs, J1 and on lead to the chains.

A sensor whose output does not reach the ADC leaves it where the sensor read before has left it: it
repeats that one's count and noise, if the input does not fall to nothing. So does, all over a
tile or the mat, an address line that does not switch.
"""

from dataclasses import dataclass, replace

import numpy as np

FRAMES = 100
SAME_COUNTS = 12.0  # offsets of two sensors nearer than this may be one sensor's ...
SAME_NOISE = 0.4  # ... and are, where their noise goes together: four sigma of 100 frames
NOISY = 4.0  # times what the mat's sensors usually have
FAR_MT = 8.0  # beyond any sensor's own offset: 3 sigma are 4 mT
MOST = 0.85  # this share of a group stands for all of it


@dataclass(frozen=True)
class Finding:
    """One fault: the board (a tile's name, "carrier" or "mat"), the part on it, what is wrong and
    what to look at; `sensors` are the frame indices that show it."""

    board: str
    part: str
    what: str
    look: str
    sensors: tuple

    def line(self) -> str:
        """In words."""
        where = f"tile {self.board}" if self.board not in ("carrier", "mat") else self.board
        part = f", {self.part}" if self.part else ""
        return f"{where}{part}: {self.what}. Look at {self.look}."


def examine(counts, mat, tile: str = "") -> list[Finding]:
    """What is wrong, by `counts` (frames, n) of the bare mat; the widest faults first. With `tile`,
    of this one tile alone, while others may be missing. ValueError when there are fewer than FRAMES
    frames, or no such tile."""
    counts = np.asarray(counts, float)
    if len(counts) < FRAMES:
        raise ValueError(f"{len(counts)} frames are too few: {FRAMES} are needed")
    state = _states(counts, mat)
    left = set(np.flatnonzero(state != "").tolist())
    groups = (_address_lines, _inputs, _chains, _tiles, _channel_lines, _sensors)
    if tile:
        mat = replace(mat, tiles=tuple(one for one in mat.tiles if one.name == tile))
        if not mat.tiles:
            raise ValueError(f"the mat has no tile {tile}")
        groups = (_tiles, _channel_lines, _sensors)
    found = []
    for group in groups:
        for finding in group(counts, mat, state, left):
            found.append(finding)
            left -= set(finding.sensors)
    return found


def _states(counts, mat):
    """(n,) "silent", "railed", "frozen", "repeats", "noisy", "far", or "" for a sound one."""
    mean, noise = counts.mean(axis=0), counts.std(axis=0)
    span = 0.94 * mat.saturation_mt * mat.counts_per_mt
    state = np.full(mat.n, "", dtype="U8")
    state[np.abs(mean - mat.zero_count) > FAR_MT * mat.counts_per_mt] = "far"
    usual = np.median(noise[noise > 0]) if (noise > 0).any() else 0.0
    state[noise > NOISY * usual] = "noisy"
    before = _read_before(mat)
    state[_same(counts, np.arange(mat.n), before)] = "repeats"
    state[noise == 0] = "frozen"
    state[mean > mat.zero_count + span] = "railed"
    state[mean < mat.zero_count - span] = "silent"
    return state


def _read_before(mat):
    """Index of the sensor read before each one on the same ADC input (the scan goes round)."""
    before = np.empty(mat.n, int)
    for adc in range(len(mat.adc_pins)):
        own = mat.scan_order[mat.adc[mat.scan_order] == adc]
        before[own] = np.roll(own, 1)
    return before


def _same(counts, one, other):
    """Where sensors `one` and `other` show the same: offset, and noise frame by frame."""
    a, b = counts[:, one], counts[:, other]
    near = np.abs(a.mean(axis=0) - b.mean(axis=0)) < SAME_COUNTS
    spread = a.std(axis=0) * b.std(axis=0)
    both = ((a - a.mean(axis=0)) * (b - b.mean(axis=0))).mean(axis=0)
    return near & (spread > 0) & (both > SAME_NOISE * np.maximum(spread, 1e-9))


def _lost(state, sensors):
    """Whether (nearly) all of these give no reading of their own."""
    gone = [i for i in sensors if state[i] in ("silent", "railed", "frozen", "repeats")]
    return len(gone) >= max(2, MOST * len(sensors)) if len(sensors) > 1 else False


def _aliased(counts, mat, line, sensors):
    """The sensors that show what the place shows whose address lacks this bit."""
    at = {(int(a), int(s)): i for i, (a, s) in enumerate(zip(mat.adc, mat.address, strict=True))}
    pairs = [(at.get((int(mat.adc[i]), int(mat.address[i]) ^ 1 << line)), i) for i in sensors]
    pairs = [(a, b) for a, b in pairs if a is not None and mat.address[b] >> line & 1]
    if not pairs:
        return [], 0
    one, other = map(np.array, zip(*pairs, strict=True))
    same = _same(counts, one, other)
    return [pair for pair, alike in zip(pairs, same, strict=True) if alike], len(pairs)


def _address_lines(counts, mat, state, left):
    for line, pin in enumerate(mat.address_pins):
        alike, pairs = _aliased(counts, mat, line, range(mat.n))
        if pairs and len(alike) >= MOST * pairs:
            stuck = {i for i in range(mat.n) if mat.address[i] >> line & 1} | {a for a, _ in alike}
            yield Finding(
                "carrier", f"R{10 + line}", f"address line {line} does not switch",
                f"the Pico's GP{pin}, R{10 + line} and their solder", tuple(sorted(stuck)),
            )  # fmt: skip


def _inputs(counts, mat, state, left):
    lost = []
    for adc, pin in enumerate(mat.adc_pins):
        own = [i for i in range(mat.n) if mat.adc[i] == adc]
        if set(own) & left and _lost(state, own):
            lost.append((adc, pin, own))
    if len(lost) == len(mat.adc_pins):
        yield Finding(
            "mat", "", "no sensor gives a reading",
            "the carrier's 3.3 V behind U4, its fuse F1 and switch Q1; and whether the mat is bare",
            tuple(range(mat.n)),
        )  # fmt: skip
        return
    for adc, pin, own in lost:
        yield Finding(
            "carrier", f"R{30 + adc}", f"nothing comes to ADC input {adc}",
            f"R{30 + adc}, the Pico's GP{pin}, and a short on the chains' wire AOUT", tuple(own),
        )  # fmt: skip


def _chains(counts, mat, state, left):
    for number, column in enumerate(sorted({tile.column for tile in mat.tiles})):
        chain = [tile for tile in mat.tiles if tile.column == column]
        gone = [_lost(state, _of(t)) or not set(_of(t)) - _bad(state) for t in chain]
        first = len(chain)
        while first and gone[first - 1]:
            first -= 1
        tail = chain[first:]
        sensors = [i for tile in tail for i in _of(tile)]
        if len(tail) < 2 or not set(sensors) & left:
            continue
        before = f"tile {chain[first - 1].name}'s J2" if first else f"the carrier's J{number + 1}"
        yield Finding(
            tail[0].name, "J1", "this tile and all after it in its chain are not heard",
            f"the cable from {before} to J1, and both its locks", tuple(sensors),
        )  # fmt: skip


def _of(tile):
    return [index for index, _ in tile.sensors]


def _bad(state):
    return set(np.flatnonzero(np.isin(state, ("silent", "railed", "frozen", "repeats"))).tolist())


def _tiles(counts, mat, state, left):
    for tile in mat.tiles:
        own = _of(tile)
        if not set(own) & left or not _lost(state, own):
            continue
        yield Finding(
            tile.name, "U2", "the whole tile is not heard",
            "its cable at J1, then U2 (does pin 4 rise when the tile is read?), then U1's pins "
            "1, 15 and 24", tuple(own),
        )  # fmt: skip


def _channel_lines(counts, mat, state, left):
    for tile in mat.tiles:
        for line, pin in enumerate((10, 11, 14, 13)):
            alike, pairs = _aliased(counts, mat, line, _of(tile))
            if pairs >= 2 and len(alike) >= MOST * pairs:
                yield Finding(
                    tile.name, "U1", f"its channel line S{line} does not switch",
                    f"U1's pin {pin} and J1's wire A{line}", tuple(b for _, b in alike),
                )  # fmt: skip


SENSOR_SAYS = {
    "silent": ("it gives nothing", "its pins 1 and 4, and its solder; then replace it"),
    "railed": ("it shows more than it can", "a short of its pin 4 to 3.3 V; then replace it"),
    "frozen": ("it always shows the same", "its solder; then replace it"),
    "repeats": ("it repeats the one read before", "its pin 4, which is open; then its pin 3"),
    "noisy": ("it is noisy", "its capacitor, and its pins 1 and 2"),
    "far": ("it is far from zero", "what lies above it: leave the mat bare; then replace it"),
}


def _sensors(counts, mat, state, left):
    for tile in mat.tiles:
        for index, channel in tile.sensors:
            if index in left:
                what, look = SENSOR_SAYS[str(state[index])]
                x, y = mat.sensor_xyz_mm[index, :2]
                where = f"sensor {index}, at {x:.0f}, {y:.0f} mm"
                yield Finding(
                    tile.name, f"U{101 + channel}", f"{what} ({where})",
                    f"{look} (C{101 + channel} is its capacitor)", (index,),
                )  # fmt: skip
