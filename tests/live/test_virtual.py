"""A short game played with the mouse in a real browser, on the virtual mat."""

import math
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from polarity_host.simulation.play.page import PageHands
from polarity_host.simulation.port import power
from tests.live.conftest import shot
from tests.waiting import wait_for

HALF_MM = 225 + 27 + 2  # of the canvas, see live/static/draw.js
NEAR_MM = 2.0  # of the asked place: a pixel is 1 mm on a phone
WHITE = 1  # a body's face


class Mouse:
    """Carries discs about, and waits until the mat has seen it."""

    def __init__(self, page, url):
        self.page, self.game = page, power.hand_game_at(url)
        self.engine = self.game.engine

    def at(self, x, y):
        box = self.page.locator("#mat > canvas").bounding_box()
        return (
            box["x"] + box["width"] * (x / HALF_MM + 1) / 2,
            box["y"] + box["height"] * (1 - y / HALF_MM) / 2,
        )

    def carry(self, x, y, *keys):
        """With something under the pressed button: to (x, y) in mm, and let go there."""
        self.holds()
        (hand,) = self.hands()
        face = hand.body.face
        for _ in range(2):
            self.page.mouse.move(*self.at(x, y), steps=6)
        for key in keys:
            self.page.keyboard.press(key)
        self.arrives(x, y, leaning="l" in keys, face=-face if "f" in keys else face)
        self.page.mouse.up()
        wait_for(lambda: not self.game.view["hands"])
        self.rest(1.2)

    def lower(self, x, y):
        """Carries what is held there, and down to the mat by the wheel."""
        self.page.mouse.move(*self.at(x, y), steps=6)
        self.arrives(x, y)
        while (height_mm := self.hands()[0].goal[2]) > 0:  # step by step: a browser joins events
            self.page.mouse.wheel(0, 100)
            wait_for(lambda before=height_mm: self.hands()[0].goal[2] < before)
        wait_for(lambda: [b for b in self.game.view["bodies"] if b["held"] and b["low"] < 1])
        self.arrives(x, y)

    def from_reserve(self, side, x, y, *keys):
        tray = self.page.locator(f".tray.{side}").bounding_box()
        self.page.mouse.move(tray["x"] + tray["width"] / 2, tray["y"] + tray["height"] / 2)
        self.page.mouse.down()
        wait_for(lambda: self.game.view["hands"])
        self.carry(x, y, *keys)

    def pick(self, body):
        self.page.mouse.move(*self.at(body["x"], body["y"]))
        self.page.mouse.down()
        wait_for(lambda: self.game.view["hands"])
        self.holds()
        self.rest(1.2)

    def holds(self):
        """Until the page knows that the disc has come: it ignores the pointer before."""
        expect(self.page.locator("#virtual .held")).to_be_visible()

    def hands(self):
        """The hands that hold something."""
        return [hand for hand in list(self.game.world.hands.values()) if hand.body]

    def arrives(self, x, y, leaning=False, face=None):
        """Until the hand was asked for all this, and has done it."""

        def there():
            (hand,) = self.hands()
            off_mm = math.dist(hand.goal[:2], (x, y))
            asked = off_mm < NEAR_MM and (hand.tilt_goal > 5) == leaning
            return asked and not hand.moving and face in (None, hand.body.face)

        wait_for(there)

    def rest(self, seconds):
        """Until so much of the mat's own time is over."""
        until = self.game.view["t_ms"] + 1000 * seconds
        wait_for(lambda: self.game.view["t_ms"] >= until)

    def state(self):
        return self.engine.game.referee.state()


@pytest.fixture
def played(serve_url, look):
    url = f"sim://virtual?seed=11&speed=2&edition={quote('temple+starting_point')}"
    link, _, _ = serve_url(url, handler=PageHands(power.hand_game_at(url)))
    page = look(link)
    page.wait_for_selector(".tray.w:enabled")
    mouse = Mouse(page, url)
    mouse.rest(1.5)
    return mouse


def test_a_whole_game_is_played_with_the_mouse(played):
    played.from_reserve("red", 0, 0)
    played.from_reserve("w", 80, -60)
    played.from_reserve("b", -80, 60)
    assert played.state()["phase"] == "play"
    played.from_reserve("w", 131, -60, "l")
    (leaner,) = [body for body in played.game.view["bodies"] if body["shape"] == "leaner"]
    assert 10 < leaner["tilt"] < 80
    assert [piece[1] for piece in played.engine.game.pieces()].count("leaner") == 1
    shot(played.page, "virtual_leaner")
    played.from_reserve("b", -32, 60)  # too near to his own: they push each other away
    assert not played.state()["done"]
    (action,) = [b for b in played.game.view["bodies"] if b["face"] == "b" and b["x"] > -50]
    played.pick(action)
    played.lower(12, -60)
    played.carry(36, -60)  # along the mat towards white's foundation, which jumps at it
    expect(played.page.locator("#story")).to_contain_text("fault")
    shot(played.page, "virtual_fault")
    if played.state()["owed"]:  # they kissed; else the disc jumped to the hand
        (group, *_) = [body for body in played.game.view["bodies"] if body["touching"]]
        played.pick(group)
        played.carry(60, 110, *([] if group["face"] == "w" else ["f"]))
        assert [b for b in played.game.view["bodies"] if b["discs"] == 2 and b["face"] == "w"]
    played.from_reserve("w", 0, -49)
    before = played.state()
    if not before["outcome"]:  # red shows white: it is pushed away, and black's is drawn to it
        played.from_reserve("b", 0, 49)
    if not played.state()["outcome"]:  # it was missed: the players agree on who has won
        played.page.locator("#game").click()
        played.page.get_by_role("button", name="White wins").click()
        played.page.locator("dialog.ask [value=yes]").click()
        wait_for(lambda: played.state()["outcome"])
    assert played.state()["phase"] == "over"
    expect(played.page.locator("#turn")).to_contain_text("wins")
    shot(played.page, "virtual_over")


def test_a_finger_takes_a_disc_and_the_buttons_do_the_rest(serve_url, look):
    url = "sim://virtual?seed=12&speed=2"
    link, _, _ = serve_url(url, handler=PageHands(power.hand_game_at(url)))
    page = look(link, 390, 844, dark=True, has_touch=True)
    page.wait_for_selector(".tray.w:enabled")
    mouse = Mouse(page, url)
    mouse.rest(1.5)
    page.locator(".tray.b").tap()
    mouse.holds()
    page.touchscreen.tap(*mouse.at(50, 30))
    page.locator("[data-do=flip]").tap()
    mouse.arrives(50, 30, face=WHITE)
    shot(page, "virtual_phone")
    page.locator("[data-do=set_down]").tap()
    wait_for(lambda: not mouse.game.view["hands"])
    (body,) = mouse.game.view["bodies"]
    assert (body["face"], round(body["x"] / 10), round(body["y"] / 10)) == ("w", 5, 3)
    page.locator("[data-do=clear_table]").tap()
    page.locator("dialog.ask [value=yes]").tap()
    wait_for(lambda: mouse.game.view["bodies"] == [])
    page.locator("#language").select_option("de")  # what was made before is told anew
    page.locator("#help").tap()
    expect(page.locator("#helping")).to_contain_text("eine Scheibe klicken")
    page.locator("#helping").get_by_role("button", name="Schließen").tap()
    expect(page.locator("[data-do=clear_table]")).not_to_have_text("Clear the table")
    expect(page.locator(".tray.w")).to_have_attribute("title", "Eine weiße Scheibe nehmen")
    expect(page.locator("select[name=opponent] option").nth(2)).to_have_text("Gegner: Weiß")
    page.locator("select[name=opponent]").select_option("w")
    wait_for(lambda: mouse.game.view["opponents"] == ["w"])
    mouse.rest(0.2)
