"""Puzzles in a browser: begun, judged by the referee, remembered, left."""

from playwright.sync_api import expect

from polarity_host.simulation.play.page import PageHands
from polarity_host.simulation.players import puzzles
from polarity_host.simulation.port import power
from tests.live.conftest import shot
from tests.waiting import wait_for


def test_a_puzzle_is_laid_judged_and_followed_by_the_next(look, serve_url):
    url = "sim://virtual?seed=1&speed=4"
    game = power.hand_game_at(url)
    link, _, _ = serve_url(url, handler=PageHands(game))
    page = look(link)
    page.locator("[data-do=puzzles]").click()
    puzzle = page.locator("#virtual .puzzle")
    expect(puzzle).to_contain_text("White captures what touches")
    expect(page.locator("#owed")).to_contain_text("To capture, White")
    shot(page, "puzzle")
    game.inputs.put({"do": "opponent", "hand": "x", "side": "w", "on": True})
    expect(puzzle).to_contain_text("Solved")
    expect(puzzle.locator("option").first).to_contain_text("✓")
    page.set_viewport_size({"width": 390, "height": 844})
    page.locator("#language").select_option("de")
    expect(puzzle).to_contain_text("Gelöst")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    shot(page, "puzzle-phone")
    puzzle.locator(".next").click()
    wait_for(lambda: (game.view["puzzle"] or {}).get("number") == 2)
    expect(puzzle).to_contain_text("Weiß erobert")
    page.reload()
    expect(puzzle.locator("option").first).to_contain_text("✓")


def test_a_position_that_comes_out_otherwise_is_laid_again_by_the_page(
    look, serve_url, monkeypatch
):
    """Discs are of different strength, so that some layings do not lead to what was meant."""
    laid, lay = [], puzzles.PuzzleGame.lay

    def spoiled_at_first(self):
        yield from lay(self)
        if not laid:
            self.progress = puzzles.Progress.SPOILED
        laid.append(self.progress)

    monkeypatch.setattr(puzzles.PuzzleGame, "lay", spoiled_at_first)
    url = "sim://virtual?seed=1&speed=4"
    link, _, _ = serve_url(url, handler=PageHands(power.hand_game_at(url)))
    page = look(link)
    page.locator("[data-do=puzzles]").click()
    expect(page.locator("#virtual .puzzle[data-progress=laying]")).to_be_visible()
    wait_for(lambda: len(laid) > 1 and laid[-1] == puzzles.Progress.OPEN)
    expect(page.locator("#virtual .puzzle")).to_contain_text("White captures what touches")


def test_a_small_mat_has_none(look, serve_url):
    url = "sim://virtual?seed=2&edition=scaled"
    link, _, _ = serve_url(url, handler=PageHands(power.hand_game_at(url)))
    page = look(link)
    expect(page.locator("[data-do=lay_table]")).to_be_visible()
    expect(page.locator("[data-do=puzzles]")).to_be_hidden()
