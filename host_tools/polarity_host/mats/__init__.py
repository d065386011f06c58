"""Mats: their geometry, wiring and discs, pictures of them, and calibration files."""
