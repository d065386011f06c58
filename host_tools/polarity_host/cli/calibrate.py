"""`polarity calibrate`: measures a mat's sensors and its discs."""

import json
import sys
from argparse import Namespace
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from rich.console import Console
from rich.live import Live
from rich.text import Text

from polarity_host.cli.options import (
    Subcommands,
    add_command,
    add_json,
    add_lang,
    add_progress,
    is_recording,
)
from polarity_host.errors import BAD_INPUT, DONE, HostError
from polarity_host.mats.picture import in_letters
from polarity_host.terminal.progress import Progress
from polarity_host.words import Words
from polarity_host.words.catalogue import catalogue

if TYPE_CHECKING:
    from polarity_host.device.calibration import TimedFrame
    from polarity_host.device.calibration.guide import Guide
    from polarity_host.device.calibration.measure import Measured


def add_to(commands: Subcommands) -> None:
    """Adds the subcommand."""
    parser = add_command(
        commands, "calibrate", run, "measure a mat's sensors and discs with one disc and a hand",
        "polarity calibrate /dev/ttyACM0\n"
        "  polarity calibrate 'sim://calibration?seed=1&speed=0' --out mat.matcal\n"
        "  polarity calibrate calibration.matrec --out mat.matcal",
        "Leave the mat bare for a second; draw one disc, lying flat, over all of it in lines two "
        "fingers apart, to and fro and then across; lay it down in some places, either face up, "
        "and twice a stack of it and another; then leave the mat bare. A picture of the mat shows "
        "which sensors the disc has covered, and what comes next. The mat stores the result and "
        "uses it from then on. With --out, a recording of all this can replace the mat.",
    )  # fmt: skip
    parser.add_argument(
        "source", metavar="PORT|FILE",
        help="device path, socket://HOST:PORT or sim://calibration; or a recording: NAME.matrec",
    )  # fmt: skip
    parser.add_argument("--out", type=Path, metavar="FILE", help="write it to a file: NAME.matcal")
    add_json(parser, "print the report as one JSON object")
    add_lang(parser)
    add_progress(parser)


def run(args: Namespace) -> int:
    """Calibrates. HostError when there is no mat or no recording, or the frames show too little."""
    if args.out and args.out.exists():
        raise HostError(
            BAD_INPUT, "{path} exists already; choose another name or delete it", path=args.out
        )
    from polarity_host.mats import calibration_file

    progress, words = Progress(args.progress), Words(args.lang)
    measured, data, stored = calibrate(args.source, progress, words)
    if args.out:
        calibration_file.save(args.out, data)
    if args.json:
        print(json.dumps(measured.report()))
        return DONE
    for line in measured.lines(words):
        print(line)
    if stored:
        print(words.text("mat_stored"))
    if args.out:
        print(words.text("written_to", path=args.out))
    return DONE


def calibrate(source: str, progress: Progress, words: Words) -> "tuple[Measured, bytes, bool]":
    """(what was measured, the calibration as a file has it, whether the mat stores it) by a
    recording, or by a mat, whose player is guided. HostError when there is none, or the frames show
    too little."""
    from polarity.calibration import write
    from polarity_host.device.calibration.capture import Capture, from_file
    from polarity_host.device.calibration.fit import STEPS
    from polarity_host.device.calibration.measure import measure
    from polarity_host.mats import calibration_file

    capture: Capture | None = None
    guidance = Guidance(words.language, progress)
    try:
        if is_recording(source):
            mat, frames = from_file(source, lambda line: progress.warn(words.said(line)))
        else:
            capture = Capture(source)
            mat, frames = capture.mat, capture.frames(guidance.show)
        measured = measure(
            guidance.until_the_end_of(frames),
            mat,
            calibration_file.today(),
            lambda step: progress.show(
                words.text("computing", why=step), STEPS.index(step) / len(STEPS)
            ),
        )
        data = write(measured.calibration)
        if capture is None or capture.over:
            return measured, data, False
        capture.send(data)
        return measured, data, True
    finally:
        guidance.close()
        progress.clear()
        if capture:
            capture.close()


class Guidance:
    """Shows the player what to do: a picture on a terminal, else a line now and then."""

    def __init__(self, language: str, progress: Progress):
        self._words, self._progress = catalogue(language), progress
        self._picture: Live | None = None
        self._drawn = Text()

    def show(self, guide: "Guide") -> None:
        """Shows which sensors a disc has covered, and what comes next."""
        text = self._words.say(f"maintenance.{guide.step}", **guide.values)
        if not sys.stderr.isatty():
            self._progress.show(text)
            return
        covered = {int(index): "●" for index in np.flatnonzero(guide.covered)}
        lines = in_letters(guide.mat, covered, strokes=guide.step == "draw")
        self._drawn = Text("\n".join([text, "", *lines]))
        if not self._picture:
            self._picture = Live(
                console=Console(stderr=True), get_renderable=lambda: self._drawn,
                refresh_per_second=5, transient=True,
            )  # fmt: skip
            self._picture.start()

    def until_the_end_of(self, frames: "Iterable[TimedFrame]") -> "Iterator[TimedFrame]":
        """Yields these frames, and removes the picture after the last."""
        yield from frames
        self.close()

    def close(self) -> None:
        """Removes the picture."""
        if self._picture:
            self._picture.stop()
            self._picture = None
