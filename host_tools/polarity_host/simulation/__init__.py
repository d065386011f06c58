"""The mat without hardware.

- `twin`: exact fields, sensors and nuisances of every game, and games played by scripted hands,
  with their truth.
- `play`: physics: a world in which hands and magnets move discs, and the truth of what happened.
- `players`: practice players, and whole games that an oracle judges by that truth.
- `drivers`: which of both moves the discs of a game.
- `port`: how a host tool connects to either: `sim://` URLs, and a TCP server.
- `pico`: the chip, emulated instruction by instruction, with the twin at its pins.
"""
