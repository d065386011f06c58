"""The mat without hardware.

- `twin`: exact fields, sensors, and games played by scripted hands, with their truth.
- `play`: physics and players: a game that hands play, by pointer or by themselves.
- `port`: how a host tool connects to either: `sim://` URLs, and a TCP server.
- `pico`: the chip, emulated instruction by instruction, with the twin at its pins.
"""
