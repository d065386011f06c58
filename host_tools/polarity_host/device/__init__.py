"""A mat at a port: finding it, talking to it, settings, calibration, diagnosis, flashing."""
