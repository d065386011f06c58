"""The chip's side of the mat: the only place for machine and rp2."""
