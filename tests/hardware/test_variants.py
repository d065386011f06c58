"""Mats that might be built instead, and what the study says of decisions on them."""

import numpy as np
import pytest

from polarity import mat_data
from polarity_bench.designs import decisions
from polarity_bench.designs.study import STUDY_MD
from polarity_bench.designs.variant import firmware_data, scan_ms, variant
from polarity_host.mats.description import MatError, load_mat


def test_the_variant_without_a_change_is_the_mat_that_is_built():
    mat, built = variant(), load_mat()
    assert np.array_equal(mat.address, built.address)
    ours, theirs = firmware_data(mat), mat_data.load("standard")
    names = [name for name in dir(theirs) if name.isupper()]
    assert len(names) > 25
    for name in names:
        assert getattr(ours, name) == getattr(theirs, name), name


@pytest.mark.parametrize("pitch_mm, sensors", [(18, 553), (22, 373), (25, 293), (30, 197)])
def test_a_variant_has_its_grid_and_can_be_scanned(pitch_mm, sensors):
    """Points of a square grid within 240 mm: those of Gauss's circle problem."""
    mat = variant(pitch_mm=pitch_mm)
    data = firmware_data(mat)
    assert mat.n == data.N == sensors
    assert len({*zip(mat.adc.tolist(), mat.address.tolist())}) == mat.n
    assert mat.address.max() < 2 ** len(mat.address_pins)
    assert scan_ms(mat) < 10.0


def test_the_built_mats_scan_takes_what_the_parts_take():
    """373 x 8 conversions of 2 us, 8 us for each of 176 addresses, 45 us for each of 12 banks."""
    mat = load_mat()
    assert scan_ms(mat) == pytest.approx(
        373 * 8 * 0.002 + 0.008 * len(set(mat.address.tolist())) + 12 * 0.045
    )


def test_a_grid_that_no_scan_can_read_is_refused():
    with pytest.raises(MatError):
        variant(pitch_mm=5)


def test_the_engine_plays_on_another_grid():
    """The first scene on a pitch of 25 mm: nearly everything is found, and told right."""
    found = decisions.measured({"pitch_mm": 25}, seeds=[1], jobs=1)
    assert found["looks"] == 3 and found["bodies"] > 30
    assert found["missed"] <= 1 and found["face_right"] > 0.97 and found["flat_rms_mm"] < 1.0


def test_what_is_not_as_asked_is_said():
    good = {"face_right": 1.0, "kind_right": 1.0, "height_right": 1.0, "touch_f1": 1.0,
            "flat_rms_mm": 0.2, "flat_p999_mm": 0.7, "leaner_rms_mm": 0.4,
            "leaner_tilt_rms_deg": 0.7, "missed": 0, "invented": 0, "broke": 0}  # fmt: skip
    assert decisions.shortfalls(good) == []
    said = decisions.shortfalls({**good, "touch_f1": None, "face_right": 0.99, "missed": 2})
    assert [line.split()[0] for line in said] == ["face_right", "touch_f1", "missed"]


def test_money_and_current_in_the_study_are_todays():
    """The columns of its tables that need no scene."""
    text = STUDY_MD.read_text(encoding="utf-8")
    for pitch_mm in decisions.PITCHES_MM:
        now = decisions.money_and_current({"pitch_mm": pitch_mm})
        row = (
            f"| {pitch_mm} | {now['sensors']} | {now['tiles']} | {now['usd']} | {now['rest_ma']} "
            f"| {now['scan_ms']} |"
        )
        assert row in text, f"{row} is not in STUDY.md: run the command that it names"
