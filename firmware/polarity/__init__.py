"""Polarity on an instrumented mat: pure code, the same on CPython and MicroPython."""
