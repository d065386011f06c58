"""Puts the firmware on a mat's Pico: compiled, and laid out in pages for its flash."""
