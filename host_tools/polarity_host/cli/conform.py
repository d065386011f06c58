"""`polarity conform`: whether a mat keeps to the wire's protocol."""

import json
from argparse import Namespace

from polarity_host.cli.options import Subcommands, add_command, add_json
from polarity_host.errors import DONE, FAILED, HostError


def add_to(commands: Subcommands) -> None:
    """Adds the subcommand."""
    parser = add_command(
        commands, "conform", run, "check that a mat keeps to the protocol of its wire",
        "polarity conform /dev/ttyACM0\n  polarity conform 'sim://demo?seed=1'",
        "It sends commands of firmware/PROTOCOL.md and checks what comes back. The game on the mat "
        "goes on, no setting is changed. Exit code 1 when the mat does otherwise.",
    )  # fmt: skip
    parser.add_argument("port", metavar="PORT", help="device path, socket://HOST:PORT or sim://…")
    add_json(parser, "print what came of each check as one JSON object a line")


def run(args: Namespace) -> int:
    """Checks. HostError when no mat answers or its port disappears."""
    from polarity_host.device.conformance import Conformance
    from polarity_host.device.conversation import disappeared
    from polarity_host.device.ports import Port, PortGone

    port, failed = Port(args.port), 0
    try:
        for finding in Conformance(port).findings():
            failed += bool(finding.wrong)
            if args.json:
                print(json.dumps({"check": finding.check, "wrong": finding.wrong}), flush=True)
            else:
                told = f"WRONG {finding.check}: {finding.wrong}" if finding.wrong else "ok    "
                print(told if finding.wrong else told + finding.check, flush=True)
    except PortGone as gone:
        raise disappeared(args.port, gone) from gone
    finally:
        port.close()
    if failed:
        raise HostError(FAILED, f"the mat on {args.port} differs from PROTOCOL.md in {failed} ways")
    return DONE
