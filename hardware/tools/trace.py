"""Follows the wires of the netlists as they are written, from the Pico's pins to every sensor.

It takes the address that the firmware puts on its pins, works out the levels behind decoders,
cables, inverters and multiplexers, and finds the sensor that each ADC pin reads. Nothing here knows
how the netlists were made: pins are the parts' own, by their datasheets.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from polarity_host.mats.description import Mat

from .outline import Point

if TYPE_CHECKING:
    from polarity.mat_data.mat import Mat as FirmwareMat

WAYS = 16
#: Pins of the Raspberry Pi Pico by GPIO (Pico datasheet, 2.1 Pico pinout).
PICO = {
    0: 1, 1: 2, 2: 4, 3: 5, 4: 6, 5: 7, 6: 9, 7: 10, 8: 11, 9: 12, 10: 14, 11: 15, 12: 16, 13: 17,
    14: 19, 15: 20, 16: 21, 17: 22, 18: 24, 19: 25, 20: 26, 21: 27, 22: 29, 26: 31, 27: 32, 28: 34,
}  # fmt: skip
DECODER_OUT = (15, 14, 13, 12, 11, 10, 9, 7)  # 74HC138: Y0 ... Y7; its datasheet, 6.2
MUX_Y = (9, 8, 7, 6, 5, 4, 3, 2, 23, 22, 21, 20, 19, 18, 17, 16)  # 74HC4067: Y0 ...; datasheet, 6.2
MUX_S = (10, 11, 14, 13)
SENSOR_VCC, SENSOR_GND, SENSOR_EN, SENSOR_OUT = 1, 2, 3, 4  # TMAG5253 datasheet, 5
SERIES = ("33", "100", "330", "1.2k")  # resistors that only damp: for levels they are wires


Node: TypeAlias = tuple[str, int]  # reference, pin
Levels: TypeAlias = dict[str, bool]  # by net
Tree: TypeAlias = list[Any]  # a parsed expression: words and trees


@dataclass(frozen=True)
class Read:
    """A sensor that an ADC pin reads: on the tile at `position` of `chain`, both from 0; `ref` is
    None where the sensor is not awake."""

    chain: int
    position: int
    ref: str | None


@dataclass(frozen=True)
class Netlist:
    """`kind` and `value` of each part by reference; `net` of each (reference, pin); `on`: the
    (reference, pin)s of each net."""

    kind: dict[str, str]
    value: dict[str, str]
    net: dict[Node, str]
    on: dict[str, list[Node]]

    def at(self, net: str, kind: str) -> list[Node]:
        """(reference, pin) of the parts of a kind on a net."""
        return [node for node in self.on.get(net, ()) if self.kind[node[0]] == kind]


def read(text: str) -> Netlist:
    """Reads a netlist in KiCad's format."""
    tree = parse(text)
    parts = {_one(part, "ref"): part for part in _all(_only(tree, "components"), "comp")}
    nets: dict[Node, str] = {}
    for net in _all(_only(tree, "nets"), "net"):
        for node in _all(net, "node"):
            nets[_one(node, "ref"), int(_one(node, "pin"))] = _one(net, "name")
    kind = {ref: _one(_only(part, "libsource"), "part") for ref, part in parts.items()}
    value = {ref: _one(part, "value") for ref, part in parts.items()}
    on: dict[str, list[Node]] = {}
    for node in sorted(nets):
        on.setdefault(nets[node], []).append(node)
    return Netlist(kind, value, nets, on)


def parse(text: str) -> Tree:
    """The tree of a file of KiCad's: its words, without their quotation marks, and its brackets."""
    stack: list[Tree] = [[]]
    for token in re.findall(r'"(?:\\.|[^"\\])*"|[()]|[^\s()]+', text):
        if token == "(":
            stack.append([])
        elif token == ")":
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(token.strip('"'))
    return stack[0][0]


def _all(tree: Tree, name: str) -> list[Tree]:
    return [branch for branch in tree if isinstance(branch, list) and branch[0] == name]


def _only(tree: Tree, name: str) -> Tree:
    (branch,) = _all(tree, name)
    return branch


def _one(tree: Tree, name: str) -> str:
    return _only(tree, name)[1]


class Wiring:
    """One mat's boards, joined by its cables; `lengths`: the number of tiles of each chain."""

    def __init__(self, carrier: Netlist, tile: Netlist, lengths: list[int]):
        self.carrier, self.tile, self.lengths = carrier, tile, lengths
        self.pico = next(ref for ref, kind in carrier.kind.items() if kind == "pico")
        self.mux = next(ref for ref, kind in tile.kind.items() if kind == "mux")

    def read(self, address_pins: Sequence[int], address: int) -> dict[int | None, list[Read]]:
        """The sensors that each ADC pin, by its GPIO, reads at an address; None stands for a chain
        whose analogue wire ends at no ADC pin."""
        levels = self._carrier_levels(
            {PICO[pin]: bool(address >> k & 1) for k, pin in enumerate(address_pins)}
        )
        found: dict[int | None, list[Read]] = {}
        for chain, length in enumerate(self.lengths):
            wires = _at_connector(self.carrier, f"J{chain + 1}", levels)
            for position in range(length):
                nets = self._levels_of_tile(wires)
                if nets.get(self.tile.net[self.mux, 15]) is False:
                    gpio = self._adc_of(chain)
                    found.setdefault(gpio, []).append(Read(chain, position, self._sensor(nets)))
                wires = _at_connector(self.tile, "J2", nets)
        return found

    def _carrier_levels(self, pins: Mapping[int, bool]) -> Levels:
        board, levels = self.carrier, {"GND": False, "+3V3": True}
        for pin, level in pins.items():
            net = board.net[self.pico, pin]
            levels[net] = level
            for ref, end in board.at(net, "resistor"):
                if board.value[ref] in SERIES:
                    levels[board.net[ref, 3 - end]] = level
        for ref, kind in board.kind.items():
            if kind == "decoder":
                at = {n: levels.get(board.net.get((ref, n), "")) for n in range(1, 7)}
                on = at[4] is False and at[5] is False and at[6] is True
                chosen = _number([at[n] for n in (1, 2, 3)])
                for k, pin in enumerate(DECODER_OUT):
                    if (ref, pin) in board.net:
                        levels[board.net[ref, pin]] = not (on and k == chosen)
        return levels

    def _levels_of_tile(self, wires: Mapping[int, bool]) -> Levels:
        tile = self.tile
        nets: Levels = {}
        for wire, level in wires.items():
            net = tile.net.get(("J1", WAYS + 1 - wire))
            if net:
                nets[net] = level
        for ref, kind in tile.kind.items():
            if kind == "inverter":
                nets[tile.net[ref, 4]] = not nets.get(tile.net[ref, 2], True)
        return nets

    def _sensor(self, nets: Mapping[str, bool]) -> str | None:
        tile = self.tile
        channel = _number([nets.get(tile.net[self.mux, pin]) for pin in MUX_S])
        if channel is None:
            return None
        ((ref, pin),) = tile.at(tile.net[self.mux, MUX_Y[channel]], "sensor")
        awake = (
            pin == SENSOR_OUT
            and nets.get(tile.net[ref, SENSOR_EN]) is True
            and nets.get(tile.net[ref, SENSOR_VCC]) is True
            and nets.get(tile.net[ref, SENSOR_GND]) is False
        )
        return ref if awake else None

    def _adc_of(self, chain: int) -> int | None:
        """The GPIO that a chain's analogue wire ends at."""
        out = self.tile.net[self.mux, 1]
        for ref, end in self.tile.at(out, "resistor"):
            if self.tile.value[ref] in SERIES:
                out = self.tile.net[ref, 3 - end]
        (pin,) = [n for n in range(1, WAYS + 1) if self.tile.net.get(("J1", n)) == out]
        bus = self.carrier.net[f"J{chain + 1}", WAYS + 1 - pin]
        for ref, end in self.carrier.at(bus, "resistor"):
            far = self.carrier.net[ref, 3 - end]
            for _, pico_pin in self.carrier.at(far, "pico"):
                if self.carrier.value[ref] in SERIES:
                    return next(gpio for gpio, number in PICO.items() if number == pico_pin)
        return None


def _at_connector(board: Netlist, ref: str, levels: Mapping[str, bool]) -> dict[int, bool]:
    """The levels of a cable's wires at this connector; those that have none are left out."""
    nets = {n: board.net.get((ref, n), "") for n in range(1, WAYS + 1)}
    return {n: levels[net] for n, net in nets.items() if net in levels}


def _number(bits: Sequence[bool | None]) -> int | None:
    """The number of these bits, the lowest first; None where one has no level."""
    number = 0
    for k, bit in enumerate(bits):
        if bit is None:
            return None
        number |= bit << k
    return number


def findings(
    mat: Mat,
    firmware: "FirmwareMat",
    carrier: Netlist,
    tile: Netlist,
    place_of: Callable[[Mat, int, int, str], Point],
) -> list[str]:
    """Where netlists, hardware/mat.toml (`mat`) and the firmware's pin map (a module of
    polarity.mat_data) differ, a line each; `place_of(mat, chain, position, ref)` is where a part
    stands, (x, y) in mm."""
    columns = sorted({t.column for t in mat.tiles})
    wiring = Wiring(carrier, tile, [sum(t.column == c for t in mat.tiles) for c in columns])
    wrong, by_address = [], {}
    for address in range(2 ** len(firmware.ADDRESS_PINS)):
        for gpio, those in wiring.read(firmware.ADDRESS_PINS, address).items():
            if len(those) > 1:
                wrong.append(f"address {address}: {len(those)} sensors at GP{gpio} at once")
            by_address[gpio, address] = those[0]
    for entry, address in zip(firmware.SCAN_ORDER, firmware.SCAN_ADDRESS):
        index, gpio = entry & 0x3FFF, firmware.ADC_PINS[entry >> 14]
        toml = (mat.adc_pins[mat.adc[index]], int(mat.address[index]))
        if toml != (gpio, address):
            wrong.append(
                f"sensor {index}: the firmware reads GP{gpio} at {address}, mat.toml has {toml}"
            )
        found = by_address.get((gpio, address))
        if found is None or found.ref is None:
            wrong.append(f"sensor {index}: nothing awake at GP{gpio}, address {address}")
            continue
        x, y = place_of(mat, found.chain, found.position, found.ref)
        if (round(x * 256), round(y * 256)) != (firmware.SENSOR_X[index], firmware.SENSOR_Y[index]):
            tile_at = found.chain, found.position
            wrong.append(f"sensor {index}: {found.ref} of tile {tile_at} stands at {x:g}, {y:g} mm")
    return wrong + _lights_and_buttons(firmware, carrier, wiring.pico)


def _lights_and_buttons(firmware: "FirmwareMat", carrier: Netlist, pico: str) -> list[str]:
    wrong = []
    (shifter,) = carrier.at(carrier.net.get((pico, PICO[firmware.LED_PIN]), ""), "shifter") or [
        None
    ]
    ends: list[Node] = []
    if shifter and shifter[1] == 2:
        for ref, end in carrier.at(carrier.net[shifter[0], 4], "resistor"):
            ends += carrier.at(carrier.net[ref, 3 - end], "leads3")
    if [pin for _, pin in ends] != [2]:
        wrong.append(f"the LEDs' data do not come from GP{firmware.LED_PIN}")
    for pin in firmware.BUTTON_PINS:
        ends = []
        for ref, end in carrier.at(carrier.net.get((pico, PICO[pin]), ""), "resistor"):
            if carrier.value[ref] in SERIES:
                ends += carrier.at(carrier.net[ref, 3 - end], "leads2")
        if not ends or carrier.net[ends[0][0], 3 - ends[0][1]] != "GND":
            wrong.append(f"no button between GP{pin} and ground")
    return wrong
