"""The hall page's slow motion: from the mat's computer into a real browser."""

from contextlib import closing
from functools import partial

import pytest

from polarity_host.games.store import Store
from polarity_host.live.access import Role
from polarity_host.live.mat_session import MatSession
from polarity_host.mqtt.publisher import Publisher
from tests.hall import needs_broker
from tests.hub.test_intake import Hub
from tests.hub.test_server import served
from tests.waiting import wait_for

pytestmark = needs_broker


@pytest.fixture
def logged(tmp_path):
    """A virtual game that was logged with its evidence: the session."""
    session = MatSession("sim://demo?seed=1&speed=0", tmp_path / "oak.db")
    session.run(once=True)
    return session


def test_an_arbiter_sees_a_rulings_slow_motion(broker, chrome, logged, tmp_path):
    from playwright.sync_api import expect

    boot, problems = logged.state.boot, []
    with Store(logged.games) as store:
        numbers = store.evidence_numbers(store.game_id(boot))
    publisher = Publisher(broker.broker("oak"), "oak", logged.games, logged.state)
    publisher.start()
    publisher.claim(boot)
    with closing(Hub(broker, str(tmp_path / "hub.db"))) as hub:
        wait_for(partial(hub.hall.knows, "oak"))
        with served(hub.hall, hub.intake) as server:
            page = chrome.new_page(viewport={"width": 1200, "height": 900})
            page.goto(server.link(Role.PLAYER))
            page.locator(".board .name").click()
            with page.expect_popup() as opened:
                page.get_by_role("link", name="Slow motion").click()
            slow = opened.value
            slow.on("pageerror", lambda error: problems.append(str(error)))
            shown = int(slow.url.split("?")[0].rsplit("/", 1)[1])
            assert shown in numbers
            canvas = slow.locator("canvas").first
            expect(canvas).to_be_visible()
            before = canvas.screenshot()
            wait_for(lambda: canvas.screenshot() != before)  # it plays
            assert problems == []
            slow.close()
            page.close()
        assert hub.record.evidence("oak", boot, shown)
    publisher.stop()
