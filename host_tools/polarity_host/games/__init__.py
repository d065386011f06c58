"""Stored games: the database, searches, the text form and statistics."""
