"""What the engine says of the mat's own sensors: each fault once, by its name."""

import numpy as np
import pytest

from polarity.kernels import BROKEN
from polarity.lights.palette import ORANGE
from polarity_host.mats.description import load_mat
from polarity_host.replay.engine import build_engine, raw_counts, sent_messages
from polarity_host.simulation.twin.condition import MatCondition
from polarity_host.simulation.twin.stage import Stage


def said(condition=None, change=lambda t_ms, counts: counts, seconds=2.5, name="standard"):
    """The engine's warnings on a bare mat whose counts `change` alters, and its last health."""
    mat = load_mat(name)
    stage = Stage(mat, seed=3, condition=condition or MatCondition())
    engine = build_engine(name)
    heard = []
    for t_us, counts in stage.stream(stage.rest(seconds)):
        engine.frame(t_us // 1000, raw_counts(change(t_us // 1000, counts.copy())))
        heard += sent_messages(engine)
    warnings = [m.body.text for m in heard if m.kind == "log"]
    health = [m.body.why for m in heard if m.kind == "health"]
    return warnings, health, stage, engine


def test_a_sound_mat_is_well():
    assert said()[:2] == ([], [])


def test_dead_and_stuck_sensors_are_named():
    warnings, health, stage, _ = said(MatCondition(dead_sensors=3, stuck_sensors=2))
    (text,) = warnings
    named = {int(word) for word in text.replace(";", "").split() if word.isdigit()}
    assert named == {
        *stage.instruments.sensors.dead.tolist(),
        *stage.instruments.sensors.stuck.tolist(),
    }
    assert text.startswith("dead sensors ") and health == []


def test_a_noisy_input_is_named_tile_by_tile():
    (text,) = said(MatCondition(noisy_adc=1))[0]
    names = [f"noisy tile {chain}{number}" for chain in "BE" for number in range(1, 7)]
    assert text.split("; ") == names


def test_a_tile_that_is_stuck_is_named():
    mat = load_mat("standard")

    def stuck(t_ms, counts):
        counts[(mat.adc == 2) & (mat.address >> 4 == 3)] = 20_000
        return counts

    assert said(change=stuck)[0] == ["stuck tile C4"]


@pytest.mark.parametrize("level", [0, 20_000, 19_384])  # the last is what a bare mat shows
def test_a_tile_that_falls_silent_in_play_is_told_once_and_left_out(level):
    mat = load_mat("standard")
    tile = (mat.adc == 2) & (mat.address >> 4 == 3)

    def silent(t_ms, counts):
        if t_ms >= 1500:
            counts[tile] = level
        return counts

    warnings, health, _, engine = said(change=silent, seconds=15)
    assert warnings == ["silent tile C4"] and set(health) == {""}
    masked = [i for i, noise in enumerate(engine.game.tracker.scene.field.noise) if noise == BROKEN]
    assert masked == np.flatnonzero(tile).tolist()
    assert engine.game.pieces() == [] and engine.game.tracker.scene.flying == []


@pytest.mark.parametrize("end_ms", [14_200, 14_700, 15_200, 15_700])
def test_frames_that_are_all_the_same_for_a_while_are_no_fault(end_ms):
    """As a host shows that has nothing new to show."""
    kept = []

    def same(t_ms, counts):
        if 1500 <= t_ms < end_ms:
            kept.append(counts)
            return kept[0]
        return counts

    assert said(change=same, seconds=20)[0] == []


@pytest.mark.parametrize("times", [4, 10])
def test_a_sensor_that_grows_noisy_in_play_is_named_and_left_out(times):
    chance, sensor = np.random.default_rng(times), 200
    more = 6.0 * np.sqrt(times**2 - 1)  # 6 counts is what a sound sensor and its ADC have

    def noisy(t_ms, counts):
        if t_ms > 5000:
            counts[sensor] = int(counts[sensor]) + round(chance.normal(0, more))
        return counts

    warnings, health, _, engine = said(change=noisy, seconds=60)
    assert warnings == [f"noisy sensors {sensor}"] and set(health) == {""}
    assert engine.game.tracker.scene.field.noise[sensor] == BROKEN
    assert engine.game.pieces() == []


def test_an_input_that_grows_noisy_is_no_fault_of_its_sensors():
    chance, mat = np.random.default_rng(1), load_mat("standard")

    def noisy(t_ms, counts):
        if t_ms > 5000:
            shaken = counts + np.round(chance.normal(0, 25, mat.n)).astype(int)
            counts[mat.adc == 1] = shaken[mat.adc == 1]
        return counts

    warnings, _, _, engine = said(change=noisy, seconds=45)
    assert warnings == ["noise_in_play"]
    assert BROKEN not in engine.game.tracker.scene.field.noise


def test_sensors_that_fall_silent_in_play_are_named():
    """As where a channel of every multiplexer fails: one sensor a tile."""
    mat = load_mat("small")
    lost = np.flatnonzero(mat.address & 15 == 5)

    def silent(t_ms, counts):
        if t_ms >= 1500:
            counts[lost] = 0
        return counts

    warnings, _, _, engine = said(change=silent, seconds=20, name="small")
    named = " ".join(map(str, lost[:8])) + (f" and {len(lost) - 8} more" if len(lost) > 8 else "")
    assert warnings == [f"silent sensors {named}"]
    assert engine.game.pieces() == [] and engine.game.tracker.scene.flying == []


@pytest.mark.parametrize("line", [0, 3, 4, 7])
def test_an_address_line_that_does_not_switch_is_named(line):
    mat = load_mat("standard")
    at = {(a, s): i for i, (a, s) in enumerate(zip(mat.adc, mat.address, strict=True))}
    heard = [at.get((a, s & ~(1 << line)), -1) for a, s in zip(mat.adc, mat.address, strict=True)]
    (text,) = said(change=lambda t_ms, counts: np.append(counts, 0).astype(counts.dtype)[heard])[0]
    told = [part for part in text.split("; ") if not part.startswith("dead ")]
    assert told == [f"address line {line} (GP{mat.address_pins[line]}) does not switch"]


def test_a_wire_that_comes_off_is_told_once_and_so_is_its_return():
    mat = load_mat("standard")

    def off(t_ms, counts):
        if 1000 <= t_ms < 3500:
            counts[mat.adc == 1] = 0
        return counts

    warnings, health, _, engine = said(change=off, seconds=5)
    text = f"nothing comes from ADC input 1 (GP{mat.adc_pins[1]})"
    assert (warnings, health) == ([text], [text, ""])
    assert not engine.health.complaint and engine.lights(0)[:3] != bytes(ORANGE)


@pytest.mark.parametrize("name", ["standard", "small"])
@pytest.mark.parametrize("count", [0, 32760])
def test_sensors_that_are_all_saturated_are_told_once(name, count):
    warnings, health, _, engine = said(change=lambda t_ms, c: np.full_like(c, count), name=name)
    text = "all sensors are saturated, or without power"
    assert (warnings, health) == ([text], [text])
    assert engine.health.complaint and engine.lights(0)[:3] == bytes(ORANGE)
