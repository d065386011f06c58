"""Output on any terminal: other encodings, narrow ones, and Ctrl-C."""

import io
import os
import pty
import re
import signal
import subprocess
import sys
import threading
from importlib.metadata import PackageNotFoundError, version

import pytest

from polarity_host import cli
from polarity_host.errors import BAD_INPUT, DONE, FAILED, INTERRUPTED
from polarity_host.games.folders import games_file
from polarity_host.games.follow import Follower
from polarity_host.live.mat_session import MatSession
from polarity_host.simulation.port import power
from polarity_host.simulation.port.sim_mat import SimMat
from tests.cli.commands import NAMES
from tests.fake_engine import FakeEngine, frames

PLAYER = "Żółć"
URL = "sim://demo?seed=7777"


@pytest.fixture
def stored_game(tmp_path):
    """A short game of that player in the database."""
    mat = SimMat(FakeEngine(end_at=100), frames(120), speed=0.0)
    power.put_at(URL, mat)
    games_file().parent.mkdir(parents=True, exist_ok=True)
    MatSession(URL, games_file(), Silent(), names={"white": PLAYER}).run()
    power.remove(URL)


class Silent(Follower):
    """Nobody who looks at the game."""

    def report(self, event):
        pass


def printed(monkeypatch, encoding, *words):
    """(exit code, stdout, stderr) of a command line on a stream of this encoding, in bytes."""
    out, err = io.BytesIO(), io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(out, encoding=encoding))
    monkeypatch.setattr(sys, "stderr", io.TextIOWrapper(err, encoding=encoding))
    try:
        code = cli.main(list(words))
    except SystemExit as leaving:
        code = leaving.code
    sys.stdout.flush()
    sys.stderr.flush()
    return code, out.getvalue(), err.getvalue()


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "iso-8859-1", "utf-8"])
@pytest.mark.parametrize("words", [["stats", "--all"], ["stats", "--all", "--lang", "de"],
                                   ["stats", "--all", "--json"], ["games"], ["log", "--help"],
                                   ["live", "nowhere…", "--http", "0"]])  # fmt: skip
def test_no_encoding_stops_a_command(monkeypatch, stored_game, encoding, words):
    code, out, err = printed(monkeypatch, encoding, *words)
    if words[0] == "live":
        assert code == BAD_INPUT and err.count(b"\n") == 1
    else:
        assert code == DONE and not err
    if words == ["stats", "--all"]:
        assert {"ascii": b"????", "cp1252": b"?\xf3??", "utf-8": PLAYER.encode()}.get(
            encoding, b"?\xf3??"
        ) in out
    elif words[-1] == "--json":
        assert b"\\u017b\\u00f3\\u0142\\u0107" in out  # nothing is lost for a program


def test_a_record_is_utf_8_on_any_stream(monkeypatch, stored_game):
    code, out, _ = printed(monkeypatch, "ascii", "export", "--game", "1")
    assert code == DONE and PLAYER.encode("utf-8") in out


def test_a_name_that_is_no_text(polarity, stored_game):
    name = os.fsdecode(b"Fran\xe7ois")  # Latin-1 on a terminal of UTF-8
    assert polarity("stats", "--name", "1", f"black={name}")[0] == DONE
    assert "Fran?ois" in polarity("stats", "--all", "--json")[1]


def test_version(polarity):
    code, out, _ = polarity("--version")
    try:
        installed = version("polarity-mat")
    except PackageNotFoundError:
        from polarity.version import number as installed
    assert (code, out) == (DONE, f"polarity {installed}\n")


@pytest.mark.parametrize("command", NAMES)
def test_help_breaks_no_word(monkeypatch, polarity, command):
    monkeypatch.setenv("COLUMNS", "80")
    _, out, _ = polarity(command, "--help")
    before_example = out.split("example:")[0]
    assert max(map(len, before_example.splitlines())) <= 80
    assert not re.search(r"\w-$", before_example, re.M)  # nothing is cut at a hyphen
    monkeypatch.setenv("COLUMNS", "400")
    _, wide, _ = polarity(command, "--help")
    words = set(wide.split("example:")[0].replace("[", " ").replace("]", " ").split())
    narrow = set(before_example.replace("[", " ").replace("]", " ").split())
    assert words == narrow


@pytest.mark.parametrize("columns", ["60", "80", "120"])
def test_a_table_breaks_no_word(monkeypatch, polarity, stored_game, columns):
    names = ["white=Maximiliane Brzęczyszczykiewicz", "event=Clubmeisterschaft der Stadt"]
    assert polarity("stats", "--name", "1", *names)[0] == DONE
    monkeypatch.setenv("COLUMNS", columns)
    for language in ("en", "de", "fr", "nl"):
        _, out, _ = polarity("stats", "--all", "--lang", language)
        assert "…" not in out
        for word in "Maximiliane Brzęczyszczykiewicz Clubmeisterschaft der Stadt".split():
            assert word in out


@pytest.mark.parametrize(
    ("words", "ready"),
    [
        (["log", "sim://demo?seed=1", "--json"], b"hello"),
        (["live", "sim://demo?seed=1", "--no-browser", "--http", "0"], b"The mat is shown"),
        (["demo", "--speed", "1", "--no-browser"], b"virtual mat"),
        (["sim", "--serve", "127.0.0.1:0"], b"waits"),
        (["sim", "-o", "long.matrec", "--turns", "500", "--progress"], b""),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_ctrl_c_ends_cleanly(tmp_path, words, ready):
    command = [sys.executable, "-m", "polarity_host", *words]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path
    ) as running:
        try:
            assert running.stdout and running.stderr
            if ready:
                assert any(ready in line for line in running.stdout)
            else:
                while not (tmp_path / "long.matrec").exists():
                    assert running.poll() is None
            running.send_signal(signal.SIGINT)
            _, told = running.communicate(timeout=60)
        finally:
            running.kill()
    assert running.returncode == INTERRUPTED
    assert b"Traceback" not in told
    beside = b"played,", b"judging slowly"  # progress, and what a machine without a compiler says
    assert len([line for line in told.splitlines() if not any(w in line for w in beside)]) <= 1


# ---- ports
@pytest.mark.parametrize("url", ["socket://host", "socket://", "socket://host:port",
                                 "socket://host:99999"])  # fmt: skip
def test_a_socket_without_a_port(polarity, url):
    code, _, err = polarity("log", url)
    assert code == BAD_INPUT and err.count("\n") == 1 and "socket://HOST:PORT" in err


@pytest.fixture
def terminal():
    """(our end of a serial line, the path of the other end)."""
    ours, theirs = pty.openpty()
    yield ours, os.ttyname(theirs)
    os.close(ours)
    os.close(theirs)


def test_a_port_that_another_program_has(polarity, terminal):
    from polarity_host.device.ports import Port

    port = Port(terminal[1])
    try:
        for command in ("log", "doctor", "settings"):
            code, _, err = polarity(command, terminal[1])
            assert code == FAILED and err.count("\n") == 1 and f"{terminal[1]} is in use by" in err
    finally:
        port.close()


#: What MicroPython's REPL answers to a line: its echo, the error, and the prompt (pyexec.c).
ANSWER = (
    b"%s\r\nTraceback (most recent call last):\r\n"
    b"  File \"<stdin>\", line 1, in <module>\r\nNameError: name 'hello' isn't defined\r\n>>> "
)


@pytest.mark.parametrize(
    "words",
    [["log"], ["live", "--no-browser", "--http", "0"], ["doctor"], ["settings"], ["calibrate"],
     ["conform"]],
    ids=lambda words: words[0],
)  # fmt: skip
def test_a_bare_micropython(polarity, terminal, words):
    ours, url = terminal

    def answer():
        line = b""
        while not line.endswith(b"\n"):
            line += os.read(ours, 1)
        os.write(ours, ANSWER % line.strip())

    thread = threading.Thread(target=answer, daemon=True)
    thread.start()
    code, _, err = polarity(*words, url)
    thread.join(10)
    assert code == FAILED and err.count("\n") == 1
    assert f"this Pico runs MicroPython, not the mat: `polarity flash {url}`" in err


# ---- languages
@pytest.mark.parametrize(
    ("language", "played", "without", "judged"),
    [
        ("en", "of play", "Without a mat", "judged,"),
        ("de", "gespielt", "Ohne Spielplan", "beurteilt,"),
        ("fr", "de jeu", "Sans tapis", "jugé,"),
        ("nl", "gespeeld", "Zonder speelkleed", "beoordeeld,"),
    ],
)
def test_what_is_said_is_in_the_language_that_was_chosen(
    polarity, tmp_path, fake_engine, monkeypatch, language, played, without, judged
):
    file = tmp_path / "game.matrec"
    assert played in polarity("sim", "--turns", "1", "-o", file, "--lang", language)[1]
    assert without in polarity("ports", "--lang", language)[1]
    assert judged in polarity("export", file, "--lang", language, "--progress")[2]
    monkeypatch.setenv("LC_ALL", f"{language}_XX.UTF-8")
    assert without in polarity("ports")[1]
