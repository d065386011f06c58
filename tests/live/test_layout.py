"""What has room where, on screens of any size."""

import pytest
from playwright.sync_api import expect

from tests.live.conftest import shot


def test_on_a_phone_nothing_is_cut_off(look, played):
    page = look(played[0], 390, 844, dark=True, device_scale_factor=2, has_touch=True)
    expect(page.locator("#owed")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    mat = page.locator("#mat > canvas").bounding_box()
    assert mat["width"] > 350 and mat["y"] + mat["height"] < 844
    turn = page.locator("#turn").bounding_box()
    assert turn["y"] + turn["height"] < 844  # seen without scrolling
    for element in page.locator("header button, header select").all():
        box = element.bounding_box()
        assert box["height"] >= 36 and box["x"] >= 0 and box["x"] + box["width"] <= 390
    shot(page, "phone-dark")
    page.locator("#theme").tap()
    expect(page.locator("html")).to_have_attribute("data-theme", "light")
    shot(page, "phone-light")


#: (width, height) -> the least share of the height, and of the width, that the mat takes
SHARES = {
    (1366, 768): (0.8, 0.5),
    (1920, 1080): (0.8, 0.5),
    (844, 390): (0.8, 0.4),
    (390, 844): (0.42, 0.9),
}
WIDER = """() => [...document.querySelectorAll("body, header *, #turn *, aside *, dialog[open] *")]
    .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
    .concat(document.documentElement.scrollWidth > screen.width ? [document.body] : [])
    .map((element) => element.outerHTML.slice(0, 80))"""
PARTS = ("header", "#turn", "#mat", "#question", "#owed", "#counts", "#legend", "#ill", "#story h2")


@pytest.mark.parametrize("size", SHARES, ids=str)
def test_the_mat_is_the_larger_part_and_nothing_overlaps(look, played, size):
    width, height = size
    page = look(played[0], width, height)
    expect(page.locator("#owed")).to_be_visible()
    page.locator("#field").click()
    page.locator("#health").click()
    mat = page.locator("#mat > canvas").bounding_box()
    high, wide = SHARES[size]
    assert mat["height"] >= high * height and mat["width"] >= wide * width
    assert 0 <= mat["y"] and mat["y"] + mat["height"] <= height  # seen without scrolling
    found = [page.locator(part).bounding_box() for part in PARTS if page.locator(part).is_visible()]
    for k, a in enumerate(found):
        for b in found[:k]:
            beside = a["x"] >= b["x"] + b["width"] - 1 or b["x"] >= a["x"] + a["width"] - 1
            assert (
                beside or a["y"] >= b["y"] + b["height"] - 1 or b["y"] >= a["y"] + a["height"] - 1
            )
    turn = page.locator("#turn").bounding_box()
    if height > width:  # whose turn it is stands above the mat
        assert turn["y"] + turn["height"] <= mat["y"]
    page.locator("#story li[data-code=fault] button.open").click()
    page.locator("#story .slow").click()
    for part in page.locator("#slow .controls > *").all():
        box = part.bounding_box()
        assert box["y"] + box["height"] <= height and box["x"] + box["width"] <= width
    shot(page, f"slow-{width}x{height}")


@pytest.mark.parametrize(
    "size", [(667, 375), (568, 320), (320, 568), (360, 740), (1024, 768)], ids=str
)
def test_nothing_is_wider_than_the_screen_where_words_are_long_and_targets_large(
    look, played, size
):
    width, height = size
    page = look(played[0], width, height, has_touch=True, is_mobile=True)
    page.locator("#language").select_option("fr")
    expect(page.locator("#owed")).to_contain_text("convertir")
    assert page.evaluate(WIDER) == []
    page.locator("#story li[data-code=fault] button.open").tap()
    page.locator("#story .slow").tap()
    for part in page.locator("#slow .controls > *").all():
        box = part.bounding_box()
        assert box["x"] + box["width"] <= width
        assert height > width or box["y"] + box["height"] <= height  # upright it may be scrolled to
    assert page.evaluate(WIDER) == []


def test_a_screen_shows_board_and_verdict_from_afar(look, played):
    """At 4 m, 16 minutes of arc (ISO 9241-303) are 19 mm: 1/20 of a screen that is 50 cm high has
    room for them."""
    for width, height in ((1920, 1080), (1080, 1920)):
        page = look(f"{played[0]}static/overlay.html?tv&lang=de", width, height)
        expect(page.locator("#turn")).to_contain_text("am Zug")
        expect(page.locator("#ruling")).not_to_be_empty()
        expect(page.locator("#w .score")).to_contain_text("Punkte")
        board = page.locator("canvas").bounding_box()
        assert board["height"] >= 0.5 * height
        size = page.locator("#ruling").evaluate("(e) => parseFloat(getComputedStyle(e).fontSize)")
        assert size >= 0.05 * min(width, height)
        inside = page.locator("main").bounding_box()
        assert inside["width"] <= width and inside["height"] <= height
        assert page.evaluate("document.documentElement.scrollHeight") <= height
        shot(page, f"tv-{width}")
