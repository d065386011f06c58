"""Faults that the sensors of a mat may come down with while a game is played, each alone.

A fault changes the counts of frames from a moment on. What breaks in the electronics is one sensor,
one tile, one ADC input, an address line or the whole scan, so that is what falls ill here.
"""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from polarity_host.mats.description import Mat

Frames: TypeAlias = NDArray[np.int64]
"""(frames, sensors) of raw counts, from the moment on at which the fault begins."""
Ailment: TypeAlias = Callable[[Frames, Mat, np.random.Generator], Frames]

USUAL_COUNTS = 6.0  # rms of a count of the standard mat: its sensor's noise and its ADC's


def _noise(frames: Frames, own: NDArray[np.bool_], rms: float, draw: np.random.Generator) -> Frames:
    shaken = frames + np.round(draw.normal(0, rms, frames.shape)).astype(np.int64)
    return np.where(own, shaken, frames)


def _amplified(frames: Frames, mat: Mat, own: NDArray[np.bool_], times: float) -> Frames:
    return np.where(own, np.round(mat.zero_count + (frames - mat.zero_count) * times), frames)


def _input(mat: Mat, draw: np.random.Generator) -> NDArray[np.bool_]:
    return mat.adc == draw.integers(len(mat.adc_pins))


def _tile(mat: Mat, draw: np.random.Generator) -> NDArray[np.bool_]:
    one = draw.integers(mat.n)
    return (mat.adc == mat.adc[one]) & (mat.address >> 4 == mat.address[one] >> 4)


def _some(mat: Mat, draw: np.random.Generator) -> NDArray[np.bool_]:
    own = np.zeros(mat.n, bool)
    own[draw.choice(mat.n, draw.integers(1, 7), replace=False)] = True
    return own


def noise_everywhere(frames: Frames, mat: Mat, draw: np.random.Generator) -> Frames:
    """A bad supply: three times the usual noise and more on all sensors."""
    return _noise(frames, np.ones(mat.n, bool), USUAL_COUNTS * draw.uniform(2.5, 8), draw)


def noisy_input(frames: Frames, mat: Mat, draw: np.random.Generator) -> Frames:
    """A bad joint before one ADC input."""
    return _noise(frames, _input(mat, draw), USUAL_COUNTS * draw.uniform(4, 20), draw)


def noisy_sensors(frames: Frames, mat: Mat, draw: np.random.Generator) -> Frames:
    """A few sensors, each bad by itself. Where a disc lies over one it is not told."""
    return _noise(frames, _some(mat, draw), USUAL_COUNTS * draw.uniform(8, 20), draw)


def frozen(frames: Frames, mat: Mat, draw: np.random.Generator) -> Frames:
    """The scan stops: the same frame again and again."""
    return np.repeat(frames[:1], len(frames), axis=0)


def frozen_input(frames: Frames, mat: Mat, draw: np.random.Generator) -> Frames:
    """An ADC input holds its last counts."""
    return np.where(_input(mat, draw), frames[:1], frames)


def swapped_inputs(frames: Frames, mat: Mat, draw: np.random.Generator) -> Frames:
    """Conversions are taken for those of the next ADC input, as after a lost sample of the FIFO."""
    order = np.arange(mat.n)
    inputs, by = len(mat.adc_pins), draw.integers(1, 3)
    for i in range(mat.n):
        other = (mat.address == mat.address[i]) & (mat.adc == (mat.adc[i] + by) % inputs)
        if other.any():
            order[i] = np.flatnonzero(other)[0]
    return frames[:, order]


def doubled_gain(frames: Frames, mat: Mat, draw: np.random.Generator) -> Frames:
    """The ADC's reference falls to half."""
    return _amplified(frames, mat, np.ones(mat.n, bool), draw.choice((0.5, 2.0)))


def doubled_input(frames: Frames, mat: Mat, draw: np.random.Generator) -> Frames:
    """One ADC input sees twice the signal, or half of it."""
    return _amplified(frames, mat, _input(mat, draw), draw.choice((0.5, 2.0)))


def dead_input(frames: Frames, mat: Mat, draw: np.random.Generator) -> Frames:
    """The wire of an ADC input breaks, and it lies at one of its rails."""
    return np.where(_input(mat, draw), draw.choice((0, 2**mat.bits - 1)), frames)


def dead_tile(frames: Frames, mat: Mat, draw: np.random.Generator) -> Frames:
    """A tile loses its supply."""
    return np.where(_tile(mat, draw), 0, frames)


def silent_tile(frames: Frames, mat: Mat, draw: np.random.Generator) -> Frames:
    """A tile's multiplexer holds what it showed."""
    return np.where(_tile(mat, draw), frames[:1], frames)


def dead_sensors(frames: Frames, mat: Mat, draw: np.random.Generator) -> Frames:
    """A few sensors give 0."""
    return np.where(_some(mat, draw), 0, frames)


def stuck_sensors(frames: Frames, mat: Mat, draw: np.random.Generator) -> Frames:
    """A few sensors give one count for ever, any."""
    return np.where(_some(mat, draw), draw.integers(0, 2**mat.bits, mat.n), frames)


def stuck_line(frames: Frames, mat: Mat, draw: np.random.Generator) -> Frames:
    """An address line no longer switches, so that sensors are read twice and others never."""
    line, level, order = draw.integers(len(mat.address_pins)), draw.integers(2), np.arange(mat.n)
    for i in range(mat.n):
        read = mat.address[i] & ~(1 << line) | level << line
        other = (mat.address == read) & (mat.adc == mat.adc[i])
        if other.any():
            order[i] = np.flatnonzero(other)[0]
    return frames[:, order]


def shifted_input(frames: Frames, mat: Mat, draw: np.random.Generator) -> Frames:
    """The level of one ADC input steps: a bad ground."""
    step = int(draw.choice((-1, 1)) * draw.integers(60, 600))
    return np.where(_input(mat, draw), frames + step, frames)


def spikes(frames: Frames, mat: Mat, draw: np.random.Generator) -> Frames:
    """A loose contact of an ADC input: in one frame of twenty all it reads is something else."""
    torn = (draw.random(len(frames)) < 0.05)[:, None] & _input(mat, draw)
    return np.where(torn, draw.integers(0, 2**mat.bits, frames.shape), frames)


AILMENTS: tuple[Ailment, ...] = (
    noise_everywhere, noisy_input, frozen, frozen_input, swapped_inputs, doubled_gain,
    doubled_input, dead_input, dead_tile, silent_tile, dead_sensors, stuck_sensors, stuck_line,
    shifted_input, spikes, noisy_sensors,
)  # fmt: skip
