"""The firmware's version, as hello tells it. On a mat the build stands behind it: a number that
host_tools/polarity_host/device/flashing/firmware.py makes of all the files that are put there."""

told = "0.1.0"
