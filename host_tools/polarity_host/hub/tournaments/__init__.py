"""Tournaments of a hall: players, rounds, pairings, results from the mats, standings and ratings.

`model` says what one is, `pairing` who plays whom, `standings` and `ratings` how they stand, `book`
keeps it in the hub's database, and `export` writes it for other programs.
"""
