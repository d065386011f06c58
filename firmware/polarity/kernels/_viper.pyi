"""The type of the viper kernels: the reference's, which they imitate."""

from ._reference import *  # noqa: F403
from ._reference_fit import *  # noqa: F403
