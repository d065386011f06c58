import json

import pytest

from polarity_host.errors import BAD_INPUT, DONE
from tests.recordings import recording_bytes

pytestmark = pytest.mark.usefixtures("fake_engine")


@pytest.fixture
def recording(tmp_path):
    def write(data):
        path = tmp_path / "game.matrec"
        path.write_bytes(data)
        return path

    return write


@pytest.mark.parametrize("zipped", [False, True])
def test_json_lines_are_facts_rulings_and_the_final_position(polarity, recording, zipped):
    code, out, err = polarity("replay", recording(recording_bytes(zipped=zipped)), "--json")
    lines = [json.loads(line) for line in out.splitlines()]
    assert (code, err) == (DONE, "")
    assert [line["k"] for line in lines[:-1]].count("fact") == 100
    assert {line["k"] for line in lines[:-1]} == {"fact", "ruling"}
    assert lines[0]["t_us"] == 1_000_000 and lines[1]["t_us"] == 1_010_000
    assert [line["t_us"] for line in lines] == sorted(line["t_us"] for line in lines)
    assert (lines[0]["x"], lines[0]["y"], lines[0]["d"]) == (1234, -5, 0)
    assert (lines[0]["x_mm"], lines[0]["y_mm"], lines[0]["d_mm"]) == (12.34, -0.05, 0.0)
    pieces = lines[-1].pop("pieces")
    assert lines[-1] == {
        "k": "final", "t_us": 2_490_000, "reserves": [20, 19], "score": [4, 7],
        "outcome": ["touched_red", "b"],
    }  # fmt: skip
    assert [piece["kind"] for piece in pieces] == ["foundation", "leaner", "tower", "red"]
    assert pieces[1] == {
        "id": 2, "kind": "leaner", "face": "b", "discs": 1, "x_mm": -100.01, "y_mm": 0.07,
        "tilt_deg": 43, "azimuth_deg": -90,
    }  # fmt: skip


def test_in_words_it_ends_with_the_result(polarity, recording):
    code, out, _ = polarity("replay", recording(recording_bytes()))
    assert code == DONE
    assert "Black's fault: discs 1 and 2 touch. To capture, by White: discs 1 and 2." in out
    assert out.splitlines()[-1] == "150 frames judged. Black wins."
    assert "\x1b" not in out


def test_a_torn_end_is_dropped_and_said(polarity, recording):
    code, out, err = polarity("replay", recording(recording_bytes()[:-5]), "--json")
    assert code == DONE and json.loads(out.splitlines()[-1])["k"] == "final"
    assert err.count("\n") == 1 and "torn" in err


def test_a_torn_gzip_keeps_what_was_whole(polarity, recording):
    whole = recording_bytes(frames=2000, zipped=True)
    code, _, err = polarity("replay", recording(whole[: len(whole) // 2]), "--json")
    assert code == DONE and "torn" in err


@pytest.mark.parametrize(
    "data, words",
    [
        (b"", "is empty"),
        (b"\x1f\x8b", "is damaged"),
        (b"hello\n", "no recording"),
        (bytes(range(256)) * 50, "no recording"),
        (recording_bytes(version=3), "version 3"),
        (recording_bytes(mat="other"), "of another mat"),
        (recording_bytes(n=100), "100 counts a frame"),
        (recording_bytes(frames=0), "no frames"),
        (recording_bytes(frames=1)[:-1], "no frames"),
    ],
    ids="empty gzip-head text noise newer other-mat other-size no-frames only-torn".split(),
)
def test_what_is_no_recording_of_this_mat(polarity, recording, data, words):
    code, out, err = polarity("replay", recording(data))
    assert code == BAD_INPUT and out == ""
    assert err.count("\n") == 1 and words in err


def test_a_file_that_is_not_there(polarity, tmp_path):
    for path in (tmp_path / "nothing.matrec", tmp_path):
        code, _, err = polarity("replay", path)
        assert code == BAD_INPUT and err.count("\n") == 1 and "cannot read" in err
