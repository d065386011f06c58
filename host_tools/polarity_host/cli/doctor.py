"""`polarity doctor`: finds which tile and which part of a mat to look at."""

import json
from argparse import Namespace
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from polarity_host.cli.options import (
    Subcommands,
    add_command,
    add_json,
    add_lang,
    add_progress,
    is_recording,
)
from polarity_host.errors import BAD_INPUT, DONE, FAILED, HostError
from polarity_host.mats.picture import in_letters
from polarity_host.terminal.progress import Progress
from polarity_host.words import Words
from polarity_host.words.catalogue import catalogue

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from polarity_host.device.doctor import Finding
    from polarity_host.mats.description import Mat

NUMBERS = "123456789abcdefghijklmnopqrstuvw"  # of the findings, in the picture


def add_to(commands: Subcommands) -> None:
    """Adds the subcommand."""
    parser = add_command(
        commands, "doctor", run, "find what is wrong with a mat's boards, from a bare mat",
        "polarity doctor /dev/ttyACM0\n"
        "  polarity doctor 'sim://calibration?nuisances=broken&speed=0'\n"
        "  polarity doctor game.matrec --json",
        "Leave the mat bare: no disc within a hand of it. It names the tile and the part to look "
        "at, as hardware/BUILD.md does. Exit code 1 when something is wrong.",
    )  # fmt: skip
    parser.add_argument(
        "source", metavar="PORT|FILE",
        help="device path, socket://HOST:PORT or sim://…; or a recording: NAME.matrec",
    )  # fmt: skip
    parser.add_argument(
        "--tile", metavar="NAME", default="",
        help="examine this one alone, as C2, while others are not connected yet",
    )  # fmt: skip
    parser.add_argument(
        "--bring-up", action="store_true",
        help="the first hour: walk power, each chain from the carrier outwards, tile by tile, the "
        "whole mat, and at a terminal lights, buttons and calibration, with what each step must "
        "read; stop where one fails",
    )  # fmt: skip
    parser.add_argument(
        "--settling", action="store_true",
        help="measure on the Pico how long inputs take to settle, with discs on the mat, and set "
        "as many conversions as leave a fifth to spare",
    )  # fmt: skip
    add_lang(parser)
    add_json(parser, "print what was found as one JSON object")
    add_progress(parser)


def run(args: Namespace) -> int:
    """Examines. HostError when there is no mat or no recording, or too few frames."""
    if args.settling:
        return _settling(args)
    if args.bring_up:
        from polarity_host.cli.bring_up import bring_up

        return bring_up(args, lambda: _bare(args))
    from polarity_host.device.doctor import DoctorError, examine

    counts, mat = _bare(args)
    try:
        found = examine(counts, mat, args.tile)
    except DoctorError as error:
        raise HostError(
            BAD_INPUT, "{error}; see hardware/drawings/plan.svg", error=error
        ) from error
    if args.json:
        findings = [finding.fields() for finding in found]
        print(json.dumps({"mat": mat.id, "tiles": len(mat.tiles), "findings": findings}))
    else:
        say = catalogue(args.lang).say
        for line in _picture(found, mat, args.lang):
            print(line)
        if not found and args.tile:
            print(say("doctor.tile_sound", name=args.tile))
        elif not found:
            print(say("maintenance.sound", sensors=mat.n, tiles=len(mat.tiles)))
    return FAILED if found else DONE


def _bare(args: Namespace) -> "tuple[NDArray[np.uint16], Mat]":
    """(frames, n) counts of the bare mat, and which mat it is."""
    import numpy as np

    from polarity_host.device.calibration.capture import Capture, from_file
    from polarity_host.device.doctor import FRAMES

    progress = Progress(args.progress)
    capture: Capture | None = None
    try:
        if is_recording(args.source):
            mat, frames = from_file(
                args.source, lambda line: progress.warn(Words(args.lang).said(line))
            )
        else:
            capture = Capture(args.source)
            mat, frames = (
                capture.mat,
                capture.frames(lambda guide: progress.show(Words(args.lang).text("listening"))),
            )
        counts = [counts for _, counts in islice(frames, FRAMES)]
    finally:
        progress.clear()
        if capture:
            capture.close()
    if len(counts) < FRAMES:
        raise HostError(
            BAD_INPUT,
            "{source} has {frames} frames; {FRAMES} of a bare mat are needed",
            source=args.source,
            frames=len(counts),
            FRAMES=FRAMES,
        )
    return np.array(counts), mat


def _settling(args: Namespace) -> int:
    """Measures, tells and sets. HostError when there is no Pico, or no measurement."""
    from polarity_host.cli.flash import hello
    from polarity_host.device import settling
    from polarity_host.device.flashing.pico import Pico
    from polarity_host.device.settings import MatSettings
    from polarity_host.mats.description import load_mat

    if is_recording(args.source):
        raise HostError(BAD_INPUT, "settling is measured on a mat: give its port")
    progress = Progress(args.progress)
    pico = Pico(args.source)
    pico.restart()
    mat = load_mat(hello(args.source)["mat"])
    pico = Pico(args.source)
    try:
        progress.show(Words(args.lang).text("listening"))
        found = settling.examine(pico.run(settling.script(mat)), mat, settling.by_default_us(mat))
    except settling.SettlingError as error:
        raise HostError(FAILED, error) from error
    finally:
        progress.clear()
        pico.restart()
    hello(args.source)
    chosen = found.conversions()
    if chosen >= 0:
        mat_settings = MatSettings(args.source)
        try:
            mat_settings.change([("oversample", str(chosen) if chosen else "default")])
            mat_settings.wait_until_stored()
        finally:
            mat_settings.close()
    if args.json:
        print(json.dumps({"mat": mat.id, **found.fields()}))
    else:
        print("\n".join(settling.words(found, Words(args.lang))))
    return DONE if chosen >= 0 and found.step >= settling.STEP_LEAST else FAILED


def _picture(found: "list[Finding]", mat: "Mat", language: str) -> Iterator[str]:
    """Lines: the findings by number, and where on the mat they are."""
    if not found:
        return
    names = [NUMBERS[k] if k < len(NUMBERS) else "x" for k in range(len(found))]
    for name, finding in zip(names, found, strict=True):
        yield f"{name}  {finding.line(language)}"
    marks: dict[int, str] = {}
    for name, finding in zip(names, found, strict=True):
        for index in finding.sensors:
            marks.setdefault(index, name)
    yield catalogue(language).say("doctor.from_above")
    yield from in_letters(mat, marks)
