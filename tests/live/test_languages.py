"""One language at a time: no code, no other language, and numbers as each writes them."""

import re

import pytest
from playwright.sync_api import expect

from polarity_host.errors import FAILED, HostError
from tests.made_messages import made_message

#: Language -> a refusal, an edition, a length, a speed, and how a day begins.
WRITTEN = {
    "en": ("there is nothing to take back", "four languages", "34.0 mm", "0.25×", r"\d{4}-"),
    "fr": ("il n'y a rien à annuler", "quatre langues", "34,0 mm", "0,25×", r"\d\d/\d\d/\d{4}"),
    "de": ("es gibt nichts zurückzunehmen", "vier Sprachen", "34,0 mm", "0,25×", r"\d\d\.\d\d\."),
    "nl": ("er is niets om terug te nemen", "vier talen", "34,0 mm", "0,25×", r"\d\d-\d\d-\d{4}"),
}

#: What the mat logs, and what is wrong with it, both of which it says in English.
LOGGED = {
    "en": "no longer changes", "fr": "ne change plus", "de": "ändert sich nicht mehr",
    "nl": "verandert niet meer",
}  # fmt: skip
LIES = {
    "en": "something lies near", "fr": "quelque chose est posé", "de": "etwas liegt bei",
    "nl": "er ligt iets bij",
}  # fmt: skip


@pytest.mark.parametrize("language", WRITTEN)
def test_the_page_says_and_writes_all_in_its_language(look, serve_scripted, language):
    refused, edition, length, speed, day = WRITTEN[language]
    link, session, mat = serve_scripted()
    page = look(link)
    page.locator("#language").select_option(language)
    page.locator("#story li[data-code=fault] button.open").click()
    page.locator("#story .slow").click()
    expect(page.locator("#slow .player")).to_contain_text(length)
    expect(page.locator("#slow select option:checked")).to_have_text(speed)
    page.locator("#slow .close").click()
    page.locator("#game").click()
    assert edition in page.locator("#menu select[name=edition]").inner_text()
    page.locator("#menu .earlier").click()
    first = page.locator("#games ol.list button").first
    expect(first).to_contain_text("Temple")  # not the code
    expect(first.locator("small").first).to_have_text(re.compile(day))
    page.locator("#games .close").click()
    page.evaluate("""async () => (await import("mat/live.js")).page.correct("undo 999999")""")
    expect(page.locator("#notice")).to_contain_text(refused)
    mat.engine.log("warn", "ADC input 1 (GP27) no longer changes")
    expect(page.locator("#story li").first).to_contain_text(LOGGED[language])
    ill = made_message("health", 0, why="clear the mat: something lies near 3 mm, -8 mm")
    session.state.handle(ill)
    page.locator("#health").click()
    expect(page.locator("#ill")).to_contain_text(LIES[language])
    session.state.fail(HostError(FAILED, "interrupted"))
    said = {"en": "interrupted", "fr": "interrompu", "de": "unterbrochen", "nl": "onderbroken"}
    expect(page.locator("#port")).to_contain_text(said[language])


def test_a_language_may_be_chosen_before_the_mat_has_said_anything(look, played):
    page = look("about:blank")
    page.route_web_socket(re.compile("."), lambda silent: None)
    page.goto(played[0])
    page.locator("#language").select_option("fr")
    expect(page.locator("#mat canvas")).to_have_attribute("aria-label", re.compile("Blanc"))


@pytest.mark.parametrize("language", WRITTEN)
def test_so_do_the_pages_that_are_exported(look, played, language):
    *_, day = WRITTEN[language]
    page = look("about:blank")
    for path in ("games/1/record.html", "stats.html"):
        api = f"{played[0]}api/v1/{path}?lang={language}&all=1"
        page.set_content(page.request.get(api).text())
        text = page.locator("main").inner_text()
        assert "Temple" in text and "temple" not in text
        assert re.search(day, text) and not re.search(r"\dT\d|\*|fault_|[^\d]-\d", text)
        assert not re.search(r"\d\.\d\b" if language != "en" else r"\d,\d\b", re.sub(day, "", text))
