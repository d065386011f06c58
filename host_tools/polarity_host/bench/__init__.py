"""Measurements behind the project's numbers, one module each with a `run`: `polarity bench NAME`."""
