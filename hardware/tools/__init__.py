"""What is built from hardware/mat.toml: schematics, netlists, margins, power, parts, drawings."""

import polarity_host  # noqa: F401  # it makes the engine importable
