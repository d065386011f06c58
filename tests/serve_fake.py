"""Serves a FakeEngine's mat over TCP: python serve_fake.py FRAMES HZ RING_BYTES.

Prints its URL, and a line once all frames have been played.
"""

import sys

from fake_engine import FakeEngine, frames

from polarity_host.simulation.port.serve import MatServer
from polarity_host.simulation.port.sim_mat import SimMat


def played(count, hz):
    yield from frames(count, hz)
    print("played", flush=True)


count, hz, ring_bytes = (int(word) for word in sys.argv[1:])
engine = FakeEngine(boot_id=77, end_at=count, ring_bytes=ring_bytes)
server = MatServer(SimMat(engine, played(count, hz), speed=1.0, stays=True), "127.0.0.1:0")
print(server.url, flush=True)
server.serve()
