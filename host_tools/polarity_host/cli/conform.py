"""`polarity conform`: whether a mat keeps to the wire's protocol."""

import json
from argparse import Namespace

from polarity_host.cli.options import Subcommands, add_command, add_json, add_lang
from polarity_host.errors import DONE, FAILED, HostError
from polarity_host.words import Words


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
    add_lang(parser)


def run(args: Namespace) -> int:
    """Checks. HostError when no mat answers or its port disappears."""
    from polarity_host.device.conformance import Conformance
    from polarity_host.device.conversation import disappeared
    from polarity_host.device.ports import Port, PortGone

    port, failed, words = Port(args.port), 0, Words(args.lang)
    try:
        for finding in Conformance(port).findings():
            failed += bool(finding.wrong)
            if args.json:
                print(json.dumps(finding.fields()), flush=True)
            elif finding.wrong:
                check = words.said(finding.check)
                wrong = words.said(finding.wrong)
                print(words.said("WRONG {check}: {wrong}", check=check, wrong=wrong), flush=True)
            else:
                print(f"ok    {words.said(finding.check)}", flush=True)
    except PortGone as gone:
        raise disappeared(args.port, gone) from gone
    finally:
        port.close()
    if failed:
        raise HostError(
            FAILED,
            "the mat on {port} differs from PROTOCOL.md in {failed} ways",
            port=args.port,
            failed=failed,
        )
    return DONE
