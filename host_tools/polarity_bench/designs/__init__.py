"""Mats that might be built instead: what each costs, and how well the engine judges on it."""
