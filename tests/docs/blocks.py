"""Runs the code blocks of a page, in order, as a reader would: in one folder, with his own data.

A command that goes on until Ctrl-C runs until it has printed a line, and then beside what follows.
What stands for a real mat is a virtual one. What would change this computer or takes long is only
checked: make says what it would run, and an install has to be one that `polarity bench install`
makes and tries. A Pico's commands are checked by their words.
"""

import ast
import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from packaging.requirements import Requirement

from polarity_bench.install import TOLD_EXTRAS
from polarity_host import cli
from tests.waiting import PATIENCE_S

FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.M | re.S)
REAL_PORT = "/dev/ttyACM0"
#: Commands that nothing but Ctrl-C ends, and those that need a Pico or a person's hand.
LASTING = {"live", "log", "sim --serve"}
BY_HAND = ("flash", "doctor --bring-up")
NO_WINDOW = {"demo": ["--fast", "--no-browser"], "live": ["--no-browser", "--http", "7080"]}


class Block(NamedTuple):
    """A code block: its language, and its text."""

    language: str
    text: str


def blocks_of(page: str) -> list[Block]:
    """The fenced blocks of a page's text."""
    return [Block(*found) for found in FENCE.findall(page)]


class Reader:
    """Somebody who types what the pages say, in `folder`. `run` is the fixture `polarity`; `mat` a
    URL of a virtual mat; `free`
    two TCP ports, for the live page and for a virtual mat."""

    def __init__(self, root: Path, folder: Path, run: Callable, mat: str, free: tuple[int, int]):
        self._root, self._folder, self._run = root, folder, run
        self._mat, self._ports = mat, {"7080": str(free[0]), "7007": str(free[1])}
        self._printed = ""
        self._lasting: list[subprocess.Popen[str]] = []

    def close(self) -> None:
        """Ends what still runs; it has to end as Ctrl-C does."""
        for one in self._lasting:
            one.send_signal(signal.SIGINT)
        for one in self._lasting:
            _, err = one.communicate(timeout=PATIENCE_S)
            code = 1 if "client.py" in str(one.args) else 130  # a client is no command of ours
            assert one.returncode == code and "Traceback" not in err, err
        self._lasting.clear()

    def do(self, block: Block) -> None:
        """Runs one block. AssertionError when it does not what the page says."""
        if block.language == "sh":
            self._printed = ""
            for line in block.text.strip().splitlines():
                self._line(shlex.split(line))
        elif block.language == "text":
            for line in block.text.strip().splitlines():
                assert line in self._printed, f"not printed: {line}"
        elif block.language == "python" and "serial" in block.text:
            file = self._folder / "client.py"
            file.write_text(block.text, encoding="utf-8")
        elif block.language == "python":
            self._python(block.text)
        else:
            raise AssertionError(f"a block in {block.language!r} cannot be run")

    def _line(self, words: list[str]) -> None:
        if words[:2] in (["pipx", "install"], ["pip", "install"]):
            self._install(words[2])
        elif words[0] == "make":
            command = ["make", "--dry-run", "--directory", str(self._root), *words[1:]]
            own = {name: text for name, text in os.environ.items() if "MAKE" not in name}
            done = subprocess.run(command, capture_output=True, text=True, env=own)
            assert done.returncode == 0 and done.stdout, done.stderr
        elif words[0] == "python":
            self._follow([sys.executable, *words[1:]])
        else:
            assert words[0] == "polarity", words
            self._polarity(words[1:])

    def _install(self, what: str) -> None:
        extras = Requirement(f"polarity-mat{what.removeprefix('.')}").extras
        assert what.startswith(".") and extras <= set(TOLD_EXTRAS), what

    def _polarity(self, words: list[str]) -> None:
        if " ".join(words).startswith(BY_HAND) or "--bring-up" in words:
            cli.parser().parse_args(words)
            return
        words = [self._mat if word == REAL_PORT else word for word in words]
        words += [word for word in NO_WINDOW.get(words[0], []) if word not in words]
        words = [self._ports.get(word, word) for word in words]
        if words[0] in LASTING or " ".join(words).startswith("sim --serve"):
            self._follow([sys.executable, "-m", "polarity_host", *words])
            return
        code, out, err = self._run(*words)
        assert code == 0, f"polarity {' '.join(words)}: {code}, {err}"
        self._printed += out

    def _follow(self, command: list[str]) -> None:
        command = [word.replace(":7007", f":{self._ports['7007']}") for word in command]
        running = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=self._folder
        )
        self._lasting.append(running)
        assert running.stdout is not None
        assert running.stdout.readline(), running.communicate()[1]

    def _python(self, text: str) -> None:
        ast.parse(text)
        text = text.replace('["polarity",', '[sys.executable, "-m", "polarity_host",')
        text = text.replace(":7080", f":{self._ports['7080']}")
        done = subprocess.run(
            [sys.executable, "-c", "import sys\n" + text],
            capture_output=True, text=True, cwd=self._folder, timeout=PATIENCE_S,
        )  # fmt: skip
        assert done.returncode == 0 and done.stdout, done.stderr
