"""A fixed conversation with the wire layer; prints every byte. Runs on CPython and MicroPython."""

from polarity.wire.commands import CommandReader
from polarity.wire.messages import WireError, encode
from polarity.wire.outbox import Outbox, Ring
from polarity.wire.reading import unframe


def say(data):
    for line in bytes(data).split(b"\n"):
        print(line.decode())


def random_bytes(count, seed):
    found = bytearray()
    for _ in range(count):
        seed = (seed * 1103515245 + 12345) & 0x7FFFFFFF
        found.append(seed >> 16 & 0xFF)
    return bytes(found)


outbox = Outbox(0xFFFFFFFF, ring_bytes=2000, passing_bytes=1500)
state = {"zeta": 1, "alpha": [1, -2, (3, True, False)], "é": '\u20ac ~ " \\ \n \U0001f600'}
for index in range(40):
    fact = ("placed", index, (1, 2), "w", 1, -index * 997, 12345, 71, 0, "leaner", "", 93)
    outbox.send("fact", index * 2**30, fact)
    outbox.send("ruling", index, (
        "fault", "b", "contact", [1, 2], [index], [("w", (1, 2))], [["b", 2]], (20, 19), 7, "w",
        None if index % 2 else (3, -4), None if index % 3 else 4, index or None,
    ))  # fmt: skip
    outbox.send("health", index, (index, 0, outbox.unsent, [3, 5], ""))
    outbox.send("ack", index, ("hello", True, ""))
    if index % 7 == 0:
        outbox.send("snap", index, ("temple", [[1, "w", "flat"]], state))
        outbox.send("frame", index, (index, "AAECAw=="))
    if index % 3 == 0:
        say(outbox.read(index * 11))
    if index % 10 == 9:
        print("resume", outbox.resume(index), outbox.first, outbox.last)
        say(outbox.read(700))
outbox.send("log", 5, ("info", "x" * 5000))
say(outbox.read(10**6))

reader = CommandReader()
noise = random_bytes(4000, 42)
for start in range(0, len(noise), 37):
    for found in reader.feed(noise[start : start + 37]):
        print(found)
    print(unframe(noise[start : start + 37]))
for found in reader.feed(
    b"\nhello\r\nresume 5\nresume x\nframes on\nnew temple\nnew A\n" + b"q\n" * 30
):
    print(found)
for bad in (1.5, None, b"x", {1: 2}):
    try:
        encode("log", 1, 1, 1, ("", bad))
    except WireError as error:
        print("refused", error)
ring = Ring(64)
for index in range(30):
    ring.append(noise[index * 9 : index * 9 + index])
    print(ring.first, ring.last, [list(ring.line(n)) for n in range(ring.first, ring.last + 1)])
