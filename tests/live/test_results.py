"""How the page shows who plays and who has won."""

from playwright.sync_api import expect

from polarity_host.device.link import PortState
from polarity_host.live.live_state import LiveState
from polarity_host.live.server import LiveServer
from tests.live.conftest import shot
from tests.made_messages import made_message


def rulings(state, *told):
    """Gives it a game of three players with these rulings: their fields."""
    state.handle(made_message("game", 1, edition=THREE, mat="standard"))
    for number, fields in enumerate(told, 2):
        state.handle(made_message("ruling", number, reserve=[14, 13, 14], **fields))


THREE = "temple+three_player_shuffle"
WHITE_S_TURN = {"code": "turn", "player": "w", "seat": 2, "turn": 4, "active": "w"}
RED = {"code": "end", "why": "touched_red", "turn": 4, "active": "w", "score": [-14, -13, -14]}
WON = {"code": "end", "why": "reserve_empty", "player": "b", "seat": 3, "turn": 4, "active": "b"}


def test_of_three_players_it_is_shown_who_plays_and_that_one_has_lost(look, tmp_path):
    state = LiveState()
    server = LiveServer(state, lambda command: None, tmp_path / "games.db", port=0)
    server.in_background()
    try:
        page = look(server.links[-1])
        rulings(state, {"code": "setup_done"}, WHITE_S_TURN)
        expect(page.locator("#turn .phase")).to_have_text("Turn 4 · Player 2")
        expect(page.locator("#turn .who")).to_have_text("White to play")
        expect(page.locator(".count.active .name")).to_have_text("Player 2")
        shot(page, "three-players")
        rulings(state, WHITE_S_TURN, RED)
        one_lost = "One player has lost, the other two have not"
        expect(page.locator("#turn .who")).to_have_text(one_lost)
        rulings(state, WHITE_S_TURN, {**WON, "score": [1, 2, 3]})
        expect(page.locator("#turn .who")).to_have_text("Player 3 wins")
        rulings(state, WHITE_S_TURN, {**WON, "player": "", "seat": 0, "score": [2, 2, 1]})
        expect(page.locator("#turn .who")).to_have_text("A draw")
    finally:
        server.stop()


def test_a_result_is_shown_as_provisional_until_it_is_final(look, tmp_path):
    """PROTOCOL.md, What happened first: a fact may still come that happened before the end."""
    state = LiveState()
    server = LiveServer(state, lambda command: None, tmp_path / "games.db", port=0)
    server.in_background()

    def snap(final):
        over = {"phase": "over", "turn": 4, "active": "w", "outcome": ["touched_red", "b"]}
        state.handle(made_message("snap", 3, edition="temple", state={**over, "final": final}))

    try:
        page = look(server.links[-1])
        state.handle(made_message("game", 1, edition="temple", mat="standard"))
        end = {"code": "end", "why": "touched_red", "player": "b", "turn": 4, "active": "w"}
        state.handle(made_message("ruling", 2, reserve=[14, 13], score=[3, 5], **end))
        phase, who = page.locator("#turn .phase"), page.locator("#turn .who")
        expect(phase).to_have_text("Provisional result")
        expect(who).to_have_text("Black wins")
        shot(page, "provisional")
        snap(0)
        expect(phase).to_have_text("Provisional result")
        snap(1)
        expect(phase).to_have_text("Game over")
        expect(who).to_have_text("Black wins")
        shot(page, "final")
        # the last fact was reported too late after all: then the game goes on
        revised = {"code": "revised", "names": 1, "facts": [1], "turn": 4, "active": "w"}
        state.handle(made_message("ruling", 4, reserve=[14, 13], **revised))
        expect(who).to_have_text("White to play")
        expect(phase).to_have_text("Turn 4")
        state.handle(made_message("ruling", 5, reserve=[14, 13], score=[3, 5], **end))
        expect(phase).to_have_text("Provisional result")
        state.handle(PortState("over"))  # nothing comes from it any more
        expect(phase).to_have_text("Game over")
    finally:
        server.stop()
