"""The port: whole lines for a host that reads, no waiting for one that does not."""

import re
from binascii import crc32
from random import Random

from polarity_host.wire.lines import LineSplitter
from tests.emulated.programs import pico_with

PROGRAM = """
import time
from drivers.usb_link import UsbLink
link = UsbLink()
class Source:
    def __init__(self):
        self.lines = []
        self.data = b""
    def read(self, most):
        if not self.data and self.lines:
            self.data = self.lines.pop(0)
        part, self.data = self.data[:most], self.data[most:]
        return part
source = Source()
longest = 0
heard = b""
number = 0
while b"stop" not in heard:
    if len(source.lines) < 4:
        number += 1
        source.lines.append(b"line %d " % number + b"x" * (number * 37 % 150) + b"\\n")
    begun = time.ticks_us()
    link.send(source)
    heard += link.receive()
    longest = max(longest, time.ticks_diff(time.ticks_us(), begun))
while source.lines or source.data:
    link.send(source)
print("longest %d heard %r last %d" % (longest, heard, number))
"""

# They take the chip 75 s, and this computer some minutes.
NOISE_BYTES = 1_000_000
SWALLOW = """
from binascii import crc32
from drivers.usb_link import UsbLink
link = UsbLink()
print("open")
count = crc = 0
while count < %d:
    heard = link.receive()
    count += len(heard)
    crc = crc32(heard, crc)
link.close()
print("the end", count, crc)
"""


def lines_of(data: bytes) -> list[bytes]:
    return LineSplitter().feed(data)


def test_a_stalled_host_costs_the_loop_nothing_and_loses_nothing(image):
    pico = pico_with(image)
    pico.write(b"\r\x03\x01")
    pico.run(30)
    pico.read()
    pico.write(PROGRAM.encode() + b"\x04")
    pico.run(150)
    pico.stall_host()
    pico.run(1200)
    pico.unstall_host()
    command = bytes(range(97, 123)) * 10 + b"stop"
    pico.write(command)
    assert pico.run_until(lambda: b"longest" in pico.output and pico.output.endswith(b">"), 2000)
    *lines, last = lines_of(pico.read().partition(b"\x04")[0].removeprefix(b"OK"))
    for number, line in enumerate(lines, 1):
        assert line == b"line %d " % number + b"x" * (number * 37 % 150)
    words = last.split()
    assert int(words[1]) < 20_000
    assert words[3] == repr(command).encode()
    assert int(words[5]) == len(lines) > 20


def test_what_stood_in_the_port_before_costs_the_loop_nothing(image):
    """A traceback ends anywhere: what the port has free then is no whole number of packets."""
    pico = pico_with(image)
    pico.begin("import time\ntime.sleep_ms(50)\nprint(100 * 'x', end='')\n" + PROGRAM)
    pico.stall_host()
    pico.run(1000)
    pico.write(b"stop")
    pico.run(20)
    pico.unstall_host()
    assert pico.run_until(lambda: b"longest" in pico.output and pico.output.endswith(b">"), 2000)
    *lines, last = lines_of(pico.read().partition(b"\x04")[0].replace(b"\r", b"").lstrip(b"x"))
    assert [line.split()[1] for line in lines] == [b"%d" % (n + 1) for n in range(len(lines))]
    assert int(last.split()[1]) < 20_000


def test_ctrl_c_reaches_the_repl_and_noise_does_not(image):
    """A byte 3 among others is noise; alone, or as tools send it, it stops the program."""
    pico = pico_with(image)
    pico.execute("from drivers.usb_link import UsbLink\nu = UsbLink()")
    for stop in (b"\x03", b"\r\x03"):
        pico.begin("u.__init__()\nwhile True:\n  if b'!' in u.receive(): print('the end')")
        noise = Random(1).randbytes(2000).replace(b"!", b"?")
        assert noise.count(3) > 3
        pico.write(noise + b"!")
        assert pico.run_until(lambda: b"the end" in pico.output, 2000)
        pico.run(120)
        pico.write(stop)
        assert pico.run_until(lambda: b"KeyboardInterrupt" in pico.output, 100)
        assert pico.execute("print('here')") == "here\n"


def test_random_bytes_go_through_the_port(image):
    """All of them but a Ctrl-C that begins a line and that something else follows."""
    noise = Random(3).randbytes(NOISE_BYTES)
    heard = re.sub(rb"(?<=\r)\x03(?![\r\x03])", b"", noise)
    assert not re.search(rb"\r\x03[\r\x03]", noise)
    pico = pico_with(image)
    pico.begin(SWALLOW % len(heard))
    assert pico.run_until(lambda: b"open" in pico.output, 100)
    pico.write(noise)
    assert pico.run_until(lambda: pico.output.endswith(b"\x04\x04>"), NOISE_BYTES / 5)
    _, end = pico.read().split(b"the end ")
    assert end.split()[:2] == [b"%d" % len(heard), b"%d" % crc32(heard)]
    assert pico.execute("print('here')") == "here\n"
