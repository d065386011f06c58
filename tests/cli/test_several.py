"""Several mats at one computer: each is followed wherever it is plugged in, and none is taken for
another."""

import json
import sys
import threading
import urllib.request
from types import SimpleNamespace

import pytest

from polarity_host import cli
from polarity_host.cli import several
from polarity_host.device.plugged import device_of, plugged_mats
from polarity_host.device.ports import available
from polarity_host.errors import BAD_INPUT, DONE, HostError
from polarity_host.games.store import Store
from polarity_host.live.mat_session import MatSession
from tests.usb import UsbMat
from tests.waiting import wait_for

if sys.platform == "win32":
    pytest.skip("pseudo-terminals", allow_module_level=True)


class Evening:
    """Several mats followed, each under a name, into one database."""

    def __init__(self, games, words, wait_s=20.0):
        self.complaints, self._wait_s = [], wait_s
        self.games = games
        self.several = several.Several(
            several.read_ports(words), self._begin, lambda *one: self.complaints.append(one)
        )
        self.sessions = {}
        self.several.begin()
        self._thread = threading.Thread(target=self.several.run)
        self._thread.start()

    def _begin(self, port):
        session = MatSession(port.url, self.games, wait_s=self._wait_s)
        session.start()
        self.sessions[port.name] = session
        return SimpleNamespace(session=session, stays=False, end=lambda: None)

    def boots(self):
        return {name: session.state.boot for name, session in self.sessions.items()}

    def count(self, boot):
        with Store(self.games) as store:
            query = (
                "SELECT count(*), count(DISTINCT n) FROM messages WHERE boot = :boot AND numbered"
            )
            return tuple(store.query(query, {"boot": boot})[0])

    def end(self):
        self.several._stopped.set()
        self._thread.join()
        self.several.end()


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(several, "SCAN_S", 0.05)
    monkeypatch.setattr("polarity_host.device.link.RETRY_S", 0.05)


def test_mats_that_swap_their_ports_are_followed_by_their_serial_numbers(usb, quick, tmp_path):
    oak, elm = UsbMat(11, "E661AA"), UsbMat(22, "E661BB")
    first, second = usb.plug(oak, "ttyACM0"), usb.plug(elm, "ttyACM1")
    evening = Evening(tmp_path / "games.db", [f"oak={first}", f"elm={second}"])
    try:
        oak.play(5), elm.play(5)
        wait_for(lambda: evening.count(11) == evening.count(22) == (7, 7))
        usb.unplug("ttyACM0")
        usb.unplug("ttyACM1")
        oak.play(5), elm.play(5)
        usb.plug(elm, "ttyACM0")  # each where the other was
        usb.plug(oak, "ttyACM1")
        oak.play(5), elm.play(5)
        wait_for(lambda: evening.count(11) == evening.count(22) == (19, 19))
        assert evening.boots() == {"oak": 11, "elm": 22}
        assert evening.complaints == []
    finally:
        evening.end()


def test_every_mat_that_is_plugged_in_is_followed_and_one_that_comes_back_goes_on(
    usb, quick, tmp_path
):
    oak, elm = UsbMat(11, "E661AA"), UsbMat(22, "E661BB")
    usb.plug(oak, "ttyACM0")
    evening = Evening(tmp_path / "games.db", ["all"], wait_s=0.2)
    try:
        wait_for(lambda: evening.boots() == {"e661aa": 11})
        usb.plug(elm, "ttyACM1")
        wait_for(lambda: evening.boots() == {"e661aa": 11, "e661bb": 22})
        usb.unplug("ttyACM0")
        wait_for(lambda: evening.complaints)  # it was waited for, then given up
        oak.play(10)
        usb.plug(oak, "ttyACM7")
        wait_for(lambda: evening.count(11) == (13, 13))
        assert [name for name, _ in evening.complaints] == ["e661aa"]
    finally:
        evening.end()


def test_two_mats_of_one_serial_number_are_told_apart_by_their_places(usb, quick, tmp_path):
    oak, elm = UsbMat(11, "E661AA"), UsbMat(22, "E661AA")
    usb.plug(oak, "ttyACM0", "1-1")
    usb.plug(elm, "ttyACM1", "1-2")
    assert plugged_mats() == ["usb:E661AA@1-1", "usb:E661AA@1-2"]
    with pytest.raises(HostError, match="several mats"):
        device_of("usb:E661AA")
    evening = Evening(tmp_path / "games.db", ["all"])
    try:
        wait_for(lambda: evening.boots() == {"e661aa-1-1": 11, "e661aa-1-2": 22})
    finally:
        evening.end()


def test_mats_of_one_name_are_refused_in_one_clear_line(usb, polarity):
    first = usb.plug(UsbMat(11, "E661AA"), "ttyACM0")
    second = usb.plug(UsbMat(22, "E661BB"), "ttyACM1")
    for words in (
        (f"oak={first}", f"oak={second}"), (first, first), (f"a={first}", "b=usb:E661AA"),
        (first, second, "--name", "oak"), ("all", "--name", "oak"),
    ):  # fmt: skip
        code, out, err = polarity("log", *words)
        assert (code, out) == (BAD_INPUT, "") and err.count("\n") == 1, words
    assert any("usb:E661AA" in about for _, about in available())


@pytest.fixture
def ports(usb):
    """Two mats whose games are over."""
    found = []
    for number, name in enumerate(("oak", "elm")):
        mat = UsbMat(number + 1, f"E661A{number}")
        mat.play(40)
        found.append(f"{name}={usb.plug(mat, f'ttyACM{number}')}")
    return found


def test_what_several_mats_say_is_told_apart(ports, quick, polarity, tmp_path):
    games = str(tmp_path / "games.db")
    code, out, err = polarity("log", *ports, "--db", games, "--once", "--json")
    said = [json.loads(line) for line in out.splitlines()]
    assert code == DONE, err
    for boot, name in enumerate(("oak", "elm"), 1):
        own = [one for one in said if one.get("mat") == name]
        assert {one["b"] for one in own if "b" in one} == {boot}
        assert [one["why"] for one in own if one.get("code") == "end"] == ["touched_red"]
    assert [one for one in said if one["k"] == "stored"]
    fresh = str(tmp_path / "fresh.db")
    code, out, err = polarity("log", *ports, "--db", fresh, "--once")
    assert {line[:5] for line in out.splitlines()} == {"oak  ", "elm  ", "Store"}


def test_each_mat_has_a_page_of_its_own(ports, monkeypatch, capsys):
    pages = {}

    def boots(link):
        with urllib.request.urlopen(link + "api/v1/state") as answer:
            return {event["b"] for event in json.loads(answer.read())["events"]}

    def look(self):
        for line in capsys.readouterr().out.splitlines():
            if (one := json.loads(line))["k"] == "live":
                pages[one["mat"]] = wait_for(lambda link=one["links"][0]: boots(link))

    monkeypatch.setattr(several.Several, "run", look)
    assert cli.main(["live", *ports, "--http", "0", "--no-browser", "--json"]) == DONE
    assert pages == {"oak": {1}, "elm": {2}}
