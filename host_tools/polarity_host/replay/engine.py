"""The firmware's engine on this computer: the same modules that run on the chip."""

import secrets
from array import array
from collections.abc import Iterator

from polarity_host.errors import BAD_INPUT, HostError
from polarity_host.wire.lines import LineSplitter, Message, decode

READ_BYTES = 4096


def build_engine(mat_name: str, edition: str = "temple", boot_id: int = 0, calibration=None):
    """An Engine for a mat, with its calibration (polarity.calibration) if there is one. HostError
    when the firmware knows no such mat or edition."""
    from polarity import mat_data
    from polarity.engine import Engine
    from polarity.rules.editions import EDITIONS, rules_of

    if rules_of(edition) is None:
        known = ", ".join(EDITIONS)
        raise HostError(BAD_INPUT, f"no edition {edition!r} of the rules; choose one of: {known}")
    try:
        return Engine(mat_data.load(mat_name), edition, boot_id, calibration)
    except ValueError as error:
        raise HostError(BAD_INPUT, str(error)) from error


def raw_counts(counts) -> array:
    """A frame of a recording or of the twin (n uint16) as the engine takes it: plain ints."""
    frame = array("H")
    frame.frombytes(counts.tobytes())
    return frame


def random_boot_id() -> int:
    """A boot id such as a mat draws at power-up: 31 random bits, never 0."""
    return secrets.randbelow(2**31 - 1) + 1


def spoken(engine) -> Iterator[Message]:
    """The messages that the engine has waiting, taken from its wire."""
    splitter = LineSplitter()
    while chunk := engine.read(READ_BYTES):
        for line in splitter.feed(chunk):
            message = decode(line)
            if isinstance(message, Message):
                yield message
