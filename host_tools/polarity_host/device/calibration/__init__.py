"""Measuring one mat: its sensors' gains, its converter's codes and the real discs.

`survey` finds in frames what was shown to the mat, `fit` solves for what must be true of the mat,
`measure` does both and says how well.
"""
