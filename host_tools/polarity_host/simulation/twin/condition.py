"""How good or bad a simulated mat and its surroundings are: every figure a test may vary."""

from dataclasses import dataclass


@dataclass(frozen=True)
class MatCondition:
    """Spreads, drifts and faults of one mat. Defaults: a sound mat on a quiet table.

    Hall sensor figures follow TI DRV5055 (SBAS640) at VCC = 3.3 V: its tables of electrical and
    magnetic characteristics, from memory. ASSUMPTIONS until checked against the datasheet.
    """

    gain_sigma: float = 0.01
    """Spread of sensor gains after sorting; the part's own limit for sensitivity is 5 %."""
    offset_sigma_mv: float = 20.0
    """Spread of quiescent voltages; the part's limits of 1.59 and 1.71 V taken as three sigma."""
    noise_mt: float = 0.030
    """Rms of one reading of a sensor: input-referred noise of 0.2 mT peak to peak (6.6 sigma). With
    its 20 kHz band, all conversions of one reading have nearly the same noise."""
    moment_sigma: float = 0.03
    """Spread of disc moments; ferrite grades are sold to a few per cent of Br."""

    warming_c: float = 4.0
    """Warming of mat and discs from the first frame on, towards this many degrees."""
    warming_time_s: float = 600.0
    """Time constant of the warming."""
    gain_per_c: float = -0.0008
    """Common drift of signal: ferrite -0.2 %/degC against the sensor's own +0.12 %/degC
    (A versions)."""
    gain_sigma_per_c: float = 0.0002
    """Spread of that between sensors. ASSUMPTION."""
    offset_sigma_mv_per_c: float = 0.15
    """Spread of quiescent drift; the part's limit is 1 % of VCC over some 100 degC."""

    earth_bz_mt: float = -0.044
    """The earth's field up out of a level mat; -44 uT in central Europe (IGRF-13). Turning the
    table leaves it alone; tilting it by 1 degree changes it by 0.4 uT."""
    settle_time_constant_us: float = 0.9
    """Memory of the previous address after a step: an upper bound of what hardware/spice/settle.cir
    shows with the parts' worst figures."""
    conversions: int = 0
    """Conversions that the mat is set to sum into a count, which keeps its scale; 0: the number
    in mat.toml."""
    converter: str = "rp2040"
    """What converts: one of adc.KINDS."""
    rolling_scan: bool = True
    """Sensors are read one address after the other within a frame; a moving disc smears."""

    table_slope_deg: float = 0.0
    """Slope of the table, because of which turning it changes the part of the earth's field that
    the sensors measure. It is turned every `table_turned_every_s`, slowly or at once."""
    table_turned_every_s: float = 50.0
    earth_horizontal_mt: float = 0.020
    """The horizontal part of the earth's field; 20 uT in central Europe (IGRF-13)."""

    phone_gap_mm: float = 0.0
    """How far from the circle a phone is laid, again and again, and taken away; 0: none."""
    phone_moment_am2: float = 0.5
    """Its permanent moment. ASSUMPTION, meant as an upper bound: two 10 x 10 x 2 mm neodymium
    magnets of a cover with a flap. A bare phone that keeps to the 1 mT that makers allow at 10 to
    20 mm has some 0.02 A m2."""
    phone_ac_share: float = 0.01
    """Amplitude of the moment's alternating part, at a frequency of its own. ASSUMPTION: 1 A in a
    loop of 50 cm2."""

    watch_radius_mm: float = 0.0
    """Radius of the sphere of soft iron that acts like the watch on every wrist; 0: no watches."""

    reserve_gap_mm: float = 0.0
    """How far outside the circle, rim to circle, each player's reserve is stacked; 0: far away."""
    reserve_discs: int = 26

    crease_tilt_deg: float = 0.0
    """A disc set flat tilts by up to this much because the mat is not flat below it."""
    dead_sensors: int = 0
    """Sensors that give 0."""
    stuck_sensors: int = 0
    """Sensors that give one count for ever."""
    noisy_adc: int = -1
    """Which ADC input has `noisy_adc_lsb` of additional noise per reading; -1: none."""
    noisy_adc_lsb: float = 8.0

    jolts_per_minute: float = 0.0
    """How often somebody bumps into the table: the mat slips a little under all discs."""
    jolt_shake_mm: float = 0.5
    """Largest displacement during a jolt. ASSUMPTION: at 10 Hz, discs begin to slip on the mat
    where the table moves by more than 1.5 mm (a friction of 0.6)."""
    jolt_slip_mm: float = 0.3
    """How far the mat has slipped at most when a jolt is over. ASSUMPTION."""

    dropped_frames: float = 0.0
    """Probability that a frame is missing from the stream."""


CLEAN = MatCondition(
    gain_sigma=0.0,
    offset_sigma_mv=0.0,
    moment_sigma=0.0,
    warming_c=0.0,
    earth_bz_mt=0.0,
    rolling_scan=False,
)
"""No spread and no drift; noise and the ADC's errors stay."""
