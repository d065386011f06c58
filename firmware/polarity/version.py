"""The firmware's version, as hello reports it. On a mat the build follows it: a number that
host_tools/polarity_host/device/flashing/firmware.py makes of all the files that are put there. In
small letters, as a constant would be copied into other modules before that."""

number = "0.1.0"
