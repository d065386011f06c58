"""The versions that CI installs, and the bounds of those that users do."""

import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name


@pytest.fixture(scope="module")
def project(project_root):
    return tomllib.loads((project_root / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def pins(project_root):
    """The requirements of the lock, several where a version depends on the Python."""
    lines = (project_root / ".ci/constraints.txt").read_text(encoding="utf-8").splitlines()
    return [Requirement(line) for line in lines if line.strip() and not line.startswith("#")]


def required(project):
    """All that an install for the tests asks for."""
    extras = project["project"]["optional-dependencies"]
    groups = project["dependency-groups"]
    for text in [
        *project["project"]["dependencies"],
        *sum(extras.values(), []),
        *groups["typings"],
    ]:
        requirement = Requirement(text)
        if requirement.name != project["project"]["name"]:
            yield requirement


def test_every_pin_is_exact(pins):
    assert len(pins) > 40
    for pin in pins:
        (specifier,) = pin.specifier
        assert specifier.operator == "==" and "*" not in specifier.version, str(pin)


def test_every_dependency_has_a_pin_that_it_allows(project, pins):
    for requirement in required(project):
        name = canonicalize_name(requirement.name)
        found = [
            next(iter(pin.specifier)).version for pin in pins if canonicalize_name(pin.name) == name
        ]
        assert found, f"{name} has no pin: run `make lock`"
        for version in found:
            assert requirement.specifier.contains(version), f"{name} {version}: run `make lock`"


def test_ci_installs_the_pins(project_root):
    assert 'PIP_CONSTRAINT="$PWD/.ci/constraints.txt"' in (project_root / ".ci/run").read_text()


def test_what_users_install_has_a_bound_above(project):
    for text in project["project"]["dependencies"]:
        operators = {specifier.operator for specifier in Requirement(text).specifier}
        assert operators & {"==", "<", "~="}, text
