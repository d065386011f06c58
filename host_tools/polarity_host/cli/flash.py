"""`polarity flash`: puts the firmware on the mat's Pico."""

import json
import time
from argparse import Namespace
from pathlib import Path

from polarity_host.cli.options import Subcommands, add_command, add_json, add_lang
from polarity_host.device.ports import Port, PortGone
from polarity_host.errors import DONE, FAILED, HostError, Said
from polarity_host.wire.lines import LineSplitter, Message, decode
from polarity_host.wire.messages import HelloMessage
from polarity_host.words import Words

RESTART_S = 20.0
HELLO_EVERY_S = 1.0


def add_to(commands: Subcommands) -> None:
    """Adds the subcommand."""
    parser = add_command(
        commands, "flash", run, "put the firmware on the mat's Pico",
        "polarity flash /dev/ttyACM0\n  polarity flash /dev/ttyACM0 --back\n"
        "  polarity flash /dev/ttyACM0 --files build/pico2.zip\n"
        "  polarity flash /dev/ttyACM0 --key maker.pem",
        "Copies only what differs, beside the version that is there, and checks it before it is "
        "used. Settings, calibration and the game stay.",
    )  # fmt: skip
    parser.add_argument("port", metavar="PORT", help="the mat's port: see `polarity ports`")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--back", action="store_true", help="go back to the version before instead")
    how.add_argument(
        "--files", type=Path, metavar="ZIP",
        help="copy the firmware that is in this file: `make pico2` writes one for a Pico 2",
    )  # fmt: skip
    how.add_argument(
        "--key", type=Path, metavar="FILE",
        help="copy only what the owner of this public key has signed (Ed25519, PEM)",
    )  # fmt: skip
    add_json(parser, "print what was done, and the mat's hello, as one JSON object")
    add_lang(parser)


def run(args: Namespace) -> int:
    """Installs or goes back, restarts the mat and shows its hello. HostError when it cannot."""
    from polarity_host.device.flashing import signing
    from polarity_host.device.flashing.firmware import RP2040, files_to_flash, read_files, signature
    from polarity_host.device.flashing.install import go_back, install
    from polarity_host.device.flashing.pico import Pico

    words = Words(args.lang)
    chip, files = read_files(args.files) if args.files else (RP2040, {})
    if not args.files and not args.back:
        files = files_to_flash()
    if args.key:
        signing.check(files, signature(), args.key)
    pico = Pico(args.port)
    try:
        if files and pico.chip != chip:
            raise wrong_chip(pico.chip, chip)
        if args.back:
            done = {"slot": go_back(pico)}
            said = Said("back to the version in slot {slot}", **done)
        else:

            def tell(step: Said) -> None:
                if not args.json:
                    print(words.said(step))

            done = {"copied": install(pico, files, tell), "files": len(files)}
            said = Said("{copied} files copied and checked", **done)
    except HostError:
        pico.restart()  # the version that ran before starts again
        raise
    if not args.json:
        print(words.said(said))
    pico.restart()
    about = hello(args.port)
    if args.json:
        print(json.dumps({**done, "hello": about}))
    else:
        print(words.said("{name} {version}, mat {mat}, {sensors} sensors", **about))
    return DONE


def wrong_chip(there: str, wanted: str) -> HostError:
    """Why files for one chip do not go on another, and what to do."""
    from polarity_host.device.flashing.firmware import RP2350

    if there == RP2350:
        return HostError(
            FAILED,
            "this is a Pico 2: `make pico2` compiles the firmware for it, then add --files "
            "build/pico2.zip. It was never run on one: a Pico is what the mat is made for",
        )
    return HostError(
        FAILED, "these files are for an {wanted}, and this Pico has an {there}: leave --files out",
        wanted=wanted, there=there,
    )  # fmt: skip


def hello(url: str) -> dict:
    """The mat's hello once it runs. HostError when it does not come in time."""
    end_s, splitter, port = time.monotonic() + RESTART_S, LineSplitter(), None
    asked_s = 0.0
    while time.monotonic() < end_s:
        try:
            port = port or Port(url)
            if time.monotonic() - asked_s > HELLO_EVERY_S:
                asked_s = time.monotonic()
                port.write_line("hello")
            for line in splitter.feed(port.read()):
                message = decode(line)
                if isinstance(message, Message) and isinstance(message.body, HelloMessage):
                    port.close()
                    return message.as_received()
        except (PortGone, HostError):
            port = None
            time.sleep(0.5)
    raise HostError(
        FAILED,
        "the mat at {url} does not say hello; `polarity flash {url} --back` goes back",
        url=url,
    )
