"""What viewers are shown, against the engine whose messages it comes from."""

import base64

import numpy as np
import pytest

from polarity import mat_data
from polarity_host.live.evidence import unpacked
from polarity_host.live.field import UNIT_UT, FieldView
from polarity_host.live.game_state import GameState
from polarity_host.live.live_state import LiveState
from polarity_host.live.mat_in_use import MatInUse
from polarity_host.live.scene import PieceRow, Scene
from polarity_host.mats.description import load_mat
from polarity_host.replay.engine import build_engine, raw_counts, sent_messages
from polarity_host.simulation.port.address import SimGame
from polarity_host.simulation.port.game_source import GameSource
from polarity_host.wire.messages import RulingMessage
from tests.live.scripted import MAT, counts, game, scripted_mat

GREETING = b"hello\nframes on\nflight on\n"


@pytest.fixture(scope="module")
def twin():
    """A demo of the twin, judged; at every ruling what the live state shows beside what the engine
    knows. -> (state, engine, kept evidence, [(shown pieces, true pieces, lights, true lights)])"""
    kept, compared = {}, []
    state = LiveState(
        store_evidence=lambda boot, number, data: kept.update({number: unpacked(data)}) or True
    )
    played = GameSource(SimGame.from_url("sim://demo?seed=1&turns=4"))
    engine = build_engine("standard", boot_id=5)
    engine.command(GREETING)
    for t_us, raw in played.frames():
        engine.frame(t_us // 1000, raw_counts(raw))
        ruled = False
        for message in sent_messages(engine):
            state.handle(message)
            ruled = ruled or message.kind == "ruling"
        if ruled:
            compared.append((state.whole(), engine.game.pieces(), engine.game.referee.final()))
    return state, engine, kept, compared


def test_between_two_snaps_what_lies_where_is_known_from_the_facts(twin):
    _, _, _, compared = twin
    assert len(compared) > 20
    for shown, true, _ in compared:
        assert {p[0]: list(p[1:4]) for p in shown["pieces"]} == {p[0]: p[1:4] for p in true}
        places = {p[0]: p[4:6] for p in true}
        for piece in shown["pieces"]:
            assert np.hypot(*np.subtract(piece[4:6], places[piece[0]])) < 100  # 1 mm


def test_turn_reserves_and_score_are_the_referee_s(twin):
    _, _, _, compared = twin
    for shown, _, final in compared:
        assert shown["game"]["reserve"] == final["reserve"]
        assert shown["game"]["outcome"] == final["outcome"]
        if shown["game"]["phase"] == "play":
            assert shown["game"]["score"] == final["score"]
    assert compared[-1][0]["game"]["phase"] == "over"


def test_the_evidence_of_the_fault_shows_it(twin):
    state, _, kept, _ = twin
    fault = next(
        event for event in state.whole()["events"]
        if event["fields"].get("code") == "fault" and event["fields"]["why"] == "leaner_fell"
    )  # fmt: skip
    evidence = kept[fault["n"]]
    assert fault["slow"]
    fell = next(fact for fact in evidence["facts"] if fact["n"] in fault["fields"]["facts"])
    number = fell["piece"]
    # what lay before as a leaner lies flat after it
    shapes = [{p[0]: p[1] for p in pieces}.get(number) for _, pieces in evidence["scenes"]]
    assert shapes[0] == "leaner" and shapes[-1] == "flat"
    tilts = [p[6] for t, pieces in evidence["flights"] for p in pieces if p[0] == number]
    assert len(tilts) > 3 and max(tilts) > 20 > min(tilts)  # and it was seen on its way
    times = [t for t, _ in evidence["frames"]]
    assert len(times) > 10 and times == sorted(times)
    assert evidence["from_ms"] <= times[0] and times[-1] <= evidence["to_ms"]
    assert evidence["told"]["words"].keys() == {"en", "fr", "de", "nl"}
    assert len(base64.b64decode(evidence["frames"][0][1])) == 2 * len(evidence["mat"]["sensors"])


def test_the_ring_is_painted_as_the_mat_paints_it():
    mat = scripted_mat(game())
    engine, state = mat.engine, LiveState()
    engine.command(GREETING)
    frame = counts()
    for t_ms in range(0, 14000, 20):
        engine.frame(t_ms, frame)
        for message in sent_messages(engine):
            state.handle(message)
        if t_ms % 500 == 0:
            ring, shown = state._in_use, state.whole()["game"]
            for later_ms in (0, 130, 700):
                true = bytes(engine.lights(t_ms + later_ms, True)).hex()
                assert ring.lights(t_ms + later_ms, shown, False) == true, t_ms
    assert isinstance(ring, MatInUse)


def test_limits_are_those_of_the_firmware(twin):
    _, _, kept, _ = twin
    limits = next(iter(kept.values()))["limits"]
    assert limits["shift_mm"] == load_mat().disc.diameter_mm
    assert mat_data.load("standard").DISC_RADIUS * 2 / 256 == limits["shift_mm"]
    assert limits["lean_deg"] == pytest.approx(8.0, abs=0.1)  # as perception/body.py says


def test_a_new_game_begins_with_an_empty_mat():
    mat = scripted_mat(game())
    state = LiveState()
    for t_ms in range(0, 9000, 50):
        mat.engine.frame(t_ms, counts())
    mat.engine.command(b"snap\nnew scaled\n")
    for message in sent_messages(mat.engine):
        state.handle(message)
    whole = state.whole()
    assert whole["pieces"] == [] and whole["game"]["edition"] == "scaled"
    assert whole["game"]["reserve"] == [19, 19] and whole["game"]["outcome"] == []


def test_a_result_is_provisional_until_the_mat_says_that_it_is_final():
    game = GameState("temple")
    over = {"phase": "over", "outcome": ["touched_red", "b"]}
    game.apply_snap({**over, "final": 0})
    assert game.shown["final"] == 0
    game.apply_snap({**over, "final": 1})
    assert (game.shown["outcome"], game.shown["final"]) == (["touched_red", "b"], 1)
    revised = RulingMessage("revised", "", "", (), (7,), (), (), (20, 21), 3, "w")
    game.apply_ruling(revised)
    assert (game.shown["outcome"], game.shown["final"]) == ([], 0)
    game.apply_snap({"phase": "play", "outcome": []})  # a game that goes on says nothing of it
    assert game.shown["final"] == 0


def test_only_the_capturer_s_own_towers_are_declared_and_only_where_the_rules_let_him():
    """001 Capturing Faults; the German text of 000; 002: lifted even if it is a tower already."""

    def in_place(edition, face, discs=2, ids=(3,)):
        state = GameState(edition)
        owed = [["w", list(ids)], ["b", [9, 10]]]
        state.apply_snap({"phase": "play", "active": "w", "owed": owed})
        state.find_in_place({3: PieceRow(3, "tower", face, discs, 0, 0, 0, 0)})
        return state.shown["in_place"]

    assert in_place("temple", "w") == in_place("fourlang+german", "w") == [3]
    assert in_place("original", "w") == in_place("fourlang", "w") == in_place("scaled", "w") == []
    assert in_place("temple", "b") == []  # it must be lifted and turned over
    assert in_place("temple", "w", ids=(3, 4)) == []  # it touches another one
    assert in_place("temple", "w", discs=1) == []  # a disc that flipped


def test_a_mat_that_talks_nonsense_is_not_shown():
    scene = Scene()
    scene.apply_snap(
        [[1, "flat", "w", 1, 0, 0, 0, 0], [2, "flat"], "x", [3, {}, "w", 1, 0, 0, 0, 0], None]
    )
    assert list(scene.pieces) == [1]
    scene.apply_flight([[1, "flat", "w", 1, 0, 0, 0, 0], [4, "flat", "b", 1, 0, 0, 0, 0, "high"]])
    assert scene.flight == []


def packed(values):
    return base64.b64encode(np.asarray(values, "<u2").tobytes()).decode()


def test_the_field_is_what_the_bare_mat_does_not_show():
    view = FieldView(MAT)
    offsets = np.arange(MAT.n) % 7 * 30 + MAT.zero_count
    assert view.take(packed(offsets), bare=True)
    assert not view.take(packed(offsets[1:]), bare=True) and not view.take("?", bare=True)
    seen = offsets.copy()
    seen[5] += round(12.5 * MAT.counts_per_mt)  # up
    seen[9] -= round(3 * MAT.counts_per_mt)
    view.take(packed(seen), bare=False)
    field = np.frombuffer(base64.b64decode(view.field()), "<i2") * UNIT_UT
    assert abs(field[5] - 12500) < 20 and abs(field[9] + 3000) < 20
    assert np.count_nonzero(field) == 2


def test_broken_sensors_are_named():
    """The twin's own: four dead, two stuck; with the noise of real converters on the others."""
    played = GameSource(SimGame.from_url("sim://demo?seed=3&turns=1&nuisances=broken"))
    view = FieldView(played.mat)
    for k, (_, raw) in enumerate(played.frames()):
        if k % 20 == 0:
            view.take(packed(raw), bare=k < 50)
        if k == 800:
            break
    ill = view.ill()
    assert len(ill["railed"]) == 4 and len(ill["stuck"]) == 2
