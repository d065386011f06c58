"""A serial device serves one program: a second one is told who has it, and takes no byte."""

import os
import pty
import subprocess
import sys
import tty

import pytest

from polarity_host.device.ports import Port
from polarity_host.errors import FAILED, HostError

HOLD = """
import sys
from polarity_host.device.ports import Port
port = Port(sys.argv[1])
print("open", flush=True)
while True:
    print(port.read().decode(), end="", flush=True)
"""


@pytest.fixture
def held(project_root):
    """(the mat's end, the path, the process that reads the path)"""
    mat, device = pty.openpty()
    tty.setraw(device)
    path = os.ttyname(device)
    os.close(device)
    folders = os.pathsep.join(str(project_root / name) for name in ("firmware", "host_tools"))
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, path],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": folders},
    )
    assert holder.stdout.readline() == "open\n"
    yield mat, path, holder
    holder.kill()
    holder.wait()
    holder.stdout.close()
    os.close(mat)


def test_a_second_program_is_told_who_has_the_device_and_takes_no_byte(held):
    mat, path, holder = held
    for number in range(20):
        os.write(mat, b"line %d\n" % number)
        with pytest.raises(HostError) as refused:
            Port(path)
        assert refused.value.exit_code == FAILED
        assert refused.value.message.startswith(f"{path} is in use by python")
        assert f"(process {holder.pid}); close that one first" in refused.value.message
    os.write(mat, b"last\n")
    read = iter(holder.stdout.readline, "last\n")
    assert list(read) == [f"line {number}\n" for number in range(20)]


def test_a_device_that_is_closed_can_be_opened_again(held):
    _, path, holder = held
    holder.kill()
    holder.wait()
    Port(path).close()
    Port(path).close()
