"""A game on the virtual mat in a browser: trays, what is owed, keys, results."""

import math
import re
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from polarity_host.simulation.play.page import PageHands
from polarity_host.simulation.port import power
from tests.live.conftest import shot
from tests.live.test_virtual import Mouse
from tests.waiting import wait_for

EDITION = "temple+starting_point"


@pytest.fixture
def table(serve_url, look, request):
    """A mat to play on by the mouse, `mouse.page` and `mouse.session`."""
    url = f"sim://virtual?seed={len(request.node.name)}&speed=2&edition={quote(EDITION)}"
    link, session, _ = serve_url(url, handler=PageHands(power.hand_game_at(url)))
    page = look(link)
    page.wait_for_selector(".tray.w:enabled")
    mouse = Mouse(page, url)
    mouse.session = session
    mouse.rest(1.5)
    return mouse


def lay(table):
    table.from_reserve("red", 0, 0)
    table.from_reserve("w", 80, -60)
    table.from_reserve("b", -80, 60)
    expect(table.page.locator("#turn .who")).to_have_text("White to play")


def trays(table):
    return [int(table.page.locator(f".tray.{side} b").inner_text()) for side in "wb"]


def agree(table):
    """Once the trays and the referee's reserves are the same."""
    wait_for(lambda: trays(table) == list(table.state()["reserve"]))
    return trays(table)


def test_a_disc_goes_back_to_its_own_tray(table):
    lay(table)
    assert agree(table) == [25, 25]
    for where in (
        (0, 300),
        "Escape",
        ".tray.w",
    ):  # out of the circle on black's side; a key; a click
        table.page.locator(".tray.w").click()
        table.holds()
        table.page.mouse.move(*table.at(20, 100), steps=4)
        if isinstance(where, tuple):
            table.page.mouse.move(*table.at(20, 100))
            table.page.mouse.down()
            table.page.mouse.move(*table.at(*where), steps=4)
            table.page.mouse.up()
        elif where == "Escape":
            table.page.keyboard.press(where)
        else:
            table.page.locator(where).click()
        wait_for(lambda: not table.game.view["hands"])
        table.rest(1.0)
        assert agree(table) == [25, 25]


def test_what_is_owed_is_a_checklist_until_it_is_done(table):
    """001 Game Play 4: an action disc that falls flat is taken up again, and tried again."""
    page, owed = table.page, table.page.locator("#owed li")
    expect(owed).to_have_text("Lay the red disc on its dot.")
    lay(table)
    expect(owed).to_contain_text("White: lean a disc over one of the same colour")
    table.from_reserve("w", 0, -130)
    expect(owed.first).to_have_text("White: put the marked disc back into the reserve.")
    shot(page, "owed")
    (flat,) = [b for b in table.game.view["bodies"] if b["y"] < -100]
    table.pick(flat)
    page.keyboard.press("Escape")
    expect(owed).to_have_count(1)
    expect(owed).to_contain_text("White: lean a disc")
    page.locator("#game").click()
    page.locator("#menu .counted input").first.fill("22")
    page.locator("#menu .counted button").first.click()
    expect(owed.first).to_contain_text(
        "White: there are 3 more in the reserve than the mat counts."
    )
    page.get_by_role("button", name="Count 25").click()
    expect(owed).to_have_count(1)


def test_the_end_is_asked_for_shown_and_followed_by_another_game(table):
    page = table.page
    lay(table)
    page.locator("[data-do=clear_table]").click()
    page.locator("dialog.ask").get_by_role("button", name="No").click()
    assert len(table.game.view["bodies"]) == 3
    page.locator("#game").click()
    page.get_by_role("button", name="White wins").click()
    expect(page.locator("dialog.ask")).to_contain_text("End the game: White wins?")
    page.locator("dialog.ask [value=yes]").click()
    result = page.locator("#result")
    expect(result.locator("h2")).to_have_text("White wins")
    expect(result).to_contain_text("The players declare the game over")
    expect(result).to_contain_text("White −25 · Black −25")  # 001 End: towers less the reserve
    expect(result).to_contain_text("Discs in own towers, less the own reserve.")
    shot(page, "result")
    expect(page.locator("#turn .phase")).to_have_text("Game over")  # nothing can come any more
    result.locator(".rematch").click()
    expect(page.locator("#owed")).to_contain_text("Lay the red disc on its dot.")
    wait_for(lambda: table.game.view["bodies"] == [] and agree(table) == [26, 26])
    expect(page.locator("#story li")).to_have_count(1)  # of the new game, not of the one before
    expect(page.locator("#story")).to_contain_text("A game begins")
    games = table.session.state.whole()["events"]
    assert [event["k"] for event in games].count("game") == 2


def test_an_undo_takes_the_disc_from_the_table_too(table):
    page = table.page
    lay(table)
    table.from_reserve("w", 0, -130)
    expect(page.locator("#story li[data-code=try_again]")).to_be_visible()
    page.locator("#game").click()
    page.get_by_role("button", name="Undo the last ruling").click()
    expect(page.locator("#story li.void[data-code=try_again]")).to_be_visible()
    wait_for(lambda: len(table.game.view["bodies"]) == 3)
    assert agree(table) == [25, 25]
    table.from_reserve("w", 0, -130)  # and play goes on
    expect(page.locator("#story li[data-code=try_again]:not(.void)")).to_be_visible()


def test_with_a_mouse_no_button_is_held(table):
    lay(table)
    page = table.page
    page.locator(".tray.w").click()
    table.holds()
    page.mouse.move(*table.at(60, 90), steps=5)
    table.arrives(60, 90)
    page.mouse.wheel(0, 100)
    page.mouse.click(*table.at(60, 90), button="right")
    table.arrives(60, 90, leaning=True)
    tilted = table.hands()[0].tilt_goal
    page.keyboard.down("Shift")
    page.mouse.wheel(0, 100)
    page.keyboard.up("Shift")
    wait_for(lambda: table.hands()[0].tilt_goal < tilted and table.hands()[0].goal[2] < 60)
    page.locator("[data-do=lean]").click()
    table.arrives(60, 90)
    page.mouse.click(*table.at(60, 90))
    wait_for(lambda: not table.game.view["hands"])
    assert [b for b in table.game.view["bodies"] if abs(b["x"] - 60) < 4 and abs(b["y"] - 90) < 4]


def test_a_press_while_the_last_disc_is_set_down_is_not_lost(table):
    page = table.page
    page.locator(".tray.red").click()
    table.holds()
    page.mouse.move(*table.at(0, 0), steps=4)
    table.arrives(0, 0)
    page.mouse.click(*table.at(0, 0))
    page.locator(".tray.w").click()  # at once: the red disc still sinks
    wait_for(lambda: trays(table)[0] == 25)
    page.mouse.move(*table.at(90, 50), steps=4)
    table.arrives(90, 50)
    page.mouse.click(*table.at(90, 50))
    wait_for(lambda: not table.game.view["hands"])
    assert len(table.game.view["bodies"]) == 2


def test_a_late_server_answers_late_and_drops_nothing(table):
    """All that the page sends comes more than two seconds of the table's time later."""
    page = table.page
    page.evaluate(
        """() => {
            const send = WebSocket.prototype.send;
            WebSocket.prototype.send = function (text) {
                setTimeout(() => send.call(this, text), 1200);
            };
        }"""
    )
    page.locator(".tray.red").click()
    page.mouse.move(*table.at(0, 0), steps=4)
    page.mouse.click(*table.at(0, 0))
    page.locator(".tray.w").click()
    page.mouse.move(*table.at(90, 50), steps=4)
    page.mouse.click(*table.at(90, 50))

    def lie():
        bodies = table.game.view["bodies"]
        return sorted((b["red"], b["held"], round(b["x"], -1)) for b in bodies)

    wait_for(lambda: lie() == [(False, False, 90), (True, False, 0)])


def test_a_whole_game_by_keys(table):
    """From the bare mat to the result: who touches the red disc loses (001 End of the Game)."""
    page = table.page

    def press(*keys):
        for key in keys:
            page.keyboard.press(key)

    def go(x_steps, y_steps):
        press(*["ArrowRight" if x_steps > 0 else "ArrowLeft"] * abs(x_steps))
        press(*["ArrowUp" if y_steps > 0 else "ArrowDown"] * abs(y_steps))

    def put_down(x, y):
        table.arrives(x, y)
        press("Enter")
        wait_for(lambda: not table.game.view["hands"])
        table.rest(1.2)

    page.locator(".tray.red").focus()
    press("Enter")  # which takes it, and does not drop it
    table.holds()
    table.rest(0.5)
    assert table.hands()
    go(0, 24)
    put_down(0, 0)
    press("1")
    table.holds()
    go(16, 12)
    put_down(80, -60)
    press("3")
    table.holds()
    go(-16, -12)
    put_down(-80, 60)
    expect(page.locator("#turn .who")).to_have_text("White to play")
    press("1")
    table.holds()
    go(12, 24)
    table.arrives(60, 0)
    press(*["s"] * 12)
    wait_for(lambda: [b for b in table.game.view["bodies"] if b["held"] and b["low"] < 1])
    go(-12, 0)  # along the mat against the red disc
    table.rest(1.0)
    if not table.state()["outcome"]:
        press(" ")
        table.rest(1.5)
    if not table.state()["outcome"]:  # it was missed: the players agree on who has won
        page.locator("#game").press("Enter")
        page.get_by_role("button", name="Black wins").press("Enter")
        page.locator("dialog.ask [value=yes]").press("Enter")
    expect(page.locator("#result h2")).to_have_text("Black wins")
    wait_for(lambda: table.state()["outcome"][1:] == ["b"])


def test_by_keys_a_disc_comes_from_beside_the_circle_as_by_any_hand(table):
    """One that appears in the middle, over another, is taken for one of the other colour."""
    lay(table)

    def came_in():
        facts = [event["fields"] for event in table.session.state.whole()["events"]]
        return [fields for fields in facts if fields.get("f") == "hand_in"]

    before = len(came_in())
    table.page.keyboard.press("1")
    table.holds()
    wait_for(lambda: len(came_in()) > before)
    assert math.hypot(came_in()[-1]["x"], came_in()[-1]["y"]) > 17_000  # 1/100 mm; it has 225 mm
    table.arrives(0, -120)


def test_keys_are_told(table):
    table.page.keyboard.press("?")
    expect(table.page.locator("#helping")).to_contain_text("Let go")
    shot(table.page, "help")


def test_while_a_disc_leans_it_is_shown_where_it_would_stand(table):
    """A leaner stands 42 to 58 mm from the middle of what it leans on: there a ring lies."""
    lay(table)
    page = table.page
    page.locator(".tray.w").click()
    table.holds()
    page.mouse.move(*table.at(130, -60), steps=4)
    table.arrives(130, -60)
    inside, across = (80, -110), (80, -30)  # 50 mm from the foundation's middle, and 30 mm
    felt = colour(page, *inside)
    assert colour(page, *across) == felt
    page.keyboard.press("l")
    table.arrives(130, -60, leaning=True)
    wait_for(lambda: colour(page, *inside) != felt)
    assert colour(page, *across) == felt
    shot(page, "window")


def test_a_ghost_says_whether_the_disc_will_stand(table):
    """The ring round the held disc and the ghost are drawn in one of two colours; what they say is
    what then happens."""
    lay(table)
    page = table.page
    page.locator(".tray.w").click()
    table.holds()
    for x, stands in ((175, False), (132, True)):
        page.mouse.move(*table.at(x, -60), steps=4)
        table.arrives(x, -60, leaning=stands)
        if not stands:
            page.keyboard.press("l")
        table.arrives(x, -60, leaning=True)
        wait_for(lambda: [h["preview"] for h in table.game.view["hands"].values()][0])
        wait_for(lambda stands=stands: said(table) == stands)
        drawn, other = (GOOD, BAD) if stands else (BAD, GOOD)
        wait_for(lambda drawn=drawn: pixels(page, drawn) > 50)
        assert pixels(page, other) == 0
        shot(page, f"ghost-{'stands' if stands else 'falls'}")
    page.mouse.click(*table.at(132, -60))
    wait_for(lambda: not table.game.view["hands"])
    table.rest(1.5)
    assert [b for b in table.game.view["bodies"] if b["shape"] == "leaner"]


GOOD, BAD = [0, 54, 47], [107, 22, 0]  # --good and --bad of live/static/style.css


def pixels(page, rgb):
    """How many pixels of the mat's picture have this colour."""
    return page.evaluate(
        """([r, g, b]) => {
            const { width, height } = document.querySelector("#mat > canvas");
            const context = document.querySelector("#mat > canvas").getContext("2d");
            const { data } = context.getImageData(0, 0, width, height);
            let found = 0;
            for (let k = 0; k < data.length; k += 4) {
                found += data[k] === r && data[k + 1] === g && data[k + 2] === b;
            }
            return found;
        }""",
        rgb,
    )


def said(table):
    """Whether the disc in the hand would stand, by what viewers get."""
    (hand,) = table.game.view["hands"].values()
    return hand["preview"] and hand["preview"]["stands"]


def test_a_practice_player_has_a_level(table):
    page = table.page
    page.locator("select[name=opponent]").select_option("b")
    wait_for(lambda: table.game.view["levels"] == {"b": "usual"})
    page.locator("select[name=level]").select_option("clumsy")
    wait_for(lambda: table.game.view["levels"] == {"b": "clumsy"})
    page.locator("select[name=opponent]").select_option("")
    wait_for(lambda: table.game.view["levels"] == {})
    expect(page.locator("select[name=level]")).to_be_hidden()


def colour(page, x, y):
    """The colour of the mat's picture at a place in mm."""
    return page.evaluate(
        """([x, y]) => {
            const canvas = document.querySelector("#mat > canvas"), half = canvas.width / 2;
            const at = [half * (1 + x / 254), half * (1 - y / 254)].map(Math.round);
            return [...canvas.getContext("2d").getImageData(...at, 1, 1).data].join();
        }""",
        [x, y],
    )


def test_a_computer_that_is_too_slow_is_told(serve_url, look):
    url = "sim://virtual?seed=31&speed=0.5"
    link, _, _ = serve_url(url, handler=PageHands(power.hand_game_at(url)))
    page = look(link)
    expect(page.locator("#virtual .pace")).to_contain_text("This computer is slow")
    expect(page.locator("#virtual .pace")).to_contain_text(re.compile(r"at (4[5-9]|50|51) %"))


def test_by_keys_every_opponent_can_be_chosen_and_a_slider_moved_far(table):
    page, game = table.page, table.game
    opponent = page.locator("select[name=opponent]")
    opponent.focus()
    for _ in range(2):
        page.keyboard.press("ArrowDown")
    expect(opponent).to_have_value("w")
    wait_for(lambda: game.view["opponents"] == ["w"])
    page.keyboard.press("Home")
    wait_for(lambda: game.view["opponents"] == [])
    page.keyboard.press("Escape")  # back to the mat, where keys move discs
    page.keyboard.press("3")
    table.holds()
    page.locator("#virtual input[name=tilt]").focus()
    for _ in range(9):
        page.keyboard.press("ArrowRight")
    wait_for(lambda: table.hands()[0].tilt_goal == 9)
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    wait_for(lambda: not table.hands())
