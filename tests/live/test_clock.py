"""The time that each player has had the turn."""

from playwright.sync_api import expect

from polarity_host.live.live_state import LiveState
from polarity_host.simulation.play.page import PageHands
from polarity_host.simulation.port import power
from tests.live.conftest import shot
from tests.made_messages import made_message
from tests.waiting import wait_for

#: The mat's time, and white's clock at the same moment.
READ = """async () => [(await import("mat/live.js")).page.state.parts.t_ms,
    document.querySelector("#counts .clock[data-side=w]").textContent]"""


def seconds(text):
    minutes, rest = text.split(":")
    return 60 * int(minutes) + int(rest)


def ruling(number, t_s, code, active="w", **fields):
    reserve = fields.pop("reserve", [20, 20])
    return made_message(
        "ruling", number, 1000 * t_s, fields.pop("boot", 1),
        code=code, active=active, reserve=reserve, **fields,
    )  # fmt: skip


def shown(*messages):
    state = LiveState()
    state.handle(made_message("game", 1, 0, mat="standard", edition="temple"))
    for message in messages:
        state.handle(message)
    return state.whole()["game"]["clock"]


def test_whoever_has_played_leaves_the_time_to_the_other():
    played = [
        ruling(2, 5, "foundation", player="w"),  # no time runs yet
        ruling(3, 20, "turn"),
        ruling(4, 32, "leaner_placed"),
        ruling(5, 34, "turn", "b"),  # black's time has run already
        ruling(6, 39, "try_again", "b"),
        ruling(7, 41, "fault", "b", player="b"),
    ]
    assert shown(*played) == {"spent_ms": [12_000, 9_000], "running": "w", "since_ms": 41_000}
    end = ruling(8, 50, "end", why="red_touched", player="b")
    assert shown(*played, end) == {"spent_ms": [21_000, 9_000], "running": "", "since_ms": 50_000}
    again = made_message("game", 9, 60_000, mat="standard", edition="temple")
    assert shown(*played, end, again)["spent_ms"] == [0, 0]


def test_while_the_mat_is_off_nobody_s_time_runs():
    """Its clock begins anew."""
    before = [ruling(2, 20, "turn"), ruling(3, 30, "leaner_placed")]
    after = [ruling(4, 2, "turn", "b", boot=2), ruling(5, 6, "leaner_placed", "b", boot=2)]
    assert shown(*before, *after)["spent_ms"] == [10_000, 4_000]


def test_of_more_than_two_players_there_is_no_clock():
    four = [
        ruling(2, 20, "turn", reserve=[9, 9, 9, 9]),
        ruling(3, 30, "leaner_placed", reserve=[9, 9, 9, 9]),
    ]
    assert shown(*four) == {"spent_ms": [0, 0], "running": "", "since_ms": 0}


def test_the_page_counts_down_the_time_of_whoever_is_to_play(serve_url, look):
    url = "sim://virtual?seed=41&speed=2"
    link, session, _ = serve_url(url, handler=PageHands(power.hand_game_at(url)))
    page = look(link)
    page.wait_for_selector(".tray.w:enabled")
    white, black = (page.locator(f"#counts .clock[data-side={side}]") for side in "wb")
    page.locator("#game").click()
    page.locator("#menu [name=clock]").select_option("5")
    page.keyboard.press("Escape")
    expect(white).to_be_hidden()  # foundations take nobody's time
    page.locator("[data-do=lay_table]").click()
    wait_for(lambda: session.state.whole()["game"]["phase"] == "play")
    expect(white).to_contain_text("4:")
    before = page.evaluate(READ)
    wait_for(lambda: session.state.whole()["t_ms"] > before[0] + 4000)
    after = page.evaluate(READ)
    passed_s = (after[0] - before[0]) / 1000  # by the mat's clock
    assert abs(seconds(before[1]) - seconds(after[1]) - passed_s) <= 1
    expect(black).to_have_text("5:00")
    shot(page, "clock")
    page.evaluate(
        """async () => {
            const { state } = (await import("mat/live.js")).page;
            state.parts.game.clock.spent_ms[1] = 361000;
        }"""
    )
    expect(black).to_have_text("−1:01")
    expect(black).to_have_class("clock spent")
    page.reload()
    expect(white).to_contain_text("4:")  # the choice and the time are kept
    page.locator("#game").click()
    page.locator("#menu [name=clock]").select_option("")
    expect(white).to_be_hidden()
