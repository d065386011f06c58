"""Builds the documentation site: `python -m docs.build`, or `make docs`.

The site's pages are those in docs/pages, and pages of the tree that they lead to. A virtual mat
plays a game first, so that the site's own recorded game is the firmware's of today. With `--check`
it prints how many warnings the site's builder has, and fails if there is one.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from polarity.rules.citations import MEANINGS
from polarity.rules.editions import EDITIONS
from polarity_host.errors import DONE, FAILED
from polarity_host.words.catalogue import catalogue
from polarity_host.words.points import known_rules, value_words

ROOT = Path(__file__).resolve().parent.parent
PAGES = ROOT / "docs" / "pages"
#: Pages of the tree that are pages of the site as well, by their name there.
MORE = {
    "PROTOCOL.md": "firmware/PROTOCOL.md",
    "RULES.md": "firmware/RULES.md",
    "API.md": "host_tools/polarity_host/live/API.md",
    "RECORD.md": "host_tools/RECORD.md",
    "RECORDING.md": "host_tools/RECORDING.md",
    "HARDWARE.md": "hardware/README.md",
    "BUILD.md": "hardware/BUILD.md",
    "SOURCES.md": "hardware/SOURCES.md",
    "STATUS.md": "docs/STATUS.md",
}
STYLE = ".md-typeset img[src$='.svg'] { background: #fff; border-radius: 4px; }\n"
PICTURES = (".svg", ".webp", ".png")
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
#: What edition each name stands for, in words.
TITLES = {
    "temple": "Temple Games (2006) with its Strategy Guide. The mat plays by it unless another is "
    "asked for.",
    "fourlang": "the rulebook in French, English, German and Dutch.",
    "original": "the original rules, in their French translation.",
    "scaled": "the rules for a scaled-down set (2018). The small mat is made for it.",
}
WARNING = re.compile(r"^\W*(?:\x1b\[[\d;]*m)?(?:Warning|Error)\b", re.M)


def pages() -> dict[str, Path]:
    """The site's pages: where each comes from, by its name in the site."""
    own = {page.name: page for page in sorted(PAGES.glob("*.md"))}
    return {**own, **{name: ROOT / path for name, path in MORE.items()}}


def assemble(folder: Path) -> None:
    """Writes all that the site is built from into `folder`, but the game: pages whose links lead to
    pages of the site, and the pictures that they show. A link to another file of the tree becomes
    its text."""
    names = {path.resolve(): name for name, path in pages().items()}
    folder.mkdir(parents=True)
    (folder / "extra.css").write_text(STYLE, encoding="utf-8")
    for name, path in pages().items():
        text = path.read_text(encoding="utf-8")
        text = text.replace("{{client.py}}", (ROOT / "docs/client.py").read_text("utf-8").rstrip())
        text = text.replace("{{editions}}", editions())

        def led(link: re.Match[str], path: Path = path) -> str:
            mark, label, target = link.groups()
            place, _, part = target.partition("#")
            if "://" in target or not place:
                return link[0]
            file = (path.parent / place).resolve()
            if file in names:
                return f"{mark}[{label}]({names[file]}{'#' + part if part else ''})"
            if file.suffix in PICTURES and file.is_file():
                shutil.copy(file, folder / file.name)
                return f"{mark}[{label}]({file.name})"
            return label

        blocks = re.split(r"(^```.*?^```$|`[^`\n]+`)", text, flags=re.M | re.S)
        blocks[::2] = (LINK.sub(led, prose) for prose in blocks[::2])
        (folder / name).write_text("".join(blocks), encoding="utf-8")


def editions() -> str:
    """A section for each edition: the points in which it differs from the first one."""
    words, first = catalogue("en"), known_rules(EDITIONS[0])
    text = ""
    for edition in EDITIONS:
        rules = known_rules(edition)
        text += f"## `{edition}`\n\n`{edition}` is {TITLES[edition]}\n\n"
        shown = [p for p in MEANINGS if edition == EDITIONS[0] or rules[p] != first[p]]
        head = "point" if edition == EDITIONS[0] else f"where it differs from `{EDITIONS[0]}`"
        text += f"| {head} | `{edition}` |\n|---|---|\n"
        for point in shown:
            value = "–" if rules[point] == "" else value_words(words, point, rules[point])
            text += f"| {MEANINGS[point]} | {value} |\n"
        text += "\n"
    return text


def play(folder: Path) -> None:
    """Has a virtual mat play a game, and writes it to game.html in `folder`."""
    with tempfile.TemporaryDirectory() as data:
        for words in (["demo", "--fast", "--no-browser"], ["export", "--play", "-o", "game.html"]):
            subprocess.run(
                [sys.executable, "-m", "polarity_host", *words],
                check=True, cwd=folder, stdout=subprocess.DEVNULL,
                env={**os.environ, "POLARITY_DATA": data, "PYTHONPATH": os.pathsep.join(sys.path)},
            )  # fmt: skip


def build(folder: Path) -> str:
    """Builds the site in `folder`/site from what was assembled in `folder`/docs; returns what the
    builder printed."""
    shutil.copy(ROOT / "docs" / "zensical.toml", folder)
    done = subprocess.run(
        [sys.executable, "-m", "zensical", "build", "--clean"],
        cwd=folder, capture_output=True, text=True, env={**os.environ, "NO_COLOR": "1"},
    )  # fmt: skip
    return done.stdout + done.stderr + ("" if done.returncode == 0 else "\nError: it failed")


def main(argv: list[str] | None = None) -> int:
    """Builds the site."""
    parser = argparse.ArgumentParser(prog="python -m docs.build", description=__doc__)
    parser.add_argument("--to", type=Path, default=ROOT / "build" / "docs", metavar="FOLDER")
    parser.add_argument(
        "--check", action="store_true", help="print the number of warnings; none passes"
    )
    args = parser.parse_args(argv)
    folder: Path = args.to
    shutil.rmtree(folder, ignore_errors=True)
    assemble(folder / "docs")
    play(folder / "docs")
    printed = build(folder)
    warnings = len(WARNING.findall(printed))
    if warnings:
        print(printed, file=sys.stderr)
    if args.check:
        print(warnings)
        return FAILED if warnings else DONE
    print(f"The site: {folder / 'site' / 'index.html'}")
    return FAILED if warnings else DONE


if __name__ == "__main__":
    sys.exit(main())
