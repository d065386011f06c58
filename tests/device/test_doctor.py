"""`polarity doctor`: faults put into a bare twin's frames as the boards' wires would make them."""

import json

import numpy as np
import pytest

from hardware.tools import build, trace
from polarity_host.cli import main
from polarity_host.device.doctor import FRAMES, examine
from polarity_host.mats.description import load_mat
from polarity_host.simulation.twin.condition import MatCondition
from polarity_host.simulation.twin.sensors import SensorArray

MAT = load_mat("standard")


@pytest.fixture(scope="module")
def bare():
    array = SensorArray(MAT, 5, MatCondition())
    t_us = 10_000 * np.arange(FRAMES)
    return array.counts(t_us, np.zeros((FRAMES, MAT.n)))


def tile(name):
    return next(tile for tile in MAT.tiles if tile.name == name)


def of(name):
    return [index for index, _ in tile(name).sensors]


def found(counts):
    return [(f.board, f.part) for f in examine(counts, MAT)]


def test_a_sound_mat_has_no_findings(bare):
    assert examine(bare, MAT) == []


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_other_sound_mats_have_none_either(seed):
    array = SensorArray(MAT, seed, MatCondition())
    assert found(array.counts(10_000 * np.arange(FRAMES), np.zeros((FRAMES, MAT.n)))) == []


def read_with(lengths):
    """Indices of the sensors that can still be read with chains of these lengths."""
    read = {
        name: trace.read((build.HARDWARE / "netlists" / f"{name}.net").read_text(encoding="utf-8"))
        for name in ("carrier_standard", "tile")
    }
    wiring = trace.Wiring(read["carrier_standard"], read["tile"], lengths)
    indices = []
    for i, (adc, address) in enumerate(zip(MAT.adc, MAT.address, strict=True)):
        if wiring.read(MAT.address_pins, int(address)).get(MAT.adc_pins[adc]):
            indices.append(i)
    return indices


@pytest.mark.parametrize(
    "chain, cut, board, words",
    [(2, 3, "C4", "tile C3's J2"), (4, 0, "E1", "the carrier's J5"), (0, 2, "A3", "tile A2's J2")],
)
def test_a_cable_that_is_off_is_named(bare, chain, cut, board, words):
    lengths = [4, 6, 6, 6, 6, 4]
    lengths[chain] = cut
    counts = bare.copy()
    counts[:, np.setdiff1d(np.arange(MAT.n), read_with(lengths))] = 0
    (finding,) = examine(counts, MAT)
    assert (finding.board, finding.part) == (board, "J1") and words in finding.look()


def test_a_tile_that_does_not_wake_is_named(bare):
    counts = bare.copy()
    counts[:, of("D3")] = 0
    assert found(counts) == [("D3", "U2")]


@pytest.mark.parametrize("adc, pin", [(0, 26), (2, 28)])
def test_an_input_without_its_wire_is_named(bare, adc, pin):
    counts = bare.copy()
    counts[:, adc == MAT.adc] = 0
    (finding,) = examine(counts, MAT)
    assert (finding.board, finding.part) == ("carrier", f"R{30 + adc}")
    assert f"GP{pin}" in finding.look()


def test_no_power_is_one_finding(bare):
    assert found(np.zeros_like(bare)) == [("mat", "")]


@pytest.mark.parametrize("line", range(8))
def test_an_address_line_that_does_not_switch_is_named(bare, line):
    """Each place shows its partner's sensor, or nothing where the partner is none."""
    at = {(a, s): i for i, (a, s) in enumerate(zip(MAT.adc, MAT.address, strict=True))}
    partners = [at.get((a, s & ~(1 << line)), -1) for a, s in zip(MAT.adc, MAT.address)]
    counts = np.column_stack([bare, np.zeros(FRAMES)])[:, partners]
    assert found(counts)[0] == ("carrier", f"R{10 + line}")


def test_a_channel_line_of_one_tile_is_named(bare):
    counts = bare.copy()
    channels = {channel: index for index, channel in tile("B4").sensors}
    for channel, index in channels.items():
        counts[:, index] = bare[:, channels[channel & ~4]]
    ((board, part),) = found(counts)
    assert (board, part) == ("B4", "U1")


def test_an_open_output_repeats_the_sensor_read_before(bare):
    """Nothing drives the input: it keeps that one's voltage, which is converted anew."""
    own = [i for i in MAT.scan_order if MAT.adc[i] == MAT.adc[of("C3")[5]]]
    k = next(k for k, i in enumerate(own) if i == of("C3")[5])
    counts = bare.astype(float)
    hall = np.random.default_rng(1).normal(0.0, 4.5, FRAMES)  # 0.03 mT of the sensor's own noise
    adc = np.random.default_rng(2).normal(0.0, 2.7, (2, FRAMES))  # 0.97 LSB eight times
    counts[:, own[k - 1]] = 16_500 + hall + adc[0]
    counts[:, own[k]] = 16_500 + hall + adc[1]
    (finding,) = examine(np.rint(counts), MAT)
    assert finding.sensors == (own[k],) and "repeats" in finding.what()


@pytest.mark.parametrize(
    "change, says",
    [
        (lambda c, rng: c * 0, "gives no reading"),
        (lambda c, rng: c * 0 + 32_767, "at the limit"),
        (lambda c, rng: c * 0 + 16_000, "never changes"),
        (lambda c, rng: c + rng.normal(0, 60, c.shape), "noisy"),
        (lambda c, rng: c + 1500, "far from zero"),  # 10 mT
    ],
)
def test_a_single_sensor_is_named_by_its_tile_and_reference(bare, change, says):
    index, channel = tile("E2").sensors[6]
    counts = bare.astype(float)
    counts[:, index] = change(counts[:, index], np.random.default_rng(3))
    (finding,) = examine(np.rint(counts), MAT)
    assert (finding.board, finding.part) == ("E2", f"U{101 + channel}")
    assert says in finding.what() and finding.sensors == (index,)


def test_two_faults_are_both_named(bare):
    counts = bare.copy()
    counts[:, of("D3")] = 0
    counts[:, of("B2")[0]] = 16_000
    assert found(counts) == [("D3", "U2"), ("B2", f"U{101 + tile('B2').sensors[0][1]}")]


def test_one_tile_alone_is_examined_while_the_others_are_missing(bare):
    counts = np.zeros_like(bare)
    counts[:, of("C2")] = bare[:, of("C2")]
    assert found(counts) != []
    assert examine(counts, MAT, "C2") == []
    index, channel = tile("C2").sensors[9]
    counts[:, index] = 0
    (finding,) = examine(counts, MAT, "C2")
    assert (finding.board, finding.part) == ("C2", f"U{101 + channel}")
    counts[:, of("C2")] = 0
    assert [(f.board, f.part) for f in examine(counts, MAT, "C2")] == [("C2", "U2")]


# ---- the command
def test_a_tile_that_there_is_not_is_refused(capsys):
    assert main(["doctor", "sim://calibration?speed=0", "--tile", "Z9"]) == 2
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1 and "no tile Z9" in said[0]


def test_the_command_names_what_the_twin_broke(capsys):
    url = "sim://calibration?nuisances=broken&speed=0&seed=2"
    assert main(["doctor", url, "--json"]) == 1
    said = json.loads(capsys.readouterr().out)
    from polarity_host.simulation.twin.nuisances import condition

    array = SensorArray(MAT, 2, condition("broken"))
    told = sorted(i for finding in said["findings"] for i in finding["sensors"])
    assert told == sorted([*array.dead.tolist(), *array.stuck.tolist()])


def test_the_command_shows_where_on_the_mat_that_is(capsys):
    assert main(["doctor", "sim://calibration?nuisances=broken&speed=0&seed=3"]) == 1
    said = capsys.readouterr().out.splitlines()
    above = said.index("The mat from above:")
    index = int(
        next(line for line in said if line.startswith("2  Tile")).split("(sensor ")[1].split(",")[0]
    )
    rows = said[above + 1 :]
    (row,) = [k for k, line in enumerate(rows) if "2" in line]
    x, y = ((rows[row].index("2") - 2) // 2 - 10) * MAT.pitch_mm, (10 - row) * MAT.pitch_mm
    assert (x, y) == tuple(MAT.sensor_xyz_mm[index, :2])
    assert sum(len(line.split()) for line in rows) == MAT.n


def test_the_command_speaks_the_language_asked_for(capsys):
    assert (
        main(["doctor", "sim://calibration?nuisances=broken&speed=0&seed=3", "--lang", "de"]) == 1
    )
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith("1  Kachel ") and ". Nachsehen: " in said[0]
    assert "Der Spielplan von oben:" in said


def test_the_command_is_content_with_a_sound_mat(capsys):
    assert main(["doctor", "sim://calibration?speed=0", "--lang", "en"]) == 0
    assert capsys.readouterr().out == "All 373 sensors on 32 tiles are sound.\n"


def test_too_short_a_recording_is_refused(tmp_path, capsys):
    from polarity_host.replay.recording import RecordingWriter

    path = tmp_path / "short.matrec"
    with RecordingWriter(path, MAT.id, MAT.n, "temple", 0) as writer:
        writer.write(0, np.zeros(MAT.n, np.uint16))
    assert main(["doctor", str(path)]) == 2
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1 and "100 of a bare mat are needed" in said[0]
