"""`polarity doctor --bring-up`: it stops at the first board that is at fault, and names it."""

import json

import numpy as np
import pytest

from polarity_host.cli import main
from polarity_host.device.bring_up import BY_HAND, walk
from polarity_host.device.doctor import FRAMES
from polarity_host.mats.description import load_mat
from polarity_host.simulation.twin.condition import MatCondition
from polarity_host.simulation.twin.sensors import SensorArray

MAT = load_mat("standard")


@pytest.fixture(scope="module")
def bare():
    array = SensorArray(MAT, 5, MatCondition())
    return array.counts(10_000 * np.arange(FRAMES), np.zeros((FRAMES, MAT.n))).astype(float)


def of(name):
    return [index for index, _ in next(t for t in MAT.tiles if t.name == name).sensors]


def test_a_sound_mat_passes_every_step_from_the_carrier_outwards(bare):
    steps = list(walk(bare, MAT))
    assert not any(step.wrong for step in steps)
    names = [step.name for step in steps]
    assert names[:2] == ["power", "the carrier"] and names[-1] == "the whole mat"
    assert names[2:6] == ["tile A1", "tile A2", "tile A3", "tile A4"] and len(names) == 32 + 3
    assert "1." in steps[2].reading  # rests near 1.65 V


def test_without_power_it_stops_at_once_and_says_what_to_measure(bare):
    (step,) = walk(np.zeros_like(bare), MAT)
    assert step.name == "power" and "D2" in step.wrong and "test points 5V and 3V3" in step.wrong


@pytest.mark.parametrize("line", range(8))
def test_an_address_line_that_is_cut_is_the_carriers_fault_and_no_tiles(bare, line):
    """R10 to R17 are in the lines of GP2 to GP9 (hardware/netlists/carrier_standard.net). The
    decoders and multiplexers take a cut one as low: what answers there is another sensor."""
    at = {(int(a), int(d)): k for k, (a, d) in enumerate(zip(MAT.address, MAT.adc))}
    others = [at.get((int(a) & ~(1 << line), int(d))) for a, d in zip(MAT.address, MAT.adc)]
    counts = np.stack([bare[:, k] if k is not None else np.zeros(FRAMES) for k in others], axis=1)
    *_, last = walk(counts, MAT)
    assert (
        last.name == "the carrier" and f"R1{line}" in last.wrong and f"GP{2 + line}" in last.wrong
    )


@pytest.mark.parametrize("adc", range(3))
def test_an_input_that_is_open_is_the_carriers_fault(bare, adc):
    counts = bare.copy()
    counts[:, MAT.adc == adc] = 0
    *_, last = walk(counts, MAT)
    assert last.name == "the carrier" and f"R3{adc}" in last.wrong


@pytest.mark.parametrize("name", ["A1", "C3", "F4"])
def test_it_stops_at_the_tile_that_does_not_wake(bare, name):
    counts = bare.copy()
    counts[:, of(name)] = 0
    *before, last = walk(counts, MAT)
    assert last.name == f"tile {name}" and "U2" in last.wrong
    assert not any(step.wrong for step in before)


def test_one_sensor_that_is_bridged_is_named(bare):
    counts = bare.copy()
    counts[:, of("B2")[3]] = 4095 * MAT.oversample
    *_, last = walk(counts, MAT)
    assert last.name == "tile B2" and "U10" in last.wrong


def test_the_command_walks_a_twin_and_names_what_a_hand_must_do(capsys):
    assert main(["doctor", "--bring-up", "sim://calibration?speed=0", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert all(step["passed"] for step in found["steps"])
    assert [step["name"] for step in found["by_hand"]] == [step.name for step in BY_HAND]
    assert main(["doctor", "--bring-up", "sim://calibration?speed=0"]) == 0
    text = capsys.readouterr().out
    assert "tile F4" in text and "calibrate" in text


def test_a_twin_with_faults_fails(capsys):
    broken = "sim://calibration?nuisances=broken&speed=0"
    assert main(["doctor", "--bring-up", broken]) == 1
    assert "<-" in capsys.readouterr().out
