"""The calibration of one mat: a file that the host writes and the mat stores.

    one line of JSON, ended by a line feed:
        {"format":"matcal","version":1,"mat":"standard","n":373,"date":"2026-11-20",
         "disc":[1012,34020,6010],"broken":[[17,"dead"]]}
    n x uint16       gains: a sensor's field is what its counts say, times gain / 32768 (Q15);
                     0 for a sensor without a signal
    CELLS x 2 int16  codes: for each 1/CELLS of full scale, how many 1/16 counts the input is above
                     the count at the cell's beginning and at its end
    uint32           CRC-32 of all before it

All little-endian. `disc` is of the disc that was shown to the mat: its moment over the one that the
mat's data assume (Q10), its diameter and its thickness in µm. `n` and the order of sensors are the
frame's. The mean gain is 1: what all sensors have in common is in the moment. The engine uses the
gains; the host corrects counts by the codes, in
polarity_host.device.calibration.measure.corrected.

Reading is needed once, when the mat starts: import this module then, and unload it.
"""

import json
from array import array
from binascii import a2b_base64, crc32
from struct import pack_into, unpack_from

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .mat_data.mat import Mat

FORMAT = "matcal"
VERSION = 1
ONE = 32768  # the gain of a sensor that is as it should be
LEAST_GAIN, MOST_GAIN = 24000, 45000  # beyond these a sensor is broken, and a field above 31 bits
CELLS = 32
MAX_HEADER_BYTES = 4096
MOST_BYTES = 8192
#: A disc's moment (Q10), diameter and thickness (µm) at most, and 1/32 of it at least.
MOST_DISC = (8192, 200_000, 60_000)
MOST_CODE = 4096  # 1/16 counts: no converter is that crooked


class CalibrationError(Exception):
    """A calibration that cannot be used on this mat. The message says why and what to do."""


class Calibration:
    """One mat's figures: `mat`, `n`, `date`, `disc`, `broken` as in the header, and `gains` and
    `codes`, array('H') and array('h')."""

    def __init__(
        self,
        mat: str,
        n: int,
        date: str,
        disc: "Sequence[int]",
        broken: "Sequence[Sequence[int | str]]",
        gains: "array[int]",
        codes: "array[int]",
    ) -> None:
        self.mat = mat
        self.n = n
        self.date = date
        self.disc = disc
        self.broken = broken
        self.gains = gains
        self.codes = codes


def write(calibration: Calibration) -> bytes:
    """The bytes of a Calibration. CalibrationError when `read` would refuse it."""
    head = {
        "format": FORMAT,
        "version": VERSION,
        "mat": calibration.mat,
        "n": calibration.n,
        "date": calibration.date,
        "disc": list(calibration.disc),
        "broken": [list(one) for one in calibration.broken],
    }
    data = bytearray(json.dumps(head).encode() + b"\n")
    for kind, values in (("H", calibration.gains), ("h", calibration.codes)):
        at = len(data)
        data.extend(bytes(2 * len(values)))
        for i in range(len(values)):
            pack_into("<" + kind, data, at + 2 * i, values[i])
    data.extend(bytes(4))
    pack_into("<I", data, len(data) - 4, crc32(bytes(data[:-4])) & 0xFFFFFFFF)
    data = bytes(data)
    read(data, calibration.mat, calibration.n)
    return data


def read(data: bytes, mat: str, n: int) -> Calibration:
    """The Calibration in `data` (bytes), if it is for the mat called `mat` of `n` sensors.

    CalibrationError says why it is not.
    """
    end = data.find(b"\n", 0, MAX_HEADER_BYTES)
    try:
        head = json.loads(data[:end]) if end > 0 else None
    except (ValueError, RuntimeError):  # UnicodeError is one as well; the latter: far too deep
        head = None
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        raise CalibrationError("is no calibration of a mat")
    version = head.get("version")
    if version != VERSION:
        raise CalibrationError(
            "has version %s, this program reads %d: calibrate again" % (version, VERSION)
        )
    size = head.get("n")
    if type(size) is not int or size < 0 or len(data) != end + 1 + 2 * size + 4 * CELLS + 4:
        raise CalibrationError("is damaged: it has not the length that it should have")
    if crc32(data[:-4]) & 0xFFFFFFFF != unpack_from("<I", data, len(data) - 4)[0]:
        raise CalibrationError("is damaged: its check sum is wrong")
    if head.get("mat") != mat or size != n:
        raise CalibrationError(
            "is of mat %s with %d sensors, not of %s with %d" % (head.get("mat"), size, mat, n)
        )
    gains = array("H", unpack_from("<%dH" % n, data, end + 1))
    codes = array("h", unpack_from("<%dh" % (2 * CELLS), data, end + 1 + 2 * n))
    for gain in gains:
        if gain and not LEAST_GAIN <= gain <= MOST_GAIN:
            raise CalibrationError("has a gain that no sensor has: calibrate again")
    for code in codes:
        if not -MOST_CODE <= code <= MOST_CODE:
            raise CalibrationError("has a code that no converter has: calibrate again")
    disc, broken = head.get("disc"), head.get("broken")
    date = head.get("date")
    if not isinstance(disc, list) or not _are_ints(disc, 3) or not isinstance(date, str):
        raise CalibrationError("is incomplete: calibrate again")
    for figure, most in zip(disc, MOST_DISC):
        if not most >> 5 <= figure <= most:
            raise CalibrationError("is of a disc that nobody has: calibrate again")
    if not isinstance(broken, list) or not _are_broken(broken, n):
        raise CalibrationError("has no list of broken sensors: calibrate again")
    return Calibration(mat, n, date, disc, broken, gains, codes)


class Upload:
    """A calibration as the host sends it: `take` the words of each `calibrate` command, in order.

    `calibration` is set, and `data` complete, once the last piece was taken.
    """

    def __init__(self, mat: "Mat") -> None:
        self.calibration: "Calibration | None" = None
        self._mat = mat
        self.data = bytearray()

    def take(self, words: "list[str]") -> str:
        """Takes [size of the whole, where this piece begins, the piece in base64]. Returns why it
        is refused, "" when it is not; after a refusal everything has to be sent again."""
        try:
            size, at, piece = int(words[0]), int(words[1]), a2b_base64(words[2])
        except (ValueError, IndexError):
            return "argument"
        if at != len(self.data) or not 0 < len(piece) <= size - at or size > MOST_BYTES:
            return "not what comes next: begin again"
        self.data.extend(piece)
        if len(self.data) == size:
            try:
                self.calibration = read(bytes(self.data), self._mat.MAT, self._mat.N)
            except CalibrationError as error:
                return "the calibration " + str(error)
        return ""


def _are_ints(values: list, count: int) -> bool:
    if len(values) != count:
        return False
    for value in values:
        if type(value) is not int:
            return False
    return True


def _are_broken(rows: list, n: int) -> bool:
    for row in rows:
        if not isinstance(row, list) or len(row) != 2:
            return False
        if type(row[0]) is not int or not 0 <= row[0] < n or not isinstance(row[1], str):
            return False
    return True
