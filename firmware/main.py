"""Runs after boot.py: starts the mat. It is this short as the chip compiles it at each start."""

import start

start.main()
