"""What a command prints: the game as it goes, and how far the work is."""
