"""firmware/PROTOCOL.md says what the code does."""

import re

import pytest

from polarity.facts import KINDS
from polarity.rules.vocabulary import RULINGS
from polarity.wire.commands import COMMANDS, parse
from polarity.wire.messages import NUMBERED
from polarity.wire.reading import SCHEMA, unframe


@pytest.fixture(scope="module")
def page(project_root):
    return (project_root / "firmware/PROTOCOL.md").read_text(encoding="utf-8")


def section(page, kind):
    found = re.search(rf"^### `{kind}` (.*?)(?=^##|\Z)", page, re.M | re.S)
    assert found, f"no section about {kind}"
    return found.group(1)


def test_the_example_lines_are_valid(page):
    lines = re.findall(r"^~.*$", page, re.M)
    assert lines and all(unframe(line.encode()) for line in lines)


@pytest.mark.parametrize("kind", SCHEMA)
def test_every_field_is_described_in_the_order_of_the_schema(page, kind):
    text = section(page, kind)
    at = 0
    for name, _ in SCHEMA[kind]:
        at = text.find(f"`{name}`", at + 1)
        assert at > 0, f"{name} is missing or not in its place"
    assert text.startswith("(numbered" if kind in NUMBERED else "(passing")


def test_no_other_kind_is_described(page):
    assert set(re.findall(r"^### `(\w+)`", page, re.M)) == set(SCHEMA)


def test_every_fact_is_named(page):
    assert all(f"`{kind}`" in section(page, "fact") for kind in KINDS)


def test_every_ruling_is_named(page):
    assert all(f"`{code}`" in section(page, "ruling") for code in RULINGS)


def test_the_command_table_is_complete(page):
    table = page.split("## Commands")[1]
    lines = re.findall(r"^\| (`.*?`) \| ", table, re.M)
    described = {word for cell in lines for word in re.findall(r"`(\w+)", cell)}
    assert described == {name for name, _ in COMMANDS}
    assert parse("resume 5")[0] == "resume"
