"""A Chromium for the tests: one that is found, or one that `python tests/live/browser.py` gets."""

import contextlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
#: In a container there is no sandbox to be had, and often no GPU.
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage")


def found() -> str:
    """The path of a Chromium that starts, "" for none. POLARITY_CHROMIUM names one."""
    paths = [os.environ.get("POLARITY_CHROMIUM"), *map(shutil.which, NAMES), playwrights_own()]
    return next((path for path in paths if path and starts(path)), "")


def playwrights_own() -> str:
    """Where Playwright keeps its own, whether or not it is there."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return ""
    with sync_playwright() as playwright:
        return playwright.chromium.executable_path


def starts(path: str) -> bool:
    """Whether it is a browser that runs here."""
    try:
        done = subprocess.run([path, "--version"], capture_output=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def get() -> str:
    """Gets a Chromium where there is none: as root on Debian its package, else Playwright's own."""
    if path := found():
        return path
    tried = [[sys.executable, "-m", "playwright", "install", "chromium"]]
    if hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("apt-get"):
        apt = [["apt-get", "update", "-qq"], ["apt-get", "install", "-y", "-qq", "chromium"]]
        tried = apt + tried
    for command in tried:
        print("Getting a Chromium for the tests of the live page:", *command, flush=True)
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            subprocess.run(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, timeout=600
            )
        if path := found():
            return path
    return ""


if __name__ == "__main__":
    if not get():
        print(f"{Path(sys.argv[0]).name}: no Chromium; the live page's tests are skipped")
        sys.exit(1)
