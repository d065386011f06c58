"""What the page on a second revision says of its choices, and the converters that the twin has."""

import re

import numpy as np
import pytest

from polarity_bench.designs import revision_b
from polarity_host.simulation.twin.adc import KINDS, SPIKE_CODES, Rp2040Adc


def row(choice):
    text = revision_b.PAGE.read_text(encoding="utf-8")
    found = re.search(rf"^\| {re.escape(choice.name)} \| ([\d,]+) \| ([\d.]+) \|", text, re.M)
    assert found, choice.name
    return int(found[1].replace(",", "")), float(found[2])


@pytest.mark.parametrize("choice", revision_b.CHOICES, ids=lambda choice: choice.converter)
def test_the_page_has_each_choice_with_todays_samples_and_noise(choice):
    """373 sensors, 100 frames a second."""
    samples, noise_ut = row(choice)
    assert samples == choice.samples_a_sensor * 373 * 100
    assert noise_ut == round(revision_b.noise_ut(choice), 1)


def test_a_converter_has_the_errors_of_its_kind():
    """RP2040-E11's four codes are some 9 LSB wide, and no other kind's."""
    for name, kind in KINDS.items():
        converter = Rp2040Adc(np.random.default_rng(3), kind=kind)
        wide = converter.dnl_lsb()[np.array(SPIKE_CODES) - 1]
        assert (wide > 6).all() if name == "rp2040" else (np.abs(wide) < 1).all()
        assert np.abs(converter.inl_lsb()).max() >= kind.bow_lsb * 0.8
        level = np.full(4000, 1000.3)
        mean = converter.convert(level, np.random.default_rng(4), 8) / 8
        # eight conversions a count, each the mean of `each`; what rounds adds to it
        assert mean.std() < 1.1 * kind.noise_lsb / np.sqrt(8 * kind.each) + 0.1


def test_more_conversions_leave_less_noise():
    found = {choice.converter: revision_b.noise_ut(choice) for choice in revision_b.CHOICES}
    assert found["tile"] < found["external"] < found["rp2040"]
