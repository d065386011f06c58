"""Settings as they may have been kept, and as they come over the wire; prints what becomes of each.
Runs on CPython and MicroPython."""

from polarity import mat_data
from polarity.engine import Engine
from polarity.settings import NAMES, read

for kept in (
    None, b"", b"[]", b"\xff", b"{}", b'{"mat":"small","edition":"original","brightness":255}',
    b'{"port_ma":1500,"oversample":4}', b'{"mat":"small","oversample":16}', b'{"oversample":16}',
    b'{"brightness":"64"}', b'{"brightness":true,"port_ma":500.5}',
    b'{"mat":"large","port_ma":499}', b'{"mat":["small"],"edition":7,"oversample":"8"}',
    b'{"colour":"red","also":1}',
):  # fmt: skip
    chosen, complaint = read(kept)
    print([chosen[name] for name in NAMES], complaint)

engine = Engine(mat_data.load("small"), "scaled", 7)
persistence = engine.persistence
for line in (
    "settings", "set brightness 64", "set brightness 64", "set port_ma 1500", "set oversample 16",
    "set mat standard", "set oversample 12", "set oversample default", "set mat standard",
    "set edition original", "set edition nonsense", "set edition default", "set brightness 0",
    "set brightness 256", "set brightness -1", "set brightness 99999999999999999999", "set",
    "set brightness", "set brightness 1 2", "set colour red", "set colour default", "set mat 7",
):  # fmt: skip
    engine.command(line.encode() + b"\n")
    while True:
        said = engine.read(4096)
        if not said:
            break
        print(said.decode().replace("\n", "|"))
    unsaved = persistence.unsaved.pop("settings", None)
    print(persistence.settings["brightness"], unsaved and read(unsaved)[1] == "")
