"""What people read, and what builds the documentation site from it."""

import polarity_host  # noqa: F401  # it makes the engine importable
