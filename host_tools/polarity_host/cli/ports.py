"""`polarity ports`: what a mat could be connected to."""

import json
from argparse import Namespace

from polarity_host.cli.options import Subcommands, add_command, add_json
from polarity_host.device.ports import SIM_EXAMPLE, available
from polarity_host.errors import DONE


def add_to(commands: Subcommands) -> None:
    """Adds the subcommand."""
    parser = add_command(commands, "ports", run, "list serial ports", "polarity ports")
    add_json(parser, "print one JSON object a port")


def run(args: Namespace) -> int:
    """Lists the ports and says how to do without one."""
    found = available()
    if args.json:
        for device, about in found:
            print(json.dumps({"port": device, "about": about}))
        return DONE
    for device, about in found:
        print(f"{device}  {about}".rstrip())
    if not found:
        print("No serial port found: plug the mat in.")
    print(f"Without a mat, use a virtual one: polarity log '{SIM_EXAMPLE}'")
    return DONE
