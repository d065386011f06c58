"""`polarity settings`: shows and changes a mat's settings."""

import json
from argparse import Namespace
from collections.abc import Iterator
from typing import Any

from polarity_host.cli.options import Subcommands, add_command, add_json, add_lang
from polarity_host.errors import BAD_INPUT, DONE, HostError
from polarity_host.words import Words


def add_to(commands: Subcommands) -> None:
    """Adds the subcommand."""
    parser = add_command(
        commands, "settings", run, "show and change a mat's settings",
        "polarity settings /dev/ttyACM0\n"
        "  polarity settings /dev/ttyACM0 brightness=64 port_ma=1500\n"
        "  polarity settings /dev/ttyACM0 mat=small edition=default",
        "mat: which one it is, standard or small. edition: the rules of the game that begins when "
        "it is switched on. brightness: of the lights, 1 to 255. port_ma: the current of the USB "
        "port, 500 to 1500 mA; the lights get what is left. oversample: conversions of a sensor "
        "summed into a count, 4 or 8 on the standard mat, 8 or 16 on the small one. Each may be "
        "`default`. Brightness changes at once, the others at the next start.",
    )  # fmt: skip
    parser.add_argument("port", metavar="PORT", help="device path, socket://HOST:PORT or sim://…")
    parser.add_argument(
        "changes", metavar="NAME=VALUE", nargs="*", help="settings to change: all of them or none"
    )
    add_json(parser, "print them as one JSON object")
    add_lang(parser)


def run(args: Namespace) -> int:
    """Changes the given settings and shows all. HostError when it cannot."""
    from polarity_host.device.settings import MatSettings

    pairs = [_pair(word) for word in args.changes]
    mat = MatSettings(args.port)
    try:
        mat.change(pairs)
        if pairs and not args.port.startswith("sim://"):  # a virtual mat has no flash
            mat.wait_until_stored()
        reported = mat.reported
    finally:
        mat.close()
    if args.json:
        print(json.dumps(reported))
        return DONE
    for line in _lines(reported, args.port, Words(args.lang)):
        print(line)
    return DONE


def _pair(word: str) -> tuple[str, str]:
    name, _, value = word.partition("=")
    if not word.isascii() or [name, value] != f"{name} {value}".split():
        raise HostError(
            BAD_INPUT, "{word!r} is no setting: write NAME=VALUE, as brightness=64", word=word
        )
    return name, value


def _lines(settings: dict[str, Any], url: str, words: Words) -> Iterator[str]:
    from polarity.settings import NAMES
    from polarity_host.mats.description import load_mat

    mat = load_mat(settings["mat"])
    own = {"edition": mat.edition, "oversample": mat.oversample}
    for name in NAMES:
        value = settings[name] or f"default ({own[name]})"
        later = words.said("from the next start on") if name in settings["later"] else ""
        yield f"{name:<11} {value}  {later}".rstrip()
    if not settings["kept"] and url.startswith("sim://"):
        yield words.said("A virtual mat forgets them when it is switched off.")
    elif not settings["kept"]:
        yield words.said(
            "Not stored yet: leave the mat on until nothing has moved for half a second."
        )
    elif settings["later"]:
        yield words.said("They are stored: unplug the mat and plug it in again.")
