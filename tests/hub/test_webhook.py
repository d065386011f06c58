"""Rulings that are posted to another program: a real HTTP server receives them."""

import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from polarity_host.errors import BAD_INPUT, HostError
from polarity_host.hub.webhook import Webhook
from tests.mqtt.test_publisher import played
from tests.waiting import wait_for


def test_each_ruling_is_posted_and_tried_again():
    got, failures = [], [1, 1]

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            failed = failures.pop() if failures else 0
            if not failed:
                got.append(json.loads(body))
            self.send_response(500 if failed else 204)
            self.end_headers()

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    hook = Webhook(f"http://127.0.0.1:{server.server_port}/rulings", (0.01, 0.01))
    rulings = [message for message in played() if message.kind == "ruling"]
    for message in played():
        hook.note("oak", message)
    wait_for(lambda: len(got) == len(rulings))
    hook.stop()
    server.shutdown()
    assert [one["ruling"]["n"] for one in got] == [message.number for message in rulings]
    assert got[0]["mat"] == "oak" and set(got[0]["words"]) == {"en", "fr", "de", "nl"}


def test_what_is_no_address_ends_in_one_clear_line():
    with pytest.raises(HostError) as failure:
        Webhook("file:///etc/passwd")
    assert failure.value.exit_code == BAD_INPUT
