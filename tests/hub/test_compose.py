"""The settings of the broker that is offered for docker are such as a real mosquitto accepts, with
the access list that the command prints."""

import os
import shutil
import subprocess
from importlib.resources import files

from polarity_bench.club.servers import answers, free_port, mosquitto
from polarity_host.errors import BAD_INPUT
from polarity_host.mqtt.broker import Broker
from tests.hall import Listener, needs_broker, wait_for

SETTINGS = files("polarity_host.hub") / "compose" / "mosquitto.conf"


class Logins:
    """How to log in at a broker on a port."""

    def __init__(self, port):
        self._port = port

    def broker(self, user):
        return Broker("127.0.0.1", self._port, user=user, password="word")


@needs_broker
def test_mosquitto_takes_the_settings_and_the_access_list(polarity, tmp_path):
    (tmp_path / "polarity.acl").write_text(polarity("hub", "--acl", "oak", "elm")[1])
    passwords = tmp_path / "polarity.passwords"
    passwords.write_text("hub:word\noak:word\nelm:word\n")
    subprocess.run([shutil.which("mosquitto_passwd"), "-U", passwords], check=True)
    port = free_port()
    text = SETTINGS.read_text().replace("listener 1883", f"listener {port} 127.0.0.1")
    text = text.replace("/mosquitto/config", str(tmp_path)).replace(
        "/mosquitto/data", str(tmp_path)
    )
    if os.geteuid() == 0:
        text += "user root\n"
    (tmp_path / "mosquitto.conf").write_text(text)
    broker = subprocess.Popen([mosquitto(), "-c", tmp_path / "mosquitto.conf"])
    try:
        wait_for(lambda: answers(port))
        hub, oak = Listener(Logins(port)), Listener(Logins(port), "oak", ())
        oak.connection.publish("polarity/elm/status", b"offline")
        oak.connection.publish("polarity/oak/status", b"online")
        wait_for(lambda: hub.got)
        assert hub.got == [("polarity/oak/status", b"online")]
        hub.close()
        oak.close()
    finally:
        broker.terminate()
        broker.wait()


def test_a_hub_without_broker_or_database_says_what_to_name(polarity):
    code, out, err = polarity("hub")
    assert (code, out) == (BAD_INPUT, "") and "--mqtt" in err and err.count("\n") == 1
    assert polarity("hub", "--acl", "Oak!")[0] == BAD_INPUT
