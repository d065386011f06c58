"""`polarity bench live`: what it counts of the page in a browser."""

from concurrent.futures import ThreadPoolExecutor

from polarity_bench import live_page


def test_a_game_is_finished_and_no_press_is_lost(chrome, monkeypatch):
    monkeypatch.setattr(live_page, "EDITIONS", live_page.EDITIONS[:1])
    monkeypatch.setattr(live_page, "PRESSES", 3)
    with ThreadPoolExecutor(1) as alone:  # Playwright runs once in a thread
        figures = alone.submit(live_page.run).result()
    assert figures.pop("first_paint_ms") > 0
    assert figures == {"games_finished": 1, "presses": 6, "lost_presses": 0, "axe_findings": 0}


def test_a_press_that_does_nothing_is_counted(chrome, monkeypatch):
    monkeypatch.setattr(live_page, "EDITIONS", live_page.EDITIONS[:1])
    monkeypatch.setattr(live_page, "PRESSES", 2)
    monkeypatch.setattr(live_page, "LATEST_S", 2.0)
    monkeypatch.setattr(live_page, "_finishes", lambda page, game: False)
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
