"""Judging at the chip's pace: what waits, what is lost, and that it is seldom wrong even so."""

import json
import re
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from polarity.perception.memory import recall
from polarity_bench.chip_loop import scene
from polarity_host.device.flashing.compiled import FIRMWARE
from polarity_host.mats.description import load_mat
from polarity_host.replay.engine import build_engine, raw_counts
from polarity_host.replay.pace import WAITING, Pace, PacedEngine
from polarity_host.simulation.twin.stage import Stage
from tests.perception.actions import SETTLED_S, lay
from tests.recordings import recording_bytes


class Engine:
    """Notes the frames that it gets; two bodies are in flight from `flies_ms` on."""

    def __init__(self, flies_ms=10**9):
        search = SimpleNamespace(guesses=0, searches=0)
        solver = SimpleNamespace(work_us=0)
        tracker = SimpleNamespace(scene=SimpleNamespace(flying=[], search=search, solver=solver))
        self.game = SimpleNamespace(tracker=tracker, moving=lambda: bool(tracker.scene.flying))
        self.outbox = SimpleNamespace(last=0)
        self.flies_ms, self.judged = flies_ms, []

    def frame(self, t_ms, counts, lost, waiting):
        self.judged.append(t_ms)
        self.game.tracker.scene.flying = [1, 2] if t_ms >= self.flies_ms else []


def judged_at(pace, frames, **options):
    engine = Engine(**options)
    paced = PacedEngine(engine, pace)
    for k in range(frames):
        paced.frame(10 * k, None)
    paced.finish()
    return engine.judged, paced


def test_a_chip_that_is_done_in_time_sees_every_frame():
    judged, paced = judged_at(Pace((9.0,)), 100)
    assert judged == [10 * k for k in range(100)]
    assert paced.lost == 0 and max(paced.behind) == 0


@pytest.mark.parametrize("flies_ms", [0, 10**9])
def test_what_comes_meanwhile_waits_and_is_judged_in_order(flies_ms):
    """Five frames of 25 ms take as long as twelve of them: by then seven more have come."""
    judged, paced = judged_at(Pace((25.0,)), 5, flies_ms=flies_ms)
    assert judged == [0, 10, 20, 30, 40]
    assert paced.lost == 0


def test_a_chip_that_is_kept_for_half_a_second_loses_only_what_cannot_wait():
    """For 485 ms it judges one frame, and 35 can wait."""
    judged, paced = judged_at(Pace((1.0, 1.0, 485.0)), 50, flies_ms=0)
    assert judged == [*range(0, 360, 10), 490]
    assert paced.lost == 13


def test_as_many_frames_wait_as_in_the_driver():
    text = (FIRMWARE / "drivers" / "hall_grid.py").read_text(encoding="utf-8")
    assert re.findall(r"^WAITING = (\d+)", text, re.M) == [str(WAITING)]


def test_a_chip_that_is_always_late_sees_what_it_has_time_for():
    """With 25 ms for a frame that is two in five; what it sees is 350 ms old at most."""
    judged, paced = judged_at(Pace((25.0,)), 500)
    assert judged == sorted(judged)
    assert 230 <= len(judged) <= 245 and paced.lost == 500 - len(judged)
    assert max(paced.behind) == WAITING - 1


def test_the_work_of_a_frame_adds_up():
    pace = Pace((1.0, 2.0, 4.0), 1.5, guess_ms=0.5, search_ms=8.0, message_ms=3.0, turn_ms=0.25)
    assert pace.ms(0, 0, 0, 0) == 1.25
    assert pace.ms(0, 0, 0, 0, fits_us=2000) == 4.25
    assert pace.ms(1, 4, 1, 2) == 2.0 + 2.0 + 8.0 + 6.0 + 0.25
    assert pace.ms(5, 0, 0, 0) == 4.25  # more bodies than it lists: as the most
    assert pace.times(2).ms(1, 4, 1, 2) == 2 * pace.ms(1, 4, 1, 2)


def test_the_words_of_pace():
    chip = Pace.of("chip")
    assert len(chip.frame_ms) > 3 and list(chip.frame_ms) == sorted(chip.frame_ms)
    assert Pace.of("2x") == chip.times(2)
    assert Pace.of("6,29").frame_ms == (6.0, 6.0, 29.0)
    for wrong in ("", "fast", "x", "0x", "-1,2", "3", "1,2,3", "nan,1"):
        with pytest.raises(ValueError):
            Pace.of(wrong)


@pytest.mark.usefixtures("fake_engine")
def test_a_wrong_pace_is_one_line(polarity, tmp_path):
    path = tmp_path / "game.matrec"
    path.write_bytes(recording_bytes())
    code, _, err = polarity("replay", path, "--pace", "fast")
    assert code == 2 and err.count("\n") == 1 and "--pace" in err


def test_a_game_at_the_chips_pace_is_told_right():
    game = "bench facts --seeds 101 --turns 8 --jobs 1 --json --pace chip".split()
    command = [sys.executable, "-m", "polarity_host.cli", *game]
    told = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    assert told["facts"] > 40
    assert told["missed"] <= 1 and told["invented"] <= 1, told["details"]


def test_a_hand_that_waits_over_a_tower_costs_no_frame():
    """To find out whether it is one takes several frames' time, in which it may let go."""
    mat = load_mat("standard")
    stage, lost = Stage(mat, 1), []
    engine = build_engine(mat.id, "temple", 1)
    paced = PacedEngine(engine, Pace.of("chip"))

    def script():
        yield from stage.rest(0.5)
        yield from lay(stage, 1, (0.0, 0.0))  # the red one
        stage.appear(1, (60.0, 20.0), 4)
        yield from stage.rest(1.0)
        disc = stage.new_disc(-1)
        yield from stage.carry_in(disc, (80.0, 60.0), height_mm=45.0)
        lost.append(paced.lost)
        yield from stage.rest(1.4)
        lost.append(paced.lost)
        yield from stage.set_flat(disc, (110.0, 90.0))
        yield from stage.rest(SETTLED_S)

    for t_us, counts in stage.stream(script()):
        paced.frame(t_us // 1000, raw_counts(counts))
    assert lost[0] == lost[1], lost


def test_a_snap_is_told_soon_at_the_chips_pace():
    """As in `polarity bench device`, among forty discs, with the times for a frame that it
    measured: what only felt the snap is not tried as a part of it, and a pair is tried once."""
    mat, soon_ms = load_mat("standard"), []
    chapters, pieces, snapped_at = scene(mat)
    lying = [counts for _, counts in chapters["lying"]]
    noise = np.random.default_rng(0)
    for trial in range(8):
        engine = build_engine(mat.id, "temple", 1)
        paced = PacedEngine(engine, Pace.measured())
        frames = [counts for _, counts in chapters["bare"]] + lying * 10
        hand = [counts for _, counts in chapters["hand"][: snapped_at + 30]][trial % 7 :]
        for number, counts in enumerate(frames + hand):
            if number == len(chapters["bare"]):
                recall(engine.game.tracker, pieces, raw_counts(lying[-1]))
            shown = (counts + noise.integers(-3, 4, len(counts))).astype("<u2")
            paced.frame(10 * number, raw_counts(shown))
            if b'"snapped"' in engine.read(4096):
                soon_ms.append(10 * (number - len(frames + hand) + 30))
    assert len(soon_ms) == 8
    assert sum(soon_ms) / 8 < 50.0, soon_ms
