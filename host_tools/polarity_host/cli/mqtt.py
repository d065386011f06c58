"""What `polarity log --mqtt` adds: the mat's messages go to a broker as well."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from polarity_host.device.link import Event
from polarity_host.errors import Said
from polarity_host.live.mat_session import MatSession
from polarity_host.mqtt.topics import NAME
from polarity_host.terminal.reporter import Reporter
from polarity_host.wire.messages import RulingMessage
from polarity_host.words import Words


def add_mqtt(parser: ArgumentParser) -> None:
    """--mqtt and what belongs to it"""
    parser.add_argument(
        "--mqtt", metavar="URL",
        help="publish the mat to this broker as well: mqtt://HOST or mqtts://USER@HOST, whose "
        "password is taken from POLARITY_MQTT_PASSWORD",
    )  # fmt: skip
    parser.add_argument(
        "--name", metavar="NAME", type=mat_name,
        help="name to publish the mat by: small letters, digits, - and _ (default: the serial "
        "number of its USB, else its port)",
    )  # fmt: skip
    parser.add_argument(
        "--arbiter", action="store_true", help="take corrections that the hall's arbiter sends"
    )
    parser.add_argument(
        "--homeassistant", action="store_true",
        help="announce turn, score, fault and health to Home Assistant",
    )  # fmt: skip


def mat_name(text: str) -> str:
    """An argument that is the name of a mat."""
    if not NAME.fullmatch(text):
        raise ValueError
    return text


mat_name.__name__ = "name of small letters, digits, - and _:"


class Published:
    """A reporter whose events are published too, by a name. `begin` it with its session, `end`
    it."""

    def __init__(self, args: Namespace, name: str, games: Path, reporter: Reporter, words: Words):
        self._args, self._name, self._games = args, name, games
        self._reporter, self._words = reporter, words
        self._problem: str | Said = ""

    def begin(self, session: MatSession, strict: bool = True) -> None:
        """HostError when the broker's URL is none or, if `strict`, it cannot be reached."""
        from polarity_host.mqtt.broker import Broker
        from polarity_host.mqtt.discovery import announcement
        from polarity_host.mqtt.publisher import Publisher

        args, name = self._args, self._name
        self._publisher = Publisher(
            Broker.of(args.mqtt),
            name,
            self._games,
            session.state,
            session.send if args.arbiter else None,
            announcement(name, self._words.language) if args.homeassistant else None,
            self._show,
        )
        self._publisher.start(strict)
        self._reporter.line(self._words.said(Said("Published as {name}.", name=name)))

    @property
    def result(self) -> RulingMessage | None:
        """The end of the game, once it has one."""
        return self._reporter.result

    def report(self, event: Event) -> None:
        """Reports an event that is stored, and has it published."""
        self._publisher.note(event)
        self._reporter.report(event)

    def end(self) -> None:
        """Sends what is stored and not sent yet, as far as that is quick."""
        self._publisher.stop()

    def _show(self, why: str | Said) -> None:
        said = Said(
            "Nothing is published now: {why}. It is stored, and sent later.", why=why
        ) if why else Said("It is published again.")  # fmt: skip
        if why or self._problem:
            self._reporter.line(self._words.said(said), "yellow")
            self._reporter.json_line({"k": "mqtt", "why": str(why)})
        self._problem = why
