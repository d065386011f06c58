"""What `make audit` makes of what pip-audit finds."""

import json
import os
import subprocess
import sys

import pytest

SOUND = {"name": "h11", "version": "0.16.0", "vulns": []}
ILL = {
    "name": "starlette",
    "version": "0.1",
    "vulns": [{"id": "PYSEC-2026-1", "fix_versions": ["1.0"], "aliases": [], "description": ""}],
}
#: Stands for pip-audit: prints what it is to find, and that it was asked about the lock.
TOOL = """
import os, sys
assert sys.argv[sys.argv.index("--requirement") + 1].endswith(".ci/constraints.txt")
print(os.environ["FOUND"])
"""


@pytest.fixture
def audit(project_root, tmp_path):
    def run(found, **variables):
        (tmp_path / "pip_audit.py").write_text(TOOL, encoding="utf-8")
        done = subprocess.run(
            [sys.executable, project_root / ".ci" / "audit"], capture_output=True, text=True,
            env={**os.environ, "PYTHONPATH": str(tmp_path), "FOUND": found, **variables},
        )  # fmt: skip
        return done.returncode, done.stdout + done.stderr

    return run


def test_a_known_vulnerability_fails(audit):
    code, said = audit(json.dumps({"dependencies": [SOUND, ILL], "fixes": []}))
    assert code == 1 and "starlette 0.1: PYSEC-2026-1, mended in 1.0" in said and "h11" not in said


def test_nothing_known_passes(audit):
    assert audit(json.dumps({"dependencies": [SOUND], "fixes": []})) == (
        0, "audit: nothing known of 1 packages, 0 not asked for\n",
    )  # fmt: skip


@pytest.mark.parametrize("found", ["", "[]", "{}", "Traceback"])
def test_without_an_answer_it_says_that_nothing_was_audited(audit, found):
    code, said = audit(found)
    assert code == 0 and "NOT AUDITED" in said
    assert audit(found, AUDIT="required")[0] == 1


def test_ci_audits_its_lock(project_root):
    assert "\nmake audit" in (project_root / ".ci/run").read_text(encoding="utf-8")
