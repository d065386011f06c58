"""Runs first at power-up: finds the version to start (host_tools/polarity_host/board/install.py
tells how versions lie), counts the start, and decides whether main.py may begin the game."""

import sys

try:
    with open("slot") as file:
        sys.path.insert(0, file.read(1))
except OSError:
    pass  # the firmware lies in the top folder

from drivers import guard  # noqa: E402

guard.begin()
