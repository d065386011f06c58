"""A calibration sent to an engine, whole and torn; prints what it answers and then measures by.
Runs on CPython and MicroPython."""

from array import array
from binascii import b2a_base64, crc32
from struct import pack

from polarity import mat_data
from polarity.calibration import CELLS, CalibrationError, read, write
from polarity.engine import Engine

mat = mat_data.load("small")
disc = '"disc":[1010,22050,3980],"broken":[]}\n'
head = '{"format":"matcal","version":%d,"mat":"%s","n":%d,"date":"",' + disc


def made(version=1, name="small", n=mat.N):
    data = (head % (version, name, n)).encode()
    for i in range(n):
        data += pack("<H", 32000 + 13 * i if i else 0)
    data += bytes(4 * CELLS)
    return data + pack("<I", crc32(data) & 0xFFFFFFFF)


good = made()
for data in (good, good[:-1], good[:100] + b"?" + good[101:], made(2), made(1, "standard", 373),
             made(1, "other"), b"", b"\n", b"{}\n", b"[1]\n", b"\xff\xfe\n"):  # fmt: skip
    try:
        print(list(read(data, mat.MAT, mat.N).gains)[:5])
    except CalibrationError as error:
        print(error)
print(list(read(write(read(good, mat.MAT, mat.N)), mat.MAT, mat.N).gains)[-5:])

engine = Engine(mat, "scaled", 7)
before = engine.game.tracker.scene.field.gain[5]
for line in ("x 0 AAAA", "9 0 !", "1 2", "20000 0 AAAA"):
    engine.command(b"calibrate " + line.encode() + b"\n")
for at in range(0, len(good), 39):
    text = b2a_base64(good[at : at + 39]).decode().strip()
    engine.command(f"calibrate {len(good)} {at} {text}\n".encode())
counts = array("H", [mat.ZERO_COUNT] * mat.N)
engine.command(b"frames only\nnew scaled\n")
engine.frame(5, counts)
while True:
    said = engine.read(4096)
    if not said:
        break
    print(said.decode().replace("\n", "|"))
print(
    bytes(engine.persistence.unsaved["calibration"]) == good,
    before,
    list(engine.game.tracker.scene.field.gain)[:9],
)
print(engine.game.tracker.ready, engine.health.frames)
