"""One engine, one recording, two Pythons: every byte on the wire is the same."""

import json
import random

import pytest

from polarity_bench import runtimes
from polarity_host.mats.description import load_mat
from polarity_host.replay.recording import RecordingWriter
from polarity_host.simulation.twin.stage import Stage


def a_few_turns(stage):
    """The red disc, a flat disc of either colour, a leaner that falls, a kiss and a lift."""
    yield from stage.rest(0.6)
    yield from stage.place_red()
    for face, xy in ((+1, (-60, -30)), (-1, (55, 40)), (+1, (-8, 72))):
        disc = stage.new_disc(face)
        yield from stage.carry_in(disc, xy)
        yield from stage.set_flat(disc, xy)
        yield from stage.rest(0.3)
    leaner = stage.new_disc(-1)
    yield from stage.carry_in(leaner, (0, -60))
    yield from stage.set_leaner(leaner, (0, -60), azimuth_deg=-90, tilt_deg=40)
    yield from stage.rest(0.4)
    yield from stage.fall(leaner)
    yield from stage.rest(0.3)
    yield from stage.snap_kiss(leaner, stage.resting()[0], share=0.5)
    yield from stage.rest(0.4)
    yield from stage.lift(disc)
    yield from stage.carry_out(disc)
    yield from stage.rest(0.3)


def played(mat):
    stage = Stage(mat, seed=7)
    return stage.stream(a_few_turns(stage))


def noise(mat):
    """The bare mat, then what no disc makes: frames of rubbish, blobs that come and go anywhere,
    time that stands still or leaps."""
    draw = random.Random(11)
    full_scale = 2**mat.bits - 1
    t_us, blob = 0, {}
    for number in range(220):
        wild = number >= 60
        t_us += draw.choice((0, 10_000, 10_000, 70_000)) if wild else 10_000
        if wild and number % 25 == 0:
            first, size = draw.randrange(mat.n), draw.randint(1, 12)
            swing = draw.choice((200, 3000, full_scale))
            blob = {i % mat.n: draw.randint(-swing, swing) for i in range(first, first + size)}
        if wild and draw.random() < 0.05:
            counts = [draw.choice((0, full_scale)) for _ in range(mat.n)]
        else:
            counts = [
                min(max(round(draw.gauss(mat.zero_count, 8)) + blob.get(i, 0), 0), full_scale)
                for i in range(mat.n)
            ]
        yield t_us, counts


@pytest.fixture(scope="module", params=["standard", "small"])
def mat(request):
    return load_mat(request.param)


@pytest.mark.parametrize("frames", [played, noise], ids=lambda frames: frames.__name__)
def test_both_runtimes_say_the_same(mat, frames, tmp_path):
    path = tmp_path / "game.matrec.gz"
    # version 1: in version 2, time does not stand still
    with RecordingWriter(path, mat.id, mat.n, edition="temple", seed=7, version=1) as recording:
        for t_us, counts in frames(mat):
            recording.write(t_us, counts)

    cpython = runtimes.under_cpython(path)
    micropython = runtimes.under_micropython(path, locked=True)

    assert "MicroPython v1.29" in micropython.report["version"]
    assert cpython.report["frames"] == micropython.report["frames"] == recording.frames
    assert micropython.wire.splitlines() == cpython.wire.splitlines()
    assert micropython.wire == cpython.wire
    kinds = {json.loads(line.split(b" ", 1)[1])["k"] for line in cpython.wire.splitlines() if line}
    assert {"hello", "ack", "snap", "frame"} <= kinds
    if frames is played:
        assert "fact" in kinds


def test_an_error_under_either_runtime_is_told(tmp_path):
    path = tmp_path / "game.matrec"
    RecordingWriter(path, "no such mat", 3, edition="temple").close()
    for run in (runtimes.under_cpython, runtimes.under_micropython):
        with pytest.raises(runtimes.RunFailed, match="ValueError: no mat called no such mat"):
            run(path)


def test_what_is_missing_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(runtimes, "MICROPYTHON", tmp_path / "absent")
    with pytest.raises(runtimes.RuntimeMissing, match="npm ci"):
        runtimes.under_micropython(tmp_path / "game.matrec")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(runtimes.RuntimeMissing, match="Node 20"):
        runtimes.under_micropython(tmp_path / "game.matrec")
