import argparse
import contextlib
import json
import random
import socket
import threading

import pytest

from polarity_host import cli
from polarity_host.errors import BAD_INPUT, DONE, FAILED
from polarity_host.games.store import Store
from polarity_host.replay.truth import TruthWriter, truth_path
from polarity_host.simulation.port import power
from polarity_host.simulation.port.game_source import GameSource
from polarity_host.simulation.port.sim_mat import SimMat
from tests.cli.commands import NAMES
from tests.fake_engine import FakeEngine, frames

URL = "sim://demo?seed=8888"


@pytest.fixture
def virtual_mat():
    """A mat with a FakeEngine behind URL, which plays and ends."""
    mat = SimMat(FakeEngine(end_at=100), frames(120), speed=0.0)
    power.put_at(URL, mat)
    yield mat
    power.remove(URL)


BENCHES = [["bench", name] for name in ("games", "replay", "heap")]


@pytest.mark.parametrize("words", [[], *([name] for name in NAMES), *BENCHES])
def test_every_help_ends_with_an_example(polarity, words):
    code, out, _ = polarity(*words, "--help")
    assert code == DONE
    assert out.split("example:\n")[1].strip().startswith("polarity")


def test_the_help_lists_the_commands(polarity):
    _, out, _ = polarity("--help")
    assert all(f"\n    {name}" in out for name in NAMES)


@pytest.mark.parametrize(
    "words",
    [
        ["nothing"],
        ["log"],
        ["log", "sim://demo", "--wait", "-1"],
        ["log", "sim://demo", "--lang", "tlh"],
        ["replay"],
        ["replay", "a", "b"],
        ["sim"],
        ["sim", "-o", "a", "--serve", "b"],
        ["sim", "-o", "a", "--turns", "0"],
        ["sim", "-o", "a", "--turns", "many"],
        ["demo", "--seed", "-1"],
        ["demo", "--fast", "--speed", "2"],
        ["bench"],
        ["bench", "games", "--seeds", "9-1"],
        ["mat", "--mat", "none"],
        ["log", "/dev/no-such-port"],
        ["log", "sim://nothing"],
        ["log", "sim://demo?mat=none"],
        ["log", "sim://demo?edition=none"],
        ["sim", "-o", "a.matrec", "--mat", "small"],
        ["sim", "-o", "a.matrec", "--edition", "chess"],
        ["sim", "-o", "a.matrec", "--edition", "scaled", "--driver", "scripted"],
        ["sim", "-o", "a.matrec", "--edition", "scaled", "--mat", "standard"],
        ["sim", "-o", "a.matrec", "--driver", "steam"],
        ["demo", "--edition", "temple+german"],
        ["demo", "--edition", "fourlang", "--driver", "scripted"],
        ["demo", "--skill", "divine"],
        ["bench", "games", "--edition", "chess"],
        ["bench", "facts", "--driver", "scripted", "--edition", "original"],
        ["sim", "--serve", "nowhere"],
    ],
    ids=" ".join,
)
def test_bad_usage_is_one_line_and_exit_code_2(polarity, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = polarity(*words)
    assert (code, out) == (BAD_INPUT, "")
    assert err.startswith("polarity") and err.count("\n") == 1
    assert list(tmp_path.glob("*.matrec")) == []


def test_without_a_command_the_help_is_shown(polarity):
    code, out, err = polarity()
    assert (code, out) == (BAD_INPUT, "") and "polarity demo" in err


def test_log_stores_and_tells_a_game(polarity, virtual_mat, tmp_path):
    db = tmp_path / "g.db"
    code, out, err = polarity("log", URL, "--db", db)
    assert (code, err) == (DONE, "")
    assert "Black's fault: discs 1 and 2 touch." in out and out.endswith(f"Stored in {db}.\n")
    with Store(db) as store:
        (game,) = store.games()
        assert (game["winner"], game["score_b"], game["port"]) == ("b", 7, URL)
        assert len(store.raw_lines(game["id"])) >= 121


@pytest.mark.parametrize(
    "words, sentence",
    [
        (["--lang", "fr"], "Faute de Noir : les disques 1 et 2 se touchent."),
        (["--lang", "de"], "Fehler von Schwarz: Die Scheiben 1 und 2 berühren sich."),
        (["--lang", "nl"], "Fout van Zwart: de schijven 1 en 2 raken elkaar."),
        (
            ["--explain"],
            "rule: it is a fault when two or more discs come to touch (Temple: Temple Games",
        ),
        (["--explain"], "owed: White to capture discs 1 and 2; Black nothing"),
    ],
)
def test_log_speaks_the_game_s_languages_and_explains(polarity, virtual_mat, words, sentence):
    code, out, _ = polarity("log", URL, *words)
    assert code == DONE and sentence in out


def test_the_language_is_that_of_the_environment(polarity, virtual_mat, monkeypatch):
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    _, out, _ = polarity("log", URL)
    assert "Schwarz gewinnt." in out and "Aufbewahrt in" in out


def test_log_json_prints_every_message_and_only_json(polarity, virtual_mat):
    code, out, _ = polarity("log", URL, "--json")
    messages = [json.loads(line) for line in out.splitlines()]
    assert code == DONE
    numbers = [m["n"] for m in messages if m["k"] in ("game", "fact", "ruling", "log")]
    assert numbers == list(range(1, 122))
    assert [m["state"] for m in messages if m["k"] == "port"] == ["open", "over"]


def test_log_once_stops_with_the_game(polarity, virtual_mat):
    virtual_mat._stays = True
    code, out, _ = polarity("log", URL, "--once")
    assert code == DONE and "Black wins" in out


def test_a_lost_port_is_exit_code_1_and_keeps_the_game(polarity, tmp_path):
    mat = SimMat(FakeEngine(end_at=100), iter_then_unplug(50), speed=0.0)
    power.put_at(URL, mat)
    db = tmp_path / "g.db"
    code, _, err = polarity("log", URL, "--db", db, "--wait", "0")
    power.remove(URL)
    assert code == FAILED and err.count("\n") == 1 and "disappeared" in err
    with Store(db) as store:
        assert store.last_number(1) == 61


def iter_then_unplug(count):
    yield from frames(count)
    power.remove(URL)
    yield from frames(count)


def test_a_port_that_only_sends_garbage_is_one_line(polarity, monkeypatch):
    monkeypatch.setattr("polarity_host.device.link.PATIENCE_S", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as server:

        def babble():
            connection, _ = server.accept()
            noise = random.Random(1)
            with contextlib.suppress(OSError), connection:
                while True:
                    connection.sendall(noise.randbytes(500))

        thread = threading.Thread(target=babble, daemon=True)
        thread.start()
        code, out, err = polarity("log", f"socket://127.0.0.1:{server.getsockname()[1]}")
        thread.join(timeout=10)
    assert (code, out) == (FAILED, "") and err.count("\n") == 1
    assert "no mat on socket://" in err and not thread.is_alive()


def test_progress_goes_to_stderr_when_asked_for(polarity, virtual_mat):
    _, out, err = polarity("log", URL, "--json", "--progress")
    assert "messages" in err and all(line.startswith("{") for line in out.splitlines())


def test_demo_ends_with_the_result_and_where_the_record_lies(
    polarity, fake_engine, monkeypatch, tmp_path
):
    monkeypatch.setattr(GameSource, "frames", lambda played: frames(120))
    code, out, err = polarity("demo", "--fast", "--seed", "8887")
    assert (code, err) == (DONE, "")
    ending = out.split("\n\n")[-1].splitlines()
    assert ending[0] == "Result: Black wins."
    assert str(tmp_path / "data/games.db") in ending[1]
    assert str(tmp_path / "data/recordings/demo-8887.matrec") in ending[2]


def test_a_demo_plays_by_the_edition_driver_and_skill_that_are_wanted(
    polarity, fake_engine, monkeypatch
):
    played = []
    monkeypatch.setattr(GameSource, "frames", lambda game: played.append(game) or frames(120))
    wanted = ("fourlang+german", "physics", "clumsy")
    words = [word for pair in zip(("--edition", "--driver", "--skill"), wanted) for word in pair]
    code, _, err = polarity("demo", "--fast", "--seed", "8885", "--no-browser", *words)
    assert (code, err) == (DONE, "")
    (source,) = played
    assert (source.game.edition, source.game.driver, source.game.skill) == wanted
    assert (source.mat.id, source.game.is_scripted) == ("standard", False)


def test_a_demo_without_an_end_has_failed(polarity, fake_engine, monkeypatch):
    monkeypatch.setattr(GameSource, "frames", lambda played: frames(20))
    code, _, err = polarity("demo", "--fast", "--seed", "8886")
    assert code == FAILED and "came to no end" in err and err.count("\n") == 1
    assert "its truth cannot be read" in err


def test_a_demo_whose_end_the_mat_missed_says_what_and_where_the_recording_is(
    polarity, fake_engine, monkeypatch, tmp_path
):
    recording = tmp_path / "data/recordings/demo-8884.matrec"

    def played(source):
        with TruthWriter(truth_path(recording)) as truth:
            end = {"t_us": 150_000, "code": "end", "player": "w", "why": "red_off"}
            truth.write({"t_us": 140_000, "k": "fact", "f": "red_off"})
            truth.write({**end, "k": "ruling"})
        return frames(20)

    monkeypatch.setattr(GameSource, "frames", played)
    code, out, err = polarity("demo", "--fast", "--seed", "8884")
    assert code == FAILED and err.count("\n") == 1
    assert "in truth it ended at 0:00 (red_off), white won" in err
    assert "the first ruling" in err
    assert str(recording) in err and f"polarity replay {recording}" in err
    assert "Result" not in out


def test_sim_records_a_game_and_its_truth(polarity, tmp_path):
    path = tmp_path / "game.matrec.gz"
    code, out, _ = polarity("sim", "--turns", "1", "--seed", "5", "-o", path)
    assert code == DONE and str(path) in out
    truth = [json.loads(line) for line in (tmp_path / "game.truth.jsonl").open()]
    assert {"fact", "ruling"} <= {record["k"] for record in truth}
    code, _, err = polarity("sim", "--turns", "1", "-o", path)
    assert code == FAILED and "exists already" in err and err.count("\n") == 1


def test_mat_json_is_the_contract_s(polarity):
    for name, count in (("standard", 373), ("small", 121)):
        code, out, _ = polarity("mat", "--mat", name, "--json")
        mat = json.loads(out)
        assert code == DONE and mat["mat"] == name and len(mat["sensors"]) == count
        assert set(mat["sensors"][0]) == {"x_mm", "y_mm", "z_mm", "adc", "address"}
        assert {"circle_radius_mm", "dot_radius_mm", "frame_hz"} <= set(mat)
        assert {"diameter_mm", "thickness_mm", "br_t", "white_up_counts"} == set(mat["disc"])
        assert {"counts_per_mt", "zero_count", "bits"} <= set(mat["adc"])


def test_ports_says_how_to_do_without(polarity):
    code, out, _ = polarity("ports")
    assert code == DONE and "sim://demo" in out
    code, out, _ = polarity("ports", "--json")
    assert all("port" in json.loads(line) for line in out.splitlines())


def test_a_data_directory_that_cannot_be_made(polarity, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("POLARITY_DATA", str(tmp_path / "file" / "data"))
    for words in (["demo", "--fast"], ["log", "sim://demo"]):
        code, _, err = polarity(*words)
        assert code == FAILED and "POLARITY_DATA" in err and err.count("\n") == 1


def subcommands(top, path=()):
    """(path, parser) of every command that does something."""
    inner = [a for a in top._actions if isinstance(a, argparse._SubParsersAction)]
    if not inner:
        yield path, top
    for action in inner:
        for name, parser in action.choices.items():
            yield from subcommands(parser, (*path, name))


@pytest.mark.parametrize("path, parser", list(subcommands(cli.parser())))
def test_every_command_speaks_json_and_has_an_example(path, parser):
    assert any("--json" in action.option_strings for action in parser._actions)
    assert "example:\n  polarity " + path[0] in parser.format_help()
