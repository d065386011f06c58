"""Four processes open a new or an old store at the same moment: none is refused."""

import os
import sqlite3
import subprocess
import sys

from polarity_host.games.schema import APPLICATION_ID, MIGRATIONS

STORES = 16
OPEN = """
import multiprocessing, sqlite3, sys
from pathlib import Path
from polarity_host.errors import HostError
from polarity_host.games.store import Store

def opener(barrier, paths, answers):
    refused = []
    for path in paths:
        barrier.wait(60)
        try:
            with Store(path) as store:
                store.game_id(1)
        except HostError as error:
            refused.append(error.message)
    answers.put(refused)

processes = multiprocessing.get_context("fork")
barrier, answers = processes.Barrier(4), processes.Queue()
arguments = barrier, [Path(path) for path in sys.argv[1:]], answers
started = [processes.Process(target=opener, args=arguments) for _ in range(4)]
for process in started:
    process.start()
for _ in started:
    for message in answers.get(timeout=100):
        print(message)
"""


def test_four_processes_open_a_new_or_an_old_store_at_once(tmp_path, project_root):
    paths = [tmp_path / f"{number}.db" for number in range(STORES)]
    for number, path in enumerate(paths):
        version = number % len(MIGRATIONS)
        with sqlite3.connect(path) as db:
            for script in MIGRATIONS[:version]:
                db.executescript(script)
            db.execute(f"PRAGMA application_id = {APPLICATION_ID if version else 0}")
            db.execute(f"PRAGMA user_version = {version}")
        db.close()
    folders = os.pathsep.join(str(project_root / name) for name in ("firmware", "host_tools"))
    done = subprocess.run(
        [sys.executable, "-c", OPEN, *paths],
        capture_output=True,
        text=True,
        timeout=200,
        env={**os.environ, "PYTHONPATH": folders},
    )
    assert (done.stdout, done.stderr) == ("", "")
