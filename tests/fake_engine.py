"""An engine that ignores its frames and sends many messages, to test what follows the engine."""

import numpy as np

from polarity.facts import Fact
from polarity.rules.ruling import Evidence, Ruling, Standing
from polarity.wire.commands import CommandReader
from polarity.wire.messages import fact_values, ruling_values
from polarity.wire.outbox import Outbox
from polarity_host.replay.engine import sent_messages

NOTHING = np.zeros(4, "<u2")


class FakeEngine:
    """Sends a fact every frame and a ruling every fifth; the game ends with frame `end_at`."""

    def __init__(self, mat_data=None, edition="temple", boot_id=1, end_at=100, ring_bytes=16384):
        self.outbox = Outbox(boot_id, ring_bytes=ring_bytes)
        self.commands = CommandReader()
        self.edition, self.end_at = edition, end_at
        self.frames = 0
        self.t_ms = 0
        self.outbox.send("game", 0, (edition, "standard"))

    def frame(self, t_ms, counts):
        self.frames += 1
        self.t_ms = t_ms
        if self.frames > self.end_at:
            return
        where = {"x": 1234, "y": -5, "tilt": 70}
        fact = Fact("placed", t_ms, self.frames, (1,), face=1, shape="leaner", **where)
        number = self.outbox.send("fact", t_ms, fact_values(fact))
        end = self.frames == self.end_at
        if self.frames % 5 == 0 or end:
            self.outbox.send("ruling", t_ms, ruling_values(self.ruling(t_ms, number, end)))

    def ruling(self, t_ms, fact, end):
        owed = () if end else ((1, (1, 2)),)
        score = (4, 7) if end else ()
        return Ruling(
            "end" if end else "fault",
            t_ms,
            -1,
            "touched_red" if end else "contact",
            Evidence((1, 2), (fact,)),
            (),
            Standing(owed, (20, 19), self.frames // 5, -1, score),
        )

    def command(self, data):
        for name, argument, line in self.commands.feed(data):
            why = "" if name else argument
            if name == "hello":
                self.outbox.send(
                    "hello",
                    self.t_ms,
                    ("polarity", "0", "standard", 4, self.edition, [], 100, self.outbox.first),
                )
            elif name == "resume":
                why = self.outbox.resume(argument)
            self.outbox.send("ack", self.t_ms, (line, not why, why))

    def read(self, max_bytes):
        return self.outbox.read(max_bytes)

    @property
    def game(self):
        """The part of an engine that knows the position: here the same object."""
        return self

    def final(self):
        pieces = [
            [1, "flat", "w", 1, 1250, -40, 0, 0],
            [2, "leaner", "b", 1, -10001, 7, 43, -90],
            [3, "tower", "b", 2, 0, 0, 0, 0],
            [4, "red", "w", 1, 3, 4, 0, 0],
        ]
        return {
            "pieces": pieces, "reserves": [20, 19], "score": [4, 7], "outcome": ["touched_red", "b"]
        }  # fmt: skip


def frames(count, hz=100):
    """(t_us, counts) as a twin yields them."""
    return ((index * 1_000_000 // hz, NOTHING) for index in range(count))


def messages_of(engine):
    """The messages that the engine has to send, decoded."""
    return list(sent_messages(engine))
