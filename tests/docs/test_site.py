"""The documentation site: nothing in it is stale, missing, or fetched from elsewhere."""

import re
import subprocess
import sys

import pytest

from docs import build, reference


def test_the_reference_is_what_the_code_says(capsys):
    assert reference.main(["--check"]) == 0
    text = reference.PAGE.read_text(encoding="utf-8")
    assert "Generated from the code" in text and f"`{reference.COMMAND}`" in text


@pytest.mark.parametrize("program", ["docs.build", "docs.reference"])
def test_a_program_finds_the_engine_by_itself(project_root, program):
    """Under pytest its folder is on the path anyway (pythonpath in pyproject.toml)."""
    command = [sys.executable, "-m", program, "--help"]
    done = subprocess.run(command, cwd=project_root, capture_output=True, text=True)
    assert done.returncode == 0 and "usage:" in done.stdout, done.stderr


def test_a_stale_reference_is_noticed(tmp_path, monkeypatch, capsys):
    page = tmp_path / "commands.md"
    page.write_text(reference.page_text().replace("--prune SIZE", "--prune BYTES"), "utf-8")
    monkeypatch.setattr(reference, "PAGE", page)
    assert reference.main(["--check"]) == 1
    assert "stale" in capsys.readouterr().err


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """What the builder printed, and the folder of the site. The game is not played for this."""
    folder = tmp_path_factory.mktemp("site")
    build.assemble(folder / "docs")
    (folder / "docs" / "game.html").write_text("<!doctype html><title>a game</title>", "utf-8")
    return build.build(folder), folder / "site"


def test_it_builds_without_a_warning(site):
    assert not build.WARNING.findall(site[0]), site[0]
    assert "No issues found" in site[0], site[0]
    names = {page.removesuffix(".md") for page in build.pages()}
    assert names <= {page.stem for page in site[1].glob("*.html")}


def test_a_warning_is_counted(tmp_path):
    build.assemble(tmp_path / "docs")
    (tmp_path / "docs" / "index.md").write_text("# Hello\n\n[nowhere](nowhere.md)\n", "utf-8")
    assert build.WARNING.findall(build.build(tmp_path))


def test_every_page_is_in_the_menu_and_every_picture_there(site):
    index = (site[1] / "index.html").read_text(encoding="utf-8")
    for name in build.pages():
        assert re.search(rf"href=\"?(\./)?{re.escape(name.removesuffix('.md'))}\.html", index), name
    for page in site[1].glob("*.html"):
        for source in re.findall(
            r"<(?:img|iframe)[^>]* src=\"?([^\" >]+)", page.read_text("utf-8")
        ):
            assert (page.parent / source).is_file(), f"{page.name}: {source}"


def test_nothing_is_fetched_from_elsewhere(site):
    for page in site[1].glob("*.html"):
        text = page.read_text(encoding="utf-8")
        fetched = re.findall(r"<(?:script|img|iframe)[^>]* src=\"?(https?:[^\" >]+)", text)
        fetched += re.findall(r"<link[^>]*rel=\"?stylesheet\"?[^>]*href=\"?(https?:[^\" >]+)", text)
        assert not fetched, page.name


def test_each_edition_has_its_section(site):
    text = (site[1] / "rules.html").read_text(encoding="utf-8")
    for edition in build.EDITIONS:
        assert f'id="{edition}"' in text or f"id={edition}" in text
    plain = " ".join(re.sub(r"<[^>]+>", " ", text).split())
    four, five = (plain.rindex(f"foundations of each colour {n}") for n in (4, 5))
    assert plain.rindex("rules for a scaled-down set") < four  # 003 Setup: four of each
    assert five < four  # 001 Foundation Discs 2: five of each
