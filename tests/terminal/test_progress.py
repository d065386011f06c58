"""The progress line on a terminal, on a dumb one, and where there is none."""

import io
import re

import pytest

from polarity_host.terminal.console import CommandConsole
from polarity_host.terminal.progress import EVERY_PLAIN_S, EVERY_TTY_S, Progress


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self):
        return True

    def screen(self):
        """What a reader sees: the lines, after the carriage returns and erasures in them."""
        lines = [""]
        for part in re.split(r"(\r|\n|\x1b\[[0-9;?]*[A-Za-z])", self.getvalue()):
            if part == "\n":
                lines.append("")
            elif part == "\x1b[2K":
                lines[-1] = ""
            elif part == "\x1b[1A":
                assert lines.pop() == ""
            elif part and not part.startswith("\x1b") and part != "\r":
                lines[-1] += part
        return [line.rstrip() for line in lines]


class Clock:
    def __init__(self):
        self.now_s = 100.0

    def __call__(self):
        return self.now_s


@pytest.fixture
def clock():
    """Stands still until a test moves it."""
    return Clock()


@pytest.fixture(autouse=True)
def capable(monkeypatch):
    """A terminal that can rewrite lines."""
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "80")


def test_a_line_is_rewritten_in_place_and_removed(clock):
    stream = Terminal()
    progress = Progress(stream=stream, clock=clock)
    progress.show("00:01 judged, 100 frames")
    assert stream.screen() == ["00:01 judged, 100 frames"]
    clock.now_s += 1
    progress.show("00:02 judged [b]")
    assert stream.screen() == ["00:02 judged [b]"]
    progress.clear()
    assert stream.screen() == [""]
    progress.clear()
    assert "\x1b[?25l" not in stream.getvalue()  # a killed program leaves no hidden cursor


def test_the_share_and_the_time_left_where_the_total_is_known(clock):
    stream = Terminal()
    progress = Progress(stream=stream, clock=clock)
    for tenth in range(1, 4):
        progress.show("judged", tenth / 10)
        clock.now_s += 5
    (line,) = stream.screen()
    assert line == "judged  30% 0:00:35"


def test_the_time_left_where_each_step_takes_minutes(clock):
    stream = Terminal()
    progress = Progress(stream=stream, clock=clock)
    for tenth in range(5):
        progress.show("games played", tenth / 10)
        clock.now_s += 120
    (line,) = stream.screen()
    assert line == "games played  40% 0:12:00"


def test_it_is_not_rewritten_more_often_than_a_reader_can_follow(clock):
    stream = Terminal()
    progress = Progress(stream=stream, clock=clock)
    progress.show("first")
    clock.now_s += EVERY_TTY_S / 2
    progress.show("second")
    assert stream.screen() == ["first"]


def test_a_warning_stays(clock):
    stream = Terminal()
    progress = Progress(stream=stream, clock=clock)
    progress.show("judged")
    progress.warn("it is torn")
    assert stream.screen() == ["it is torn", ""]
    progress.show("judged on")
    assert stream.screen() == ["it is torn", "judged on"]


@pytest.mark.parametrize("term", ["dumb", "unknown"])
def test_a_terminal_that_cannot_rewrite_a_line_shows_none(monkeypatch, clock, term):
    monkeypatch.setenv("TERM", term)
    stream = Terminal()
    progress = Progress(stream=stream, clock=clock)
    progress.show("judged", 0.5)
    progress.clear()
    assert stream.getvalue() == ""


def test_nothing_is_shown_where_there_is_no_terminal(monkeypatch, clock):
    monkeypatch.setenv("FORCE_COLOR", "1")
    stream = io.StringIO()
    progress = Progress(stream=stream, clock=clock)
    progress.show("judged", 0.5)
    progress.clear()
    assert stream.getvalue() == ""
    progress.warn("it is torn")
    assert stream.getvalue() == "it is torn\n"


@pytest.mark.parametrize("stream", [io.StringIO(), Terminal()])
def test_wanted_it_is_a_plain_line_from_time_to_time(monkeypatch, clock, stream):
    monkeypatch.setenv("TERM", "dumb")
    progress = Progress(True, stream, clock)
    for tenth in range(1, 4):
        progress.show("judged", tenth / 10)
        progress.show("too soon", tenth / 10)
        clock.now_s += EVERY_PLAIN_S
    progress.clear()
    lines = stream.getvalue().splitlines()
    assert lines == ["judged 10% -:--:--", "judged 20% 0:00:40", "judged 30% 0:00:35"]


def test_a_stream_that_takes_no_more_does_not_stop_the_work(clock):
    class Full(Terminal):
        def write(self, text):
            raise BrokenPipeError

    for wanted in (False, True):
        progress = Progress(wanted, Full(), clock)
        progress.show("judged")
        clock.now_s += 10
        progress.show("judged")
        progress.warn("it is torn")
        progress.clear()


def test_a_broken_pipe_is_the_caller_s_to_handle():
    class Gone(io.StringIO):
        def write(self, text):
            raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        CommandConsole(file=Gone()).print("x")
