"""What the page loads, and when."""

import pytest
from playwright.sync_api import expect

from polarity_host.simulation.play.page import PageHands
from polarity_host.simulation.port import power

#: Bytes of the page before anything is asked of it, unpacked: of any mat, and of one to play on.
MOST_BYTES, MOST_VIRTUAL_BYTES = 75_000, 105_000
LOADED = """() => performance.getEntriesByType("resource").filter(({ name }) => /static/.test(name))
    .map(({ name, decodedBodySize }) => [new URL(name).pathname, decodedBodySize])"""
PRELOADED = """() => [...document.querySelectorAll("link[rel=modulepreload]")]
    .map(({ href }) => new URL(href).pathname)"""


def loaded(page):
    return dict(page.evaluate(LOADED))


def begins(page, link):
    """How many bytes it takes to begin: what is loaded at first is preloaded, and all of that is
    used."""
    first = loaded(page)
    scripts = {path for path in first if path.endswith(".js")}
    entries = {"/static/live.js", "/static/virtual/virtual.js"}
    assert scripts - entries == set(page.evaluate(PRELOADED)) - entries
    return sum(first.values()) + len(page.request.get(link).body())


def test_at_first_the_page_loads_what_it_needs_and_the_rest_when_it_is_asked_for(look, played):
    page = look(played[0])
    expect(page.locator("#story li[data-code=fault]")).to_be_visible()
    assert begins(page, played[0]) < MOST_BYTES
    for button, module in (("#help", "help.js"), ("#field", "field.js"), ("#game", "menu.js")):
        assert f"/static/{module}" not in loaded(page)
        page.locator(button).click()
        page.wait_for_function(
            f"() => performance.getEntriesByName('{played[0]}static/{module}').length"
        )
        page.keyboard.press("Escape")


def test_so_does_a_mat_to_play_on(look, serve_url):
    url = "sim://virtual?seed=51"
    link, *_ = serve_url(url, handler=PageHands(power.hand_game_at(url)))
    page = look(link)
    expect(page.locator(".tray.w:enabled")).to_be_visible()
    assert begins(page, link) < MOST_VIRTUAL_BYTES


@pytest.mark.parametrize("button", ["#help", "#game"])
def test_what_cannot_be_loaded_any_more_is_told(look, serve_scripted, button):
    link, *_ = serve_scripted()
    page = look(link, errors=False)  # the browser itself complains of the lost connection
    expect(page.locator("#owed")).to_be_visible()
    page.context.set_offline(True)
    page.locator(button).click()
    expect(page.locator("#notice")).to_contain_text("The program has stopped")
