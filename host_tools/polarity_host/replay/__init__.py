"""Recordings, and the firmware's engine that judges them again."""
