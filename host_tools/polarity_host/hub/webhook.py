"""Rulings for other programs: each is posted as JSON to a URL, once it is stored."""

import json
import queue
import threading
import urllib.request
from urllib.parse import urlsplit

from polarity_host.errors import BAD_INPUT, HostError
from polarity_host.wire.lines import Message
from polarity_host.wire.messages import RulingMessage
from polarity_host.words import LANGUAGES, Words

MOST_WAITING = 1000  # rulings; the oldest gives way
TIMEOUT_S = 5.0
PAUSES_S = (1.0, 5.0, 20.0)  # before it is tried again; then it is given up


class Webhook:
    """Posts rulings to a URL in a thread of its own, so that nobody waits for who receives them."""

    def __init__(self, url: str, pauses_s: tuple[float, ...] = PAUSES_S):
        """HostError BAD_INPUT for what is no http or https URL."""
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise HostError(BAD_INPUT, "{url} is no address: write https://HOST/PATH", url=url)
        self._url, self._pauses_s = url, pauses_s
        self._queue: queue.Queue[bytes] = queue.Queue(MOST_WAITING)
        self._words = {language: Words(language) for language in LANGUAGES}
        self._stopped = threading.Event()
        threading.Thread(target=self._run, name="webhook", daemon=True).start()

    def note(self, mat: str, message: Message) -> None:
        """A message that is stored; all but rulings are left out."""
        ruling = message.body
        if not isinstance(ruling, RulingMessage):
            return
        body = {
            "v": 1,
            "mat": mat,
            "ruling": message.as_received(),
            "words": {name: words.ruling(ruling) for name, words in self._words.items()},
        }
        if self._queue.full():
            self._queue.get_nowait()
        self._queue.put_nowait(json.dumps(body).encode())

    def stop(self) -> None:
        """Posts no more."""
        self._stopped.set()

    def _run(self) -> None:
        while not self._stopped.is_set():
            body = self._queue.get()
            for pause_s in (*self._pauses_s, None):
                if self._posted(body) or pause_s is None or self._stopped.wait(pause_s):
                    break

    def _posted(self, body: bytes) -> bool:
        request = urllib.request.Request(
            self._url, body, {"Content-Type": "application/json"}, method="POST"
        )
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT_S):
                return True
        except (OSError, ValueError):  # HTTP's errors are OSErrors too
            return False
