"""`polarity calibrate`: measuring a mat's sensors and its discs."""

import json
from pathlib import Path

from polarity_host.cli.options import add_command, add_json, add_progress
from polarity_host.errors import BAD_INPUT, DONE, HostError
from polarity_host.progress import Progress


def add_to(commands) -> None:
    """Adds the subcommand."""
    parser = add_command(
        commands, "calibrate", run, "measure a mat's sensors and discs with one disc and a hand",
        "polarity calibrate /dev/ttyACM0\n"
        "  polarity calibrate 'sim://calibration?seed=1&speed=0' --out mat.matcal\n"
        "  polarity calibrate calibration.matrec --out mat.matcal",
        "Leave the mat bare for a second; draw one disc, lying flat, over all of it in lines two "
        "fingers apart, to and fro and then across; lay it down in some places, either face up, "
        "and twice a stack of it and another; then leave the mat bare. A progress line says what "
        "comes next. The mat keeps what was measured and uses it from then on; a recording of all "
        "this does as well as a mat, for --out.",
    )  # fmt: skip
    parser.add_argument(
        "source", metavar="PORT|FILE",
        help="device path, socket://HOST:PORT or sim://calibration; or a recording: NAME.matrec",
    )  # fmt: skip
    parser.add_argument("--out", type=Path, metavar="FILE", help="keep it in a file: NAME.matcal")
    add_json(parser, "print the report as one JSON object")
    add_progress(parser)


def run(args) -> int:
    """Calibrates. HostError when the mat or the frames cannot be had, or show too little."""
    from polarity.calibration import write
    from polarity_host.calibrating import kept
    from polarity_host.calibrating.capture import Capture, from_file
    from polarity_host.calibrating.measure import measure

    if args.out and args.out.exists():
        raise HostError(BAD_INPUT, f"{args.out} exists already; choose another name or delete it")
    progress, capture, sent = Progress(args.progress), None, ""
    try:
        if _is_recording(args.source):
            mat, frames = from_file(args.source)
        else:
            capture = Capture(args.source)
            mat, frames = capture.mat, capture.frames(progress.show)
        measured = measure(
            frames, mat, kept.today(), lambda text: progress.show(f"computing: {text}")
        )
        data = write(measured.calibration)
        if capture and not capture.over:
            capture.send(data)
            sent = "the mat keeps it and begins a new game: leave it bare for a second"
    finally:
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


def _is_recording(source: str) -> bool:
    return source.endswith((".matrec", ".matrec.gz")) or Path(source).is_file()
