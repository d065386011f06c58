"""The file of a calibration: what was written is read, and nothing else is taken for it."""

import json
import struct
import zlib

import pytest

from polarity import mat_data
from polarity.calibration import CELLS, Calibration, CalibrationError, Upload, read, write

MAT = mat_data.load("small")
GAINS = [32768 + 7 * i for i in range(MAT.N - 1)] + [0]
CODES = [3 * i - 90 for i in range(2 * CELLS)]


def calibration(**changes):
    fields = {
        "mat": MAT.MAT, "n": MAT.N, "date": "2026-11-20", "disc": [1010, 22050, 3980],
        "broken": [[MAT.N - 1, "dead"]], "gains": GAINS, "codes": CODES,
    }  # fmt: skip
    return Calibration(**{**fields, **changes})


def signed(header, body):
    """A file with a good check sum, whatever is in it."""
    data = json.dumps(header).encode() + b"\n" + body
    return data + struct.pack("<I", zlib.crc32(data))


def test_what_is_written_is_read():
    back = read(write(calibration()), MAT.MAT, MAT.N)
    assert list(back.gains) == GAINS and list(back.codes) == CODES
    assert (back.date, back.disc) == ("2026-11-20", [1010, 22050, 3980])
    assert back.broken == [[MAT.N - 1, "dead"]]


def test_every_damaged_byte_is_noticed():
    data = write(calibration())
    for at in range(len(data)):
        broken = data[:at] + bytes([data[at] ^ 0x10]) + data[at + 1 :]
        with pytest.raises(CalibrationError):
            read(broken, MAT.MAT, MAT.N)
    for size in range(len(data)):
        with pytest.raises(CalibrationError):
            read(data[:size], MAT.MAT, MAT.N)


@pytest.mark.parametrize(
    ("header", "why"),
    [
        ({"mat": "standard"}, "is of mat standard"),
        ({"version": 2}, "has version 2"),
        ({"format": "matrec"}, "is no calibration"),
        ({"n": 373}, "is damaged"),
        ({"n": "many"}, "is damaged"),
        ({"disc": [1, 2]}, "is incomplete"),
        ({"disc": [True, 22050, 3980]}, "is incomplete"),
        ({"disc": [0, 22050, 3980]}, "is of a disc that nobody has"),
        ({"disc": [1010, 22050, 2**40]}, "is of a disc that nobody has"),
        ({"date": 2026}, "is incomplete"),
        ({"n": True}, "is damaged"),
        ({"broken": [[1]]}, "broken sensors"),
        ({"broken": [[MAT.N, "dead"]]}, "broken sensors"),
        ({"broken": [["3", "dead"]]}, "broken sensors"),
    ],
)
def test_another_mat_or_version_is_refused_with_the_reason(header, why):
    usual = {"format": "matcal", "version": 1, "mat": MAT.MAT, "n": MAT.N, "date": "",
             "disc": [1010, 22050, 3980], "broken": []}  # fmt: skip
    body = struct.pack(f"<{MAT.N}H", *GAINS) + struct.pack(f"<{2 * CELLS}h", *CODES)
    assert read(signed(usual, body), MAT.MAT, MAT.N)
    with pytest.raises(CalibrationError, match=why):
        read(signed({**usual, **header}, body), MAT.MAT, MAT.N)


@pytest.mark.parametrize("odd", [{"gains": [100, *GAINS[1:]]}, {"codes": [9999, *CODES[1:]]}])
def test_what_no_sensor_and_no_converter_does_is_refused(odd):
    with pytest.raises(CalibrationError, match="calibrate again"):
        write(calibration(**odd))


def test_it_comes_over_the_wire_in_pieces(pieces_of):
    data = write(calibration())
    upload = Upload(MAT)
    assert [upload.take(words) for words in pieces_of(data)] == [""] * len(pieces_of(data))
    assert list(upload.calibration.gains) == GAINS
    assert bytes(upload.data) == data


def test_pieces_that_do_not_follow_are_refused(pieces_of):
    first, second, third, *_ = pieces_of(write(calibration()))
    upload = Upload(MAT)
    assert not upload.take(first)
    assert upload.take(third) and upload.take(first)
    assert upload.take(["x", "0", "AAAA"]) == "argument" and upload.take(second[:2]) == "argument"
    assert not upload.take(second)


def test_a_calibration_of_another_mat_is_refused_over_the_wire(pieces_of):
    *others, last = pieces_of(write(calibration(mat="standard")))
    upload = Upload(MAT)
    assert not any(upload.take(words) for words in others)
    assert "is of mat standard" in upload.take(last)


@pytest.fixture
def pieces_of():
    from base64 import b64encode

    def pieces(data, size=39):
        return [
            [str(len(data)), str(at), b64encode(data[at : at + size]).decode()]
            for at in range(0, len(data), size)
        ]

    return pieces
