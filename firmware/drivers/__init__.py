"""The chip's side of the mat: the only place for machine and rp2."""

names = None  # flash_names.py keeps here what no page holds: itself is let go after the start
