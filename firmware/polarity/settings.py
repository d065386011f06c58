"""A mat's settings: which there are, what each may be, and how they are kept.

The same check is for what was kept, when the mat starts, and for what comes over the wire. Hardly
ever needed: import this then, and let it go.
"""

import json

from .rules.editions import EDITIONS, rules_of

#: In this order they are told and read. Edition "" and oversample 0 are the mat's own.
NAMES = ("mat", "edition", "brightness", "port_ma", "oversample")
DEFAULTS = {"mat": "standard", "edition": "", "brightness": 96, "port_ma": 500, "oversample": 0}
#: Of the light ring; mA that the USB port gives.
RANGES = {"brightness": (1, 255), "port_ma": (500, 1500)}
#: Conversions summed into a count: as many as fit into a frame of the mat, and fill it
#: (drivers/hall_grid.py).
SUMS = {"standard": (4, 8), "small": (8, 16)}
AT_ONCE = "brightness"  # all others count from the next start on
DEFAULT = "default"  # the word for it


def refusal(name, value, chosen):
    """Why `value` cannot be the setting `name` beside the others of `chosen`; "" when it can."""
    if name not in DEFAULTS:
        return "no setting is called " + name
    if name in RANGES:
        least, most = RANGES[name]
        if type(value) is int and least <= value <= most:
            return ""
        return "%s must be a number from %d to %d" % (name, least, most)
    if name == "edition":
        if value == "" or type(value) is str and rules_of(value):
            return ""
        return "edition must be %s or default" % ", ".join(EDITIONS)
    mat, oversample = chosen["mat"], chosen["oversample"]
    if name == "mat":
        mat = value
        if type(value) is not str or value not in SUMS:
            return "mat must be standard or small"
    else:
        oversample = value if type(value) is int else -1
    if oversample and oversample not in SUMS[mat]:
        return "oversample must be %d, %d or default on the mat %s" % (SUMS[mat] + (mat,))
    return ""


def changed(words, chosen):
    """What [name, value] of a command makes of the settings `chosen`: (settings, ""), or (None,
    why it is refused)."""
    if len(words) != 2:
        return None, "argument"
    name, value = words
    if value == DEFAULT:
        value = DEFAULTS.get(name)
    elif value.isdigit():
        value = int(value)
    why = refusal(name, value, chosen)
    if why:
        return None, why
    chosen = dict(chosen)
    chosen[name] = value
    return chosen, ""


def heard(engine, words):
    """Tells the settings of an Engine, and before that changes one if there are `words` for it.
    Returns why that is refused, or an empty string."""
    if not engine.settings:
        engine.settings = dict(DEFAULTS, mat=engine.mat.MAT, edition=engine.edition)
    if words is not None:
        chosen, why = changed(words, engine.settings)
        if why:
            return why
        if chosen != engine.settings:
            engine.settings, engine.unkept = chosen, json.dumps(chosen).encode()
            engine.changes += 1
            said = "the setting %s is %s" % tuple(words)
            if words[0] != AT_ONCE:
                said += " from the next start on"
                if words[0] not in engine.later:
                    engine.later += (words[0],)
            engine.log("info", said)
    values = [engine.settings[name] for name in NAMES]
    engine.outbox.send("settings", engine.t_ms, values + [engine.later, not engine.unkept])
    return ""


def read(kept):
    """(settings, complaint) of what was kept: bytes, or None for nothing. The defaults stand for
    what is missing, and for what is no good, which is complained of."""
    chosen = dict(DEFAULTS)
    try:
        found = {} if kept is None else json.loads(kept)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        return chosen, "the kept settings are no JSON object"
    complaints = []
    for name in NAMES + tuple(sorted([name for name in found if name not in DEFAULTS])):
        if name in found:
            why = refusal(name, found[name], chosen)
            if why:
                complaints.append(why)
            else:
                chosen[name] = found[name]
    return chosen, "kept settings: " + "; ".join(complaints) if complaints else ""
