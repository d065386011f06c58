"""The live page in a real browser."""

import pytest
from playwright.sync_api import expect

from polarity.facts import JOLT, Fact
from polarity_host.simulation.port import power
from polarity_host.words import LANGUAGES
from tests.live.conftest import shot
from tests.live.pixels import light, pixel
from tests.live.scripted import (
    BLACK_MM,
    HOVER_MM,
    KISS_MM,
    WHITE_MM,
    game,
    scripted_mat,
    stacked,
)
from tests.waiting import eventually, wait_for


def test_who_comes_late_sees_the_whole_state(look, played):
    page = look(played[0])
    expect(page.locator("#turn .who")).to_have_text("White to play")
    expect(page.locator("#turn .phase")).to_have_text("Turn 3")
    expect(page.locator("[data-player=w] .reserve")).to_have_text("20")
    expect(page.locator("[data-player=b] .reserve")).to_have_text("21")
    expect(page.locator("#owed")).to_contain_text("White: 3, 7")
    fault = page.locator("#story li[data-code=fault]")
    expect(fault).to_contain_text("Black's fault: discs 3 and 7 touch.")

    def pieces_are_drawn():
        off = -9  # beside the number
        felt = light(page, 0, 180)
        for x, y in [*list(WHITE_MM.values())[2:], KISS_MM]:
            assert light(page, x + off, y + off) > felt + 20, (x, y)
        for x, y in BLACK_MM.values():
            assert light(page, x + off, y + off) < felt - 80, (x, y)
        red, green, blue = pixel(page, off, -off)
        assert red > green + 60 and red > blue + 60
        assert light(page, HOVER_MM[0] + off, HOVER_MM[1] - off) > felt + 20  # carried, white up

    eventually(pieces_are_drawn)  # they glide to where they are
    shot(page, "live-light")


def test_a_leaner_leans_over_what_it_leans_on(look, played):
    """Its low rim is at -96, its upper face looks to the left, so it lies from there towards disc 2
    at -60, and is narrower than it is wide."""
    page = look(played[0])

    def leaner_is_drawn():
        middle = -96 + 17 * 0.766
        felt = light(page, 0, 180)
        assert light(page, middle, -60 + 13) > felt + 20
        assert light(page, middle, -60 - 13) > felt + 20
        assert abs(light(page, -96 - 9, -60) - felt) < 25 + felt * 0.2  # nothing beyond its rim

    eventually(leaner_is_drawn)


def test_the_ring_glows_as_on_the_mat(look, played):
    link, _, mat = played
    page = look(link)
    expect(page.locator("#owed")).to_be_visible()
    pixels = bytes(mat.engine.lights(mat.engine.t_ms, True))
    assert any(pixels[3:])  # white owes a capture: dots walk along his side, the lower one
    lit = page.evaluate("""async () => {
        const seen = new Set();
        for (let k = 0; k < 60; k++) {
            await new Promise(requestAnimationFrame);
            const canvas = document.querySelector("#mat > canvas"), g = canvas.getContext("2d");
            const s = canvas.width / 2 / 254;
            for (let led = 0; led < 60; led++) {
                const angle = 2 * Math.PI * led / 60, r = 225 + 6 + 10.5;
                const at = [254 + r * Math.cos(angle), 254 - r * Math.sin(angle)];
                at.forEach((v, i) => { at[i] = Math.round(v * s); });
                if (Math.max(...g.getImageData(...at, 1, 1).data.slice(0, 3)) > 120) seen.add(led);
            }
        }
        return [...seen];
    }""")
    assert set(lit) - {0} and set(lit) - {0} <= set(range(30, 60))


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_speaks_the_languages_of_the_rulebooks(look, played, language):
    page = look(played[0])
    expect(page.locator("#story li").first).to_be_visible()
    page.locator("#language").select_option(language)
    turn = {"en": "White to play", "fr": "À Blanc", "de": "Weiß ist", "nl": "Wit is"}[language]
    expect(page.locator("#turn .who")).to_contain_text(turn)
    fault = {"en": "fault", "fr": "Faute", "de": "Fehler", "nl": "Fout"}[language]
    expect(page.locator("#story li[data-code=fault]")).to_contain_text(fault, ignore_case=True)
    for element in page.locator("[data-words]").all():
        assert element.text_content() != element.get_attribute("data-words")


def test_corrections_are_rulings_in_the_record(look, serve_scripted):
    link, session, mat = serve_scripted()
    page = look(link)
    page.locator("#story li[data-code=fault] button.open").click()
    denied = page.get_by_role("button", name="It did not happen", exact=True)
    denied.click()
    overruled = page.locator("#story li[data-code=overruled]")
    expect(overruled).to_contain_text("it did not happen")
    expect(page.locator("#owed")).not_to_contain_text("To capture")
    expect(page.locator("#story li.void[data-code=fault]")).to_be_visible()
    overruled.locator("button.open").click()
    shot(page, "corrections")
    denied.click()  # takes it back
    expect(page.locator("#owed")).to_contain_text("White: 3, 7")
    page.locator("#game").click()
    page.get_by_role("button", name="Undo the last ruling").click()
    wait_for(lambda: "undone" in codes(session))
    assert codes(session).count("overruled") == 2
    assert mat.engine.game.referee.position.owed() == ()
    page.locator("#game").click()
    page.locator("#menu .counted input").first.fill("17")
    page.locator("#menu .counted button").first.click()
    expect(page.locator("[data-player=w] .reserve")).to_have_text("17")
    for _ in range(2):  # the second time there is nothing to end
        page.locator("#game").click()
        page.locator("#menu").get_by_role("button", name="White wins").click()
        page.locator("dialog.ask [value=yes]").click()
        expect(page.locator("#turn .who")).to_have_text("White wins")
    expect(page.locator("#notice")).to_contain_text("The mat refuses")


def test_a_press_waits_until_the_page_can_answer_it(look, played):
    link, session, mat = played
    page = look("about:blank")
    page.add_init_script(
        """const now = fetch, late = () => new Promise((then) => setTimeout(then, 1000));
        window.fetch = (...asked) => late().then(() => now(...asked));"""
    )
    page.goto(link)
    page.locator("#game").click()
    expect(page.locator("#menu")).to_be_visible()


def test_an_earlier_game_is_found_named_and_seen_in_slow_motion(look, serve_scripted):
    link, session, mat = serve_scripted()
    session.send("new scaled")  # the game is over for the mat: it is stored
    wait_for(lambda: session.state.whole()["game"]["edition"] == "scaled")
    page = look(link)
    page.locator("#game").click()
    page.locator("#menu .earlier").click()
    games = page.locator("#games ol.list button")
    expect(games).to_have_count(2)
    page.locator("#games [name=edition]").select_option("temple")
    expect(games).to_have_count(1)
    games.first.click()
    page.locator("#games [name=white]").fill("Ada <b id=bold>")
    page.locator("#games").get_by_role("button", name="Set").click()
    expect(page.locator("#games h2").first).to_contain_text("Ada <b id=bold> – Black")
    assert page.locator("#bold").count() == 0
    shot(page, "games")
    page.locator("#games li[data-code=fault] button.open").click()
    expect(page.locator("#games .right")).to_have_count(0)  # nothing to put right any more
    page.locator("#games .slow").click()
    expect(page.locator("#slow .player .said")).to_contain_text("Black's fault")
    shot(page, "games-slow")
    page.locator("#slow .close").click()
    page.locator("#games .back").click()
    page.locator("#games [name=player]").fill("ada")
    expect(games).to_have_count(1)
    expect(games.first).to_contain_text("Ada")
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.querySelector('#games').scrollWidth") <= 390
    for element in page.locator("#games input, #games select, #games button").all():
        box = element.bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= 390
    shot(page, "games-phone")


def test_games_found_are_those_last_searched_for_however_late_an_answer(look, played):
    link, session, mat = played
    page = look("about:blank")
    page.add_init_script(
        """const now = fetch, overtaken = new Promise((then) => { window.letGo = then; });
        window.fetch = async (url, ...more) => {
            const answer = await now(url, ...more);
            if (url.endsWith("/games?")) await overtaken;
            return answer;
        };"""
    )
    page.goto(link)
    page.locator("#game").click()
    page.locator("#menu .earlier").click()
    page.locator("#games [name=player]").fill("nobody")
    expect(page.locator("#games li.none")).to_be_visible()
    page.evaluate("letGo()")
    page.evaluate("new Promise((then) => setTimeout(then, 200))")
    expect(page.locator("#games li.none")).to_be_visible()


def test_what_the_mat_asks_is_answered_on_the_page(look, serve_scripted):
    script = game()
    script.at(500, Fact(JOLT, 0))
    link, session, mat = serve_scripted(script)
    page = look(link)
    expect(page.locator("#question")).to_contain_text("the mat was shaken")
    shot(page, "question")
    page.locator("#question").get_by_role("button", name="Black").click()
    expect(page.locator("#story li[data-code=answered]")).to_be_visible()
    expect(page.locator("#question")).not_to_be_visible()
    assert not mat.engine.game.referee.position.question


def codes(session):
    events = session.state.whole()["events"]
    return [event["fields"].get("code") for event in events]


def test_a_port_that_comes_back_is_shown_again(look, serve_scripted):
    link, session, mat = serve_scripted()
    page = look(link)
    expect(page.locator("#port")).to_have_text("Mat connected")
    url = session.url
    mat.unplug()
    expect(page.locator("#port")).to_contain_text("The mat is disconnected")
    shot(page, "port-lost")
    power.put_at(url, scripted_mat(boot=78))
    expect(page.locator("#port")).to_have_text("Mat connected")
    expect(page.locator("#turn .who")).to_have_text("White to play")


def test_the_pages_of_a_server_that_comes_back_go_on(look, serve_scripted, serve_url):
    link, session, mat = serve_scripted()
    page = look(link, errors=False)  # the browser itself complains of a refused connection
    expect(page.locator("#port")).to_have_text("Mat connected")
    page.context.set_offline(True)
    page.evaluate("document.title")
    page.context.set_offline(False)
    expect(page.locator("#port")).to_have_text("Mat connected")


def test_text_of_a_mat_stays_text(look, serve_scripted):
    link, session, mat = serve_scripted()
    page = look(link)
    mat.engine.log("warn", "<img src=x onerror=document.title='taken'><b id=bold>bold</b>")
    session.send("snap")
    expect(page.locator("#story")).to_contain_text("<b id=bold>bold</b>")
    assert page.locator("#bold").count() == 0 and page.title() == "Polarity"


def test_the_overlay_shows_the_game(look, played):
    page = look(f"{played[0]}static/overlay.html?lang=fr")
    expect(page.locator("#w .reserve")).to_have_text("Réserve 20")
    expect(page.locator("#w .score")).to_have_text("Points −20")  # not a hyphen
    expect(page.locator("#ruling")).to_contain_text("Blanc")


def test_a_tower_is_declared_captured_where_it_stands(look, serve_scripted):
    """001 Capturing Faults: completely in tower form with one's colour upward it may be left where
    it is and declared captured; 004 FAQ 15."""
    link, session, _ = serve_scripted(stacked())
    page = look(link)
    expect(page.locator("#owed")).to_contain_text("White: 3")
    declare = page.get_by_role("button", name="Declare tower 3 captured where it stands")
    expect(declare).to_be_visible()
    shot(page, "capture-in-place")
    declare.click()
    captured = page.locator("#story li[data-code=captured]")
    expect(captured).to_contain_text("White captures in place: tower 3 stays where it stands.")
    expect(page.locator("#owed")).not_to_contain_text("To capture")
    assert session.state.whole()["game"]["in_place"] == []


def test_only_a_tower_is_declared_captured(look, played):
    page = look(played[0])
    expect(page.locator("#owed")).to_contain_text("White: 3, 7")  # they kiss
    expect(page.locator("#owed button")).to_have_count(0)


def test_who_only_watches_is_offered_nothing_that_would_be_refused(look, serve_url):
    url = "sim://demo?seed=watched"
    power.put_at(url, scripted_mat())
    _, _, server = serve_url(url, host="0.0.0.0")
    offers = "#owed button, #question button, #story [data-command]"
    for link, some in ((server.links[-1], True), (server.spectator_links[-1], False)):
        page = look(link)
        fault = page.locator("#story li[data-code=fault]")
        fault.get_by_role("button").first.click()
        expect(fault.locator(".slow")).to_be_visible()
        shown = page.locator(offers).filter(visible=True)
        assert bool(shown.count()) == some
        page.click("#game")
        expect(page.locator("#menu")).to_be_visible(visible=some)
        expect(page.locator("#games")).to_be_visible(visible=not some)
    shot(page, "spectator")


def test_a_phone_can_install_the_page(look, played):
    """Chromium itself finds nothing that hinders it."""
    page = look(played[0], 390, 844)
    session = page.context.new_cdp_session(page)
    manifest = session.send("Page.getAppManifest")
    assert manifest["errors"] == [] and manifest["url"].endswith("manifest.json")
    hindered = session.send("Page.getInstallabilityErrors")["installabilityErrors"]
    # a context of its own, as a private window has, can install nothing
    assert [e["errorId"] for e in hindered if e["errorId"] != "in-incognito"] == []


def test_sounds_are_off_at_first_on_a_phone(look, played):
    """What is counted are the tones that the browser is asked for."""
    link, session, _ = played
    count = """() => { window.tones = 0; const start = OscillatorNode.prototype.start;
        OscillatorNode.prototype.start = function (at) {
            window.tones += 1; start.call(this, at); }; }"""
    fault = next(e for e in session.state.whole()["events"] if e["fields"].get("code") == "fault")
    tick = """async (event) => (await import("mat/live.js")).page.link.onMessage(
        { k: "tick", events: [event] })"""
    for touch, tones in ((False, 2), (True, 0)):
        page = look(link, 1024, 768, has_touch=touch, is_mobile=touch)
        expect(page.locator("#story li").first).to_be_visible()
        page.evaluate(count)
        page.evaluate(tick, {**fault, "n": fault["n"] + 2000})
        assert page.evaluate("window.tones") == tones
        page.locator("#game").click()
        page.locator("#menu .sounds").click()  # the other way round; what is switched on is heard
        page.evaluate("window.tones = 0")
        page.evaluate(tick, {**fault, "n": fault["n"] + 3000})
        assert page.evaluate("window.tones") == 2 - tones
