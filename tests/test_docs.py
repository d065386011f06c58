"""What the pages point at exists: links, paths of this tree, commands, make targets, modules."""

import argparse
import importlib.util
import re
from pathlib import Path

import pytest

from polarity_host import cli

ROOT = Path(__file__).resolve().parent.parent
NOT_OURS = {".venv", "node_modules", "typings", "build", ".pytest_cache", ".ruff_cache"}
#: Folders that commands make: what is in them is not in the tree.
MADE = ("build/", ".venv/", "node_modules/", "typings/")
#: A page about one room names files from that room, or from the packages' roots.
ROOMS = ("", "firmware", "firmware/polarity", "hardware", "hardware/tools", "host_tools",
         "host_tools/polarity_host", "host_tools/polarity_host/simulation")  # fmt: skip
ENDINGS = "py|pyi|md|toml|js|mjs|html|css|svg|png|webp|lark|json|c|kicad_pcb|kicad_pro"
PAGES = sorted(
    str(page.relative_to(ROOT))
    for page in ROOT.rglob("*.md")
    if not NOT_OURS & set(page.relative_to(ROOT).parts)
)

LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
QUOTED = re.compile(r"`([^`\n]+)`")
FENCED = re.compile(r"^\s*```.*?^\s*```", re.M | re.S)
PATH = re.compile(rf"(?:[\w.*-]+/)+[\w.*-]*|[\w*-]+\.(?:{ENDINGS})")
COMMAND = re.compile(r"\bpolarity ((?:bench )?[a-z]+)\b")
TARGET = re.compile(r"\bmake ([a-z]+)\b")
MODULE = re.compile(r"\bpython -m ([a-z_]+(?:\.[a-z_]+)*)")


def text_of(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def code_of(page: str) -> list[str]:
    """What the page says in code: between backticks, and the lines of its blocks."""
    text = text_of(page)
    blocks = [block.group(0) for block in FENCED.finditer(text)]
    return QUOTED.findall(FENCED.sub("", text)) + blocks


def broken_links(page: str, text: str) -> list[str]:
    prose = QUOTED.sub("", FENCED.sub("", text))
    targets = [link.split("#")[0] for link in LINK.findall(prose)]
    return [
        target
        for target in targets
        if target and "://" not in target and not ((ROOT / page).parent / target).exists()
    ]


def missing_paths(page: str, quoted: list[str]) -> list[str]:
    """Those in backticks that look like a path of this tree and are none. A bare file name may be
    any file's of the tree; a `*` stands for what it stands for in a shell."""
    folders = [(ROOT / page).parent, *(ROOT / room for room in ROOMS)]
    missing = []
    for path in quoted:
        if not PATH.fullmatch(path) or path.startswith(MADE):
            continue
        if "/" not in path and any(found(ROOT, f"**/{path}")):
            continue
        if not any(any(found(folder, path.rstrip("/"))) for folder in folders):
            missing.append(path)
    return missing


def found(folder: Path, pattern: str):
    for path in folder.glob(pattern):
        if not NOT_OURS & set(path.relative_to(ROOT).parts):
            yield path


def commands() -> set[str]:
    """Every subcommand of `polarity`, and `bench` with each of its measurements."""
    top = subcommands(cli.parser())
    return {*top, *(f"bench {measurement}" for measurement in subcommands(top["bench"]))}


def subcommands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    return {}


def unknown_commands(code: list[str], known: set[str]) -> list[str]:
    return [name for part in code for name in COMMAND.findall(part) if name not in known]


def unknown_modules(code: list[str]) -> list[str]:
    return [
        name
        for part in code
        for name in MODULE.findall(part)
        if importlib.util.find_spec(name) is None
    ]


def unknown_targets(code: list[str]) -> list[str]:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.M))
    return [name for part in code for name in TARGET.findall(part) if name not in targets]


@pytest.mark.parametrize("page", PAGES)
def test_what_a_page_points_at_exists(page):
    text, code = text_of(page), code_of(page)
    assert not broken_links(page, text)
    assert not missing_paths(page, code)
    assert not unknown_commands(code, commands())
    assert not unknown_modules(code)
    assert not unknown_targets(code)


def test_the_pages_that_a_newcomer_opens_are_looked_at():
    assert {"README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/STATUS.md"} <= set(PAGES)
    assert {"hardware/README.md", "firmware/PROTOCOL.md", "host_tools/RECORD.md"} <= set(PAGES)


def test_each_check_bites():
    assert broken_links("README.md", "[a](docs/NONE.md) [b](LICENSE) [c](https://a.b/c)") == [
        "docs/NONE.md"
    ]
    gone = ["firmware/nowhere/", "twin/field.py", "no_such.py", "hardware/netlists/*.none"]
    here = [
        "firmware/polarity/",
        "mat.toml",
        "hardware/netlists/*.net",
        "and/or nothing",
        "build/x",
    ]
    assert missing_paths("README.md", gone + here) == [gone[0], *gone[2:]]
    assert unknown_commands(["polarity bench nothing", "polarity replay F"], commands()) == [
        "bench nothing"
    ]
    assert unknown_modules(["python -m hardware.tools.nothing", "python -m pytest"]) == [
        "hardware.tools.nothing"
    ]
    assert unknown_targets(["make nothing", "make test"]) == ["nothing"]
