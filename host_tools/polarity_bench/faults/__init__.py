"""`polarity bench faults`: attacks on every promise of the mat, each part alone."""
