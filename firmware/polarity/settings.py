"""A mat's settings: which there are, what each may be, and how they are stored.

What was stored is checked when the mat starts, by the same rules as what comes over the wire. This
module is hardly ever needed: import it then, and unload it.
"""

import json

from .rules.editions import EDITIONS, rules_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Settings = dict[str, Any]  # by NAMES; a number or a word each

#: Of what is stored; without a number it is the first.
VERSION = 1
#: The order in which they are sent and read. Edition "" and oversample 0 are the mat's own.
NAMES = ("mat", "edition", "brightness", "port_ma", "oversample")
DEFAULTS = {"mat": "standard", "edition": "", "brightness": 96, "port_ma": 500, "oversample": 0}
#: The light ring's brightness, of 255; the current that the USB port supplies, mA.
RANGES = {"brightness": (1, 255), "port_ma": (500, 1500)}
#: Conversions summed into a count: as many as fit into a frame of the mat, and fill it
#: (drivers/hall_grid.py).
SUMS = {"standard": (4, 8), "small": (8, 16)}
AT_ONCE = "brightness"  # all others apply from the next start on
DEFAULT = "default"  # the value that restores a setting's default


def refusal(name: str, value: "Any", chosen: "Settings") -> str:
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


def changed(words: "list[str]", chosen: "Settings") -> "tuple[Settings | None, str]":
    """The settings `chosen` after the command [name, value]: (settings, ""), or (None, why it is
    refused)."""
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


def apply(words: "list[str]", chosen: "Settings") -> "tuple[Settings, str, bool, str]":
    """(settings `chosen` after the command [name, value]; what to log, "" where nothing changes;
    whether the change applies from the next start on; why it is refused)."""
    changed_to, why = changed(words, chosen)
    if changed_to is None or changed_to == chosen:
        return chosen, "", False, why
    text, later = "the setting %s is %s" % tuple(words), words[0] != AT_ONCE
    return changed_to, text + " from the next start on" if later else text, later, ""


def record(chosen: "Settings") -> bytes:
    """What `read` reads."""
    return json.dumps(dict(chosen, version=VERSION)).encode()


def read(stored: "bytes | None") -> "tuple[Settings, str]":
    """(settings, complaint) of what was stored, None for nothing. Defaults replace what is missing,
    and what is invalid, which the complaint names."""
    chosen = dict(DEFAULTS)
    try:
        found = {} if stored is None else json.loads(stored)
    except (ValueError, RuntimeError):  # the latter: far too deep
        found = None
    if not isinstance(found, dict):
        return chosen, "the stored settings are no JSON object"
    if found.pop("version", VERSION) != VERSION:
        return chosen, "the stored settings are of another version"
    complaints = []
    for name in NAMES + tuple(sorted([name for name in found if name not in DEFAULTS])):
        if name in found:
            why = refusal(name, found[name], chosen)
            if why:
                complaints.append(why)
            else:
                chosen[name] = found[name]
    return chosen, "stored settings: " + "; ".join(complaints) if complaints else ""
