"""`polarity hub`: many mats, one hall."""

import json
from argparse import Namespace
from pathlib import Path

from polarity_host.cli.mqtt import mat_name
from polarity_host.cli.options import (
    Subcommands,
    add_command,
    add_json,
    add_lang,
    add_new_links,
    natural,
    seconds,
)
from polarity_host.errors import BAD_INPUT, DONE, INTERRUPTED, HostError
from polarity_host.words import Words

DEFAULT_HTTP = 7090


def add_to(commands: Subcommands) -> None:
    """Adds the subcommand."""
    parser = add_command(
        commands, "hub", run, "store and show the games of many mats in one hall",
        "polarity hub --mqtt mqtt://hub@localhost --db hall.db\n"
        "  polarity hub --mqtt mqtts://hub@broker.example --db postgresql://hub@localhost/hall "
        "--host 0.0.0.0\n  polarity hub --acl oak elm > /etc/mosquitto/polarity.acl",
        "The mats come from a broker, to which `polarity log PORT --mqtt URL` publishes them. "
        "Nothing that a mat has numbered is lost or stored twice, whatever fails in between. The "
        "arbiters' link may send corrections to mats; the spectators' may only watch.",
    )  # fmt: skip
    parser.add_argument(
        "--mqtt", metavar="URL",
        help="the broker: mqtt://HOST or mqtts://USER@HOST, whose password is taken from "
        "POLARITY_MQTT_PASSWORD",
    )  # fmt: skip
    parser.add_argument(
        "--db", metavar="DATABASE",
        help="a file for SQLite, which is enough for a small club, or postgresql://USER@HOST/NAME",
    )  # fmt: skip
    parser.add_argument(
        "--host", default="127.0.0.1", metavar="ADDRESS",
        help="address to serve at; 0.0.0.0 for all of this computer (default: 127.0.0.1)",
    )  # fmt: skip
    parser.add_argument(
        "--http", type=natural, default=DEFAULT_HTTP, metavar="N",
        help="TCP port of the page (0: any)",
    )  # fmt: skip
    add_new_links(parser)
    parser.add_argument(
        "--delay", type=seconds, default=0.0, metavar="S",
        help="show the hall to spectators this much later, as a broadcast needs it (default: 0)",
    )  # fmt: skip
    parser.add_argument(
        "--webhook", metavar="URL", help="post each ruling to this URL as JSON, once it is stored"
    )
    parser.add_argument(
        "--public", type=Path, metavar="FOLDER",
        help="write what spectators see into this folder as well, as files that any static host "
        "can serve to any number of viewers",
    )  # fmt: skip
    parser.add_argument(
        "--acl", nargs="+", metavar="MAT", type=mat_name,
        help="print mosquitto's access list for these mats, by which each speaks for itself alone, "
        "and end",
    )  # fmt: skip
    add_json(parser, "print the links as one JSON object")
    add_lang(parser)


def run(args: Namespace) -> int:
    """Serves until Ctrl-C. HostError when broker, database or address cannot be had."""
    from polarity_host.mqtt.access_list import access_list

    if args.acl:
        print(access_list(args.acl), end="")
        return DONE
    if not args.mqtt or not args.db:
        raise HostError(BAD_INPUT, "name the broker with --mqtt, and the database with --db")
    from polarity_host.hub.hall import Hall
    from polarity_host.hub.intake import Intake
    from polarity_host.hub.public import PublicFolder
    from polarity_host.hub.record import Record
    from polarity_host.hub.server import HubServer
    from polarity_host.hub.tournaments.desk import Desk
    from polarity_host.hub.webhook import Webhook
    from polarity_host.live.access import Role, is_loopback
    from polarity_host.live.tokens import kept_tokens
    from polarity_host.mqtt.broker import Broker

    words, hall = Words(args.lang), Hall()
    broker = Broker.of(args.mqtt)
    hook = Webhook(args.webhook) if args.webhook else None
    record = Record(args.db)
    intake = Intake(broker, record, hall, *([hook.note] if hook else []))
    desk = Desk(record, hall)
    public = PublicFolder(args.public, args.delay) if args.public else None
    tokens = None
    if args.new_links or args.delay or not is_loopback(args.host):
        tokens = kept_tokens("hub", args.new_links)
    server = HubServer(hall, intake, args.host, args.http, args.delay, desk, public, tokens)
    intake.start()
    desk.start()
    if public:
        public.start()
    arbiter, spectator = server.link(Role.PLAYER), server.link(Role.SPECTATOR)
    if args.json:
        print(json.dumps({"k": "hub", "arbiter": arbiter, "spectator": spectator}), flush=True)
    else:
        print(words.said("The hall, for arbiters: {link}", link=arbiter), flush=True)
        if server.tokens:
            print(words.said("… for who only watches: {link}", link=spectator), flush=True)
    server.serve()
    desk.stop()
    if public:
        public.stop()
    intake.stop()
    record.close()
    return INTERRUPTED  # nothing else ends it
