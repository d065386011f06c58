"""The virtual mat as something to plug in: its power, its clock and its two ends of a cable."""
