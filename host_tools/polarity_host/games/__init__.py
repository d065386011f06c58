"""Games that are kept: stored, found again, written as text and counted."""
