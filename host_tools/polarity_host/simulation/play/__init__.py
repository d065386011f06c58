"""The virtual mat: hands move discs, magnets move the rest, and the twin's sensors see it.

`PHYSICS.md` beside this file says what is computed and what is assumed.
"""
