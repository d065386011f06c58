"""The field as a picture, in a real browser."""

from playwright.sync_api import expect

from tests.live.conftest import shot
from tests.live.pixels import DEUTERANOPE, PROTANOPE, lab, pixel, seen_by
from tests.waiting import wait_for


def test_the_field_is_a_picture_that_can_be_switched_on(look, played):
    page = look(played[0], dark=True)
    wait_for(lambda: any(pixel(page, 0, 180)))  # the felt is drawn
    before = pixel(page, 0, 180)
    page.locator("#field").click()
    expect(page.locator("#field")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#legend")).to_be_visible()
    wait_for(lambda: pixel(page, 0, 180) != before)
    shot(page, "field-dark")
    page.locator("#field").click()
    wait_for(lambda: pixel(page, 0, 180) == before)


def test_the_field_s_colours_are_even_and_safe(look, played):
    """CIE L* rises evenly from each end to the middle, and a deuteranope's and a protanope's
    eye (Machado, Oliveira and Fernandes 2009, severity 1) tell the two ends apart."""
    page = look(played[0])
    for dark in (False, True):
        script = f"import('/static/field.js').then((field) => field.palette({str(dark).lower()}))"
        colours = page.evaluate(script)
        lightness = [lab(colour)[0] for colour in colours]
        half = lightness[:128] if not dark else [-v for v in lightness[:128]]
        steps = [b - a for a, b in zip(half, half[1:])]
        assert min(steps) > -0.3 and max(steps) < 1.2  # one code of sRGB is worth up to 0.4
        assert abs(lightness[0] - lightness[-1]) < 12
        for matrix in (DEUTERANOPE, PROTANOPE):
            ends = [lab(seen_by(matrix, colour)) for colour in (colours[0], colours[-1])]
            assert sum((a - b) ** 2 for a, b in zip(*ends)) ** 0.5 > 40
