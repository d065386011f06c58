"""Physics and players: hands move discs, magnets move the rest, the twin's sensors measure it.

`PHYSICS.md` beside this file lists what is computed and what is assumed.
"""
