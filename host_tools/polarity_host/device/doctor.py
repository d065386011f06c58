"""Diagnoses a mat's boards from frames of the bare mat: which tile, which part, what to look at.

The references are those of hardware/netlists. On a tile, J1 and J2 are its cables, U1 is its
multiplexer, U2 the inverter that wakes its sensors, and U101 and following are its sensors. On the
carrier, R10 and following are in the address lines, R30 and following in the ADC inputs, and J1 and
following lead to the chains.

When a sensor's output does not reach the ADC, the input keeps the level of the sensor that was read
before: the sensor repeats that one's count and noise, unless the input falls to zero. An address
line that does not switch has the same effect all over a tile or the mat.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polarity_host.errors import SaidError
from polarity_host.mats.description import Mat
from polarity_host.mats.tiles import Tile
from polarity_host.words.catalogue import DEFAULT, catalogue

FRAMES = 100


SAME_COUNTS = 12.0  # two offsets nearer than this may be those of one sensor ...
SAME_NOISE = 0.4  # ... and are, where the noise correlates this much: four sigma of 100 frames
NOISY = 4.0  # times the median noise of the mat's sensors
FAR_MT = 8.0  # beyond any sensor's own offset: 3 sigma are 4 mT
MOST = 0.85  # this share of a group counts as all of it
CHANNEL_PINS = (10, 11, 14, 13)  # of the multiplexer, by channel line

UNREAD_STATES = ("silent", "railed", "frozen", "repeats")  # no reading of the sensor's own
SENSOR_STATES = (*UNREAD_STATES, "noisy", "far")
KINDS = (
    "address_line", "no_reading", "input", "chain_after_tile", "chain_at_carrier", "tile",
    "channel_line", *SENSOR_STATES,
)  # fmt: skip

#: What fills in the words of a finding.
Values = dict[str, Any]

_Counts = NDArray[np.float64]  # (frames, n)
_States = NDArray[np.str_]  # (n,) one of SENSOR_STATES, or "" for a sound sensor


class DoctorError(SaidError):
    """The mat cannot be examined like this. One line."""


@dataclass(frozen=True)
class Finding:
    """One fault: the board (a tile's name, "carrier" or "mat"), the part on it, and which of KINDS.
    `values` fill in its words; `sensors` are the frame indices that show it.

    The catalogues' message `doctor.KIND` says what is wrong, `doctor.KIND_look` what to look at.
    """

    board: str
    part: str
    kind: str
    sensors: tuple[int, ...]
    values: Values = field(default_factory=dict)

    def what(self, language: str = DEFAULT) -> str:
        """What is wrong, in words."""
        return catalogue(language).say(f"doctor.{self.kind}", **self.values)

    def look(self, language: str = DEFAULT) -> str:
        """What to look at, in words."""
        return catalogue(language).say(f"doctor.{self.kind}_look", **self.values)

    def line(self, language: str = DEFAULT) -> str:
        """The finding in words: where, what is wrong, and what to look at."""
        say = catalogue(language).say
        named = self.board not in ("carrier", "mat")
        where = (
            say("maintenance.tile", name=self.board) if named else say(f"maintenance.{self.board}")
        )
        part = f", {self.part}" if self.part else ""
        look = say("maintenance.look", what=self.look(language))
        return f"{where}{part}: {self.what(language)}. {look}"

    def fields(self) -> dict[str, Any]:
        """The finding for JSON, with the words in English."""
        return {
            "board": self.board, "part": self.part, "kind": self.kind, "values": self.values,
            "what": self.what(), "look": self.look(), "sensors": list(self.sensors),
        }  # fmt: skip


def examine(raw_counts: ArrayLike, mat: Mat, tile: str = "") -> list[Finding]:
    """The faults, the widest first, from counts (frames, n) of the bare mat. With `tile`, those of
    this tile alone, while others may be missing. DoctorError when there are fewer than FRAMES
    frames, or no such tile."""
    counts = np.asarray(raw_counts, float)
    if len(counts) < FRAMES:
        raise DoctorError(
            "{count} frames are too few: {wanted} are needed", count=len(counts), wanted=FRAMES
        )
    state = _states(counts, mat)
    left: set[int] = set(np.flatnonzero(state != "").tolist())
    searches: tuple[_Search, ...] = (
        _address_lines, _inputs, _chains, _tiles, _channel_lines, _sensors,
    )  # fmt: skip
    if tile:
        mat = replace(mat, tiles=tuple(one for one in mat.tiles if one.name == tile))
        if not mat.tiles:
            raise DoctorError("the mat has no tile {tile}", tile=tile)
        searches = (_tiles, _channel_lines, _sensors)
    found: list[Finding] = []
    for search in searches:
        for finding in search(counts, mat, state, left):
            found.append(finding)
            left -= set(finding.sensors)
    return found


#: A search for one kind of fault: counts, mat, states, and the sensors that no finding explains
#: yet, which shrink while it yields.
_Search = Callable[[_Counts, Mat, _States, set[int]], Iterator[Finding]]


def _states(counts: _Counts, mat: Mat) -> _States:
    """The state of each sensor."""
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


def _read_before(mat: Mat) -> NDArray[np.int_]:
    """(n,) Index of the sensor read before each on the same ADC input (the scan repeats)."""
    before = np.empty(mat.n, int)
    for adc in range(len(mat.adc_pins)):
        own = mat.scan_order[mat.adc[mat.scan_order] == adc]
        before[own] = np.roll(own, 1)
    return before


def _same(counts: _Counts, one: ArrayLike, other: ArrayLike) -> NDArray[np.bool_]:
    """Where the sensors of the indices `one` and `other` agree in offset and in noise."""
    a, b = counts[:, np.asarray(one)], counts[:, np.asarray(other)]
    near = np.abs(a.mean(axis=0) - b.mean(axis=0)) < SAME_COUNTS
    spread = a.std(axis=0) * b.std(axis=0)
    both = ((a - a.mean(axis=0)) * (b - b.mean(axis=0))).mean(axis=0)
    return near & (spread > 0) & (both > SAME_NOISE * np.maximum(spread, 1e-9))


def _all_unread(state: _States, sensors: list[int]) -> bool:
    """Whether (nearly) all of these give no reading of their own."""
    gone = [i for i in sensors if state[i] in UNREAD_STATES]
    return len(gone) >= max(2, MOST * len(sensors)) if len(sensors) > 1 else False


def _aliased(
    counts: _Counts, mat: Mat, line: int, sensors: Iterable[int]
) -> tuple[list[tuple[int, int]], int]:
    """(pairs of sensors whose addresses differ in this bit alone and that agree, the sensor with
    the bit second; how many such pairs were compared)."""
    at = {(int(a), int(s)): i for i, (a, s) in enumerate(zip(mat.adc, mat.address, strict=True))}
    pairs: list[tuple[int, int]] = []
    for i in sensors:
        twin = at.get((int(mat.adc[i]), int(mat.address[i]) ^ 1 << line))
        if twin is not None and mat.address[i] >> line & 1:
            pairs.append((twin, i))
    if not pairs:
        return [], 0
    same = _same(counts, [a for a, _ in pairs], [b for _, b in pairs])
    return [pair for pair, alike in zip(pairs, same, strict=True) if alike], len(pairs)


def _address_lines(counts: _Counts, mat: Mat, state: _States, left: set[int]) -> Iterator[Finding]:
    for line, pin in enumerate(mat.address_pins):
        alike, pairs = _aliased(counts, mat, line, range(mat.n))
        if pairs and len(alike) >= MOST * pairs:
            stuck = {i for i in range(mat.n) if mat.address[i] >> line & 1} | {a for a, _ in alike}
            part = f"R{10 + line}"
            values = {"line": line, "pin": f"GP{pin}", "part": part}
            yield Finding("carrier", part, "address_line", tuple(sorted(stuck)), values)


def _inputs(counts: _Counts, mat: Mat, state: _States, left: set[int]) -> Iterator[Finding]:
    unread: list[tuple[int, int, list[int]]] = []
    for adc, pin in enumerate(mat.adc_pins):
        own = [i for i in range(mat.n) if mat.adc[i] == adc]
        if set(own) & left and _all_unread(state, own):
            unread.append((adc, pin, own))
    if len(unread) == len(mat.adc_pins):
        yield Finding("mat", "", "no_reading", tuple(range(mat.n)))
        return
    for adc, pin, own in unread:
        part = f"R{30 + adc}"
        values = {"input": adc, "pin": f"GP{pin}", "part": part}
        yield Finding("carrier", part, "input", tuple(own), values)


def _chains(counts: _Counts, mat: Mat, state: _States, left: set[int]) -> Iterator[Finding]:
    for number, column in enumerate(sorted({tile.column for tile in mat.tiles})):
        chain = [tile for tile in mat.tiles if tile.column == column]
        gone = [_all_unread(state, _of(t)) or not set(_of(t)) - _unread(state) for t in chain]
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


def _of(tile: Tile) -> list[int]:
    """The frame indices of a tile's sensors."""
    return [index for index, _ in tile.sensors]


def _unread(state: _States) -> set[int]:
    return set(np.flatnonzero(np.isin(state, UNREAD_STATES)).tolist())


def _tiles(counts: _Counts, mat: Mat, state: _States, left: set[int]) -> Iterator[Finding]:
    for tile in mat.tiles:
        own = _of(tile)
        if not set(own) & left or not _all_unread(state, own):
            continue
        yield Finding(tile.name, "U2", "tile", tuple(own))


def _channel_lines(counts: _Counts, mat: Mat, state: _States, left: set[int]) -> Iterator[Finding]:
    for tile in mat.tiles:
        for line, pin in enumerate(CHANNEL_PINS):
            alike, pairs = _aliased(counts, mat, line, _of(tile))
            if pairs >= 2 and len(alike) >= MOST * pairs:
                values = {"line": line, "pin": pin}
                sensors = tuple(b for _, b in alike)
                yield Finding(tile.name, "U1", "channel_line", sensors, values)


def _sensors(counts: _Counts, mat: Mat, state: _States, left: set[int]) -> Iterator[Finding]:
    for tile in mat.tiles:
        for index, channel in tile.sensors:
            if index in left:
                x, y = mat.sensor_xyz_mm[index, :2].round().astype(int).tolist()
                capacitor = f"C{101 + channel}"
                values = {"sensor": index, "x": x, "y": y, "capacitor": capacitor}
                part = f"U{101 + channel}"
                yield Finding(tile.name, part, str(state[index]), (index,), values)
