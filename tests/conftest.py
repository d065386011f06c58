"""What every test shares: the tree's root, one profile for generated inputs, commands that run in
this process on the test's own data, a fake engine, and a browser: two would not run in one
process."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

from polarity_host import cli
from tests.fake_engine import FakeEngine
from tests.live import browser as chromium
from tests.waiting import PATIENCE_S

# No deadline: a failure because the machine was busy says nothing about the code.
# In CI the inputs are the same each time, so a failed run can be repeated.
settings.register_profile("project", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("project")


@pytest.fixture(scope="session")
def project_root() -> Path:
    """The directory that holds firmware/, host_tools/, hardware/ and tests/."""
    return Path(__file__).resolve().parent.parent


@pytest.fixture(autouse=True)
def own_data(tmp_path, monkeypatch):
    """No test reads or writes the user's own games, and texts are in English."""
    monkeypatch.setenv("POLARITY_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("LC_ALL", "C.UTF-8")


@pytest.fixture
def fake_engine(monkeypatch):
    """Makes every engine of this process a FakeEngine."""

    def build(mat_name, edition="temple", boot_id=0, calibration=None):
        return FakeEngine(mat_name, edition, boot_id, end_at=100)

    for user in ("polarity_host.replay.judge", "polarity_host.simulation.port.power"):
        monkeypatch.setattr(f"{user}.build_engine", build)


@pytest.fixture
def polarity(capsys):
    """Runs a command line: (exit code, stdout, stderr)."""

    def run(*words):
        try:
            code = cli.main([str(word) for word in words])
        except SystemExit as leaving:
            code = leaving.code
        done = capsys.readouterr()
        return code, done.out, done.err

    return run


@pytest.fixture(scope="session")
def chrome_path() -> str:
    """Where a Chromium is. Where there is none the test is skipped; in CI it fails."""
    path = chromium.found()
    if not path:
        (pytest.fail if "CI" in os.environ else pytest.skip)("no Chromium here: run `make test`")
    return path


@pytest.fixture(scope="session")
def chrome(chrome_path):
    """A headless Chromium."""
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=PATIENCE_S * 1000)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chrome_path, args=list(chromium.FLAGS))
        yield browser
        browser.close()
