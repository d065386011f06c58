"""Runs after boot.py: begins the loop. So short because the chip compiles it anew at each start."""

import loop

loop.main()
