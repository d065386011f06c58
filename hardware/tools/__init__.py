"""What is built from hardware/mat.toml: schematics, netlists, margins, power, parts, drawings."""
