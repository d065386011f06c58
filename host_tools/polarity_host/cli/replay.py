"""`polarity replay`: judges a recording again."""

from argparse import Namespace
from pathlib import Path

from polarity_host.cli.options import (
    Subcommands,
    add_command,
    add_json,
    add_pace,
    add_progress,
    add_words,
)
from polarity_host.errors import DONE, FAILED, HostError
from polarity_host.terminal.progress import Progress
from polarity_host.terminal.reporter import Reporter
from polarity_host.words import Words, clock


def add_to(commands: Subcommands) -> None:
    """Adds the subcommand."""
    parser = add_command(
        commands, "replay", run, "judge a recording with the firmware's engine",
        "polarity replay game.matrec\n  polarity replay game.matrec --json",
        "With --json, x_mm and y_mm are a fact's place from the circle's centre: for a flat disc "
        "or a tower its middle, for a leaner the point where its low rim touches the mat. "
        "firmware/PROTOCOL.md describes every field.",
    )  # fmt: skip
    parser.add_argument(
        "file", type=Path, metavar="FILE", help="recording: NAME.matrec, may be gzipped"
    )
    parser.add_argument(
        "--calibration", type=Path, metavar="FILE",
        help="what the mat was calibrated with: NAME.matcal (default: not calibrated)",
    )  # fmt: skip
    add_pace(parser)
    add_json(parser, "print every fact and ruling, then the final position, as JSON lines")
    add_words(parser)
    add_progress(parser)


def run(args: Namespace) -> int:
    """Judges the recording. HostError FAILED when the engine could not see the mat in it."""
    from polarity_host.replay.judge import Replay, as_json

    progress = Progress(args.progress)
    words = Words(args.lang)
    reporter = Reporter(args.json, progress, words, args.explain)
    replay = Replay(args.file, args.calibration, args.pace)
    try:
        for t_us, message in replay.messages():
            if not args.json:
                reporter.report(message)
            elif message.kind in ("fact", "ruling"):
                reporter.json_line(as_json(t_us, message))
            place = {"clock": clock(replay.last_t_us // 1000), "frames": replay.frames}
            progress.show(words.text("progress_judged", **place), replay.share)
    finally:
        progress.clear()
    for line in replay.complaints:
        progress.warn(words.said(line))
    reporter.json_line(replay.final())
    if replay.why_blind:
        raise HostError(
            FAILED,
            "{path} cannot be judged: {why}",
            path=args.file,
            why=replay.why_blind,
        )
    if reporter.result:
        ending = reporter.result_words(reporter.result)
    else:
        ending = words.text("ends_early" if replay.facts else "nothing")
    reporter.line(words.text("judged", frames=replay.frames, ending=ending))
    return DONE
