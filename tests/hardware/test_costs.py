"""What a mat costs in all: nothing is left out, and it is told what is guessed."""

import pytest

from hardware.tools import bom, build, costs
from hardware.tools.costs import Costs
from polarity_host.mats.description import load_mat


@pytest.fixture(scope="module")
def netlists():
    folder = build.HARDWARE / "netlists"
    return {path.stem: path.read_text(encoding="utf-8") for path in folder.glob("*.net")}


def test_the_parts_and_boards_of_one_mat_are_the_lists(netlists):
    """But for the stencil, which nobody needs who has the boards assembled."""
    mat = load_mat()
    listed = {line.id: line.usd for line in bom.lines(mat, netlists)}
    one = costs.costs(mat, netlists, 1)
    total, _ = bom.total_usd(bom.lines(mat, netlists))
    assert one.parts + one.boards == pytest.approx(total - listed["stencil"])
    assert one.boards == pytest.approx(sum(listed[name] for name in costs.BOARDS))


def test_assembly_by_hand(netlists):
    """Sides: tile 2, carrier 2, arc 1. Kinds of part: tile 8 (sensor, multiplexer, inverter, two
    resistors, three capacitors) and the connector; carrier and arc by their netlists: 18 and 2.
    A tile's pads: 16 sensors of 5 and 16 capacitors of 2; 24, 5, two resistors and three
    capacitors of 2, and two connectors of 16 and 2 tabs."""
    tile = 16 * (5 + 2) + 24 + 5 + 5 * 2 + 2 * 18
    mat = load_mat()
    joints = 32 * tile - 139 * 7
    assembly = costs.costs(mat, netlists, 1).assembly
    known = 5 * 33.0 + 9 * 3.0 + joints * 0.0017
    assert known < assembly < known + 30 * 3.0 + 12 * 40 * 0.0017 + 250 * 0.0017


def test_all_is_in_the_total_and_taxed():
    one = Costs(1, 100.0, 20.0, 60.0, 30.0, 44.1)
    assert one.total() == pytest.approx(254.1) and one.each() == one.total()


def test_five_share_setup_and_freight(netlists):
    mat = load_mat()
    one, five = (costs.costs(mat, netlists, mats) for mats in (1, 5))
    assert five.each() < one.each() and five.total() > 4 * one.parts
    assert five.parts == pytest.approx(5 * one.parts, rel=0.05)
    for cost in (one, five):
        untaxed = cost.parts + cost.boards + cost.assembly + cost.freight
        assert cost.tax == pytest.approx(0.21 * untaxed)


def test_the_page_has_both_totals(netlists):
    mat, page = load_mat(), (build.HARDWARE / "BOM.md").read_text(encoding="utf-8")
    one, five = (costs.costs(mat, netlists, mats) for mats in (1, 5))
    assert f"| together | {one.total():.0f} | {five.total():.0f} |" in page


def test_every_estimate_says_that_it_is_one():
    for name, listed in costs._listed().items():
        assert listed["basis"].startswith("estimate"), name
