"""How people move discs in the page: by keys, by the mouse, by fingers.

Each way carries a disc from its tray to a place, sets it down or pushes it along the mat, and
presses buttons. It waits until the mat has done what was asked.
"""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from polarity_host.errors import FAILED, HostError
from polarity_host.simulation.play.hand_game import HandGame

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

LATEST_S = 120.0  # on a slow computer
STEP_MM = 5.0  # of an arrow key
HALF_MM = 254.0  # from the middle of the mat's picture to its edge, see live/static/draw.js
STEPS = 6  # of a movement
CLICK_S = 0.1  # from press to release; at most CLICK_MS of live/static/virtual/hand.js
WHEEL_MM = 6.0  # of height, a notch
TRAYS = {"w": "1", "red": "2", "b": "3"}  # their keys
PINCH_PX = (170, 10)  # between two fingers, before they lower a disc from 60 mm and after


def wait(true: Callable[[], Any], latest_s: float | None = None) -> bool:
    """Whether it came to be true, in LATEST_S unless told otherwise."""
    until = time.monotonic() + (latest_s or LATEST_S)
    while not true():
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


class Hands(Protocol):
    """One person before one page."""

    page: "Page"

    def carry(self, side: str, x: float, y: float, leaning: bool = False) -> None:
        """Takes a disc from a tray, and holds it over this place (mm), tilted if wanted."""

    def set_down(self) -> None:
        """Sets down what is held."""

    def shove(self, x: float, y: float) -> None:
        """Lowers what is held to the mat, moves it there, and lets go."""

    def press(self, button: "Locator") -> None:
        """Presses a button."""

    def choose(self, choice: "Locator", value: str) -> None:
        """Chooses a value of a list."""


class _Hands:
    def __init__(self, page: "Page", game: HandGame):
        self.page, self.game = page, game

    def _must(self, true: Callable[[], Any], what: str) -> None:
        if not wait(true):
            raise HostError(FAILED, f"the page did not do it: {what}")

    def choose(self, choice: "Locator", value: str) -> None:
        choice.select_option(value)  # the list itself is the system's: no page sees it

    def _held(self) -> None:
        self._must(lambda: self.page.locator("#virtual .held").is_visible(), "take a disc")

    def _arrived(self) -> None:
        hands = self.game.world.hands
        self._must(
            lambda: not any(hand.moving for hand in list(hands.values()) if hand.body), "move it"
        )
        time.sleep(0.3)

    def _leans(self) -> None:
        """Until what is held is tilted."""
        hands = self.game.world.hands
        self._must(
            lambda: any(hand.tilt_goal > 5 for hand in list(hands.values()) if hand.body), "lean"
        )
        self._arrived()

    def _low(self) -> None:
        bodies = lambda: self.game.view["bodies"]  # noqa: E731
        self._must(lambda: [b for b in bodies() if b["held"] and b["low"] < 1], "lower it")

    def _gone(self) -> None:
        self._must(lambda: not self.game.view["hands"], "let it go")

    def _at(self, x: float, y: float) -> tuple[float, float]:
        """Where in the window this place is."""
        box = self.page.locator("#mat > canvas").bounding_box()
        assert box is not None, "the mat is shown"
        return (
            box["x"] + box["width"] * (x / HALF_MM + 1) / 2,
            box["y"] + box["height"] * (1 - y / HALF_MM) / 2,
        )


class Keys(_Hands):
    """By the keyboard alone."""

    def carry(self, side: str, x: float, y: float, leaning: bool = False) -> None:
        self.page.keyboard.press(TRAYS[side])
        self._held()
        self.page.locator("#mat canvas").focus()
        self._move(x, y - (120 if side == "b" else -120))
        self._arrived()
        self._from = x, y
        if leaning:
            self.page.keyboard.press("l")
            self._leans()

    def set_down(self) -> None:
        self.page.keyboard.press("Enter")
        self._gone()

    def shove(self, x: float, y: float) -> None:
        self._press("s", 12)
        self._low()
        self._move(x - self._from[0], y - self._from[1])
        time.sleep(1.0)
        self.page.keyboard.press(" ")
        self._gone()

    def press(self, button: "Locator") -> None:
        button.wait_for(state="visible")  # keys for what is hidden go to what has the focus
        button.press("Enter")

    def choose(self, choice: "Locator", value: str) -> None:
        choice.wait_for(state="visible")  # not while something is held
        for _ in range(choice.locator("option").count()):
            if choice.input_value() == value:
                choice.press("Escape")  # back to the mat
                return
            choice.press("ArrowDown")
        raise HostError(FAILED, f"keys do not choose {value}")

    def _move(self, dx: float, dy: float) -> None:
        self._press("ArrowRight" if dx > 0 else "ArrowLeft", round(abs(dx) / STEP_MM))
        self._press("ArrowUp" if dy > 0 else "ArrowDown", round(abs(dy) / STEP_MM))

    def _press(self, key: str, times: int) -> None:
        for _ in range(times):
            self.page.keyboard.press(key)


class Mouse(_Hands):
    """By the mouse: a disc is pressed, carried and let go; one that is to lean is clicked, leaned
    by the right button, and clicked again."""

    def __init__(self, page: "Page", game: HandGame):
        super().__init__(page, game)
        self._screen = page.context.new_cdp_session(page)

    def carry(self, side: str, x: float, y: float, leaning: bool = False) -> None:
        tray = self.page.locator(f".tray.{side}")
        tray.hover()
        if leaning:
            self._click(tray)
        else:
            self.page.mouse.down()
        self._held()
        for _ in range(2):
            self.page.mouse.move(*self._at(x, y), steps=STEPS)
        self._arrived()
        if leaning:
            self.page.mouse.click(*self._at(x, y), button="right")
            self._leans()
            self.page.mouse.down()

    def set_down(self) -> None:
        self.page.mouse.up()
        self._gone()

    def shove(self, x: float, y: float) -> None:
        for _ in range(round(60 / WHEEL_MM) + 4):
            self.page.mouse.wheel(0, 100)
            time.sleep(0.05)  # a browser joins events
        self._low()
        self.page.mouse.move(*self._at(x, y), steps=2 * STEPS)
        time.sleep(1.0)
        self.page.mouse.up()
        self._gone()

    def press(self, button: "Locator") -> None:
        button.click()

    def _click(self, on: "Locator") -> None:
        """Clicks it as fast as a person does, however slow the computer is: press and release carry
        their own times."""
        x, y = _middle(on)
        pressed_s = time.time()
        for kind, at_s in (("mousePressed", pressed_s), ("mouseReleased", pressed_s + CLICK_S)):
            self._screen.send(
                "Input.dispatchMouseEvent",
                {"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1,
                 "timestamp": at_s},
            )  # fmt: skip


class Fingers(_Hands):
    """By fingers on a phone: one carries a disc, two lower it, buttons set it down."""

    def __init__(self, page: "Page", game: HandGame):
        super().__init__(page, game)
        self._screen = page.context.new_cdp_session(page)

    def carry(self, side: str, x: float, y: float, leaning: bool = False) -> None:
        tray = self.page.locator(f".tray.{side}")
        tray.scroll_into_view_if_needed()
        begun = _middle(tray)
        self._touch("touchStart", begun)
        self._held()
        self._drag(begun, self._at(x, y))
        self._touch("touchEnd")
        self._arrived()
        self._from = x, y
        if leaning:
            self.press(self.page.locator("[data-do=lean]"))
            self._leans()

    def set_down(self) -> None:
        self.press(self.page.locator("[data-do=set_down]"))
        self._gone()

    def shove(self, x: float, y: float) -> None:
        at = self._at(*self._from)
        apart, near = PINCH_PX
        self._touch("touchStart", at)
        self._touch("touchStart", at, (at[0], at[1] - apart))
        for k in range(STEPS + 1):
            self._touch("touchMove", at, (at[0], at[1] - apart + (apart - near) * k / STEPS))
        self._low()
        self._touch("touchEnd", at)
        self._drag(at, self._at(x, y))
        time.sleep(1.0)
        self._touch("touchEnd")
        self.press(self.page.locator("[data-do=drop]"))
        self._gone()

    def press(self, button: "Locator") -> None:
        button.tap()

    def _drag(self, begun: tuple[float, float], to: tuple[float, float]) -> None:
        for k in range(1, STEPS + 1):
            share = k / STEPS
            at = begun[0] + (to[0] - begun[0]) * share, begun[1] + (to[1] - begun[1]) * share
            self._touch("touchMove", at)
            time.sleep(0.05)

    def _touch(self, kind: str, *at: tuple[float, float]) -> None:
        points = [{"x": x, "y": y, "id": finger} for finger, (x, y) in enumerate(at)]
        self._screen.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


def _middle(of: "Locator") -> tuple[float, float]:
    """Where in the window the middle of what is shown is."""
    box = of.bounding_box()
    assert box is not None, "it is shown"
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
