"""Measurements behind the project's numbers, a module with a `run` each: `polarity bench NAME`."""
