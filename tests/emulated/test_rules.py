"""The rules core on the chip: its size, and what a fact costs."""

from polarity_bench import rules


def test_the_core_fits_the_chip_and_leaves_nothing_behind(image):
    figures = rules.timed_on_chip()
    assert figures["chip_heap_kb"] <= 45
    assert figures["chip_growth_bytes"] <= 0
    assert figures["judge_ms"] <= 5
