"""A live server over a scripted mat, and a browser to look at it."""

import itertools
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

import pytest

from polarity_host import cli
from polarity_host.live.mat_session import MatSession
from polarity_host.live.server import LiveServer
from polarity_host.simulation.port import power
from tests.live.scripted import scripted_mat
from tests.waiting import PATIENCE_S, wait_for

SHOTS = Path(__file__).resolve().parents[2] / "build" / "live"
_numbers = itertools.count(70000)


@contextmanager
def serving(tmp_path_factory):
    """Gives a function that serves what is behind a URL and returns (link, session, server). In the
    end all of it stops: a session that is left would look for its mat while others play.
    """
    with ExitStack() as ends:

        def serve(url, handler=None, host="127.0.0.1", tls=None, **options):
            games = tmp_path_factory.mktemp("live") / "games.db"
            session = MatSession(url, games, **options)
            server = LiveServer(
                session.state, session.send, games, host, 0, handler, session.maintenance, tls
            )
            server.in_background()
            ends.callback(power.remove, url)
            ends.callback(session.stop)
            ends.callback(server.stop)
            session.start()
            return server.links[-1], session, server

        yield serve


def scripted_server(serve, script=None, **options):
    """Serves a scripted mat, played to the end of its script: (link, session, mat)."""
    url = f"sim://demo?seed={next(_numbers)}"
    mat = scripted_mat(script)
    power.put_at(url, mat)
    link, session, server = serve(url, **options)
    wait_for(lambda: session.state.whole()["flight"][:1] and last_is_hovering(session))
    return link, session, mat


@pytest.fixture
def serve_url(tmp_path_factory):
    """A function as `serving` gives it, for one test."""
    with serving(tmp_path_factory) as serve:
        yield serve


@pytest.fixture
def serve_scripted(serve_url):
    """`scripted_server`, for one test."""
    return partial(scripted_server, serve_url)


@pytest.fixture(scope="session")
def played(tmp_path_factory):
    """One server over one scripted game, for tests that only look."""
    with serving(tmp_path_factory) as serve:
        yield scripted_server(serve)


@pytest.fixture(scope="module")
def played_here(tmp_path_factory):
    """As `played`, for the tests of one module alone."""
    with serving(tmp_path_factory) as serve:
        yield scripted_server(serve)


@pytest.fixture
def look(chrome, serve_url):  # whose servers end after the pages
    """Opens a page: look(link, width, height, dark). Whatever it complains of is a failure."""
    complaints, contexts = [], []

    def open_page(link, width=1280, height=800, dark=False, errors=True, **options):
        scheme = "dark" if dark else "light"
        context = chrome.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, locale="en-GB",
            service_workers="block", **options,
        )  # fmt: skip
        context.set_default_timeout(PATIENCE_S * 1000)
        contexts.append(context)
        page = context.new_page()
        if errors:
            page.on("pageerror", lambda error: complaints.append(str(error)))
            page.on("console", lambda said: said.type == "error" and complaints.append(said.text))
        page.goto(link)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not complaints


def shot(page, name):
    """Keeps a screenshot as an artefact of the run: build/live/NAME.png."""
    SHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SHOTS / f"{name}.png")


def last_is_hovering(session):
    whole = session.state.whole()
    return [piece[0] for piece in whole["flight"]] == [14] and whole["flight"][0][8] == 4000


@pytest.fixture
def polarity(capsys):
    """Runs a command line: (exit code, stdout, stderr)."""

    def run(*words):
        try:
            code = cli.main([str(word) for word in words])
        except SystemExit as leaving:
            code = leaving.code
        done = capsys.readouterr()
        return code, done.out, done.err

    return run
