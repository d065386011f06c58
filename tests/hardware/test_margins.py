"""The times of hardware/mat.toml and what ngspice makes of the worst parts, held together."""

import math

import pytest

from hardware.tools import scan, slack, spice
from hardware.tools.figures import figure, figures
from polarity_host.mats.description import load_mat

MARGIN, MARGIN_WORST = 0.30, 0.20

needs_ngspice = pytest.mark.skipif(
    not spice.have_ngspice(),
    reason="no ngspice (Debian, Ubuntu: apt install ngspice)",
)


@pytest.fixture(scope="module")
def shown(mat, tmp_path_factory):
    return spice.measure(mat, tmp_path_factory.mktemp("spice"))


@needs_ngspice
def test_settling_has_time_to_spare_whatever_the_amplifier_is(mat, shown):
    """30 percent with a quick one (wakings 20), 20 over its whole range."""
    assert shown["settling_lsb"] < 1.0
    assert shown["settling_margin_worst"] >= MARGIN_WORST
    settle_us, wake_us = scan.given_us(mat)
    assert settle_us >= (1 + MARGIN) * shown["settle_us"]
    assert settle_us >= (1 + MARGIN_WORST) * shown["settle_worst_us"]
    assert wake_us >= (1 + MARGIN_WORST) * shown["wake_worst_us"] > shown["wake_us"]


@needs_ngspice
def test_without_the_tiles_resistor_a_slow_amplifier_would_ring(tmp_path, monkeypatch):
    """A current that follows with 5 us through 100 ohm is 0.5 mH: with 0.7 nF behind 70 ohm its
    ringing decays with 2 L / R = 6 us, so 3.1 V take 8 times that to come within 0.8 mV."""
    mat, slow = load_mat("standard"), spice.Corner(5.0, 70.0)

    def needed_us():
        samples = spice.run(spice.settle_deck(mat, True, False, slow), tmp_path)
        return spice.settled_us(samples, samples[-1][1], spice.lsb_mv(mat) / 1000)

    with_it = needed_us()
    monkeypatch.setattr(spice, "DAMPING", "1")
    assert with_it < 13.0 < 30.0 < needed_us()


@needs_ngspice
def test_a_current_with_one_pole_rings_as_the_formula_says(tmp_path):
    """R, L = pole x output resistance, and one C, without limits: the decay is R / 2 L."""
    mat, slow = load_mat("standard"), spice.Corner(5.0, 470.0)
    deck = spice.settle_deck(mat, True, False, slow)
    deck = deck.replace("-0.001", "-1e3").replace("min(0.001", "min(1e3")
    for line in ("CZ", "CBUS", "CF", "RZ", "RF", "CA", "CB"):
        name, *nodes, value = (
            next(r for r in deck.splitlines() if r.startswith(line + " ")).split(" IC=")[0].split()
        )
        new = {"CBUS": "800p", "RZ": "0.01", "RF": "0.01"}.get(name, "0.001p")
        deck = deck.replace(f"{name} {' '.join(nodes)} {value}", f"{name} {' '.join(nodes)} {new}")
    samples = spice.run(deck.replace("IQ 0 z PULSE(0 -2m", "IQ 0 z PULSE(0 0m"), tmp_path)
    resistance, inductance = 100.0 + 470.0, 5e-6 * 100.0
    turn = math.sqrt(1 / (inductance * 800e-12) - (resistance / 2 / inductance) ** 2)
    peak = max(value for _, value in samples)
    over = math.exp(-resistance / 2 / inductance * math.pi / turn)
    assert peak == pytest.approx(3.2 + 3.1 * over, abs=0.02)


def test_a_count_is_the_mean_of_its_conversions():
    """A ramp of 1 V a second: the mean of eight, 2.176 us apart, is 3.5 of these steps later."""
    ramp = [(k * 1e-8, k * 1e-8) for k in range(10_000)]
    mean = spice.counts(ramp, 8)
    assert mean[100][1] == pytest.approx(100e-8 + 3.5 * 2.176e-6, abs=3e-8)


def test_the_time_given_is_what_the_driver_gives():
    """By hand: 10 ms less 350 us and 373 scans of 308 cycles leave 1121 turns of 2.048 us; 12 banks
    take 21 more than one each, and the 869 left are shared by 164 steps: five more than one each.
    The constants are the driver's."""
    mat = load_mat("standard")
    assert scan.given_us(mat) == pytest.approx((6 * 2.048, 22 * 2.048))
    assert scan.given_us(mat, 4)[0] == pytest.approx(16 * 2.048)
    driver = (slack.MAT_TOML.parents[1] / "firmware/drivers/hall_grid.py").read_text(
        encoding="utf-8"
    )
    for name in ("SETTLE_CYCLES", "CONVERT_CYCLES", "SENSOR_CYCLES", "LONGEST_SETTLING",
                 "RESTART_US", "SOONER_US"):  # fmt: skip
        assert f"\n{name} = {getattr(scan, name)} " in driver, name
    assert f"\nPIO_HZ = {scan.PIO_HZ:_}\n" in driver


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
    assert "CBUS bus 0 646.0p" in deck and "CZ z 0 50.0p" in deck  # twelve times 50 pF and 3 pF of
    # cable, and the long ones; the tile's own 50 pF before its resistor
    assert "RZ z bus 1.2k" in deck


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
    assert figure("pico_ma") == 75.0


def test_the_leds_are_counted_as_the_firmware_does():
    """What it takes for a channel, a quarter more than is quoted, and for an LED that is dark."""
    driver = (slack.MAT_TOML.parents[1] / "firmware/drivers/pixels.py").read_text(encoding="utf-8")
    assert f"\nCHANNEL_MA = {slack.LED_COUNTED_MA}\n" in driver
    assert slack.LED_COUNTED_MA >= 1.25 * figure("led_ma")
    assert f"\nDARK_MA = {figure('led_dark_ma'):g}\n" in driver


def test_the_port_gives_out_when_sensors_draw_twice_their_largest():
    """44 x 10 mA and 81 mA are more than 500 for 60 LEDs in the dark."""
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
