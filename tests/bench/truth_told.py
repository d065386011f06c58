"""Truth records in the words of perception and of the wire: what a faultless engine would say."""

from polarity.facts import Fact
from polarity.rules.referee import Referee
from polarity.wire.messages import fact_values, ruling_values
from polarity.wire.reading import SCHEMA

FACES = {"w": 1, "b": -1, "": 0}
SMALL_SHIFT_MM = 17.0  # perception need not tell a smaller one


def fact_of(record, seq, name=lambda ident: ident):
    """A truth record as perception's Fact, its seq set; `name` gives the engine's id of a piece."""
    fact = Fact(
        record["f"],
        record["t_us"] // 1000,
        name(record["piece"]),
        tuple(sorted(name(ident) for ident in record["others"])),
        FACES[record["face"]],
        record["discs"],
        round(100 * record["x_mm"]),
        round(100 * record["y_mm"]),
        round(record["tilt_deg"]),
        round(100 * record["d_mm"]),
        record["shape"],
    )
    fact.seq = seq
    return fact


def heard(facts):
    """Everything the referee rules on these facts."""
    referee = Referee("temple")
    return [ruling for fact in facts for ruling in referee.handle_fact(fact)]


def facts_of(truth, name=lambda ident: ident):
    """The facts that perception owes for this truth."""
    records = [r for r in truth if r["k"] == "fact"]
    small = [r["f"] == "shifted" and r["d_mm"] < SMALL_SHIFT_MM for r in records]
    return [fact_of(r, i, name) for i, r in enumerate(records, 1) if not small[i - 1]]


def message(kind, values, t_ms):
    """What arrives over the wire: a dict as judge_game collects it."""
    fields = {field: value for (field, _), value in zip(SCHEMA[kind], values) if value is not None}
    fields = {k: _plain(v) for k, v in fields.items()}
    return {"k": kind, "t": t_ms, "t_us": 1000 * t_ms, "sent_us": 1000 * t_ms, **fields}


def fact_message(fact):
    return message("fact", fact_values(fact), fact.t_ms)


def ruling_message(ruling):
    return message("ruling", ruling_values(ruling), ruling.t_ms)


def _plain(value):
    return [_plain(v) for v in value] if isinstance(value, (tuple, list)) else value
