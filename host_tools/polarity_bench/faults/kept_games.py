"""Kept games of the mat with one value changed: each is refused, or the game goes on with it."""

import json
from random import Random

from polarity.persistence import restored, serialized
from polarity.rules.referee import Referee
from polarity_bench import sequences
from polarity_bench.faults.mutations import mutated

ENTRIES = 30  # facts and declarations that a game goes on with


def goes_on(seed: int) -> bool:
    """Whether a kept position with one thing changed was taken; then the game goes on with it. Any
    exception but the refusal is a failure."""
    draw = Random(seed)
    referee = sequences.play(seed, draw.randrange(60)).referee
    values = mutated(json.loads("".join(serialized(referee.position))), draw)
    text = json.dumps(values)
    try:
        position = restored(referee.edition, json.loads(text))
    except ValueError:
        return False
    other = Referee(referee.edition_id)
    other.continue_from(position)
    t_ms = 0
    for _ in range(ENTRIES):
        t_ms += draw.choice(sequences.STEPS_MS)
        entry = sequences.random_entry(draw, t_ms, 100)
        entry.sent_as(100)
        if isinstance(entry, sequences.Fact):
            other.handle_fact(entry)
        else:
            list(other.handle_declaration(entry))
        other.judge_oldest()
        other.state()
        other.final()
    return True
