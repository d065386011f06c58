"""Where there is no Chromium `make test` gets one: Debian's as root, else Playwright's own."""

import subprocess
import sys

import pytest

from tests.live import browser

WORKS = "#!/bin/sh\necho Chromium 1.0\n"


def script(path, text):
    path.write_text(text)
    path.chmod(0o755)
    return path


@pytest.fixture
def bare(tmp_path, monkeypatch):
    """A computer without a browser: its programs are in the folder that is returned."""
    programs = tmp_path / "bin"
    programs.mkdir()
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin/nowhere:/bin/nowhere")
    monkeypatch.delenv("POLARITY_CHROMIUM", raising=False)
    monkeypatch.setattr(browser, "playwrights_own", lambda: str(tmp_path / "own"))
    monkeypatch.setattr(browser.os, "geteuid", lambda: 0)
    # what `python -m playwright install chromium` would do, unless a test says otherwise
    monkeypatch.setattr(
        browser.sys, "executable", str(script(tmp_path / "py", "#!/bin/sh\nexit 1\n"))
    )
    return programs


def apt_get(programs, does):
    """An apt-get that notes what it is told, and on `install` does this."""
    text = f'#!/bin/sh\necho "$@" >> {programs}/told\n[ "$1" != install ] || {{ {does}; }}\n'
    script(programs / "apt-get", text)


def test_as_root_debian_s_package_is_taken(bare):
    here = f"echo '#!/bin/sh' > {bare}/chromium; /bin/chmod 755 {bare}/chromium"
    apt_get(bare, here)
    assert browser.get() == str(bare / "chromium")
    assert (bare / "told").read_text() == "update -qq\ninstall -y -qq chromium\n"
    assert browser.get() == str(bare / "chromium")
    assert (bare / "told").read_text().count("install") == 1  # once it is there nothing is got


@pytest.mark.parametrize("root, apt", [(True, True), (True, False), (False, True)])
def test_else_playwright_s_own_is(bare, tmp_path, monkeypatch, root, apt):
    if apt:
        apt_get(bare, "exit 100")  # no network, no such package
    monkeypatch.setattr(browser.os, "geteuid", lambda: 0 if root else 1000)
    own = f"[ \"$*\" = '-m playwright install chromium' ] && echo '#!/bin/sh' > {tmp_path}/own"
    script(tmp_path / "py", f"#!/bin/sh\n{own} && /bin/chmod 755 {tmp_path}/own\n")
    assert browser.get() == str(tmp_path / "own")
    assert (bare / "told").exists() == (root and apt)


def test_where_none_can_be_had_it_is_said(bare, project_root):
    assert browser.get() == ""
    (bare.parent / "none").mkdir()
    environment = {"PATH": str(bare.parent / "none"), "PLAYWRIGHT_BROWSERS_PATH": str(bare)}
    done = subprocess.run(
        [PYTHON, "-c", MAIN], capture_output=True, text=True, env=environment, cwd=project_root
    )
    assert done.returncode == 1 and "no Chromium; the live page's tests are skipped" in done.stdout


PYTHON = sys.executable
#: browser.py as `make test` runs it, but for what it gets over the network.
MAIN = (
    "import runpy, subprocess; run = subprocess.run\n"
    "def offline(command, **how):\n"
    "    if 'install' in command: raise OSError('no network')\n"
    "    return run(command, **how)\n"
    "subprocess.run = offline\n"
    "runpy.run_path('tests/live/browser.py', run_name='__main__')"
)


def test_one_that_does_not_start_is_none(bare):
    script(bare / "chromium", "#!/bin/sh\nexit 127\n")  # a stub that only says: install the snap
    script(bare / "google-chrome", WORKS)
    assert browser.found() == str(bare / "google-chrome")
