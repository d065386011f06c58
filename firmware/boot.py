"""Runs first at power-up: finds the version to start. Where versions lie is described in
host_tools/polarity_host/device/flashing/install.py. Whether it may be started is for main.py: a
host that copies files makes this one run again and again."""

import sys

try:
    with open("slot") as file:
        sys.path.insert(0, file.read(1))
except OSError:
    pass  # the firmware lies in the top folder
