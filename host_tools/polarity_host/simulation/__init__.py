"""The mat without hardware: exact fields and sensors, players, a port, and an emulated Pico."""
