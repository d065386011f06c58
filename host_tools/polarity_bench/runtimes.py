"""The firmware's code under either of its two runtimes: the engine over one recording, or a script.

The runners live here and not with the tests because `polarity bench heap` needs them too.
"""

import gzip
import json
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from polarity_host.errors import FAILED, HostError
from polarity_host.replay.recording import RecordingReader, RecordingWriter

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
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


Command: TypeAlias = list[str | Path]


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
    report: dict[str, Any]


def under_cpython(recording: Path, firmware: Path = FIRMWARE) -> EngineRun:
    """Judges a recording (gzipped or not) in a fresh CPython that can import only `firmware`."""
    return _run([sys.executable, "-S", "-c", _CPYTHON, HERE, firmware], recording)


def under_micropython(
    recording: Path, locked: bool = False, firmware: Path = FIRMWARE
) -> EngineRun:
    """Judges a recording (gzipped or not) under MicroPython, with the heap `locked` where it is on
    the chip, by the engine in the folder `firmware`. RuntimeMissing without Node."""
    return _run(micropython_command(firmware), recording, *(["locked"] if locked else []))


def script_under_cpython(script: Path) -> bytes:
    """What a script prints that can import only the firmware, in a fresh CPython."""
    code = "import runpy, sys; sys.path.insert(0, sys.argv[1]); runpy.run_path(sys.argv[2])"
    return _printed([sys.executable, "-S", "-c", code, FIRMWARE, script], script)


def script_under_micropython(script: Path, firmware: Path = FIRMWARE) -> bytes:
    """The same under MicroPython, and a line for each `# look: NAME` (see micropython.mjs).

    `firmware`: the folder it can import from. RuntimeMissing without Node.
    """
    return _printed([*micropython_command(firmware), script], script)


def micropython_command(firmware: Path = FIRMWARE) -> Command:
    """Node, the runner and the folder of the firmware. RuntimeMissing without Node."""
    if not shutil.which("node"):
        raise RuntimeMissing("node not found: install Node 20 or later, then run `make test` once")
    if not MICROPYTHON.exists():
        raise RuntimeMissing("MicroPython for Node is not installed: run `npm ci` in the checkout")
    return ["node", HERE / "micropython.mjs", firmware]


def _run(command: Command, recording: Path, *options: str) -> EngineRun:
    with tempfile.TemporaryDirectory() as directory:
        plain, wire = Path(directory, "game.matrec"), Path(directory, "wire")
        _as_version_1(recording, plain)
        report = json.loads(_printed([*command, plain, wire, *options], recording))
        return EngineRun(wire.read_bytes(), report)


def _as_version_1(recording: Path, plain: Path) -> None:
    """The recording as the script on the other side reads it: version 1, not compressed."""
    data = recording.read_bytes()
    data = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    if b'"version": 2' not in data.partition(b"\n")[0]:
        plain.write_bytes(data)
        return
    with (
        RecordingReader(recording) as reader,
        RecordingWriter(plain, reader.mat_id, reader.n, reader.edition, reader.seed, 1) as writer,
    ):
        for t_us, counts in reader:
            writer.write(t_us, counts)


def _printed(command: Command, about: Path) -> bytes:
    done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL)
    if done.returncode:
        traceback = done.stderr.decode(errors="replace")
        last = (traceback.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
        raise RunFailed(f"{Path(command[0]).name} failed over {about}: {last}", traceback)
    return done.stdout
