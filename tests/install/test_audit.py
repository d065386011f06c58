"""What `make audit` makes of what pip-audit and npm find."""

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
#: As npm 10 prints it.
NPM = {
    "auditReportVersion": 2,
    "vulnerabilities": {},
    "metadata": {"vulnerabilities": {"total": 0}, "dependencies": {"dev": 5, "total": 4}},
}
NOTHING_OF_NPM = json.dumps(NPM)
NPM_ILL = {
    "axe-core": {
        "name": "axe-core", "severity": "high", "isDirect": True, "range": "<4.15",
        "via": [{"source": 1, "name": "axe-core", "title": "Runs what it reads", "url": ""}],
        "effects": [], "nodes": ["node_modules/axe-core"], "fixAvailable": True,
    }
}  # fmt: skip
NOT_REACHED = {"message": "request failed: ENOTFOUND", "error": {"summary": "", "detail": ""}}
#: Stand for pip-audit and npm: print what they are to find, if they are asked about the lock.
TOOL = """
import os, sys
assert sys.argv[sys.argv.index("--requirement") + 1].endswith(".ci/constraints.txt")
print(os.environ["FOUND"])
"""
NPM_TOOL = '#!/bin/sh\ntest "$1" = audit && test -f package-lock.json && printf %s "$FOUND_NPM"\n'


@pytest.fixture
def audit(project_root, tmp_path):
    def run(found, found_npm=NOTHING_OF_NPM, **variables):
        (tmp_path / "pip_audit.py").write_text(TOOL, encoding="utf-8")
        npm = tmp_path / "npm"
        npm.write_text(NPM_TOOL, encoding="utf-8")
        npm.chmod(0o755)
        path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
        found_by = {"FOUND": found, "FOUND_NPM": found_npm, "PATH": path}
        done = subprocess.run(
            [sys.executable, project_root / ".ci" / "audit"], capture_output=True, text=True,
            env={**os.environ, "PYTHONPATH": str(tmp_path), **found_by, **variables},
        )  # fmt: skip
        return done.returncode, done.stdout + done.stderr

    return run


def of_python(*dependencies):
    return json.dumps({"dependencies": dependencies, "fixes": []})


def test_a_known_vulnerability_fails(audit):
    code, said = audit(of_python(SOUND, ILL))
    assert code == 1 and "starlette 0.1: PYSEC-2026-1, mended in 1.0" in said and "h11" not in said


def test_one_of_npm_s_packages_fails(audit):
    code, said = audit(of_python(SOUND), json.dumps({**NPM, "vulnerabilities": NPM_ILL}))
    assert code == 1 and "axe-core <4.15: high: Runs what it reads" in said


def test_nothing_known_passes(audit):
    assert audit(of_python(SOUND)) == (
        0,
        "audit: constraints.txt: nothing known of 1 packages\n"
        "audit: package-lock.json: nothing known of 4 packages\n",
    )


@pytest.mark.parametrize("found", ["", "[]", "{}", "Traceback", json.dumps(NOT_REACHED)])
def test_without_an_answer_it_says_that_nothing_was_audited(audit, found):
    for answers in ((found,), (of_python(SOUND), found)):
        code, said = audit(*answers)
        assert code == 0 and said.count("NOT AUDITED") == 1
        assert audit(*answers, AUDIT="required")[0] == 1


def test_ci_audits_its_locks(project_root):
    assert "\nmake audit" in (project_root / ".ci/run").read_text(encoding="utf-8")
