"""The firmware's version, as hello tells it."""

VERSION = "0.1.0"
