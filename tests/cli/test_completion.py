"""What the Tab key offers, in a real shell."""

import shutil
import subprocess

import pytest

from polarity_host.cli.completion import SHELLS
from polarity_host.errors import BAD_INPUT, DONE
from tests.cli.commands import NAMES

OFFERED = "source {script}\nCOMP_WORDS=(polarity {words})\nCOMP_CWORD={last}\n{function}\n"
SHOWN = 'printf "%s\\n" "${COMPREPLY[@]}"'


@pytest.fixture
def offered(polarity, tmp_path):
    """What bash offers for the last of some words."""
    bash = shutil.which("bash") or pytest.skip("no bash here")
    script = tmp_path / "polarity.bash"
    code, text, _ = polarity("--completion", "bash")
    assert code == DONE
    script.write_text(text, encoding="utf-8")

    def ask(*words):
        (tmp_path / "here.matrec").touch()
        names = " ".join(f"'{word}'" for word in words)
        done = subprocess.run(
            [bash, "-c", OFFERED.format(script=script, words=names, last=len(words),
                                        function="_shtab_polarity") + SHOWN],
            capture_output=True, text=True, cwd=tmp_path,
        )  # fmt: skip
        assert done.returncode == 0 and not done.stderr, done.stderr
        return done.stdout.split()

    return ask


def test_bash_offers_commands_options_values_and_files(offered):
    assert set(offered("")) >= set(NAMES)
    assert offered("re") == ["replay", "review"]
    assert offered("games", "--pr") == ["--prune"]
    assert offered("demo", "--lang", "") == ["en", "fr", "de", "nl"]
    assert offered("bench", "inst") == ["install"]
    assert offered("replay", "he") == ["here.matrec"]


@pytest.mark.parametrize("shell", SHELLS)
def test_there_is_a_script_for_each_shell(polarity, shell):
    code, out, err = polarity("--completion", shell)
    assert (code, err) == (DONE, "") and "replay" in out and "prune" in out


def test_another_shell_is_refused_in_a_line(polarity):
    code, out, err = polarity("--completion", "fish")
    assert (code, out) == (BAD_INPUT, "") and err.count("\n") == 1 and "zsh" in err
