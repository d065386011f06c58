"""`polarity calibrate`: measuring a mat's sensors and its discs."""

import json
import sys
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.live import Live
from rich.text import Text

from polarity_host.cli.options import add_command, add_json, add_lang, add_progress
from polarity_host.errors import BAD_INPUT, DONE, HostError
from polarity_host.mats.picture import in_letters
from polarity_host.terminal.progress import Progress
from polarity_host.words.catalogue import catalogue


def add_to(commands) -> None:
    """Adds the subcommand."""
    parser = add_command(
        commands, "calibrate", run, "measure a mat's sensors and discs with one disc and a hand",
        "polarity calibrate /dev/ttyACM0\n"
        "  polarity calibrate 'sim://calibration?seed=1&speed=0' --out mat.matcal\n"
        "  polarity calibrate calibration.matrec --out mat.matcal",
        "Leave the mat bare for a second; draw one disc, lying flat, over all of it in lines two "
        "fingers apart, to and fro and then across; lay it down in some places, either face up, "
        "and twice a stack of it and another; then leave the mat bare. A picture of the mat shows "
        "what it has seen, and what comes next. The mat keeps what was measured and uses it from "
        "then on; a recording of all this does as well as a mat, for --out.",
    )  # fmt: skip
    parser.add_argument(
        "source", metavar="PORT|FILE",
        help="device path, socket://HOST:PORT or sim://calibration; or a recording: NAME.matrec",
    )  # fmt: skip
    parser.add_argument("--out", type=Path, metavar="FILE", help="keep it in a file: NAME.matcal")
    add_json(parser, "print the report as one JSON object")
    add_lang(parser)
    add_progress(parser)


def run(args) -> int:
    """Calibrates. HostError when the mat or the frames cannot be had, or show too little."""
    from polarity.calibration import write
    from polarity_host.device.calibration.capture import Capture, from_file
    from polarity_host.device.calibration.measure import measure
    from polarity_host.mats import calibration_file as kept

    if args.out and args.out.exists():
        raise HostError(BAD_INPUT, f"{args.out} exists already; choose another name or delete it")
    progress, capture, sent = Progress(args.progress), None, ""
    guiding = Guiding(args.lang, progress)
    try:
        if _is_recording(args.source):
            mat, frames = from_file(args.source)
        else:
            capture = Capture(args.source)
            mat, frames = capture.mat, capture.frames(guiding.show)
        measured = measure(
            guiding.until_the_end_of(frames),
            mat,
            kept.today(),
            lambda text: progress.show(f"computing: {text}"),
        )
        data = write(measured.calibration)
        if capture and not capture.over:
            capture.send(data)
            sent = "the mat keeps it and begins a new game: leave it bare for a second"
    finally:
        guiding.close()
        progress.clear()
        if capture:
            capture.close()
    if args.out:
        kept.save(args.out, data)
    if args.json:
        print(json.dumps(measured.report()))
        return DONE
    for line in measured.lines():
        print(line)
    if sent:
        print(sent)
    if args.out:
        print(f"kept in {args.out}")
    return DONE


class Guiding:
    """Tells the player what to do: by a picture on a terminal, else by a line now and then."""

    def __init__(self, language: str, progress: Progress):
        self._words, self._progress, self._picture = catalogue(language), progress, None

    def show(self, guide) -> None:
        """What the mat has seen, and what comes next."""
        text = self._words.say(f"tend.{guide.step}", **guide.values)
        if not sys.stderr.isatty():
            self._progress.show(text)
            return
        seen = {int(index): "●" for index in np.flatnonzero(guide.covered)}
        lines = in_letters(guide.mat, seen, strokes=guide.step == "draw")
        self._drawn = Text("\n".join([text, "", *lines]))
        if not self._picture:
            self._picture = Live(
                console=Console(stderr=True), get_renderable=lambda: self._drawn,
                refresh_per_second=5, transient=True,
            )  # fmt: skip
            self._picture.start()

    def until_the_end_of(self, frames):
        """Yields these frames; after the last of them the picture goes."""
        yield from frames
        self.close()

    def close(self) -> None:
        """Takes the picture away."""
        if self._picture:
            self._picture.stop()
            self._picture = None


def _is_recording(source: str) -> bool:
    return source.endswith((".matrec", ".matrec.gz")) or Path(source).is_file()
