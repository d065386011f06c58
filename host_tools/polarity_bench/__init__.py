"""Measurements behind the project's numbers, a module with a `run` each: `polarity bench NAME`."""

import polarity_host  # noqa: F401  # it makes the engine importable
