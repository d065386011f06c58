"""The list of parts: counted from the design, priced, and told what each price rests on."""

import csv
import io

import pytest

from hardware.tools import bom, build
from hardware.tools.parts import extras, part_kinds
from polarity_host.mats.description import load_mat


def netlists():
    folder = build.HARDWARE / "netlists"
    return {path.stem: path.read_text(encoding="utf-8") for path in folder.glob("*.net")}


def test_the_counts_of_the_standard_mat_by_hand():
    """32 tiles, a carrier for six chains, and twelve arcs of five LEDs."""
    found = bom.counted(load_mat("standard"), netlists())
    numbers = {kind: n for (kind, value), n in found.items() if kind not in ("resistor", "c100n")}
    assert numbers == {
        "sensor": 373, "mux": 32, "inverter": 32, "decoder": 2, "pico": 1, "regulator": 1,
        "switch": 1, "fuse": 1, "shifter": 1, "led": 60, "ffc": 32 * 2 + 6, "leads3": 1,
        "leads2": 2, "c100n_low": 32 * 16, "c100p": 3, "c4u7": 4, "c1u": 32, "c100u": 1,
        "tvs": 1, "esd": 1, "power_led": 1,
    }  # fmt: skip
    assert found["c100n", "100n"] == 32 * 2 + 3 + 60
    assert found["resistor", "100k"] == 32 + 1
    assert found["resistor", "1.2k"] == 32 + 1
    assert found["resistor", "330"] == 1 + 2


def test_another_grid_changes_what_is_ordered():
    assert bom.counted(load_mat("small"), netlists())["sensor", "TMAG5253BA3IQDMRR"] == 121


def test_a_default_mat_costs_less_than_300_dollars():
    one, many = bom.total_usd(bom.lines(load_mat(), netlists()))
    assert many < one < 300
    table = csv.DictReader(io.StringIO((build.HARDWARE / "bom.csv").read_text(encoding="utf-8")))
    assert sum(float(row["USD"]) for row in table) == pytest.approx(one, abs=0.3)


def test_the_page_says_how_much_of_the_total_is_guessed():
    """Sensors, cable connectors and the Pico have a price; the rest is the table's."""
    table = csv.DictReader(io.StringIO((build.HARDWARE / "bom.csv").read_text(encoding="utf-8")))
    priced = sum(float(row["USD"]) for row in table if row["part"] in ("sensor", "ffc", "pico"))
    one, _ = bom.total_usd(bom.lines(load_mat(), netlists()))
    page = " ".join((build.HARDWARE / "BOM.md").read_text(encoding="utf-8").split())
    assert f"{priced:.0f} of the {one:.0f} USD rest on shops' prices" in page
    assert f"{100 * (300 - one) / (one - priced):.0f} % too low" in page


def test_spares_are_ordered_and_whole_packs():
    listed = {(line.id, line.value): line for line in bom.lines(load_mat(), netlists())}
    assert (listed["sensor", ""].needed, listed["sensor", ""].ordered) == (373, 385)
    assert (listed["tile_board", ""].needed, listed["tile_board", ""].ordered) == (32, 35)
    assert listed["pico", ""].ordered_many == 10


def test_the_list_has_lcscs_numbers_and_names_what_has_none():
    """In two public parts lists at least, C7827 stands beside SN74LVC1G04DBVR."""
    rows = list(csv.DictReader((build.HARDWARE / "bom.csv").read_text("utf-8").splitlines()))
    by_number = {row["number"]: row["LCSC"] for row in rows}
    assert by_number["SN74LVC1G04DBVR"] == "C7827"
    assert by_number["TMAG5253BA3IQDMRR"] == ""
    page = " ".join((build.HARDWARE / "BOM.md").read_text(encoding="utf-8").split())
    assert "Without one: TMAG5253BA3IQDMRR, SC0915, EEEFK1C101P." in page


BOUGHT = [part for part in (*part_kinds().values(), *extras().values()) if part.mpn]


@pytest.mark.parametrize("part", BOUGHT, ids=lambda part: part.id)
def test_every_part_has_a_number_a_price_with_its_basis_and_a_second_source(part):
    assert all((part.mpn, part.maker, part.what, part.basis, part.second))
    assert 0 < part.usd_many <= part.usd_few
    assert part.basis.startswith(("estimate", "LCSC, 20", "as others noted", "list price"))
