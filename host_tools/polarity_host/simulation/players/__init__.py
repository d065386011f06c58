"""Practice players, and whole games: from the bare mat to the result, by every edition.

How a game is made, each part knowing only those before it:

- `play.World`: bodies, forces, hands and sensors. Physics decides what happens.
- `play.Witness`: notes what happened as facts, with true times and places. It knows no rules.
- `oracle`: the referee fed with these facts. It knows no sensors. What it rules is right.
- `motions`, `places`, `foresight`: what a hand can do, and what a player expects of it.
- `player`: a turn by the rules: what is owed is captured, a disc is leaned, or a leaner felled.
- `fumbles`: blunders that a player of some skill makes now and then.
- `match`: who plays when; discs that are due to a reserve; the cube; the end.

The firmware's engine has no part in this. It gets the counts of the same frames, and
`polarity bench play` compares what it rules with what the oracle ruled. Without an engine no counts
are computed, and a game takes a fraction of the time.
"""
