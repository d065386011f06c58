"""`polarity bench live`: what it counts of the page in a browser."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from polarity_bench import live_hands, live_page


def test_each_way_of_playing_has_a_game_against_the_practice_player():
    games = {white: edition for edition, (white, black) in live_page.GAMES[:4] if not black}
    assert games.keys() == {live_hands.Keys, live_hands.Mouse, live_hands.Fingers}
    assert len({*games.values()}) == 3


@pytest.mark.parametrize("some", [slice(0, 2), slice(2, 4)], ids=str)
def test_whole_games_are_finished_and_no_press_is_lost(chrome, monkeypatch, some):
    """By keys, by the mouse and by fingers against the practice player, and between a mouse and a
    phone."""
    monkeypatch.setattr(live_page, "GAMES", live_page.GAMES[some])
    monkeypatch.setattr(live_page, "PRESSES", 3)
    with ThreadPoolExecutor(1) as alone:  # Playwright runs once in a thread
        figures = alone.submit(live_page.run).result()
    assert figures.pop("first_paint_ms") > 0
    assert figures == {
        "games": 2, "games_finished": 2, "presses": 6, "lost_presses": 0, "axe_findings": 0,
    }  # fmt: skip


def test_keys_press_what_opens_late(chrome):
    page = chrome.new_page()
    page.set_content(
        "<button id=menu onclick='setTimeout(() => { late.hidden = false; }, 300)'>Game</button>"
        "<button id=late hidden onclick='document.title = 1'>White wins</button>"
    )
    keys = live_hands.Keys(page, None)
    keys.press(page.locator("#menu"))
    keys.press(page.locator("#late"))
    assert page.title() == "1"
    page.close()


def test_a_press_that_does_nothing_is_counted(chrome, monkeypatch):
    monkeypatch.setattr(live_page, "GAMES", live_page.GAMES[-1:])
    monkeypatch.setattr(live_page, "PRESSES", 2)
    monkeypatch.setattr(live_hands, "LATEST_S", 2.0)
    monkeypatch.setattr(live_page, "between_two", lambda white, black, game: False)
    axe = live_page._axe

    def spoilt(page):
        page.evaluate("WebSocket.prototype.send = () => {}")
        page.evaluate("document.documentElement.removeAttribute('lang')")
        return axe(page)

    monkeypatch.setattr(live_page, "_axe", spoilt)
    with ThreadPoolExecutor(1) as alone:
        figures = alone.submit(live_page.run).result()
    assert (figures["lost_presses"], figures["games_finished"]) == (2, 0)
    assert figures["axe_findings"] >= 1
