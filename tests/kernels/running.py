"""Lets perception run on the kernels of one's choice for a while."""

from contextlib import contextmanager

from hardware.tools.kernels import signatures
from polarity import kernels

NAMES = sorted(signatures())


@contextmanager
def running(kind, module):
    """The facade's kernels are those of a module."""
    names = [*NAMES, "gradient", "links"]
    before = {name: getattr(kernels, name) for name in [*names, "KIND", "_kernels", "_WORD"]}
    try:
        for name in names:
            setattr(kernels, name, getattr(module, name))
        kernels.KIND, kernels._kernels = kind, module
        kernels._WORD = getattr(module, "WORD", "")
        yield
    finally:
        for name, value in before.items():
            setattr(kernels, name, value)
