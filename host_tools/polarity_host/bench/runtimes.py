"""The firmware's engine over one recording, under either of its two runtimes.

The runner lives here and not with the tests because `polarity bench heap` needs it too.
"""

import gzip
import json
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from polarity_host.errors import FAILED, HostError

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
FIRMWARE = ROOT / "firmware"
MICROPYTHON = ROOT / "node_modules/@micropython/micropython-webassembly-pyscript/micropython.mjs"

_CPYTHON = """
import json, sys
sys.path[:0] = sys.argv[1:3]
import run_engine
judging = run_engine.Judging(*sys.argv[3:])
while judging.step(50):
    pass
print(json.dumps({"frames": judging.frames, "version": sys.version}))
"""


class RuntimeMissing(HostError):
    """Node, or MicroPython for it, is not installed. The message says what to do."""

    def __init__(self, message: str):
        super().__init__(FAILED, message)


class RunFailed(HostError):
    """The engine ended with an error: the last line of its traceback; all of it is in a note."""

    def __init__(self, message: str, traceback: str):
        super().__init__(FAILED, message)
        self.add_note(traceback)


@dataclass(frozen=True)
class EngineRun:
    """All bytes an engine put on the wire, and the run's report: `frames` and `version`, and under
    MicroPython the live bytes that micropython.mjs lists."""

    wire: bytes
    report: dict


def under_cpython(recording: Path) -> EngineRun:
    """Judges a recording (gzipped or not) in a fresh CPython that can import only the firmware."""
    return _run([sys.executable, "-S", "-c", _CPYTHON, HERE, FIRMWARE], recording)


def under_micropython(recording: Path) -> EngineRun:
    """Judges a recording (gzipped or not) under MicroPython. RuntimeMissing without Node."""
    if not shutil.which("node"):
        raise RuntimeMissing("node not found: install Node 20 or later, then run `make test` once")
    if not MICROPYTHON.exists():
        raise RuntimeMissing("MicroPython for Node is not installed: run `npm ci` in the checkout")
    return _run(["node", HERE / "micropython.mjs", FIRMWARE], recording)


def _run(command: list, recording: Path) -> EngineRun:
    with tempfile.TemporaryDirectory() as directory:
        plain, wire = Path(directory, "game.matrec"), Path(directory, "wire")
        data = recording.read_bytes()
        plain.write_bytes(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)
        done = subprocess.run(
            [*command, plain, wire], capture_output=True, text=True, stdin=subprocess.DEVNULL
        )
        if done.returncode:
            last = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
            raise RunFailed(f"{Path(command[0]).name} failed over {recording}: {last}", done.stderr)
        return EngineRun(wire.read_bytes(), json.loads(done.stdout))
