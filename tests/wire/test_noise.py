"""What a stray program or a broken cable may send: the game goes on, and the mat stays itself."""

from random import Random

from polarity_host.mats.description import load_mat
from polarity_host.replay.engine import build_engine, raw_counts, sent_messages
from polarity_host.simulation.twin.stage import Stage

NOISE_BYTES = 1_000_000


def one_disc(stage):
    yield from stage.rest(0.5)
    disc = stage.new_disc(+1)
    yield from stage.carry_in(disc, (30.0, 20.0))
    yield from stage.set_flat(disc, (30.0, 20.0))
    yield from stage.rest(1.5)


def facts_of(portions):
    """(facts, engine) of a disc laid down while the host sends `portions`, one a frame."""
    stage, engine, facts = Stage(load_mat("small"), seed=1), build_engine("small"), []
    for t_us, counts in stage.stream(one_disc(stage)):
        engine.frame(t_us // 1000, raw_counts(counts))
        for portion in portions():
            engine.command(portion)
        facts += [m for m in sent_messages(engine) if m.kind == "fact"]
    return facts, engine


def told(facts):
    return [{**fact.as_received(), "n": 0} for fact in facts]


def test_a_million_random_bytes_change_nothing():
    draw, left = Random(1), NOISE_BYTES

    def noise():
        nonlocal left
        share = min(left, 8192)
        left -= share
        data = draw.randbytes(share)
        return [data[at : at + 64] for at in range(0, share, 64)]

    quiet, _ = facts_of(lambda: [])
    noisy, engine = facts_of(noise)
    assert left == 0
    assert quiet[-1].body.kind == "placed"
    assert told(noisy) == told(quiet)
    engine.command(b"\nhello\n")
    answer = list(sent_messages(engine))[-2:]  # before it, the refusal of the noise's last line
    assert [m.kind for m in answer] == ["hello", "ack"] and answer[-1].body.ok


def test_a_line_without_an_end_and_one_that_broke_off_cost_themselves_alone():
    engine = build_engine("small")
    list(sent_messages(engine))
    for _ in range(2000):
        engine.command(b"x" * 64)
    engine.command(b"\nhel")
    engine.command(b"\rhello\n")
    acks = [m.body for m in sent_messages(engine) if m.kind == "ack"]
    assert [(ack.ok, ack.why) for ack in acks] == [
        (False, "too long"),
        (False, "unknown"),
        (True, ""),
    ]


def test_a_host_that_floods_and_does_not_read_costs_bounded_memory():
    engine = build_engine("small")
    for _ in range(3000):
        engine.command(b"snap\nhello\nresume 1\nnonsense\n" * 2)
    waiting = len(engine.read(10_000_000))
    assert waiting < 30_000
    engine.command(b"hello\n")
    assert [m.body.ok for m in sent_messages(engine) if m.kind == "ack"] == [True]
