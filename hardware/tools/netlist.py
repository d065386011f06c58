"""A board's electrical rules check, and its netlist in KiCad's format, the same on every run."""

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager

from .schematic import Board

_VARIES = re.compile(
    r'\s*\(date "[^"]*"\)|\s*\(source "[^"]*"\)'
    r'|\s*\(field\s*\(name "SKiDL (?:Tag|Line)"\)(?: "[^"]*")?\)'
)


class _Collector(logging.Handler):
    """Collects the messages of warnings and errors."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage())


@contextmanager
def _collected(logger: logging.Logger) -> Iterator[list[str]]:
    """SKiDL's messages to this logger go into a list, not to the terminal or a file."""
    collector, before = _Collector(), logger.handlers[:]
    logger.handlers[:] = [collector]
    try:
        yield collector.messages
    finally:
        logger.handlers[:] = before


def findings(board: Board) -> list[str]:
    """The findings of SKiDL's electrical rules check of a board, a line each."""
    with _collected(board.skidl.erc_logger) as messages:
        board.circuit.ERC()
    return messages


def netlist(board: Board) -> str:
    """The board's netlist for KiCad, without dates, paths and other things that vary."""
    with _collected(board.skidl.logger.active_logger) as messages:
        text = board.circuit.generate_netlist(tool="kicad8")
    wrong = [line for line in messages if "tag" not in line]
    if wrong:
        raise ValueError(wrong[0])
    return _VARIES.sub("", text).rstrip() + "\n"
