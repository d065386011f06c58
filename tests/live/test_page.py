"""The live page in a real browser."""

import re

import pytest
from playwright.sync_api import expect

from polarity.facts import JOLT, Fact
from polarity_host.device.link import PortState
from polarity_host.live.live_state import LiveState
from polarity_host.live.server import LiveServer
from polarity_host.simulation.port import power
from polarity_host.words import LANGUAGES
from tests.live.conftest import eventually, shot, wait_for
from tests.live.scripted import (
    BLACK_MM,
    HOVER_MM,
    KISS_MM,
    WHITE_MM,
    game,
    scripted_mat,
    stacked,
)
from tests.made_messages import made_message

BEYOND_MM = 29  # what the page shows beyond the circle


def pixel(page, x_mm, y_mm, canvas="#mat > canvas"):
    """(r, g, b) of the mat's picture there."""
    return page.evaluate(
        """([selector, x, y, half]) => {
            const canvas = document.querySelector(selector), s = canvas.width / 2 / half;
            const at = [Math.round((x + half) * s), Math.round((half - y) * s), 1, 1];
            return [...canvas.getContext("2d").getImageData(...at).data.slice(0, 3)];
        }""",
        [canvas, x_mm, y_mm, 225 + BEYOND_MM],
    )


def light(page, x_mm, y_mm, **where):
    return sum(pixel(page, x_mm, y_mm, **where)) / 3


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


def test_slow_motion_of_a_fault_frame_by_frame(look, played):
    page = look(played[0])
    page.locator("#story li[data-code=fault] button.open").click()
    page.locator("#story .slow").click()
    player = page.locator("#slow .player")
    expect(player.locator(".said")).to_contain_text("discs 3 and 7 touch")
    expect(player.locator("li.rests")).to_contain_text("discs 3 and 7 touch side by side")
    expect(player.locator("li", has_text="moved by")).to_contain_text("limit 34.0 mm")
    player.locator("li", has_text="moved by").click()  # stops, and goes there
    time = player.locator("output")
    expect(time).to_have_text("0.00 s")
    wait_for(lambda: light(page, *[v - 9 for v in KISS_MM], canvas="#slow canvas") > 200)
    for _ in range(12):
        player.locator(".back").click()
    assert -1.5 < float(time.text_content().replace("−", "-").split()[0]) < -0.1
    wait_for(lambda: light(page, *[v + 9 for v in WHITE_MM[3]], canvas="#slow canvas") > 200)
    shot(page, "slow-motion")
    begun = int(player.locator("input").input_value())
    player.locator(".controls button.main").click()
    expect(player.locator("input")).not_to_have_value(str(begun))
    page.locator("#slow .close").click()
    expect(page.locator("#slow")).not_to_be_visible()


def test_slow_motion_as_one_file_needs_nothing_else(look, played, tmp_path):
    page = look(played[0])
    page.locator("#story li[data-code=fault] button.open").click()
    page.locator("#story .slow").click()
    with page.expect_download() as download:
        page.locator("#slow .save").click()
    file = tmp_path / "fault.html"
    download.value.save_as(file)
    text = file.read_text(encoding="utf-8")
    assert not re.search(r"""(src|href)=["'](?!data:)""", text)
    alone = look(file.as_uri(), offline=True)
    expect(alone.locator(".said")).to_contain_text("discs 3 and 7 touch")
    alone.locator("li", has_text="moved by").click()
    wait_for(lambda: light(alone, *[v + 9 for v in WHITE_MM[6]], canvas="canvas") > 200)
    shot(alone, "slow-motion-file")


def test_a_whole_game_plays_as_one_file(look, played, tmp_path, polarity):
    file = tmp_path / "game.html"
    stored = ["--db", played[1].games, "--game", "1", "--play", "-o", file]
    assert polarity("export", *stored)[0] == 0
    assert not re.search(r"""(src|href)=["'](?!data:)""", file.read_text(encoding="utf-8"))
    alone = look(file.as_uri(), offline=True)
    rulings = alone.locator(".player li")
    expect(rulings.first).to_contain_text("The red disc is on its dot")
    fault = rulings.filter(has_text="Black's fault")
    fault.click()
    expect(alone.locator(".said")).to_contain_text("discs 3 and 7 touch")
    expect(fault).to_have_class("now")
    wait_for(lambda: light(alone, *[v + 9 for v in WHITE_MM[3]], canvas="canvas") > 200)
    begun = alone.locator(".controls input").input_value()
    alone.locator(".controls button.main").click()
    expect(alone.locator(".controls input")).not_to_have_value(begun)
    shot(alone, "game-file")


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


DEUTERANOPE = (
    (0.367322, 0.860646, -0.227968),
    (0.280085, 0.672501, 0.047413),
    (-0.01182, 0.04294, 0.968881),
)
PROTANOPE = (
    (0.152286, 1.052583, -0.204868),
    (0.114503, 0.786281, 0.099216),
    (-0.003882, -0.048116, 1.051998),
)


def linear(value):
    value /= 255
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4


def seen_by(matrix, colour):
    rgb = [linear(v) for v in colour]
    mixed = [min(1, max(0, sum(m * v for m, v in zip(row, rgb)))) for row in matrix]
    return [255 * (12.92 * v if v <= 0.0031308 else 1.055 * v ** (1 / 2.4) - 0.055) for v in mixed]


def lab(colour):
    """CIE 1976 L*a*b*, white D65."""
    r, g, b = (linear(v) for v in colour)
    xyz = (
        (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047,
        0.2126 * r + 0.7152 * g + 0.0722 * b,
        (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883,
    )
    x, y, z = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in xyz)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


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


def rulings(state, *told):
    """Gives it a game of three players with these rulings: their fields."""
    state.handle(made_message("game", 1, edition=THREE, mat="standard"))
    for number, fields in enumerate(told, 2):
        state.handle(made_message("ruling", number, reserve=[14, 13, 14], **fields))


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


THREE = "temple+three_player_shuffle"
WHITE_S_TURN = {"code": "turn", "player": "w", "seat": 2, "turn": 4, "active": "w"}
RED = {"code": "end", "why": "touched_red", "turn": 4, "active": "w", "score": [-14, -13, -14]}
WON = {"code": "end", "why": "reserve_empty", "player": "b", "seat": 3, "turn": 4, "active": "b"}


def test_of_three_players_it_is_shown_who_plays_and_that_one_has_lost(look, tmp_path):
    state = LiveState()
    server = LiveServer(state, lambda command: None, tmp_path / "games.db", port=0)
    server.in_background()
    try:
        page = look(server.links[-1])
        rulings(state, {"code": "setup_done"}, WHITE_S_TURN)
        expect(page.locator("#turn .phase")).to_have_text("Turn 4 · Player 2")
        expect(page.locator("#turn .who")).to_have_text("White to play")
        expect(page.locator(".count.active .name")).to_have_text("Player 2")
        shot(page, "three-players")
        rulings(state, WHITE_S_TURN, RED)
        one_lost = "One player has lost, the other two have not"
        expect(page.locator("#turn .who")).to_have_text(one_lost)
        rulings(state, WHITE_S_TURN, {**WON, "score": [1, 2, 3]})
        expect(page.locator("#turn .who")).to_have_text("Player 3 wins")
        rulings(state, WHITE_S_TURN, {**WON, "player": "", "seat": 0, "score": [2, 2, 1]})
        expect(page.locator("#turn .who")).to_have_text("A draw")
    finally:
        server.stop()


def test_a_result_is_shown_as_provisional_until_it_is_final(look, tmp_path):
    """PROTOCOL.md, What happened first: a fact may still come that happened before the end."""
    state = LiveState()
    server = LiveServer(state, lambda command: None, tmp_path / "games.db", port=0)
    server.in_background()

    def snap(final):
        over = {"phase": "over", "turn": 4, "active": "w", "outcome": ["touched_red", "b"]}
        state.handle(made_message("snap", 3, edition="temple", state={**over, "final": final}))

    try:
        page = look(server.links[-1])
        state.handle(made_message("game", 1, edition="temple", mat="standard"))
        end = {"code": "end", "why": "touched_red", "player": "b", "turn": 4, "active": "w"}
        state.handle(made_message("ruling", 2, reserve=[14, 13], score=[3, 5], **end))
        phase, who = page.locator("#turn .phase"), page.locator("#turn .who")
        expect(phase).to_have_text("Provisional result")
        expect(who).to_have_text("Black wins")
        shot(page, "provisional")
        snap(0)
        expect(phase).to_have_text("Provisional result")
        snap(1)
        expect(phase).to_have_text("Game over")
        expect(who).to_have_text("Black wins")
        shot(page, "final")
        # the last fact was reported too late after all: then the game goes on
        revised = {"code": "revised", "names": 1, "facts": [1], "turn": 4, "active": "w"}
        state.handle(made_message("ruling", 4, reserve=[14, 13], **revised))
        expect(who).to_have_text("White to play")
        expect(phase).to_have_text("Turn 4")
        state.handle(made_message("ruling", 5, reserve=[14, 13], score=[3, 5], **end))
        expect(phase).to_have_text("Provisional result")
        state.handle(PortState("over"))  # nothing comes from it any more
        expect(phase).to_have_text("Game over")
    finally:
        server.stop()


def test_a_whole_stored_game_is_played(look, played, tmp_path):
    """From the list of games: a timeline with jumps to rulings, and the same as one file."""
    page = look(played[0])
    page.locator("#game").click()
    page.locator("#menu .earlier").click()
    page.locator("#games ol.list button").first.click()
    page.locator("#games .whole").click()
    player = page.locator("#slow .player.whole")
    expect(player).to_be_visible()
    if player.locator(".main").inner_text() == "Pause":
        player.locator(".main").click()
    moment = player.locator("input[type=range]")
    player.locator(".told li").last.click()
    last_ms = float(moment.input_value())
    player.locator(".ruling_back").click()
    assert float(moment.input_value()) < last_ms
    player.locator(".ruling_on").click()
    assert float(moment.input_value()) == last_ms
    marks = player.locator("datalist option").evaluate_all("all => all.map((one) => +one.value)")
    assert last_ms in marks
    shot(page, "whole_game")
    moment.fill(moment.get_attribute("min"))  # scrubbed to the beginning
    player.locator(".controls select").select_option("16")
    player.locator(".main").click()  # and on to the end, whatever pauses there were
    expect(moment).to_have_value(moment.get_attribute("max"))
    with page.expect_download() as saved:
        player.locator(".save").click()
    saved.value.save_as(tmp_path / "game.html")
    alone = look((tmp_path / "game.html").as_uri())
    expect(alone.locator(".player.whole .told li")).to_have_count(
        player.locator(".told li").count()
    )
    assert page.request.get(f"{played[0]}api/v1/games/99/play").status == 404


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
