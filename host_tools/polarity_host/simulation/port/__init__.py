"""A simulated mat as something to plug in: its power, its clock and both ends of its cable."""
