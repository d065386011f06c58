"""The players' names: given at the start, seen by everyone, stored with the games."""

from playwright.sync_api import expect

from polarity_host.games.store import Store
from tests.live.conftest import shot
from tests.waiting import wait_for


def stored(session):
    with Store(session.games) as store:
        return [(game["white"], game["black"]) for game in store.games()]


def test_names_are_given_at_the_start_and_go_with_the_games(look, serve_scripted):
    link, session, _ = serve_scripted()
    page, other = look(link), look(link)
    page.locator("#game").click()
    page.locator("#menu [name=white]").fill("Ben")
    page.locator("#menu [name=black]").fill("Ada <b id=bold>")
    shot(page, "names")
    page.locator("#menu .swap").click()
    page.locator("#menu .save").click()
    for viewer in (page, other):
        expect(viewer.locator("#turn .who")).to_have_text("Ada <b id=bold> (White) to play")
        expect(viewer.locator("[data-player=b] .name")).to_have_text("Ben")
        assert viewer.locator("#bold").count() == 0
    session.send("snap")
    wait_for(lambda: stored(session) == [("Ada <b id=bold>", "Ben")])
    page.locator("#menu .begin").click()
    page.locator("dialog.ask [value=yes]").click()
    wait_for(lambda: stored(session) == [("Ada <b id=bold>", "Ben")] * 2)


def test_an_unnamed_game_asks_who_plays_and_a_name_that_is_too_long_is_refused(look, serve_url):
    link, session, _ = serve_url("sim://virtual?seed=31")
    page = look(link, errors=False)  # the browser itself complains of the refusal
    page.locator("#owed .players").click()
    page.locator("#menu [name=white]").fill("Zoë")
    page.locator("#menu [name=white]").press("Enter")
    expect(page.locator("[data-player=w] .name")).to_have_text("Zoë")
    expect(page.locator("#owed .players")).to_have_count(0)
    answer = page.request.post(f"{link}api/v1/names", data={"white": "x" * 999, "black": ""})
    assert answer.status == 400 and "letters" in answer.text()
    assert page.request.post(f"{link}api/v1/names", data={"white": 1, "black": ""}).status == 400
    assert session.state.names == {"white": "Zoë", "black": ""}
