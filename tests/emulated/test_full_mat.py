"""With forty discs on the mat, where the chip is busiest: noise on the port, and the game kept over
a power cut."""

import json
from random import Random

import pytest

from polarity_host.bench import looping
from polarity_host.mat import load_mat

LIMIT_MS = 60_000

# Thirty leaners on what lies there, then a pause; the game is kept in it.
PLAY = """
def told(kind, piece, others, face, shape):
    fact = Fact(kind, mat.clock.ms(), piece, others, face, 1, 300 * piece, 50, shape=shape)
    engine.tell(fact)
    while engine.read(64):
        pass
for piece in range(12, 42, 2):
    for piece, face, own in ((piece + 1, 1, 3), (piece, -1, 2)):
        told("hand_in", piece, (), face, "")
        told("placed", piece, (own,), face, "leaner")
gc.collect()
for _ in range(20):
    mat.turn()
before, lost = engine.outbox.last, grid.lost
while mat._kept != engine.outbox.last:
    mat.turn()
said = len(engine.referee.position.pieces), engine.outbox.last - before, grid.lost - lost
print("$" + json.dumps(said))
"""
SAY = """
state = engine.referee.position
print("$" + json.dumps([len(engine.tracker.bodies), len(state.pieces), state.reserve]))
mat.link.send(engine, 1000)
"""


FOREVER = """
gc.collect()
lost = grid.lost
try:
    while True:
        mat.turn()
except KeyboardInterrupt:
    print("$" + json.dumps(grid.lost - lost))
"""
NOISE_BYTES = 6000


@pytest.fixture(scope="module")
def pico(image):
    mat = load_mat("standard")
    chapters, kept, _ = looping.scene(mat)
    return looping.lying(mat, chapters, kept)[0]


def said(pico, program):
    """What a program prints behind all that the mat has to say."""
    return json.loads(pico.execute(program, LIMIT_MS).rpartition("$")[2])


def test_noise_on_the_port_costs_no_frame_and_the_next_command_is_heard(pico):
    """So few, as each second here takes this computer ten: a million bytes go through the reader
    of commands in tests/wire/test_noise.py."""
    noise = Random(3).randbytes(NOISE_BYTES)
    assert b"\r\x03" not in noise
    pico.begin(FOREVER)
    pico.write(noise + b"\nhello\n")
    assert pico.run_until(lambda: looping.messages(pico.said, "hello"), LIMIT_MS)
    pico.write(b"\r\x03")
    assert pico.run_until(lambda: b"$" in pico.said and pico.said.endswith(b">"), LIMIT_MS)
    assert pico.read().rpartition(b"$")[2].split()[0] == b"0"


def test_a_game_of_forty_discs_is_kept_over_a_power_cut(pico):
    assert said(pico, PLAY) == [40, 0, 0]
    pico.power_cut()
    pico.boot()
    pico.execute(looping.START, LIMIT_MS)
    told = pico.execute(SAY, LIMIT_MS)
    assert "the game goes on: 41 pieces remembered, 0 lie elsewhere" in told
    bodies, pieces, reserve = json.loads(told.rpartition("$")[2].splitlines()[0])
    assert (bodies, pieces, list(reserve)) == (41, 40, [6, 6])
