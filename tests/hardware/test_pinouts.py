"""Every part that can be ordered has the pins and the package that the board has for it. The truth
is KiCad's library, which Debian packages, and the makers' pinouts as they are written down here."""

import re
from dataclasses import replace

import pytest

from hardware.tools import build, pinouts
from hardware.tools.parts import part_kinds

ALL = {one.number: one for one in pinouts.checks()}
needs_symbols = pytest.mark.skipif(
    not pinouts.SYMBOLS.exists(), reason="KiCad's symbols are not installed (kicad-symbols)"
)


def test_no_part_that_can_be_ordered_has_other_pins_or_another_package():
    wrong, _ = pinouts.findings()
    assert wrong == []


def test_only_the_sensor_is_unchecked_for_its_datasheet_could_not_be_read():
    assert {one.part for one in ALL.values() if one.verdict == "unchecked"} == {"sensor"}


@pytest.mark.parametrize(
    ("kind", "number", "why"),
    [
        # Diodes DS37274: without the R pin 1 is the input, which the board has at ground
        ("regulator", "AP7361C-33E-13", "pin 1 is IN, the board has GND"),
        # Opsco: 1 VSS, 2 DIN, 3 VDD, 4 DOUT
        ("led", "SK6812", "pin 1 is VSS, the board has VDD"),
        # TI SCHS209: 5.3 mm wide; the pads are for 4.4 mm
        ("mux", "CD74HC4067SM96", "its package is Package_SO:SSOP-24"),
        ("c100n", "CC0402KRX7R7BB104", "its number says 0402"),
    ],
)
def test_a_part_that_does_not_fit_is_wrong(kind, number, why):
    found = pinouts.check(part_kinds()[kind], number)
    assert found.verdict == "wrong" and why in found.why


def test_a_number_that_nobody_wrote_pins_down_for_is_unchecked():
    found = pinouts.check(part_kinds()["regulator"], "LD1117S33TR")
    assert found.verdict == "unchecked" and "no record" in found.why


@pytest.mark.parametrize(
    "kind", ["mux", "decoder", "pico", "regulator", "switch", "shifter", "led"]
)
def test_two_pins_swapped_on_the_board_are_found(kind):
    """In parts.toml, from which schematics and boards are made."""
    part = part_kinds()[kind]
    (one, name, sort), (other, its_name, its_sort), *rest = part.pins
    swapped = replace(part, pins=((one, its_name, its_sort), (other, name, sort), *rest))
    assert pinouts.check(swapped, part.orderable()[0]).verdict == "wrong"


def test_a_second_source_that_is_not_listed_is_found(monkeypatch):
    mux = part_kinds()["mux"]
    listed = {"mux": replace(mux, second="CD74HC4067PWR (Texas Instruments)")}
    monkeypatch.setattr(pinouts, "part_kinds", lambda: listed)
    assert pinouts.unlisted_findings() == [
        "mux: CD74HC4067PWR stands in `second`, but not in `seconds`"
    ]


@needs_symbols
def test_what_is_written_down_is_what_kicads_library_has():
    """Debian's kicad-symbols, 6.0 and later; the Pico is in it since 7."""
    assert [line for one in pinouts.records() for line in pinouts.library_findings(one)] == []
    named = [one.symbol for one in pinouts.records() if one.symbol]
    absent = [name for name in named if pinouts.symbol(name) is None]
    assert len(named) >= 12 and set(absent) <= {"MCU_Module:RaspberryPi_Pico"}


@needs_symbols
def test_a_record_that_is_not_as_the_library_has_it_is_found():
    record = next(one for one in pinouts.records() if one.symbol == "LED:WS2812B")
    turned = replace(record, pins={"1": "VSS", "2": "DIN", "3": "VDD", "4": "DOUT"})
    assert len(pinouts.library_findings(turned)) == 4


def test_every_resistor_has_its_own_orderable_number():
    """Yageo's: the series RC0603FR-07, the value with R, K or M at its point, and L."""
    numbers = {value: mpn for value, (mpn, _) in part_kinds()["resistor"].numbers.items()}
    for value, mpn in numbers.items():
        unit = {"k": "K", "M": "M"}.get(value[-1], "R")
        digits = value.rstrip("kM")
        digits = digits.replace(".", unit) if "." in digits else digits + unit
        assert mpn == f"RC0603FR-07{digits}L"
    for name in ("tile", "carrier_standard", "carrier_small"):
        text = (build.HARDWARE / "netlists" / f"{name}.net").read_text(encoding="utf-8")
        assert "RC0603FR-07..." not in text
        assert re.search(r"RC0603FR-07100KL", text)


def test_an_lcsc_number_is_of_one_part_only():
    numbers = []
    for kind in part_kinds().values():
        values = kind.numbers or {"": ()}
        numbers += [kind.lcsc_number(value) for value in values if kind.lcsc_number(value)]
    assert len(numbers) == len(set(numbers)) > 15
    assert all(re.fullmatch(r"C\d{4,8}", number) for number in numbers)
    assert not {"C6186", "C347476"} & set(numbers)  # AMS1117, and another maker's AO3401A


def test_the_page_names_the_source_of_each_number():
    page = (build.HARDWARE / "BOM.md").read_text(encoding="utf-8")
    for one in ALL.values():
        assert f"| {one.part} | {one.number} | {one.verdict} | {one.why} |" in page
