"""The recording format, byte by byte, and everything that can be wrong with a file."""

import gzip
import json
import resource
import struct
import warnings
import zlib

import numpy as np
import pytest

from polarity_host.mats.description import load_mat
from polarity_host.replay.recording import (
    RecordingError,
    RecordingReader,
    RecordingWriter,
    TornRecordingWarning,
)
from polarity_host.replay.truth import TruthWriter, read_truth, truth_path
from polarity_host.simulation.twin.record import recorded

N = 5


def write(path, frames=3, version=2):
    with RecordingWriter(path, "tiny", N, edition="temple", seed=7, version=version) as writer:
        for i in range(frames):
            writer.write(1_000_000 * i, [i, i + 1, i + 2, 4095, 65535])
    return path


def refused(path, **options):
    with pytest.raises(RecordingError) as error:
        for _ in RecordingReader(path, **options):
            pass
    message = str(error.value)
    assert str(path) in message and "\n" not in message
    return message


def raw(path, header, body=b""):
    path.write_bytes(json.dumps(header).encode() + b"\n" + body)
    return path


def test_the_bytes_of_version_1_are_the_contract(tmp_path):
    data = write(tmp_path / "a.matrec", version=1).read_bytes()
    line, body = data.split(b"\n", 1)
    assert json.loads(line) == {
        "format": "matrec", "version": 1, "mat": "tiny", "n": N, "edition": "temple", "seed": 7,
    }  # fmt: skip
    record_1 = struct.pack("<Q5H", 1_000_000, 1, 2, 3, 4095, 65535)
    assert len(body) == 3 * 18 and body[18:36] == record_1


def test_the_bytes_of_version_2(tmp_path):
    data = write(tmp_path / "a.matrec").read_bytes()
    line, body = data.split(b"\n", 1)
    check = line[-10:-2]
    plain = b'{"format":"matrec","version":2,"mat":"tiny","n":5,"edition":"temple","seed":7}'
    assert json.loads(line) == {**json.loads(plain), "check": check.decode()}
    assert int(check, 16) == zlib.crc32(plain)
    record_1 = struct.pack("<IQ5H", 1, 1_000_000, 1, 2, 3, 4095, 65535)
    assert body[34:60] == struct.pack("<22sI", record_1, zlib.crc32(record_1))
    index = struct.pack("<IIIQQ", 3, 1, 0, 0, len(line) + 1)
    end = struct.pack("<4s28sII", b"\xa5MX\x5a", index, zlib.crc32(index), 40)
    assert body[:4] == body[30:34] == b"\xa5MR\x5a" and body[3 * 30 :] == end


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("name", ["a.matrec", "a.matrec.gz"])
def test_what_was_written_is_read(tmp_path, name, version):
    path = write(tmp_path / name, frames=700, version=version)
    assert (path.read_bytes()[:2] == b"\x1f\x8b") == name.endswith(".gz")
    with RecordingReader(path) as reader:
        frames = list(reader)
        assert (reader.mat_id, reader.n, reader.edition, reader.seed) == ("tiny", N, "temple", 7)
    assert [t_us for t_us, _ in frames] == [1_000_000 * i for i in range(700)]
    assert frames[300][1].tolist() == [300, 301, 302, 4095, 65535]
    assert frames[0][1].dtype == np.uint16


@pytest.mark.parametrize("cut", [1, 9, 17])
def test_a_torn_last_record_is_dropped_with_a_warning(tmp_path, cut):
    path = write(tmp_path / "a.matrec", version=1)
    path.write_bytes(path.read_bytes()[:-cut])
    with pytest.warns(TornRecordingWarning, match="dropped"):
        assert len(list(RecordingReader(path))) == 2


def test_a_torn_gzip_keeps_what_is_whole(tmp_path):
    path = write(tmp_path / "a.matrec.gz", frames=500)
    path.write_bytes(path.read_bytes()[:-60])
    with pytest.warns(TornRecordingWarning):
        assert 100 <= len(list(RecordingReader(path))) <= 500


def test_a_zipped_recording_has_differences_as_its_page_says(tmp_path):
    """Read without the reader, by host_tools/RECORDING.md."""
    path = write(tmp_path / "a.matrec.gz", frames=250)
    line, _, body = gzip.decompress(path.read_bytes()).partition(b"\n")
    assert json.loads(line)["counts"] == "differences"
    size, read = 4 + 12 + 2 * N + 4, []
    for number in range(250):
        record = body[size * number : size * (number + 1)]
        assert record[4:8] == struct.pack("<I", number)
        assert zlib.crc32(record[4:-4]) == struct.unpack("<I", record[-4:])[0]
        before = [0] * N if number % 100 == 0 else read[-1]
        codes = [low | high << 8 for low, high in zip(record[16 : 16 + N], record[16 + N : -4])]
        steps = [code // 2 if code % 2 == 0 else -(code + 1) // 2 for code in codes]
        read.append([(one + step) % 65536 for one, step in zip(before, steps)])
    assert read == [counts.tolist() for _, counts in RecordingReader(path)]
    assert read[1] == [1, 2, 3, 4095, 65535]


@pytest.mark.filterwarnings("ignore::polarity_host.replay.recording.TornRecordingWarning")
def test_damage_of_a_zipped_recording_costs_little(tmp_path):
    path, counts = tmp_path / "a.matrec.gz", np.random.default_rng(1).integers(0, 4096, (1000, N))
    with RecordingWriter(path, "tiny", N) as writer:
        for number, frame in enumerate(counts):
            writer.write(number, frame)
    data = path.read_bytes()
    for place in range(len(data) // 3, 2 * len(data) // 3, 97):
        path.write_bytes(data[:place] + data[place + 3 :])
        with RecordingReader(path) as reader:
            read = {t_us: frame.tolist() for t_us, frame in reader}
        assert len(read) >= 700 and len(reader.damage) == 1
        assert all(frame == counts[t_us].tolist() for t_us, frame in read.items())


def test_noise_is_all_that_a_zipped_recording_has_to_hold(tmp_path):
    draw = np.random.default_rng(1)
    with RecordingWriter(tmp_path / "a.matrec.gz", "standard", 373) as writer:
        level = draw.integers(1000, 3000, 373)
        for number in range(500):
            writer.write(number, level + np.rint(draw.normal(0, 6, 373)).astype(int))
    # A difference of two counts has sqrt(2) times their noise: log2(sqrt(2 pi e) rms) bits.
    bits = np.log2(np.sqrt(2 * np.pi * np.e) * 6 * np.sqrt(2))
    least = 500 * 373 * bits / 8
    assert least < writer.path.stat().st_size < 1.25 * least


def test_a_header_alone_is_a_recording_of_nothing(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with RecordingReader(write(tmp_path / "a.matrec", frames=0)) as reader:
            assert list(reader) == []


def test_refused_files_say_what_to_do(tmp_path):
    good = {"format": "matrec", "version": 1, "mat": "tiny", "n": N}
    empty = tmp_path / "empty.matrec"
    empty.touch()
    assert "is empty" in refused(empty)
    assert "No such file" in refused(tmp_path / "none.matrec")
    assert "update" in refused(raw(tmp_path / "new.matrec", {**good, "version": 3}))
    assert "damaged" in refused(raw(tmp_path / "head.matrec", {**good, "version": 2}))
    noise = tmp_path / "noise.matrec"
    noise.write_bytes(np.random.default_rng(1).bytes(9000))
    assert "no recording" in refused(noise)
    for i, bad in enumerate(({"n": 0}, {"n": "5"}, {"mat": 3}, {"version": None}, {"format": 1})):
        assert "no recording" in refused(raw(tmp_path / f"{i}.matrec", {**good, **bad}))
    zipped = tmp_path / "z.matrec.gz"
    zipped.write_bytes(gzip.compress(b"x" * 5000)[:20])
    assert "damaged" in refused(zipped)
    assert "directory" in refused(tmp_path)


def test_another_mats_recording_is_refused(tmp_path):
    message = refused(write(tmp_path / "a.matrec"), mat=load_mat("small"))
    assert "'tiny' with 5 sensors" in message


def test_an_existing_recording_is_not_overwritten(tmp_path):
    path = write(tmp_path / "a.matrec")
    with pytest.raises(RecordingError, match="exists already"):
        RecordingWriter(path, "tiny", N)
    with pytest.raises(RecordingError, match="cannot write"):
        RecordingWriter(tmp_path / "none" / "a.matrec", "tiny", N)


def test_a_frame_of_the_wrong_width_is_a_mistake_of_the_caller(tmp_path):
    with RecordingWriter(tmp_path / "a.matrec", "tiny", N) as writer:
        with pytest.raises(ValueError, match="5 counts"):
            writer.write(0, [1, 2])


@pytest.mark.parametrize("name", ["a.matrec", "a.matrec.gz"])
def test_a_full_disk_is_one_error_and_keeps_what_was_good(tmp_path, name):
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    counts = np.random.default_rng(1).integers(0, 65536, N)
    path = tmp_path / name
    writer = RecordingWriter(path, "tiny", N)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, before[1]))
    try:
        with pytest.raises(RecordingError, match="what was written before is kept"):
            for t_us in range(10_000):
                writer.write(t_us, counts)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    with pytest.raises(RecordingError, match="closed"):
        writer.write(0, counts)
    writer.close()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TornRecordingWarning)
        times = [t_us for t_us, _ in RecordingReader(path)]
    assert times == list(range(len(times))) and len(times) >= 500


class TwoFrames:
    """A game of two frames; its truth is in order only once they are over or closed."""

    mat, edition, seed = load_mat("small"), "scaled", 1

    def __init__(self):
        self.truth = []

    def frames(self):
        try:
            for t_us in (0, 10_000):
                self.truth.append({"k": "fact", "t_us": -t_us})
                yield t_us, [t_us] * self.mat.n
        finally:
            self.truth.sort(key=lambda fact: fact["t_us"])


def test_truth_lies_beside_the_recording(tmp_path):
    assert truth_path("x/game.matrec.gz").name == "game.truth.jsonl"
    game, path = TwoFrames(), tmp_path / "game.matrec"
    times = [t_us for t_us, _ in recorded(game, path)]
    with RecordingReader(path, mat=game.mat) as reader:
        assert [t_us for t_us, _ in reader] == times == [0, 10_000]
        assert (reader.edition, reader.seed) == ("scaled", 1)
    assert [fact["t_us"] for fact in read_truth(truth_path(path))] == [-10_000, 0]


def test_a_game_broken_off_keeps_its_frames_and_truth(tmp_path):
    path = tmp_path / "game.matrec.gz"
    frames = recorded(TwoFrames(), path)
    next(frames)
    frames.close()
    assert [t_us for t_us, _ in RecordingReader(path)] == [0]
    assert read_truth(truth_path(path)) == [{"k": "fact", "t_us": 0}]


def test_a_full_disk_leaves_the_truth_so_far(tmp_path, monkeypatch):
    def full(*_):
        raise RecordingError("no space")

    path = tmp_path / "game.matrec"
    monkeypatch.setattr(RecordingWriter, "write", full)
    with pytest.raises(RecordingError, match="no space"):
        list(recorded(TwoFrames(), path))
    assert len(read_truth(truth_path(path))) == 1


def test_no_truth_is_overwritten(tmp_path):
    path = tmp_path / "game.matrec"
    truth_path(path).write_text("")
    with pytest.raises(RecordingError, match="truth.jsonl exists already"):
        list(recorded(TwoFrames(), path))
    assert not path.exists()


def test_bad_truth_files(tmp_path):
    path = tmp_path / "a.truth.jsonl"
    with TruthWriter(path) as truth:
        truth.write({"k": "fact"})
    with pytest.raises(RecordingError, match="exists already"):
        TruthWriter(path)
    path.write_text('{"k": "fact"}\n{"k": \n')
    with pytest.raises(RecordingError, match="line 2"):
        read_truth(path)
    with pytest.raises(RecordingError, match="No such file"):
        read_truth(tmp_path / "none")
