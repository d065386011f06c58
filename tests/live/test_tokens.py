"""A link works until it is renewed, from start to start, and nobody else can read it."""

import json
import os
import stat
import urllib.error
import urllib.request

import pytest

from polarity_host.errors import FAILED, HostError
from polarity_host.live.access import Role
from polarity_host.live.live_state import LiveState
from polarity_host.live.server import LiveServer
from polarity_host.live.tokens import kept_tokens


@pytest.fixture(autouse=True)
def data(monkeypatch, tmp_path):
    monkeypatch.setenv("POLARITY_DATA", str(tmp_path / "data"))
    return tmp_path / "data"


@pytest.fixture
def started(monkeypatch, polarity):
    """`polarity live` or `hub` on all addresses, which ends at once: what it prints."""
    monkeypatch.setattr(LiveServer, "serve", lambda self: self._socket.close())

    def start(*words):
        code, out, err = polarity(
            "live", *words, "--host", "0.0.0.0", "--http", 0, "--json", "--no-browser"
        )
        links = [line for line in map(json.loads, out.splitlines()) if line["k"] == "live"]
        assert len(links) == 1, err
        return [links[0][kind][-1].split("=")[1] for kind in ("links", "spectator_links")]

    return start


def test_links_are_the_same_at_each_start_until_they_are_renewed(started):
    first = started("virtual")
    assert started("virtual") == first and first[0] != first[1]
    assert not {*started("sim://virtual?seed=4")} & {*first}  # another mat's
    renewed = started("virtual", "--new-links")
    assert not {*renewed} & {*first}
    assert started("virtual") == renewed


def test_an_installed_page_is_admitted_after_a_restart_and_not_after_a_renewal(tmp_path):
    start_url = None
    for renew, admitted in ((False, True), (False, True), (True, False)):
        server = LiveServer(
            LiveState(), lambda command: None, tmp_path / "games.db", "0.0.0.0", 0,
            tokens=kept_tokens("live-oak", renew),
        )  # fmt: skip
        server.in_background()
        try:
            bare, query = server.links[-1].split("?")
            if start_url is None:
                token = query.removeprefix("token=")
                asked = urllib.request.Request(
                    bare + "manifest.json", headers={"Authorization": f"Bearer {token}"}
                )
                start_url = json.load(urllib.request.urlopen(asked, timeout=30))["start_url"]
            cookies = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
            try:
                status = cookies.open(bare.rstrip("/") + start_url, timeout=30).status
            except urllib.error.HTTPError as error:
                status = error.code
            assert status == (200 if admitted else 403)
        finally:
            server.stop()


def test_two_mats_on_one_computer_are_open_in_one_browser(tmp_path):
    """A browser sends a host's cookies to all of its ports."""
    servers = [
        LiveServer(LiveState(), lambda command: None, tmp_path / "games.db", "0.0.0.0", 0)
        for _ in range(2)
    ]
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    for server in servers:
        server.in_background()
    try:
        for server in servers:
            browser.open(server.links[-1], timeout=30)
        for server in servers:
            bare = server.links[-1].split("?")[0]
            assert browser.open(bare + "api/v1/state", timeout=30).status == 200
    finally:
        for server in servers:
            server.stop()


@pytest.mark.skipif(os.name != "posix", reason="modes of files are POSIX's")
def test_the_owner_alone_can_read_them(data):
    was = os.umask(0)
    try:
        first = kept_tokens("hub")
    finally:
        os.umask(was)
    (file,) = (data / "links").iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert kept_tokens("hub") == first
    file.chmod(0o640)  # its group may have read it
    second = kept_tokens("hub")
    assert not {*second.values()} & {*first.values()}
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", '{"player": "x"}', "[" * 900, '{"player": "", "spectator": ""}',
     '{"player": 1, "spectator": 2}', "\udc80"],
)  # fmt: skip
def test_a_damaged_file_admits_nobody(data, text):
    kept_tokens("hub")
    (file,) = (data / "links").iterdir()
    file.write_bytes(text.encode(errors="surrogateescape"))
    tokens = kept_tokens("hub")
    assert tokens.keys() == set(Role) and all(len(token) == 24 for token in tokens.values())
    assert kept_tokens("hub") == tokens


def test_where_they_cannot_be_kept_it_says_so(data):
    data.write_text("no directory")
    with pytest.raises(HostError) as failure:
        kept_tokens("hub")
    assert failure.value.exit_code == FAILED and "POLARITY_DATA" in failure.value.message
