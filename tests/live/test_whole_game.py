"""A whole game that is watched: what of it is played."""

from playwright.sync_api import expect

from polarity_host.live.evidence import joined
from polarity_host.live.page import slow_page

HOUR_MS = 3_600_000


def test_long_waits_of_a_game_are_not_sat_through(look, played, tmp_path):
    """The same ruling twice, an hour apart."""
    page = look(played[0])
    path = f"{played[0]}api/v1/games/1/evidence"
    number = page.request.get(path).json()["evidence"][-1]
    first = page.request.get(f"{path}/{number}").json()
    later = {**first, "ruling": {**first["ruling"], "n": number + 1}}
    for name in ("from_ms", "to_ms"):
        later[name] += HOUR_MS
    later["ruling"]["t"] += HOUR_MS
    for name in ("scenes", "flights", "frames"):
        later[name] = [[t_ms + HOUR_MS, what] for t_ms, what in first[name]]
    file = tmp_path / "game.html"
    file.write_text(slow_page(joined([first, later])), encoding="utf-8")
    alone = look(file.as_uri(), offline=True)
    moment = alone.locator("input[type=range]")
    expect(moment).to_have_value(moment.get_attribute("max"))
    assert float(moment.get_attribute("max")) > HOUR_MS
