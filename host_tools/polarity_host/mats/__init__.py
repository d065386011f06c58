"""The mats that hardware/mat.toml describes, and the calibration of a real one."""
