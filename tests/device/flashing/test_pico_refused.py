"""`polarity flash` at a port that is none, is taken, or is not the mat's says what to do."""

import contextlib
import fcntl
import os
import pty
import re
import termios
import threading
import types

import pytest

from polarity_host.cli import main
from polarity_host.device.flashing import pico

NOBODY = 65534
UF2 = "BOOTSEL.*https://micropython.org/download/RPI_PICO/"


@pytest.fixture
def terminal():
    """(the Pico's end, the path of the other end) of a pseudo-terminal."""
    end, computer = pty.openpty()
    with open(end, "r+b", buffering=0) as line:
        yield line, os.ttyname(computer)
    os.close(computer)


@contextlib.contextmanager
def not_root():
    """As any user has it: to root every port is open."""
    import mpremote.transport_serial  # noqa: F401  which nobody may not be allowed to read

    root = os.geteuid() == 0
    if root:
        os.seteuid(NOBODY)
    yield
    if root:
        os.seteuid(0)


def refused(capsys, port, *more):
    """(exit code, what is said) of `polarity flash`, which fails in one line and nothing else."""
    code = main(["flash", port, "--back", *more])
    said = capsys.readouterr()
    assert said.out == "" and said.err.startswith("polarity flash: ")
    assert said.err.count("\n") == 1 and said.err.endswith("\n")
    return code, said.err


def test_a_port_that_is_not_there(capsys, tmp_path):
    """As with a new Pico: it is a USB drive and no port at all."""
    code, said = refused(capsys, str(tmp_path / "ttyACM0"))
    assert code == 2
    assert re.search(f"there is no port .*`polarity ports`.*a new Pico.*{UF2}", said)


def test_what_is_no_port(capsys):
    for port, why in (
        ("/dev/null", UF2),
        ("nonsense://x", "protocol 'nonsense' not known"),
        ("socket://127.0.0.1:1", "nothing answers at socket://127.0.0.1:1"),
        ("sim://demo", "virtual mat"),
    ):
        code, said = refused(capsys, port)
        assert code == 2 and re.search(why, said), said


def test_no_permission(capsys, terminal):
    _, path = terminal
    os.chmod(path, 0)
    with not_root():
        code, said = refused(capsys, path)
    assert code == 1
    assert "no permission" in said and "dialout" in said and "BOOTSEL" not in said


@pytest.mark.parametrize("hold", ["lock", "exclusive"])
def test_another_program_holds_the_port(capsys, terminal, hold):
    """By a lock, as pyserial and mpremote do, or by the terminal's own TIOCEXCL."""
    _, path = terminal
    os.chmod(path, 0o666)
    other = os.open(path, os.O_RDWR | os.O_NOCTTY)
    if hold == "lock":
        fcntl.flock(other, fcntl.LOCK_EX)
    else:
        fcntl.ioctl(other, termios.TIOCEXCL)
    with not_root():
        code, said = refused(capsys, path)
    os.close(other)
    assert code == 1
    assert "in use by another program; close that one" in said and "BOOTSEL" not in said


def test_a_port_where_nothing_answers(capsys, terminal, monkeypatch):
    monkeypatch.setattr(pico, "ANSWER_S", 0.3)
    code, said = refused(capsys, terminal[1])
    assert code == 1
    assert re.search(f"no MicroPython answers.*{UF2}", said)


@pytest.mark.parametrize("breaks", ["pulled", "silent"])
def test_a_line_that_breaks(capsys, terminal, monkeypatch, breaks):
    """While the Pico is asked what it is."""
    monkeypatch.setattr(pico, "ANSWER_S", 0.3)
    Repl(terminal[0], breaks=breaks)
    code, said = refused(capsys, terminal[1])
    assert code == 1 and "no longer answers: plug it in again" in said


class Repl(threading.Thread):
    """A raw REPL as MicroPython's documentation has it (reference/repl.html, "Raw mode"), without
    raw paste. It runs what is sent, with `sys.implementation` and `os.uname()` of `about`."""

    BANNER = b"raw REPL; CTRL-B to exit\r\n>"

    def __init__(self, line, about=None, breaks="", blocks=3840):
        super().__init__(daemon=True)
        self.blocks = blocks
        self.line, self.about, self.breaks = line, about, breaks
        self.begun_anew = False  # the program that was stopped
        self.start()

    def run(self):
        code, raw = b"", False
        while True:
            byte = self.line.read(1)
            if byte == b"\x01" and code != b"\x05A":
                raw, code = True, b""
                self.say(b"\r\n" + self.BANNER)
            elif byte == b"\x01":
                code = b""
                self.say(b"R\x00")
                if self.breaks == "pulled":
                    self.line.close()
                if self.breaks:
                    return
            elif byte == b"\x02":
                raw = False
            elif byte == b"\x04" and not raw:
                self.begun_anew = True
                return
            elif byte == b"\x04" and not code:
                self.say(b"OK\r\nMPY: soft reboot\r\n" + self.BANNER)
            elif byte == b"\x04":
                self.say(b"OK" + self.ran(code.decode()) + b"\x04\x04>")
                code = b""
            elif raw:
                code += byte

    def say(self, data):
        self.line.write(data)

    def flash(self, request, _):
        """Blocks, and bytes of a block: an image for 16 MB leaves 15 MB to files."""
        return {4: self.blocks, 5: 4096}[request]

    def ran(self, code):
        """What the code prints with `about`."""
        printed = []
        modules = {
            "rp2": types.SimpleNamespace(Flash=lambda: types.SimpleNamespace(ioctl=self.flash)),
            "sys": types.SimpleNamespace(implementation=types.SimpleNamespace(**self.about[0])),
            "os": types.SimpleNamespace(uname=lambda: self.about[1]),
        }
        names = {
            "__import__": lambda name, *rest: modules[name],
            "print": lambda *words: printed.append(" ".join(map(str, words))),
            "getattr": getattr,
        }
        exec(code, {"__builtins__": names})
        return "".join(line + "\r\n" for line in printed).encode()


def about(name, version, machine, system="rp2", told=True):
    """sys.implementation and os.uname(); `told`: the former has the machine too."""
    implementation = {"name": name, "version": version} | ({"_machine": machine} if told else {})
    release = ".".join(str(part) for part in version[:3])
    return implementation, (system, system, release, f"v{release} on 2024-01-05", machine)


PICO = "Raspberry Pi Pico with RP2040"
PICO_2 = "Raspberry Pi Pico2 with RP2350"


@pytest.mark.parametrize(
    ("found", "why"),
    [
        (
            about("micropython", (1, 22, 1, ""), PICO),
            f"runs MicroPython 1.22.1, older than 1.28.0, the oldest .*{UF2}",
        ),
        (
            about("micropython", (1, 9, 4), PICO, told=False),
            f"runs MicroPython 1.9.4, older than 1.28.0, the oldest .*{UF2}",
        ),
        (
            about("circuitpython", (9, 2, 1), "Raspberry Pi Pico with rp2040", told=False),
            f"runs circuitpython, not MicroPython: .*{UF2}",
        ),
        (
            about("micropython", (1, 28, 0, ""), "Raspberry Pi Pico2 with RP2350-RISCV"),
            "but: Raspberry Pi Pico2 with RP2350-RISCV; .*not for RISC-V",
        ),
        (
            about("micropython", (1, 28, 0, ""), "Raspberry Pi Pico 2 W with RP2350"),
            "no Raspberry Pi Pico but: Raspberry Pi Pico 2 W with RP2350; its pins",
        ),
        (
            about("micropython", (1, 28, 0, ""), PICO_2),
            "for another flash than its 4 MB: .*/download/RPI_PICO2/",
        ),
        (
            about("micropython", (1, 28, 0, ""), "Generic ESP32 module with ESP32", "esp32"),
            "no Raspberry Pi Pico with an RP2040 but: Generic ESP32 module with ESP32; connect",
        ),
        (
            about("micropython", (1, 28, 0, ""), "Raspberry Pi Pico W with RP2040"),
            "no Raspberry Pi Pico with an RP2040 but: Raspberry Pi Pico W with RP2040; .*radio",
        ),
        (
            about("micropython", (1, 28, 0, ""), "Adafruit Feather RP2040 with RP2040"),
            "no Raspberry Pi Pico but: Adafruit Feather RP2040 with RP2040; its pins",
        ),
        (
            about("micropython", (1, 28, 0, ""), PICO),
            f"for another flash than its 2 MB: .*{UF2}",
        ),
    ],
    ids=[
        "old",
        "very old",
        "circuitpython",
        "pico 2, risc-v",
        "pico 2 w",
        "pico 2, image for 16 MB",
        "esp32",
        "pico w",
        "feather",
        "image for 16 MB",
    ],
)
def test_a_board_that_the_firmware_is_not_for(capsys, terminal, found, why):
    """It is left as it was: the program that was stopped there starts again."""
    repl = Repl(terminal[0], found)
    code, said = refused(capsys, terminal[1])
    assert code == 1 and re.search(why, said), said
    repl.join(10)
    assert repl.begun_anew


@pytest.mark.parametrize(
    ("machine", "blocks", "chip"), [(PICO, 352, "RP2040"), (PICO_2, 768, "RP2350")]
)
def test_a_board_whose_flash_is_as_its_image_has_it_is_taken(terminal, machine, blocks, chip):
    """1408 KB of files on a Pico (ports/rp2/CMakeLists.txt), 3 MB on a Pico 2
    (boards/RPI_PICO2/mpconfigboard.cmake)."""
    Repl(terminal[0], about("micropython", (1, 28, 0, ""), machine), blocks=blocks)
    assert pico.Pico(terminal[1]).chip == chip


def test_a_pico_2_gets_no_files_of_a_pico(capsys, terminal):
    """Their machine code asks for a divider that its chip has not."""
    Repl(terminal[0], about("micropython", (1, 28, 0, ""), PICO_2), blocks=768)
    assert main(["flash", terminal[1]]) == 1
    said = capsys.readouterr().err
    assert "this is a Pico 2" in said and "--files build/pico2.zip" in said and "never run" in said
