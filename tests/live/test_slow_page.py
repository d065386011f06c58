"""Slow motion and whole games, in the page and as one file."""

import re

from playwright.sync_api import expect

from tests.live.conftest import shot
from tests.live.pixels import light
from tests.live.scripted import (
    KISS_MM,
    WHITE_MM,
)
from tests.waiting import wait_for


def test_slow_motion_of_a_fault_frame_by_frame(look, played):
    page = look(played[0])
    page.locator("#story li[data-code=fault] button.open").click()
    page.locator("#story .slow").click()
    player = page.locator("#slow .player")
    expect(player.locator(".said")).to_contain_text("discs 3 and 7 touch")
    expect(player.locator("li.rests")).to_contain_text("discs 3 and 7 touch side by side")
    expect(player.locator("li", has_text="moved by")).to_contain_text("limit 34.0 mm")
    player.locator("li", has_text="moved by").click()  # stops, and goes there
    time = player.locator("output")
    expect(time).to_have_text("0.00 s")
    wait_for(lambda: light(page, *[v - 9 for v in KISS_MM], canvas="#slow canvas") > 200)
    for _ in range(12):
        player.locator(".back").click()
    assert -1.5 < float(time.text_content().replace("−", "-").split()[0]) < -0.1
    wait_for(lambda: light(page, *[v + 9 for v in WHITE_MM[3]], canvas="#slow canvas") > 200)
    shot(page, "slow-motion")
    begun = int(player.locator("input").input_value())
    player.locator(".controls button.main").click()
    expect(player.locator("input")).not_to_have_value(str(begun))
    page.locator("#slow .close").click()
    expect(page.locator("#slow")).not_to_be_visible()


def test_slow_motion_as_one_file_needs_nothing_else(look, played, tmp_path):
    page = look(played[0])
    page.locator("#story li[data-code=fault] button.open").click()
    page.locator("#story .slow").click()
    with page.expect_download() as download:
        page.locator("#slow .save").click()
    file = tmp_path / "fault.html"
    download.value.save_as(file)
    text = file.read_text(encoding="utf-8")
    assert not re.search(r"""(src|href)=["'](?!data:)""", text)
    alone = look(file.as_uri(), offline=True)
    expect(alone.locator(".said")).to_contain_text("discs 3 and 7 touch")
    alone.locator("li", has_text="moved by").click()
    wait_for(lambda: light(alone, *[v + 9 for v in WHITE_MM[6]], canvas="canvas") > 200)
    shot(alone, "slow-motion-file")


def test_a_whole_game_plays_as_one_file(look, played, tmp_path, polarity):
    file = tmp_path / "game.html"
    stored = ["--db", played[1].games, "--game", "1", "--play", "-o", file]
    assert polarity("export", *stored)[0] == 0
    assert not re.search(r"""(src|href)=["'](?!data:)""", file.read_text(encoding="utf-8"))
    alone = look(file.as_uri(), offline=True)
    rulings = alone.locator(".player li")
    expect(rulings.first).to_contain_text("The red disc is on its dot")
    fault = rulings.filter(has_text="Black's fault")
    fault.click()
    expect(alone.locator(".said")).to_contain_text("discs 3 and 7 touch")
    expect(fault).to_have_class("now")
    wait_for(lambda: light(alone, *[v + 9 for v in WHITE_MM[3]], canvas="canvas") > 200)
    begun = alone.locator(".controls input").input_value()
    alone.locator(".controls button.main").click()
    expect(alone.locator(".controls input")).not_to_have_value(begun)
    shot(alone, "game-file")


def test_a_whole_stored_game_is_played(look, played, tmp_path):
    """From the list of games: a timeline with jumps to rulings, and the same as one file."""
    page = look(played[0])
    page.locator("#game").click()
    page.locator("#menu .earlier").click()
    page.locator("#games ol.list button").first.click()
    page.locator("#games .whole").click()
    player = page.locator("#slow .player.whole")
    expect(player).to_be_visible()
    if player.locator(".main").inner_text() == "Pause":
        player.locator(".main").click()
    moment = player.locator("input[type=range]")
    player.locator(".told li").last.click()
    last_ms = float(moment.input_value())
    player.locator(".ruling_back").click()
    assert float(moment.input_value()) < last_ms
    player.locator(".ruling_on").click()
    assert float(moment.input_value()) == last_ms
    marks = player.locator("datalist option").evaluate_all("all => all.map((one) => +one.value)")
    assert last_ms in marks
    shot(page, "whole_game")
    moment.fill(moment.get_attribute("min"))  # scrubbed to the beginning
    player.locator(".controls select").select_option("16")
    player.locator(".main").click()  # and on to the end, whatever pauses there were
    expect(moment).to_have_value(moment.get_attribute("max"))
    with page.expect_download() as saved:
        player.locator(".save").click()
    saved.value.save_as(tmp_path / "game.html")
    alone = look((tmp_path / "game.html").as_uri())
    expect(alone.locator(".player.whole .told li")).to_have_count(
        player.locator(".told li").count()
    )
    assert page.request.get(f"{played[0]}api/v1/games/99/play").status == 404
