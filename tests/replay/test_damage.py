"""Damaged recordings: what is whole is read, what is not is told, and no command breaks down."""

import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polarity_bench.damage import COMMANDS, KINDS, Change, failure, mutated, real_recording
from polarity_host.errors import DONE
from polarity_host.replay.recording import RecordingError, RecordingReader

SIZES = {1: 8 + 2 * 373, 2: 4 + 4 + 8 + 2 * 373 + 4}  # of a record of the standard mat, in bytes
TIME_AT = {1: 0, 2: 8}  # in a record


@pytest.fixture(scope="module", params=[1, 2], ids=["version 1", "version 2"])
def version(request):
    return request.param


@pytest.fixture(scope="module")
def recording(version, tmp_path_factory):
    return real_recording(tmp_path_factory.mktemp("recording") / "real.matrec", version)


@pytest.fixture(scope="module")
def damaged(recording):
    """Damages the recording: (frames that are read from it, as bytes; the reader)."""

    def build(*changes):
        path = recording.with_name("damaged.matrec")
        path.write_bytes(mutated(recording.read_bytes(), changes))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            reader = RecordingReader(path)
            return [(t_us, counts.tobytes()) for t_us, counts in reader], reader

    return build


def in_record(recording, version, number, offset):
    """The place of a byte of a record in the file."""
    return recording.read_bytes().index(b"\n") + 1 + number * SIZES[version] + offset


def change_strategy(size):
    places = st.integers(0, size - 1) | st.integers(0, 900)
    amounts = st.integers(1, 8) | st.integers(1, 3000)
    return st.builds(
        Change, st.sampled_from(KINDS), places, amounts, st.binary(min_size=1, max_size=8)
    )


@pytest.mark.parametrize(
    ("kind", "at", "amount", "lost"),
    [
        ("lose", 300, 1, 1),  # a byte of the counts
        ("insert", 300, 1, 1),
        ("lose", 300, 2500, 4),
        ("flip", "time", 7, 1),
        ("flip", "time high", 3, 1),
        ("flip", "count", 7, 1),  # beyond full scale
    ],
)
def test_what_is_damaged_is_skipped_and_told(recording, version, damaged, kind, at, amount, lost):
    offset = {
        "time": TIME_AT[version] + 2, "time high": TIME_AT[version] + 5,
        "count": TIME_AT[version] + 8 + 101,
    }.get(at, at)  # fmt: skip
    place = in_record(recording, version, 50, offset)
    whole, _ = damaged()
    read, reader = damaged(Change(kind, place, amount, b"\xee"))
    assert set(read) <= set(whole) and len(read) == len(whole) - lost
    (damage,) = reader.damage
    assert damage.first <= place < damage.first + 4 * SIZES[version]
    assert damage.t_us == whole[49][0]
    assert damage.frames == (lost if version == 2 else None)


def test_every_flipped_bit_of_version_2_is_noticed(recording, version, damaged):
    if version == 1:
        pytest.skip("version 1 has no checksum")
    whole, _ = damaged()
    for offset in range(0, SIZES[2], 7):
        place = in_record(recording, 2, 20, offset)
        read, reader = damaged(Change("flip", place, offset, b""))
        assert read == whole[:20] + whole[21:] and len(reader.damage) == 1


def test_the_index_tells_what_is_missing_at_the_end(recording, version, damaged):
    if version == 1:
        pytest.skip("version 1 has no index")
    place = in_record(recording, 2, 147, 0)
    _, reader = damaged(Change("lose", place, 3 * SIZES[2], b""))
    assert [damage.frames for damage in reader.damage] == [3]


def test_a_sensor_that_is_broken_itself_is_no_damage(recording, version, damaged):
    if version == 2:
        pytest.skip("version 2 goes by the checksum")
    changes = [
        Change("overwrite", in_record(recording, 1, number, 8 + 100), 1, b"\xff\xff")
        for number in range(150)
    ]
    read, reader = damaged(*changes)
    assert len(read) == 150 and not reader.damage


@pytest.mark.parametrize("header", [b"[" * 3000, b'{"format": ' + b"[" * 3000])
def test_a_header_that_is_far_too_deep_is_refused_in_a_line(header, tmp_path):
    path = tmp_path / "deep.matrec"
    path.write_bytes(header)
    assert [failure([*command, str(path)]) for command in COMMANDS] == [""] * len(COMMANDS)


def test_replay_tells_the_place(recording, version, polarity):
    path = recording.with_name("told.matrec")
    flip = Change("flip", in_record(recording, version, 50, TIME_AT[version] + 5), 3, b"")
    path.write_bytes(mutated(recording.read_bytes(), [flip]))
    code, _, err = polarity("replay", path)
    assert code == DONE and err.count("\n") == 1
    assert err.startswith(f"{path} is damaged after 0.490 s, bytes ")


@given(st.data())
@settings(max_examples=150)
def test_version_2_gives_no_frame_that_was_not_recorded(recording, version, damaged, data):
    size = recording.stat().st_size
    changes = data.draw(st.lists(change_strategy(size), min_size=1, max_size=4))
    try:
        read, _ = damaged(*changes)
    except RecordingError as error:
        assert "\n" not in str(error)
        return
    times = [t_us for t_us, _ in read]
    assert times == sorted(times)
    if version == 2:
        whole, _ = damaged()
        assert set(read) <= set(whole)


@given(st.data())
@settings(max_examples=40)
def test_every_command_answers(recording, version, data):
    size = recording.stat().st_size
    changes = data.draw(st.lists(change_strategy(size), min_size=1, max_size=4))
    path = recording.with_name("any.matrec")
    path.write_bytes(mutated(recording.read_bytes(), changes))
    assert failure([*data.draw(st.sampled_from(COMMANDS)), str(path)]) == ""
