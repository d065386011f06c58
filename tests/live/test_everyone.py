"""The pages are for everyone: axe finds nothing on any view, discs stand out, targets are large."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from polarity_host.simulation.play.page import PageHands
from polarity_host.simulation.port import power
from tests.live.conftest import shot
from tests.live.pixels import linear

AXE = Path(__file__).resolve().parents[2] / "node_modules" / "axe-core" / "axe.min.js"
LEAST_CONTRAST = 3.0  # WCAG 2.2, 1.4.11, of graphics
LEAST_PX, TOUCH_PX = 24, 44  # WCAG 2.2, 2.5.8 and 2.5.5
SIZES = {"laptop": (1366, 768), "phone": (390, 844), "lying": (844, 390)}
SMALL = """(least) => [...document.querySelectorAll("button, select, input, a[href], summary")]
    .filter((one) => one.checkVisibility() && !one.closest("[inert]"))
    .map((one) => [one.outerHTML.slice(0, 90), one.closest("label") || one])
    .map(([html, one]) => [html, one.getBoundingClientRect()])
    .filter(([, box]) => box.width < least - 0.5 || box.height < least - 0.5)
    .map(([html, box]) => `${Math.round(box.width)} x ${Math.round(box.height)}: ${html}`)"""


def findings(page):
    """What axe complains of."""
    if not page.evaluate("Boolean(window.axe)"):
        page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run().then((result) => result.violations)")
    return [
        (one["id"], [re.sub(r"\s+", " ", node["html"])[:120] for node in one["nodes"]])
        for one in found
    ]


@pytest.fixture(params=[False, True], ids=["light", "dark"])
def dark(request):
    return request.param


def views(page):
    """Every view of the live page over a scripted game with a fault; yields its name."""
    yield "game"
    page.locator("#field").click()
    page.locator("#health").click()
    yield "field and sensors"
    page.locator("#story li[data-code=fault] button.open").click()
    yield "corrections"
    page.locator("#story .slow").click()
    page.locator("#slow .player").wait_for()
    yield "slow motion"
    page.locator("#slow .close").click()
    page.locator("#help").click()
    yield "help"
    page.locator("#helping button").click()
    page.locator("#game").click()
    yield "menu"
    page.get_by_role("button", name="White wins").click()
    yield "question"
    page.locator("dialog.ask").get_by_role("button", name="No").click()
    page.locator("#menu .earlier").click()
    page.locator("#games ol.list button").first.wait_for()
    yield "games"
    page.locator("#games ol.list button").first.click()
    page.locator("#games .story li").first.wait_for()
    yield "one game"
    page.locator("#games .whole").click()
    page.locator("#slow .whole li").first.wait_for()
    yield "whole game"
    page.locator("#slow .close").click()
    page.locator("#games .close").click()
    page.locator("#game").click()
    page.locator("#menu select[name=clock]").select_option("10")
    page.locator("#menu button[value=close]").click()
    page.locator("#counts .clock").first.scroll_into_view_if_needed()
    yield "clock"


@pytest.mark.parametrize("size", SIZES)
def test_axe_finds_nothing_and_targets_are_large(look, played, dark, size):
    width, height = SIZES[size]
    touch = width < 900
    page = look(played[0], width, height, dark=dark, has_touch=touch, is_mobile=touch)
    expect(page.locator("#story li[data-code=fault]")).to_be_visible()
    found = {}
    for view in views(page):
        small = page.evaluate(SMALL, TOUCH_PX if touch else LEAST_PX)
        wide = page.evaluate("document.documentElement.scrollWidth") > width
        complaints = [*findings(page), *small, *(["too wide"] if wide else [])]
        if complaints:
            found[view] = complaints
        shot(page, f"everyone-{view}-{size}-{'dark' if dark else 'light'}".replace(" ", "-"))
    assert found == {}


@pytest.mark.parametrize("path", ["stats.html?lang=de", "games/1/record.html?lang=fr"])
@pytest.mark.parametrize("size", SIZES)
def test_so_are_the_pages_that_are_exported(look, played, dark, size, path):
    width, height = SIZES[size]
    page = look("about:blank", width, height, dark=dark)
    page.set_content(page.request.get(f"{played[0]}api/v1/{path}").text())
    shot(page, f"everyone-{path.split('.')[0].replace('/', '-')}-{size}")
    assert findings(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_virtual_mat_too(look, serve_url, dark):
    url = "sim://virtual?seed=21&speed=2"
    link, session, _ = serve_url(url, handler=PageHands(power.hand_game_at(url)))
    page = look(link, 390, 844, dark=dark, has_touch=True, is_mobile=True)
    page.locator(".tray.w:enabled").wait_for()
    assert findings(page) == [] == page.evaluate(SMALL, TOUCH_PX)
    page.locator(".tray.w").tap()
    expect(page.locator("#virtual .held")).to_be_visible()
    assert findings(page) == [] == page.evaluate(SMALL, TOUCH_PX)
    session.send("declare w")
    expect(page.locator("#result")).to_be_visible()
    assert findings(page) == [] == page.evaluate(SMALL, TOUCH_PX)


def luminance(colour):
    """Relative luminance of #rrggbb (WCAG 2.2)."""
    r, g, b = (linear(int(colour[k : k + 2], 16)) for k in (1, 3, 5))
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(a, b):
    """Contrast ratio of two colours (WCAG 2.2)."""
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


def test_discs_stand_out_from_the_felt(look, played, dark):
    page = look(played[0], dark=dark)
    script = """(names) => names.map((name) =>
        getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim())"""
    names = ["white", "black", "red", "on-felt", "felt-line", "mark", "good", "bad"]
    felt, dot, *colours = page.evaluate(script, ["felt", "dot", *names])
    for name, colour in zip(names, colours):
        assert contrast(felt, colour) >= LEAST_CONTRAST, name
    assert contrast(dot, colours[names.index("red")]) >= LEAST_CONTRAST


def test_a_fault_is_read_out_and_the_mat_described(look, played):
    link, session, _ = played
    page = look(link)
    said = page.locator("#said[aria-live=assertive]")
    expect(said).to_have_text("")  # what was there already is not
    expect(page.locator("#mat canvas")).to_have_attribute(
        "aria-label", re.compile("White: .* flat")
    )
    fault = next(e for e in session.state.whole()["events"] if e["fields"].get("code") == "fault")
    event = {**fault, "n": fault["n"] + 1000}
    page.evaluate(
        """async (event) => (await import("mat/live.js")).page.link.onMessage(
            { k: "tick", events: [event] })""",
        event,
    )
    expect(said).to_have_text(fault["words"]["en"])


def test_who_wants_no_motion_gets_none(look, played):
    page = look(played[0], reduced_motion="reduce")
    page.locator("#story li[data-code=fault] button.open").click()
    page.locator("#story .slow").click()
    expect(page.locator("#slow .main")).to_have_text("Play")  # it waits to be played
    script = """import("mat/state.js").then(({ Gliding }) => {
        const gliding = new Gliding(), piece = (x) => [[1, "flat", "w", 1, x, 0, 0, 0]];
        gliding.step(piece(0), 1);
        return [0.35, 1].map((share) => gliding.step(piece(100), share)[0][4]);
    })"""
    assert page.evaluate(script) == [35, 100]
