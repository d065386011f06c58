"""The firmware's engine on this computer: the same modules that run on the chip."""

import secrets
import sys
from array import array
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Protocol

from polarity_host.errors import BAD_INPUT, HostError
from polarity_host.replay.recording import Counts
from polarity_host.wire.lines import LineSplitter, Message, decode

if TYPE_CHECKING:
    from polarity.calibration import Calibration
    from polarity.engine import Engine

READ_BYTES = 4096


class Sender(Protocol):
    """The sending end of a wire."""

    def read(self, max_bytes: int) -> bytes:
        """The next bytes, at most so many; none when nothing waits."""
        ...


def build_engine(
    mat_name: str,
    edition: str = "temple",
    boot_id: int = 0,
    calibration: "Calibration | None" = None,
) -> "Engine":
    """An Engine for a mat, with its calibration if there is one. HostError when the firmware knows
    no such mat or edition."""
    from polarity import kernels, mat_data
    from polarity.engine import Engine

    check_edition(edition)
    if kernels.KIND == "reference" and kernels.KERNELS != "reference":
        _tell_slow()
    try:
        return Engine(mat_data.load(mat_name), edition, boot_id, calibration)
    except ValueError as error:
        raise HostError(BAD_INPUT, "{error}", error=error) from error


def check_edition(edition: str) -> None:
    """HostError when the firmware knows no such rules."""
    from polarity.rules.editions import EDITIONS, rules_of

    if rules_of(edition) is None:
        known = ", ".join(EDITIONS)
        raise HostError(
            BAD_INPUT,
            "no edition {edition!r} of the rules; choose one of: {known}",
            edition=edition,
            known=known,
        )


@cache
def _tell_slow() -> None:
    """Says once that the kernels in C are not installed."""
    print(
        "polarity: judging slowly, with the kernels in Python: install a C compiler, then "
        "polarity-mat again",
        file=sys.stderr,
    )


def raw_counts(counts: Counts) -> "array[int]":
    """A frame of a recording or of the twin as the engine takes it: plain ints."""
    frame = array("H")
    frame.frombytes(counts.tobytes())
    return frame


def random_boot_id() -> int:
    """A boot id such as a mat draws at power-up: 31 random bits, never 0."""
    return secrets.randbelow(2**31 - 1) + 1


def sent_messages(engine: Sender) -> Iterator[Message]:
    """The messages that the engine has ready to send, taken from its wire."""
    splitter = LineSplitter()
    while chunk := engine.read(READ_BYTES):
        for line in splitter.feed(chunk):
            message = decode(line)
            if isinstance(message, Message):
                yield message
