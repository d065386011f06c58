"""What the first frames say of the sensors."""

from polarity.mat_data import small
from polarity.selftest import FRAMES, SelfTest


def frames_with(**shown):
    """FRAMES frames of a bare mat, but for the sensors named: s3=[counts in turns]."""
    for number in range(FRAMES):
        counts = [small.ZERO_COUNT + number % 3] * small.N
        for name, series in shown.items():
            counts[int(name[1:])] = series[number % len(series)]
        yield counts


def after(**shown):
    test = SelfTest(small)
    enough = [test.look(counts) for counts in frames_with(**shown)]
    assert enough == [False] * (FRAMES - 1) + [True]
    return test


def test_a_good_mat_is_well():
    assert after().report() == ""


def test_each_fault_is_named_with_its_sensor():
    zero = small.ZERO_COUNT
    test = after(s3=[0], s5=[32760], s7=[5, 9], s9=[zero, zero + 900])
    assert (test.dead(), test.stuck(), test.noisy()) == ([3], [5, 7], [9])
    assert test.report() == "dead sensors 3; stuck sensors 5 7; noisy sensors 9"


def test_a_wire_off_is_told_in_short():
    test = after(**{f"s{sensor}": [0] for sensor in range(20)})
    assert test.report() == "dead sensors 0 1 2 3 4 5 6 7 and 12 more"
