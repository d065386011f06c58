"""What a bare mat's frames say of its boards: which tile, which part, and what to look at.

The references are those of hardware/netlists: on a tile J1 and J2 are its cables, U1 its
multiplexer, U2 the inverter that wakes its sensors, U101 and on its sensors; on the carrier R10 and
on stand in the address lines, R30 and on in the ADC inputs, J1 and on lead to the chains.

A sensor whose output does not reach the ADC leaves it where the sensor read before has left it: it
repeats that one's count and noise, if the input does not fall to nothing. So does, all over a
tile or the mat, an address line that does not switch.
"""

from dataclasses import dataclass, field, replace

import numpy as np

from polarity_host.words.catalogue import DEFAULT, catalogue

FRAMES = 100
SAME_COUNTS = 12.0  # offsets of two sensors nearer than this may be one sensor's ...
SAME_NOISE = 0.4  # ... and are, where their noise goes together: four sigma of 100 frames
NOISY = 4.0  # times what the mat's sensors usually have
FAR_MT = 8.0  # beyond any sensor's own offset: 3 sigma are 4 mT
MOST = 0.85  # this share of a group stands for all of it

SENSOR_STATES = ("silent", "railed", "frozen", "repeats", "noisy", "far")
KINDS = (
    "address_line", "no_reading", "input", "chain_after_tile", "chain_at_carrier", "tile",
    "channel_line", *SENSOR_STATES,
)  # fmt: skip


@dataclass(frozen=True)
class Finding:
    """One fault: the board (a tile's name, "carrier" or "mat"), the part on it, which of KINDS, and
    the `values` that the words for it want; `sensors` are the frame indices that show it.

    What is wrong is the catalogues' message `doctor.KIND`, what to look at `doctor.KIND_look`.
    """

    board: str
    part: str
    kind: str
    sensors: tuple
    values: dict = field(default_factory=dict)

    def what(self, language: str = DEFAULT) -> str:
        """What is wrong, in words."""
        return catalogue(language).say(f"doctor.{self.kind}", **self.values)

    def look(self, language: str = DEFAULT) -> str:
        """What to look at, in words."""
        return catalogue(language).say(f"doctor.{self.kind}_look", **self.values)

    def line(self, language: str = DEFAULT) -> str:
        """In words, with where it is."""
        say = catalogue(language).say
        named = self.board not in ("carrier", "mat")
        where = say("tend.tile", name=self.board) if named else say(f"tend.{self.board}")
        part = f", {self.part}" if self.part else ""
        look = say("tend.look", what=self.look(language))
        return f"{where}{part}: {self.what(language)}. {look}"

    def fields(self) -> dict:
        """As JSON has it: with the words in English."""
        return {
            "board": self.board, "part": self.part, "kind": self.kind, "values": self.values,
            "what": self.what(), "look": self.look(), "sensors": list(self.sensors),
        }  # fmt: skip


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
            part = f"R{10 + line}"
            values = {"line": line, "pin": f"GP{pin}", "part": part}
            yield Finding("carrier", part, "address_line", tuple(sorted(stuck)), values)


def _inputs(counts, mat, state, left):
    lost = []
    for adc, pin in enumerate(mat.adc_pins):
        own = [i for i in range(mat.n) if mat.adc[i] == adc]
        if set(own) & left and _lost(state, own):
            lost.append((adc, pin, own))
    if len(lost) == len(mat.adc_pins):
        yield Finding("mat", "", "no_reading", tuple(range(mat.n)))
        return
    for adc, pin, own in lost:
        part = f"R{30 + adc}"
        values = {"input": adc, "pin": f"GP{pin}", "part": part}
        yield Finding("carrier", part, "input", tuple(own), values)


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
        if first:
            kind, values = "chain_after_tile", {"before": chain[first - 1].name}
        else:
            kind, values = "chain_at_carrier", {"plug": f"J{number + 1}"}
        yield Finding(tail[0].name, "J1", kind, tuple(sensors), values)


def _of(tile):
    return [index for index, _ in tile.sensors]


def _bad(state):
    return set(np.flatnonzero(np.isin(state, ("silent", "railed", "frozen", "repeats"))).tolist())


def _tiles(counts, mat, state, left):
    for tile in mat.tiles:
        own = _of(tile)
        if not set(own) & left or not _lost(state, own):
            continue
        yield Finding(tile.name, "U2", "tile", tuple(own))


def _channel_lines(counts, mat, state, left):
    for tile in mat.tiles:
        for line, pin in enumerate((10, 11, 14, 13)):
            alike, pairs = _aliased(counts, mat, line, _of(tile))
            if pairs >= 2 and len(alike) >= MOST * pairs:
                values = {"line": line, "pin": pin}
                sensors = tuple(b for _, b in alike)
                yield Finding(tile.name, "U1", "channel_line", sensors, values)


def _sensors(counts, mat, state, left):
    for tile in mat.tiles:
        for index, channel in tile.sensors:
            if index in left:
                x, y = mat.sensor_xyz_mm[index, :2].round().astype(int).tolist()
                values = {"sensor": index, "x": x, "y": y, "capacitor": f"C{101 + channel}"}
                part = f"U{101 + channel}"
                yield Finding(tile.name, part, str(state[index]), (index,), values)
