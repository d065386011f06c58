"""The live page in a browser: when it paints, whether a press gets lost, what axe finds, and games
played from the bare mat to the result.

The browser is Playwright's Chromium, or the one that POLARITY_CHROMIUM names.
"""

import contextlib
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict
from urllib.parse import quote

from polarity_host.errors import FAILED, HostError
from polarity_host.live.mat_session import MatSession
from polarity_host.live.server import LiveServer
from polarity_host.simulation.play.hand_game import HandGame
from polarity_host.simulation.play.page import PageHands
from polarity_host.simulation.port import power
from polarity_host.sources import ROOT

if TYPE_CHECKING:
    from playwright.sync_api import Page

EDITIONS = ("temple+starting_point", "fourlang", "original")
AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"
PRESSES = 20
LATEST_S = 120.0  # on a slow computer
STEP_MM = 5.0  # of an arrow key
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage")
PAINTED = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"


class PageFigures(TypedDict):
    """The figures of `run`."""

    first_paint_ms: float
    games_finished: int
    presses: int
    lost_presses: int
    axe_findings: int | None


def run() -> PageFigures:
    """One browser over virtual mats. Returns

    `first_paint_ms`: first contentful paint of the page, as the browser tells it;
    `games_finished`: of one game by each of EDITIONS, by keys alone, those that reach a result;
    `presses`, `lost_presses`: presses that take a disc or put it back, and those that did not;
    `axe_findings`: what axe-core finds on page, help and menu; None where it is missing.
    HostError FAILED when there is no browser.
    """
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError as error:
        raise HostError(FAILED, "Playwright is missing: run make test once") from error
    with sync_playwright() as playwright:
        named = os.environ.get("POLARITY_CHROMIUM") or shutil.which("chromium")
        try:
            browser = playwright.chromium.launch(executable_path=named, args=list(FLAGS))
        except Error as error:
            raise HostError(
                FAILED, f"no Chromium starts: {error.message.splitlines()[0]}"
            ) from error
        painted, finished, lost, findings = 0.0, 0, 0, 0
        for edition in EDITIONS:
            with _table(edition) as (link, game):
                page = browser.new_page(viewport={"width": 1366, "height": 768})
                page.goto(link)
                _wait(lambda page=page: page.locator(".tray.w:enabled").count())
                if edition == EDITIONS[0]:
                    painted = page.evaluate(PAINTED)
                    findings, lost = _axe(page), _lost(page, game)
                finished += _finishes(page, game)
                page.close()
        browser.close()
    return {
        "first_paint_ms": round(painted, 1),
        "games_finished": finished,
        "presses": 2 * PRESSES,
        "lost_presses": lost,
        "axe_findings": findings if AXE.exists() else None,
    }


@contextlib.contextmanager
def _table(edition: str) -> Iterator[tuple[str, HandGame]]:
    """A virtual mat with this edition: its link and its game."""
    url = f"sim://virtual?seed=1&speed=2&edition={quote(edition)}"
    game = power.hand_game_at(url)
    if game is None:
        raise RuntimeError(f"{url} is no virtual mat")
    with tempfile.TemporaryDirectory() as folder:
        games = Path(folder) / "games.db"
        session = MatSession(url, games)
        server = LiveServer(session.state, session.send, games, port=0, handler=PageHands(game))
        serving = server.in_background()
        session.start()
        try:
            yield server.links[-1], game
        finally:
            server.stop()
            serving.join(10)
            session.stop()
            power.remove(url)


def _wait(true: Callable[[], Any]) -> bool:
    """Whether it came to be true."""
    until = time.monotonic() + LATEST_S
    while not true():
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


def _axe(page: "Page") -> int:
    if not AXE.exists():
        return 0
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = 0
    for view in ("", "#help", "#game"):
        if view:
            page.locator(view).click()
        found += page.evaluate("axe.run().then((result) => result.violations.length)")
        page.keyboard.press("Escape")
    return found


def _lost(page: "Page", game: HandGame) -> int:
    """Presses that do nothing: a click takes a disc, and a key puts it back."""
    lost = 0
    for _ in range(PRESSES):
        page.locator(".tray.w").click()
        lost += not _wait(lambda: game.view["hands"])
        page.keyboard.press("Escape")
        lost += not _wait(lambda: not game.view["hands"])
    return lost


def _finishes(page: "Page", game: HandGame) -> bool:
    """Whether a game comes to its result: the red disc is laid by keys, the foundations by the
    practice player, a disc is moved against the red one, and if it misses, the players declare who
    has won."""

    def state() -> dict[str, Any]:
        return game.engine.game.referee.state()

    _carry(page, game, "2", 0, 0)
    page.keyboard.press("Enter")
    _wait(lambda: state()["phase"] == "foundations")
    page.locator("[data-do=lay_table]").wait_for(state="visible")
    page.locator("[data-do=lay_table]").press("Enter")
    if not _wait(lambda: state()["phase"] == "play"):
        return False
    _carry(page, game, "1", 60, 0)
    _press(page, "s", 12)
    _wait(lambda: [b for b in game.view["bodies"] if b["held"] and b["low"] < 1])
    _press(page, "ArrowLeft", 12)
    time.sleep(1.0)
    page.keyboard.press(" ")
    time.sleep(2.0)
    if not state()["outcome"]:
        page.locator("#game").press("Enter")
        page.locator("#menu [data-command='declare b']").press("Enter")
        page.locator("dialog.ask [value=yes]").press("Enter")
    return _wait(lambda: state()["outcome"] and page.locator("#result h2").is_visible())


def _carry(page: "Page", game: HandGame, key: str, x: float, y: float) -> None:
    """Takes a disc by its key, and moves it there by the arrows."""
    page.keyboard.press(key)
    _wait(lambda: page.locator("#virtual .held").is_visible())
    page.locator("#mat canvas").focus()
    start_y = 120 if key == "3" else -120
    _press(page, "ArrowRight" if x > 0 else "ArrowLeft", round(abs(x) / STEP_MM))
    _press(page, "ArrowUp" if y > start_y else "ArrowDown", round(abs(y - start_y) / STEP_MM))
    _wait(lambda: not any(hand.moving for hand in list(game.world.hands.values()) if hand.body))
    time.sleep(0.3)


def _press(page: "Page", key: str, times: int) -> None:
    for _ in range(times):
        page.keyboard.press(key)
