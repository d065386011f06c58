"""A Pico emulated instruction by instruction, with the digital twin wired to its pins.

Needs the extra `emulated` (pyproject.toml) and an image of MicroPython (image.py).
"""
