"""The host is killed, its disk fills up, its reader goes away: nothing that was printed is lost."""

import json
import os
import random
import resource
import subprocess
import sys
import time

import pytest

from polarity_host.errors import DONE, FAILED
from polarity_host.games.store import Store

FRAMES = 600
NUMBERED = ("game", "fact", "ruling", "log")
LAST = 1 + FRAMES + FRAMES // 5


@pytest.fixture
def environment(project_root):
    paths = [str(project_root / name) for name in ("firmware", "host_tools")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}


@pytest.fixture
def serve(project_root, environment):
    """Starts a mat in a process of its own; returns its URL, with `until_played` also a function
    that waits until the mat has played all its frames."""
    servers = []

    def start(hz, ring_bytes=16384, until_played=False):
        script = project_root / "tests/serve_fake.py"
        server = subprocess.Popen(
            [sys.executable, script, str(FRAMES), str(hz), str(ring_bytes)],
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        servers.append(server)
        url = server.stdout.readline().strip()
        return (url, server.stdout.readline) if until_played else url

    yield start
    for server in servers:
        server.kill()
        server.wait()
        server.stdout.close()


def log_command(url, db, *more):
    return [sys.executable, "-m", "polarity_host.cli", "log", url, "--db", str(db), "--json", *more]


def printed_numbers(data: bytes):
    """The numbered messages in whole lines of output."""
    lines = data.split(b"\n")[:-1]
    messages = [json.loads(line) for line in lines]
    return [message["n"] for message in messages if message["k"] in NUMBERED]


def stored(db):
    with Store(db) as store:
        rows = store._all("SELECT n FROM messages WHERE numbered ORDER BY id")
        gaps = store._all("SELECT first_n, last_n FROM gaps")
        return [row["n"] for row in rows], [tuple(gap) for gap in gaps], store.games()


KILLS = 6
MOST_LINES = 100  # of a run that is killed: all of them together leave some for the last run


def wait_for_lines(process, path, lines, timeout_s=60.0):
    """Waits until the process has printed so many lines, or has ended."""
    end_s = time.monotonic() + timeout_s
    while process.poll() is None and path.read_bytes().count(b"\n") < lines:
        assert time.monotonic() < end_s, f"{lines} lines were not printed in {timeout_s} s"
        time.sleep(0.005)


def test_kills_at_random_points_lose_nothing(serve, environment, tmp_path):
    url, db = serve(hz=150, ring_bytes=200_000), tmp_path / "games.db"
    chance, printed, path = random.Random(7), [], tmp_path / "out"
    for run in range(KILLS + 1):
        with open(path, "wb") as out:
            process = subprocess.Popen(
                log_command(url, db, "--once"), stdout=out, stderr=subprocess.PIPE, env=environment
            )
        if run < KILLS:
            wait_for_lines(process, path, chance.randint(0, MOST_LINES))
            time.sleep(chance.uniform(0.0, 0.01))  # in the midst of a line, too
            process.kill()
        _, err = process.communicate(timeout=60)
        assert process.returncode == (-9 if run < KILLS else DONE), err.decode()
        printed += printed_numbers(path.read_bytes())
    numbers, gaps, games = stored(db)
    assert set(printed) <= set(numbers)
    assert len(printed) == len(set(printed))
    assert numbers == list(range(1, LAST + 1)) and gaps == []
    assert len(games) == 1 and games[0]["winner"] == "b"


def test_what_the_mat_could_not_keep_is_named(serve, environment, tmp_path):
    url, until_played = serve(hz=1000, ring_bytes=3000, until_played=True)
    db = tmp_path / "games.db"
    command = log_command(url, db)
    first = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment)
    for line in first.stdout:
        if b'"fact"' in line:
            break
    first.kill()
    first.communicate()
    assert until_played() == "played\n"  # the mat plays on, and its ring with it
    done = subprocess.run([*command, "--once"], capture_output=True, env=environment, timeout=60)
    assert done.returncode == DONE
    numbers, gaps, _ = stored(db)
    missing = {number for low, high in gaps for number in range(low, high + 1)}
    assert missing and set(numbers) | missing == set(range(1, LAST + 1))
    assert not set(numbers) & missing
    assert b'"k":"lost"' in done.stdout


def limit_files():
    resource.setrlimit(resource.RLIMIT_FSIZE, (600_000, 600_000))


def test_a_full_disk_ends_the_log_and_keeps_what_was_printed(serve, environment, tmp_path):
    db = tmp_path / "games.db"
    done = subprocess.run(
        log_command(serve(hz=100), db),
        capture_output=True,
        env=environment,
        preexec_fn=limit_files,
        timeout=60,
    )
    assert done.returncode == FAILED
    assert done.stderr.count(b"\n") == 1 and b"make room on the disk" in done.stderr
    printed = printed_numbers(done.stdout)
    numbers, _, _ = stored(db)
    assert len(printed) > 5 and numbers[: len(printed)] == printed


def test_an_output_that_takes_no_more_is_said(serve, environment, tmp_path):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            log_command(serve(hz=200), tmp_path / "games.db"),
            stdout=full,
            stderr=subprocess.PIPE,
            env=environment,
            timeout=60,
        )
    assert done.returncode == FAILED
    assert done.stderr.count(b"\n") == 1 and b"No space left on device" in done.stderr


def test_a_reader_that_leaves_is_no_error(serve, environment, tmp_path):
    process = subprocess.Popen(
        log_command(serve(hz=200), tmp_path / "games.db"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
    )
    process.stdout.readline()
    process.stdout.close()
    assert process.wait(timeout=60) == DONE
    assert process.stderr.read() == b""
    process.stderr.close()
