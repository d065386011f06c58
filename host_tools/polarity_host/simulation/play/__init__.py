"""Physics: hands move discs, magnets move the rest, sensors measure it, a witness notes the truth.

`PHYSICS.md` beside this file lists what is computed and what is assumed.
"""
