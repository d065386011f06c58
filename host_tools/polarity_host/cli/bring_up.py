"""`polarity doctor --bring-up`: the first hour of a mat, told step by step."""

import json
import sys
from argparse import Namespace
from collections.abc import Callable, Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, TypeAlias

from polarity_host.cli.options import is_recording
from polarity_host.errors import DONE, FAILED, Said
from polarity_host.terminal.progress import Progress
from polarity_host.words import Words
from polarity_host.words.catalogue import DEFAULT

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from polarity_host.device.bring_up import Step
    from polarity_host.mats.description import Mat

    Bare: TypeAlias = Callable[[], tuple[NDArray[np.uint16], Mat]]


def bring_up(args: Namespace, bare: "Bare") -> int:
    """Walks; `bare` gets the counts of the bare mat. At a terminal it goes on with what takes a
    person, else it names that. HostError when there is no mat, or too few frames."""
    attended = sys.stdin.isatty() and not args.json and not is_recording(args.source)
    return _attended(args, bare) if attended else _unattended(args, bare)


def _unattended(args: Namespace, bare: "Bare") -> int:
    from polarity_host.device.bring_up import BY_HAND, walk

    counts, mat = bare()
    words = Words(DEFAULT if args.json else args.lang)
    steps = list(walk(counts, mat, words.language))
    by_hand = () if steps[-1].wrong else BY_HAND
    if args.json:
        shown = {"steps": [step.fields() for step in steps]}
        print(json.dumps({"mat": mat.id, **shown, "by_hand": [step.fields() for step in by_hand]}))
    else:
        _all_right(steps, words)
        _tell_of(by_hand, words)
    return FAILED if steps[-1].wrong else DONE


def _attended(args: Namespace, bare: "Bare") -> int:
    from polarity_host.cli.calibrate import calibrate
    from polarity_host.cli.flash import hello
    from polarity_host.device.bring_up import BY_HAND, walk
    from polarity_host.device.flashing.pico import Pico
    from polarity_host.device.hands_on import at_rest, buttons, calibrated, lights
    from polarity_host.mats.description import load_mat

    words = Words(args.lang)
    virtual = args.source.lower().startswith("sim:")
    if not virtual:
        pico = Pico(args.source)
        try:
            step = at_rest(pico, load_mat(), args.lang)  # the buttons' pins are every mat's
        finally:
            pico.restart()
        if not _all_right([step], words):
            return FAILED
        hello(args.source)
    counts, mat = bare()
    if not _all_right(walk(counts, mat, args.lang), words):
        return FAILED
    if virtual:
        print(words.said("a virtual mat has no lights and no buttons: they are left out"))
    else:
        pico = Pico(args.source)
        try:
            right = _all_right([lights(pico, mat, _ask, args.lang)], words)
            right &= _all_right(buttons(pico, mat, print, args.lang), words)
        finally:
            pico.restart()
        if not right:
            return FAILED
        hello(args.source)
    by_hand = {step.name: step for step in BY_HAND}
    later = words.said(
        "Is the mat closed, the cloth on it, and a disc in your hand? Enter calibrates it now; any "
        "other answer ends here: close it, then run this again"
    )
    if _ask(later).strip():
        _tell_of([by_hand["calibration"], by_hand["settling"]], words)
        return DONE
    measured, _, _ = calibrate(args.source, Progress(args.progress), words)
    right = _all_right([calibrated(measured, args.lang)], words)
    _tell_of([by_hand["settling"]], words)
    return DONE if right else FAILED


def _all_right(steps: "Iterable[Step]", words: Words) -> bool:
    """Tells each step, as it comes; whether all of them passed."""
    right = True
    for step in steps:
        print(f"{step.name}: {step.reading}", flush=True)
        if step.wrong:
            expected = words.said("expected: {what}", what=step.expected)
            print(f"  <- {expected}\n  <- {step.wrong}")
            right = False
    return right


def _tell_of(by_hand: "Iterable[Step]", words: Words) -> None:
    """What is left to do by hand."""
    for step in by_hand:
        parts = {name: Said(text) for name, text in asdict(step).items()}
        print(words.said("{name}: {reading}; {expected}. If not: {wrong}", **parts))


def _ask(question: str) -> str:
    """The person's answer. KeyboardInterrupt where the terminal ends."""
    try:
        return input(question + " ")
    except EOFError:
        raise KeyboardInterrupt from None
