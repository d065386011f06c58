"""The tree has what hardware/tools/generate.py writes, and that follows hardware/mat.toml."""

import pytest

from hardware.tools import generate
from polarity_host.mats.description import MAT_TOML, load_mat, mat_names


@pytest.mark.parametrize("path", generate.outputs(), ids=lambda path: path.name)
def test_the_committed_file_is_what_the_generator_writes(path):
    # not one big string comparison: a failure would print the whole field table
    stale = path.read_text(encoding="utf-8").splitlines()
    fresh = generate.outputs()[path].splitlines()
    differing = [i + 1 for i, (a, b) in enumerate(zip(stale, fresh)) if a != b]
    assert not differing and len(stale) == len(fresh), (
        f"stale from line {(differing or [min(len(stale), len(fresh)) + 1])[0]}: "
        "run `python -m hardware.tools.generate`"
    )


def test_every_mat_of_the_description_is_generated_and_no_other():
    written = {path.stem for path in generate.FIRMWARE_DATA.glob("*.py")} - {"__init__"}
    wanted = {name + part for name in mat_names() for part in ("", "_field", "_tables")}
    assert written == wanted == {path.stem for path in generate.outputs()}


@pytest.mark.parametrize(
    "was, now, line",
    [
        ("circle_radius_mm = 225.0", "circle_radius_mm = 226.0", "CIRCLE_RADIUS = 57856"),
        ("pitch_mm = 22.0", "pitch_mm = 23.0", "PITCH = 5888"),
        ("sensor_z_mm = -5.0", "sensor_z_mm = -4.5", "SENSOR_Z = -1152"),
        ("oversample = 8", "oversample = 4", "ZERO_COUNT = 8192"),
        ("saturation_mt = 80.0", "saturation_mt = 44.0", "COUNT_MAX = 22544"),
        ("diameter_mm = 34.0", "diameter_mm = 35.0", "DISC_RADIUS = 4480"),
        ("thickness_mm = 6.0", "thickness_mm = 6.5", "DISC_THICKNESS = 1664"),
        ("white_up_counts = 1 ", "white_up_counts = -1 ", "WHITE_UP_SIGN = -1"),
        ("led_pin = 22", "led_pin = 21", "LED_PIN = 21"),
    ],
)
def test_a_changed_number_changes_the_firmware_data(tmp_path, was, now, line):
    text = MAT_TOML.read_text(encoding="utf-8")
    assert was in text
    copy = tmp_path / "mat.toml"
    copy.write_text(text.replace(was, now, 1), encoding="utf-8")  # the first is the standard mat's
    before = generate.module_text(load_mat("standard")).splitlines()
    after = generate.module_text(load_mat("standard", copy)).splitlines()
    assert line in after
    assert line not in before


def test_a_stronger_magnet_changes_the_field_table(tmp_path):
    copy = tmp_path / "mat.toml"
    text = MAT_TOML.read_text(encoding="utf-8")
    copy.write_text(text.replace("br_t = 0.38", "br_t = 0.39", 1), encoding="utf-8")
    weak = generate.field_table(load_mat("standard"))
    strong = generate.field_table(load_mat("standard", copy))
    sound = (abs(weak) > 5000) & (abs(strong) < 32767)  # the largest are cut, inside the disc
    assert strong[sound] / weak[sound] == pytest.approx(0.39 / 0.38, abs=3e-4)


def test_check_says_which_file_is_stale_and_changes_nothing(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(generate, "FIRMWARE_DATA", tmp_path)
    assert generate.main([]) == 0
    assert generate.main(["--check"]) == 0
    stale = tmp_path / "small.py"
    stale.write_text(stale.read_text(encoding="utf-8").replace("N = 121", "N = 120"))
    kept = stale.read_bytes()
    capsys.readouterr()
    assert generate.main(["--check"]) == 1
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1 and "small.py is stale" in said[0]
    assert stale.read_bytes() == kept
    assert generate.main([]) == 0
    assert generate.main(["--check"]) == 0
