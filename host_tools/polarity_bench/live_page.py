"""The live page in a browser: when it paints, whether a press gets lost, what axe finds, and games
played from the bare mat to the result.

The browser is Playwright's Chromium, or the one that POLARITY_CHROMIUM names.
"""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, TypedDict
from urllib.parse import quote

from polarity_bench.live_games import against_the_practice_player, between_two
from polarity_bench.live_hands import Fingers, Keys, Mouse, wait
from polarity_host.errors import FAILED, HostError
from polarity_host.live.mat_session import MatSession
from polarity_host.live.server import LiveServer
from polarity_host.simulation.play.hand_game import HandGame
from polarity_host.simulation.play.page import PageHands
from polarity_host.simulation.port import power
from polarity_host.sources import ROOT

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, ViewportSize

WIDE: "ViewportSize" = {"width": 1366, "height": 768}
PHONE: "ViewportSize" = {"width": 390, "height": 844}

Way: TypeAlias = type[Keys] | type[Mouse] | type[Fingers]
#: An edition, and by what white and black are played; None: by the practice player.
GAMES: tuple[tuple[str, tuple[Way, Way | None]], ...] = (
    ("temple", (Keys, None)),
    ("original", (Mouse, None)),
    ("fourlang", (Fingers, None)),
    ("temple+starting_point", (Mouse, Fingers)),
    ("original", (Keys, Mouse)),
)
AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"
PRESSES = 20
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage")
PAINTED = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"


class PageFigures(TypedDict):
    """The figures of `run`."""

    first_paint_ms: float
    games: int
    games_finished: int
    presses: int
    lost_presses: int
    axe_findings: int | None


def run() -> PageFigures:
    """One browser over virtual mats. Returns

    `first_paint_ms`: first contentful paint of the page, as the browser tells it;
    `games`, `games_finished`: GAMES, and those of them that reach a result on every page;
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
        for edition, (white, black) in GAMES:
            with _table(edition) as (link, game):
                page = _opened(browser, link, white)
                if not painted:
                    painted = page.evaluate(PAINTED)
                    findings, lost = _axe(page), _lost(page, game)
                player, pages = white(page, game), [page]
                if black:
                    pages.append(_opened(browser, link, black))
                    finished += between_two(player, black(pages[1], game), game)
                else:
                    finished += against_the_practice_player(player, game)
                for page in pages:
                    page.context.close()
        browser.close()
    return {
        "first_paint_ms": round(painted, 1),
        "games": len(GAMES),
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


def _opened(browser: "Browser", link: str, way: Way) -> "Page":
    """The page in a browser of its own, once it can be played on."""
    touch = way is Fingers
    context = browser.new_context(
        viewport=PHONE if touch else WIDE, has_touch=touch, is_mobile=touch
    )
    page = context.new_page()
    page.goto(link)
    wait(lambda: page.locator(".tray.w:enabled").count())
    return page


def _axe(page: "Page") -> int:
    if not AXE.exists():
        return 0
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = 0
    for view in ("", "#help", "#game"):
        if view:
            page.locator(view).click()
            page.locator("dialog[open]").wait_for()
        found += page.evaluate("axe.run().then((result) => result.violations.length)")
        page.keyboard.press("Escape")
    return found


def _lost(page: "Page", game: HandGame) -> int:
    """Presses that do nothing: a click takes a disc, and a key puts it back."""
    lost = 0
    for _ in range(PRESSES):
        page.locator(".tray.w").click()
        lost += not wait(lambda: game.view["hands"])
        page.keyboard.press("Escape")
        lost += not wait(lambda: not game.view["hands"])
    return lost
