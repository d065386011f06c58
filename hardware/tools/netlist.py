"""A board's electrical rules check, and its netlist in KiCad's format, the same on every run."""

import logging
import re
from contextlib import contextmanager

from .schematic import Board

_VARIES = re.compile(
    r'\s*\(date "[^"]*"\)|\s*\(source "[^"]*"\)'
    r'|\s*\(field\s*\(name "SKiDL (?:Tag|Line)"\)(?: "[^"]*")?\)'
)


class _Kept(logging.Handler):
    def __init__(self):
        super().__init__(logging.WARNING)
        self.said = []

    def emit(self, record):
        self.said.append(record.getMessage())


@contextmanager
def _heard(logger):
    """What SKiDL has to say there goes into a list, not to the terminal or a file."""
    kept, before = _Kept(), logger.handlers[:]
    logger.handlers[:] = [kept]
    try:
        yield kept.said
    finally:
        logger.handlers[:] = before


def findings(board: Board) -> list[str]:
    """What SKiDL's electrical rules check has against a board: a line for each finding."""
    board.circuit.no_files = True
    with _heard(board.skidl.erc_logger) as said:
        board.circuit.ERC()
    return said


def netlist(board: Board) -> str:
    """The board's netlist for KiCad, without dates, paths and other things that vary."""
    board.circuit.no_files = True
    with _heard(board.skidl.logger.active_logger) as said:
        text = board.circuit.generate_netlist(tool=board.skidl.KICAD8)
    wrong = [line for line in said if "tag" not in line]
    if wrong:
        raise ValueError(wrong[0])
    return _VARIES.sub("", text).rstrip() + "\n"
