"""Runs after boot.py: starts the mat. So short because the chip compiles it anew at each start."""

import start

start.main()
