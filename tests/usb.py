"""Mats at the USB of this computer, for tests: each is a pseudo-terminal under the path that a
system would give it, and pyserial's list has it while it is plugged in."""

import os
import pty
import threading
import tty

import pytest
from serial.tools.list_ports_common import ListPortInfo

from polarity_host.device.plugged import PID, VID
from tests.fake_engine import FakeEngine


class UsbMat:
    """A mat with a serial number. It plays on while it is plugged out."""

    def __init__(self, boot, serial):
        self.engine, self.serial = FakeEngine(boot_id=boot, end_at=40), serial
        self._lock = threading.Lock()

    def play(self, frames):
        with self._lock:
            for _ in range(frames):
                self.engine.frame(self.engine.frames * 10, None)

    def serve(self, master, unplugged):
        """Answers at one end of a pseudo-terminal until it is plugged out."""
        os.set_blocking(master, False)
        try:
            while not unplugged.is_set():
                try:
                    command = os.read(master, 400)
                except BlockingIOError:
                    command = b""
                with self._lock:
                    if command:
                        self.engine.command(command)
                    data = self.engine.read(400)
                while data:
                    try:
                        data = data[os.write(master, data) :]
                    except BlockingIOError:
                        threading.Event().wait(0.01)
                if not command:
                    threading.Event().wait(0.01)
        finally:
            os.close(master)


class Bus:
    """The sockets of a computer, by what the system calls the device in them."""

    def __init__(self, folder):
        self._folder, self._in = folder, {}

    def plug(self, mat, device, place=""):
        """Returns the device's path."""
        master, slave = pty.openpty()
        tty.setraw(slave)
        path = self._folder / device
        path.symlink_to(os.ttyname(slave))
        info = ListPortInfo(str(path))
        info.vid, info.pid, info.serial_number = VID, PID, mat.serial
        info.location = place or device
        unplugged = threading.Event()
        thread = threading.Thread(target=mat.serve, args=(master, unplugged), daemon=True)
        thread.start()
        self._in[device] = (info, slave, unplugged, thread)
        return str(path)

    def unplug(self, device):
        _, slave, unplugged, thread = self._in.pop(device)
        (self._folder / device).unlink()
        unplugged.set()
        thread.join()
        os.close(slave)

    def comports(self, *_):
        return [info for info, *_ in self._in.values()]


@pytest.fixture
def usb(tmp_path, monkeypatch):
    bus = Bus(tmp_path / "dev")
    bus._folder.mkdir()
    monkeypatch.setattr("serial.tools.list_ports.comports", bus.comports)
    yield bus
    for device in list(bus._in):
        bus.unplug(device)
