"""What every test shares: the tree's root, and one set of rules for generated inputs."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

# No deadline: a test that fails because the machine was busy says nothing about the code.
# In CI the inputs are the same each time, so a red run can be run again.
settings.register_profile("project", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("project")


@pytest.fixture(scope="session")
def project_root() -> Path:
    """The directory that holds firmware/, host_tools/, hardware/ and tests/."""
    return Path(__file__).resolve().parent.parent
