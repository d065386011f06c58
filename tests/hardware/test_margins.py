"""The times of hardware/mat.toml and what ngspice makes of the worst parts, held together."""

import math

import pytest

from hardware.tools import slack, spice
from hardware.tools.figures import figure, figures
from polarity_host.mats.description import load_mat

MARGIN = 0.30

needs_ngspice = pytest.mark.skipif(
    not spice.have_ngspice(),
    reason="no ngspice (Debian, Ubuntu: apt install ngspice)",
)


@pytest.fixture(scope="module")
def shown(mat, tmp_path_factory):
    return spice.measure(mat, tmp_path_factory.mktemp("spice"))


@needs_ngspice
def test_settling_has_30_percent_of_time_to_spare_and_no_more_than_it_wants(mat, shown):
    assert shown["settling_lsb"] < 1.0
    assert shown["settling_margin"] >= MARGIN
    for given_us, needed_us in (
        (mat.settle_us, shown["settle_us"]),
        (mat.wake_us, shown["wake_us"]),
    ):
        assert (1 + MARGIN) * needed_us <= given_us < 2.5 * needed_us


@needs_ngspice
def test_the_supply_is_back_before_a_woken_sensor_is_read(shown):
    assert shown["droop_lsb"] < 0.25
    assert 1.0 < shown["droop_mv"] < 100.0


@needs_ngspice
def test_the_inrush_stays_below_what_a_usb_port_gives(shown):
    assert 10.0 < shown["inrush_ma"] < 450.0


@needs_ngspice
def test_a_plain_rc_is_measured_as_the_formula_says(tmp_path):
    deck = f"""* 1 kohm, 1 nF
V1 a 0 PWL(0 0 {spice.STEP_US}u 0 {spice.STEP_US + 0.001}u 1)
R1 a b 1k
C1 b 0 1n
.tran 5n 30u
.control
run
linearize v(b)
wrdata $out v(b)
quit
.endc
.end
"""
    samples = spice.run(deck, tmp_path)
    assert spice.settled_us(samples, 1.0, 1 / 4096) == pytest.approx(math.log(4096), rel=0.01)
    assert spice.error_at(samples, 1.0, 3.0) == pytest.approx(math.exp(-3), rel=0.02)


@needs_ngspice
def test_a_deck_that_measures_nothing_is_one_line(tmp_path):
    with pytest.raises(spice.SpiceError, match="ngspice measured nothing"):
        spice.run("* nothing\n.end\n", tmp_path)


def test_the_worst_step_and_the_parts_figures_are_in_the_deck():
    mat = load_mat("standard")
    deck = spice.settle_deck(mat, up=True, wake=False)
    assert "RON=470" in deck and "VA a 0 DC 0.1" in deck and "VB b 0 DC 3.2" in deck
    assert "CBUS bus 0 696.0p" in deck  # twelve times 50 pF and 3 pF of cable, and the long ones


def test_without_ngspice_it_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setattr(spice.shutil, "which", lambda name: None)
    with pytest.raises(spice.SpiceError, match="apt install ngspice"):
        spice.run("* nothing", tmp_path)


def test_all_that_hangs_on_a_sensors_output_is_no_more_than_it_stands(mat):
    """By hand for the standard mat: 12 tiles of 53 pF, a long cable, 106 pF at the pin."""
    assert spice.load_pf(mat) <= figure("sensor_load_pf") == 1000.0
    if mat.id == "standard":
        assert spice.load_pf(mat) == 12 * 53 + 60 + 106


# ---- how wrong a figure may be
def test_a_figure_is_as_it_was_after_it_was_tried():
    with slack.as_if("pico_ma", 99.0):
        assert figure("pico_ma") == 99.0
    assert figure("pico_ma") == 50.0


def test_the_leds_are_counted_as_the_firmware_does():
    """What it takes for a channel, a quarter more than is quoted, and for an LED that is dark."""
    driver = (slack.MAT_TOML.parents[1] / "firmware/drivers/pixels.py").read_text(encoding="utf-8")
    assert f"\nCHANNEL_MA = {slack.LED_COUNTED_MA}\n" in driver
    assert slack.LED_COUNTED_MA >= 1.25 * figure("led_ma")
    assert f"\nDARK_MA = {figure('led_dark_ma'):g}\n" in driver


def test_the_port_gives_out_when_sensors_draw_twice_their_largest():
    """44 x 10 mA and 56 mA leave 4 mA: not enough for 60 LEDs in the dark."""
    mat = load_mat("standard")
    with slack.as_if("sensor_max_ma", 10.0):
        assert slack.broken(mat) == "a 500 mA port"


def test_every_figure_has_its_row_in_the_page_with_todays_value_and_source():
    page = slack.SOURCES_MD.read_text(encoding="utf-8")
    for name, told in figures().items():
        row = next(line for line in page.splitlines() if line.startswith(f"| `{name}` |"))
        assert row.startswith(f"| `{name}` | {told['value']:g} | ")
        assert row.endswith(f"| {told['source']} |"), f"{name}: {slack.MARK}"


@needs_ngspice
def test_a_slower_switch_is_found_to_matter():
    held, fails = slack.slack("mux_on_ohm", load_mat("standard"))
    page = slack.SOURCES_MD.read_text(encoding="utf-8")
    assert 1.0 < held < 10.0 and fails == "settling"
    assert f"| `mux_on_ohm` | {figure('mux_on_ohm'):g} | × {held:g} | settling |" in page
