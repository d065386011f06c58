"""`polarity ports`: what a mat could be connected to."""

import json
from argparse import Namespace

from polarity_host.cli.options import Subcommands, add_command, add_json, add_lang
from polarity_host.device.ports import SIM_EXAMPLE, available
from polarity_host.errors import DONE
from polarity_host.words import Words


def add_to(commands: Subcommands) -> None:
    """Adds the subcommand."""
    parser = add_command(commands, "ports", run, "list serial ports", "polarity ports")
    add_json(parser, "print one JSON object a port")
    add_lang(parser)


def run(args: Namespace) -> int:
    """Lists the ports and says how to do without one."""
    found, words = available(), Words(args.lang)
    if args.json:
        for device, about in found:
            print(json.dumps({"port": device, "about": about}))
        return DONE
    for device, about in found:
        print(f"{device}  {about}".rstrip())
    if not found:
        print(words.text("no_port"))
    print(words.text("virtual_port", command=f"polarity log '{SIM_EXAMPLE}'"))
    return DONE
