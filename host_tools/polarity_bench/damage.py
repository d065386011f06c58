"""Recordings that are damaged at random: every command that reads one answers, or says in one line
why it cannot."""

import contextlib
import io
import random
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from polarity_host import cli
from polarity_host.mats.description import load_mat
from polarity_host.replay.recording import RecordingWriter
from polarity_host.simulation.port.address import SimGame
from polarity_host.simulation.port.game_source import GameSource

FRAMES = 150
HEADER_BYTES = 900  # where half of the changes are made: the header and the first record
KINDS = ("flip", "lose", "insert", "overwrite", "cut", "double")
#: Command lines that read a recording, which follows them.
COMMANDS = (["replay"], ["replay", "--json"], ["export"], ["doctor"], ["calibrate"],
            ["bench", "replay"])  # fmt: skip


class Change(NamedTuple):
    """One change of a file. `amount`: which bit is flipped, or how many bytes are lost or double;
    `noise`: the bytes put in or over."""

    kind: str
    place: int
    amount: int
    noise: bytes


def real_recording(path: Path, version: int, frames: int = FRAMES) -> Path:
    """Records the beginning of a virtual calibration: a bare mat, then a disc in a hand."""
    mat = load_mat()
    played = GameSource(SimGame(kind="calibration", speed=0.0)).frames()
    with RecordingWriter(path, mat.id, mat.n, mat.edition, 1, version) as recording:
        for _, (t_us, counts) in zip(range(frames), played):
            recording.write(t_us, np.asarray(counts))
    return path


def changes(draw: random.Random, size: int) -> list[Change]:
    """One to four changes of a file of that size."""
    return [
        Change(
            draw.choice(KINDS),
            draw.choice([draw.randrange(size), draw.randrange(min(size, HEADER_BYTES))]),
            draw.choice([draw.randrange(1, 9), draw.randrange(1, 3000)]),
            draw.randbytes(draw.randrange(1, 9)),
        )
        for _ in range(draw.randrange(1, 5))
    ]


def mutated(data: bytes, made: Iterable[Change]) -> bytes:
    """The data with these changes made, one after the other."""
    for kind, place, amount, noise in made:
        place = min(place, len(data))
        before, after = data[:place], data[place:]
        if kind == "flip" and after:
            data = before + bytes([after[0] ^ 1 << amount % 8]) + after[1:]
        elif kind == "lose":
            data = before + after[amount:]
        elif kind == "insert":
            data = before + noise + after
        elif kind == "overwrite":
            data = before + noise + after[len(noise) :]
        elif kind == "cut":
            data = before
        elif kind == "double":
            data = before + after[:amount] + after
    return data


def failure(words: Sequence[str]) -> str:
    """What is wrong with the way in which a command ends, "" for nothing: a traceback, or an error
    that is not told in one line after what is told of the damage."""
    out, err = io.StringIO(), io.StringIO()
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = cli.main(list(words))
    except (Exception, SystemExit) as error:  # any: that is what is looked for
        return f"{words[0]}: {error!r}"
    path = words[-1]
    own = [line for line in err.getvalue().splitlines() if not line.startswith(path)]
    if code not in (0, 1, 2) or len(own) > (1 if code else 0):
        return f"{words[0]}: exit code {code}, {own}"
    return ""


def run(
    folder: Path, mutations: int, seed: int = 1, on_done: Callable[[int], object] | None = None
) -> tuple[int, list[str]]:
    """(how many commands were run, what went wrong). Each mutation of a recording, of either
    version or compressed, is read by two of COMMANDS, in turn."""
    draw, wrong, count = random.Random(seed), [], 0
    sources = [
        real_recording(folder / name, version).read_bytes()
        for name, version in (("1.matrec", 1), ("2.matrec", 2), ("2.matrec.gz", 2))
    ]
    path = folder / "damaged.matrec"
    for number in range(mutations):
        data = sources[number % len(sources)]
        path.write_bytes(mutated(data, changes(draw, len(data))))
        for k in (0, 1):
            words = COMMANDS[(number // len(sources) + 3 * k) % len(COMMANDS)]
            if what := failure([*words, str(path)]):
                wrong.append(f"mutation {number}: {what}")
            count += 1
        if on_done:
            on_done(number + 1)
    return count, wrong
