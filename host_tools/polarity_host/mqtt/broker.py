"""A broker by its URL, and one connection to it."""

import contextlib
import os
import ssl
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urlsplit

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from polarity_host.errors import BAD_INPUT, FAILED, HostError

PASSWORD = "POLARITY_MQTT_PASSWORD"
PORTS = {"mqtt": 1883, "mqtts": 8883}
KEEP_ALIVE_S = 15
CONNECT_S = 10.0


@dataclass(frozen=True)
class Broker:
    """Where a broker is and who logs in there; `tls` for mqtts."""

    host: str
    port: int
    tls: bool = False
    user: str = ""
    password: str = ""

    @classmethod
    def of(cls, url: str) -> "Broker":
        """Reads mqtt://USER:PASSWORD@HOST:PORT; without a password in it, that of the environment's
        POLARITY_MQTT_PASSWORD counts. HostError BAD_INPUT for any other text."""
        host, port = "", None
        found = urlsplit("")
        with contextlib.suppress(ValueError):
            found = urlsplit(url)
            host, port = found.hostname or "", found.port or PORTS.get(found.scheme)
        if not host or not port or found.scheme not in PORTS or found.path.strip("/"):
            raise HostError(
                BAD_INPUT, "{url} is no broker: write mqtt://HOST or mqtts://USER@HOST:PORT",
                url=_without_password(url),
            )  # fmt: skip
        password = unquote(found.password or "") or os.environ.get(PASSWORD, "")
        return cls(host, port, found.scheme == "mqtts", unquote(found.username or ""), password)

    def __str__(self) -> str:
        return f"{'mqtts' if self.tls else 'mqtt'}://{self.host}:{self.port}"


class Refused(Exception):
    """The broker does not let us in; the message says why."""


class Connection:
    """One connection, from CONNACK to its end; a new one is made for the next. paho's thread calls
    `on_message(topic, payload, token)` and `on_receipt(mid, problem)`, and `on_end()` once.
    """

    def __init__(
        self,
        broker: Broker,
        client_id: str,
        on_message: Callable[[str, bytes, tuple[int, int]], None],
        on_receipt: Callable[[int, str], None] = lambda mid, problem: None,
        on_end: Callable[[], None] = lambda: None,
        will: tuple[str, bytes] | None = None,
        session_s: int = 0,
        most_unreceipted: int = 100,
    ):
        """Connects. `session_s`: how long the broker keeps the session once we are gone; then it
        goes on where it was, and messages are receipted by `receipt` alone. `will`: topic and
        payload that are published, retained, when we are gone. OSError when nobody answers, Refused
        when the broker does not let us in."""
        self.ended = False
        self._connected, self._why = threading.Event(), ""
        self._on_end = on_end
        client = self._client = paho.Client(
            CallbackAPIVersion.VERSION2, client_id, protocol=MQTTProtocolVersion.MQTTv5,
            reconnect_on_failure=False, manual_ack=bool(session_s),
        )  # fmt: skip
        client.max_inflight_messages_set(most_unreceipted)
        client.connect_timeout = CONNECT_S
        if broker.user:
            client.username_pw_set(broker.user, broker.password or None)
        if broker.tls:
            client.tls_set_context(ssl.create_default_context())
        if will:
            client.will_set(*will, qos=1, retain=True)
        client.on_connect = self._connect_answered
        client.on_disconnect = self._disconnected
        client.on_message = lambda _client, _data, message: on_message(
            message.topic, bytes(message.payload), (message.mid, message.qos)
        )
        client.on_publish = lambda _client, _data, mid, reason, _properties: on_receipt(
            mid, str(reason) if reason is not None and reason.is_failure else ""
        )
        client.connect(
            broker.host, broker.port, KEEP_ALIVE_S, clean_start=not session_s,
            properties=_session(session_s, most_unreceipted),
        )  # fmt: skip
        client.loop_start()
        if not self._connected.wait(CONNECT_S) or self._why:
            self.close()
            raise Refused(self._why or "it does not answer")

    def subscribe(self, topics: list[str]) -> None:
        """Receives what is published under these, QoS 1."""
        self._client.subscribe([(name, 1) for name in topics])

    def publish(self, topic: str, payload: bytes, retain: bool = False) -> int:
        """Sends with QoS 1; the receipt comes for the number that this returns."""
        return self._client.publish(topic, payload, qos=1, retain=retain).mid

    def receipt(self, token: tuple[int, int]) -> None:
        """Tells the broker that a message is safe with us."""
        self._client.ack(*token)

    def close(self) -> None:
        """Ends it in order: the will is not published."""
        self._client.disconnect()
        self._client.loop_stop()

    def drop(self) -> None:
        """Ends it as a fault would: the will is published."""
        self._client.loop_stop()
        sock = self._client.socket()
        if sock:
            sock.close()
        self._end()

    def _connect_answered(
        self, client: Any, data: object, flags: object, reason: Any, properties: object
    ) -> None:
        self._why = str(reason) if reason.is_failure else ""
        self._connected.set()

    def _disconnected(self, *_: object) -> None:
        self._end()

    def _end(self) -> None:
        if not self.ended:
            self.ended = True
            self._on_end()


def connected(broker: Broker, make: Callable[[], Connection]) -> Connection:
    """A first connection. HostError FAILED when there is none."""
    try:
        return make()
    except (OSError, Refused) as error:
        raise HostError(
            FAILED, "no connection to the broker {broker}: {why}; is it running?",
            broker=str(broker), why=getattr(error, "strerror", None) or error,
        ) from error  # fmt: skip


def _session(seconds: int, most: int) -> Properties:
    properties = Properties(PacketTypes.CONNECT)
    properties.SessionExpiryInterval = seconds
    properties.ReceiveMaximum = most
    return properties


def _without_password(url: str) -> str:
    """The URL as it may be shown."""
    before, at, after = url.rpartition("@")
    return f"{before.split(':')[0]}://…@{after}" if at else url
