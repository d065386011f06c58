"""Every code block of the documentation's own pages runs, in the order in which it stands there."""

import shlex
import socket

import pytest

from docs.build import MORE, PAGES, ROOT, assemble
from docs.reference import subcommands
from polarity_host import cli
from tests.docs.blocks import Block, Reader, blocks_of

#: Pages of the tree that the site shows, and the test that runs or reads their blocks.
ELSEWHERE = {
    "PROTOCOL.md": "tests/wire/test_protocol_page.py",
    "API.md": "tests/live/test_api_page.py",
    "RECORD.md": "tests/games/notation/test_notation.py",
    "RECORDING.md": "tests/replay/test_recording.py",
    "HARDWARE.md": "tests/test_docs.py",
}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of the pages as they are built."""
    folder = tmp_path_factory.mktemp("site") / "docs"
    assemble(folder)
    return folder


@pytest.fixture
def reader(tmp_path, monkeypatch, polarity):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DISPLAY", raising=False)
    with socket.socket() as one, socket.socket() as other:
        for free in (one, other):
            free.bind(("127.0.0.1", 0))
        free = one.getsockname()[1], other.getsockname()[1]
    reading = Reader(ROOT, tmp_path, polarity, "sim://demo?seed=1&speed=0", free)
    yield reading
    reading.close()


@pytest.mark.parametrize("page", sorted(page.name for page in PAGES.glob("*.md")))
def test_every_block_of_a_page_runs(site, reader, page):
    for block in blocks_of((site / page).read_text(encoding="utf-8")):
        reader.do(block)


def test_the_blocks_of_other_pages_have_their_own_tests(site):
    with_blocks = {name for name in MORE if blocks_of((site / name).read_text("utf-8"))}
    assert with_blocks <= set(ELSEWHERE)
    assert all((ROOT / path).exists() for path in ELSEWHERE.values())


def test_every_example_of_the_reference_is_a_command():
    text = (PAGES / "commands.md").read_text(encoding="utf-8")
    examples = [line.strip() for line in text.splitlines() if line.startswith("    polarity")]
    parser = cli.parser()
    assert len(examples) > len(subcommands(parser))
    for example in examples:
        parser.parse_args(shlex.split(example.split(" > ")[0])[1:])


@pytest.mark.parametrize(
    "block",
    [
        Block("sh", "polarity replay none.matrec"), Block("sh", "pipx install '.[nothing]'"),
        Block("sh", "make nothing"), Block("sh", "rm -r x"), Block("text", "never printed"),
        Block("python", "print(undefined)"), Block("", "plain"),
    ],
)  # fmt: skip
def test_each_check_bites(reader, block):
    with pytest.raises(AssertionError):
        reader.do(block)
