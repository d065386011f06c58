"""Games that are kept: found again, counted, and written in other forms."""
