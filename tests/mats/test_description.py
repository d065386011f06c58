"""`polarity mat --json` for both mats: the contract's keys; values worked by hand from mat.toml."""

import json
import math

import pytest

from polarity_host.cli import main
from polarity_host.mats.description import MatError, load_mat

MATS = ("standard", "small")
# 8 conversions of 4096 codes over 3300 mV, 15 mV a millitesla
COUNTS_PER_MT = 8 * 4096 * 15 / 3300


def printed(capsys, *arguments):
    assert main(["mat", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.fixture(params=MATS)
def mat(request, capsys):
    return printed(capsys, "--mat", request.param)


def test_the_contract_has_its_keys(mat):
    assert {
        "mat", "sensors", "circle_radius_mm", "dot_radius_mm", "disc", "red_disc", "adc",
        "frame_hz",
    } <= set(mat)  # fmt: skip
    assert all(set(s) == {"x_mm", "y_mm", "z_mm", "adc", "address"} for s in mat["sensors"])
    assert set(mat["disc"]) == {"diameter_mm", "thickness_mm", "br_t", "white_up_counts"}
    assert set(mat["red_disc"]) == {"diameter_mm", "thickness_mm", "br_t"}
    assert {"counts_per_mt", "zero_count", "bits"} <= set(mat["adc"])


def test_a_frame_goes_over_the_mat_in_a_snake(mat):
    """Rows from the lowest y; whatever the wiring, recordings keep their order."""
    places = [(s["x_mm"], s["y_mm"]) for s in mat["sensors"]]
    rows = [[x for x, y in places if y == row] for row in sorted({y for _, y in places})]
    assert [y for _, y in places] == sorted(y for _, y in places)
    rising = [row == sorted(row) for row in rows if len(row) > 1]
    assert all(a != b for a, b in zip(rising, rising[1:]))


def test_an_address_is_a_bank_and_a_channel_of_at_most_16(mat):
    assert max(s["address"] for s in mat["sensors"]) < 256
    places = {(s["adc"], s["address"]) for s in mat["sensors"]}
    assert len(places) == len(mat["sensors"])
    assert {s["adc"] for s in mat["sensors"]} == set(range({"standard": 3, "small": 1}[mat["mat"]]))


def test_the_sensors_of_a_bank_on_one_input_share_a_board_of_4_by_4(mat):
    pitch_mm = {"standard": 22, "small": 18}[mat["mat"]]
    boards = {}
    for s in mat["sensors"]:
        boards.setdefault((s["adc"], s["address"] // 16), []).append(s)
    assert len(boards) == {"standard": 32, "small": 13}[mat["mat"]]
    for own in boards.values():
        for axis in ("x_mm", "y_mm"):
            assert max(s[axis] for s in own) - min(s[axis] for s in own) <= 3 * pitch_mm
        for a in own:
            for b in own:
                rows = round((b["y_mm"] - a["y_mm"]) / pitch_mm)
                columns = round((b["x_mm"] - a["x_mm"]) / pitch_mm)
                assert b["address"] - a["address"] == 4 * rows + columns


@pytest.mark.parametrize(
    "name, pitch_mm, radius_mm, count", [("standard", 22, 240, 373), ("small", 18, 110, 121)]
)
def test_the_sensors_are_the_square_grid_within_the_radius(
    capsys, name, pitch_mm, radius_mm, count
):
    sensors = printed(capsys, "--mat", name)["sensors"]
    assert len(sensors) == count
    found = sorted((s["x_mm"], s["y_mm"]) for s in sensors)
    reach = range(-12, 13)
    expected = sorted(
        (i * pitch_mm, j * pitch_mm)
        for i in reach
        for j in reach
        if (i * pitch_mm) ** 2 + (j * pitch_mm) ** 2 <= radius_mm**2
    )
    assert found == expected
    assert all(s["z_mm"] == -5.0 for s in sensors)
    assert max(math.hypot(x, y) for x, y in found) <= radius_mm


def test_the_small_mat_is_one_input_of_128_places(capsys):
    small = printed(capsys, "--mat", "small")
    assert {s["adc"] for s in small["sensors"]} == {0}
    assert len(small["sensors"]) <= 128


def test_counts_are_worked_from_the_parts_figures(mat):
    adc = mat["adc"]
    assert adc["counts_per_mt"] == pytest.approx(COUNTS_PER_MT)
    assert adc["counts_per_mt"] == pytest.approx(148.945, abs=0.001)
    assert (adc["zero_count"], adc["bits"]) == (16384, 15)
    assert mat["frame_hz"] == 100


def test_the_published_circle_and_the_assumed_discs(capsys):
    standard = printed(capsys, "--mat", "standard")
    assert (standard["circle_radius_mm"], standard["dot_radius_mm"]) == (225.0, 10.0)
    assert standard["disc"] == {
        "diameter_mm": 34.0, "thickness_mm": 6.0, "br_t": 0.38, "white_up_counts": 1,
    }  # fmt: skip
    small = printed(capsys, "--mat", "small")
    assert small["circle_radius_mm"] == 100.0
    assert (small["disc"]["diameter_mm"], small["disc"]["thickness_mm"]) == (22.0, 4.0)


def test_the_firmware_has_the_same_mat(mat):
    """Q8 mm and integer counts in the firmware's data, against the printed millimetres."""
    from polarity import mat_data

    data = mat_data.load(mat["mat"])
    assert len(mat["sensors"]) == data.N
    for sensor, x, y in zip(mat["sensors"], data.SENSOR_X, data.SENSOR_Y):
        assert (x / 256, y / 256, data.SENSOR_Z / 256) == (
            sensor["x_mm"], sensor["y_mm"], sensor["z_mm"],
        )  # fmt: skip
    assert mat["adc"]["zero_count"] == data.ZERO_COUNT
    assert 65536 * 1000 / data.UT_PER_COUNT_Q16 == pytest.approx(COUNTS_PER_MT, rel=1e-5)
    # TMAG5253BA3: linear to 80 mT, which is 11916 counts either way; 6 % less for gain and offset
    assert (data.COUNT_MIN, data.COUNT_MAX) == (16384 - 11201, 16384 + 11201)
    assert data.DISC_RADIUS == 128 * mat["disc"]["diameter_mm"]
    assert sorted(k & 0x3FFF for k in data.SCAN_ORDER) == list(range(data.N))
    for entry, address in zip(data.SCAN_ORDER, data.SCAN_ADDRESS):
        sensor = mat["sensors"][entry & 0x3FFF]
        assert (sensor["adc"], sensor["address"]) == (entry >> 14, address)
    assert list(data.SCAN_ADDRESS) == sorted(data.SCAN_ADDRESS)


def test_the_firmwares_grid_finds_every_sensor_once():
    from polarity import mat_data

    for name in MATS:
        data = mat_data.load(name)
        middle = data.GRID_SIDE // 2
        found = []
        for k, i in enumerate(data.GRID):
            if i == 0xFFFF:
                continue
            row, column = divmod(k, data.GRID_SIDE)
            assert data.SENSOR_X[i] == (column - middle) * data.PITCH
            assert data.SENSOR_Y[i] == (row - middle) * data.PITCH
            found.append(i)
        assert sorted(found) == list(range(data.N))


def test_the_default_is_the_standard_mat(capsys):
    assert printed(capsys)["mat"] == "standard"


def test_an_unknown_mat_is_one_line_and_exit_2(capsys):
    assert main(["mat", "--mat", "kitchen"]) == 2
    said = capsys.readouterr().err.strip().splitlines()
    assert len(said) == 1 and "kitchen" in said[0] and "standard" in said[0]


@pytest.mark.parametrize(
    "was, now, said",
    [
        ("pitch_mm = 22.0", "pitch_mm = 20.0", "no chain of at most 6"),
        ("pitch_mm = 22.0", "pitch_mm = 18.0", "tiles begin at -12"),
        ("side = 4", "side = 5", "more places than its multiplexer"),
        ("chain = 6", "chain = 12", "more than 16 banks"),
        (", 8, 9]", ", 8]", "more than 8 banks: it has too few address lines"),
    ],
)
def test_tiles_that_do_not_fit_are_refused(tmp_path, was, now, said):
    from polarity_host.mats.description import MAT_TOML

    copy = tmp_path / "mat.toml"
    text = MAT_TOML.read_text(encoding="utf-8")
    assert was in text
    copy.write_text(text.replace(was, now, 1), encoding="utf-8")
    with pytest.raises(MatError, match=said):
        load_mat("standard", copy)
