"""The boards' schematics as code, with SKiDL: the tile, the carrier and an arc of the LED ring.

    circuit = tile()          # one board of side x side sensors; all tiles of a mat are alike
    circuit = carrier(mat)    # the board with the Pico
    circuit = led_arc(mat)    # one of the arcs that make the LED ring

Cables. A flat cable carries 16 wires from the carrier to a chain's first tile and from tile to
tile. It lies straight between two connectors that face each other, both with their contacts below,
so wire k is pin k of the one (the carrier's, and a tile's OUT) and pin 17 - k of the other (a
tile's IN). A tile takes the first select line and hands on the others moved up by one: no tile
needs an address of its own.
"""

from collections.abc import Mapping
from functools import cache
from types import ModuleType
from typing import Any

from polarity_host.mats.description import Mat
from polarity_host.mats.tiles import CHANNELS, Tile

from .parts import part_kinds

WAYS = 16
SELECTS = 6
#: What a cable's wires carry, wire 1 first.
CABLE = (
    "GND", "AOUT", "GND", "+3V3", "+3V3", "A0", "A1", "A2", "A3",
    *(f"S{k}" for k in range(SELECTS)), "GND",
)  # fmt: skip
LEDS_AN_ARC = 5
TILE_UF = 1.0 + 18 * 0.1  # C3, and the small ones; with more a waking bank would settle slowly
ADDRESS_OHM, ADC_OHM, LED_OHM = "33", "100", "330"
PULL_UP, PULL_DOWN, GATE_OHM = "100k", "1M", "100k"
POWER_LED_OHM = "1.2k"  # at 3.3 V: some 1.1 mA
BUTTON_OHM = "330"  # what a spark leaves of its current when it comes in by a button's lead
DAMPING = "1.2k"  # in each tile's analogue wire: without it a sensor's output would ring (spice.py)


@cache
def _skidl() -> ModuleType:
    """SKiDL, quiet: it looks for KiCad's libraries when imported, and nothing here needs them."""
    import logging

    logging.disable(logging.WARNING)
    try:
        import skidl
    finally:
        logging.disable(logging.NOTSET)
    return skidl


class Board:
    """A circuit that is being drawn: parts by kind, wires by the names of nets."""

    def __init__(self, name: str):
        self.name = name
        self.skidl = _skidl()
        self.circuit = self.skidl.Circuit(name=name)
        self.circuit.no_files = True
        self._nets: dict[str, Any] = {}  # SKiDL has no types
        types = self.skidl.Pin.types
        self._types = {
            "p": types.PASSIVE, "i": types.INPUT, "o": types.OUTPUT, "t": types.TRISTATE,
            "w": types.PWRIN, "W": types.PWROUT, "n": types.NOCONNECT,
        }  # fmt: skip

    def net(self, name: str) -> Any:
        """SKiDL's net of this name."""
        if name not in self._nets:
            self._nets[name] = self.skidl.Net(name, circuit=self.circuit)
        return self._nets[name]

    def drives(self, *names: str, power: bool = False) -> None:
        """Declares that these nets are driven from outside, by a cable."""
        drives = self.skidl.Pin.drives
        for name in names:
            self.net(name).drive = drives.POWER if power else drives.PUSHPULL

    def put(self, kind: str, ref: str, value: str = "", **wires: str) -> None:
        """A part and its wires, pin name = net; pins not named stay open. KeyError: no such pin."""
        skidl, listed = self.skidl, part_kinds()[kind]
        pins = [
            skidl.Pin(num=n, name=name, func=self._types[sort]) for n, name, sort in listed.pins
        ]
        template = skidl.Part(
            name=kind, tool=skidl.SKIDL, dest=skidl.TEMPLATE, pins=pins, tag=kind,
            ref_prefix=ref.rstrip("0123456789"),
        )  # fmt: skip
        part = template(
            circuit=self.circuit,
            ref=ref,
            tag=ref,
            value=value or listed.mpn,
            footprint=listed.footprint,
        )
        part.fields["MPN"] = listed.number(value)
        at = {name: pin for (_, name, _), pin in zip(listed.pins, part.pins)}
        for name, net in wires.items():
            self.net(net).connect(at.pop(name.strip("_")))
        for pin in at.values():
            self.circuit.NC.connect(pin)

    def cable(self, ref: str, nets: Mapping[str, str], turned: bool) -> None:
        """A cable's connector; `nets`: the net of each wire; `turned`: at its far end."""
        wires = {}
        for wire, name in enumerate(CABLE, 1):
            if name in nets:
                wires[f"_{WAYS + 1 - wire if turned else wire}"] = nets[name]
        self.put("ffc", ref, **wires)

    def test_points(self, *nets: str) -> None:
        """A test point, TP1 and on, on each of these nets."""
        for number, net in enumerate(nets, 1):
            self.put("testpoint", f"TP{number}", net, _1=net)


COMMON = {name: name for name in ("GND", "AOUT", "+3V3", "A0", "A1", "A2", "A3")}


def tile() -> Board:
    """A tile: its sensors are U101 and on, by channel; J1 is IN, J2 is OUT to the next tile."""
    board = Board("tile")
    selects = [f"S{k}" for k in range(SELECTS)]
    board.drives("GND", "+3V3", power=True)
    board.drives("A0", "A1", "A2", "A3", "S0")
    board.cable("J1", COMMON | {name: name for name in selects}, turned=True)
    board.cable("J2", COMMON | dict(zip(selects, selects[1:])), turned=False)
    channels = {f"Y{k}": f"Y{k}" for k in range(CHANNELS)}
    board.put(
        "mux", "U1", Z="Z", E="S0", S0="A0", S1="A1", S2="A2", S3="A3", GND="GND", VCC="+3V3",
        **channels,
    )  # fmt: skip
    board.put("inverter", "U2", A="S0", Y="EN", GND="GND", VCC="+3V3")
    board.put("resistor", "R1", PULL_UP, A="S0", B="+3V3")
    board.put("resistor", "R2", DAMPING, A="Z", B="AOUT")
    for ref in ("C1", "C2"):
        board.put("c100n", ref, "100n", A="+3V3", B="GND")
    board.put("c1u", "C3", "1u", A="+3V3", B="GND")
    for channel in range(CHANNELS):
        board.put(
            "sensor",
            f"U{101 + channel}",
            VCC="+3V3",
            GND="GND",
            EP="GND",
            EN="EN",
            OUT=f"Y{channel}",
        )
        board.put("c100n_low", f"C{101 + channel}", "100n", A="+3V3", B="GND")
    board.test_points("+3V3", "GND", "AOUT", "EN", "S0")
    return board


def carrier(mat: Mat) -> Board:
    """The carrier of a mat: the Pico U1, decoders U2 and U3, a connector J1 ... for each chain."""
    board = Board("carrier_" + mat.id)
    board.drives("GND", "VCC5", power=True)
    _pico(board, mat)
    _supply(board)
    address = [f"ADR{k}" for k in range(len(mat.address_pins))]
    for k in range(len(address)):
        board.put("resistor", f"R{10 + k}", ADDRESS_OHM, A=f"GP_A{k}", B=address[k])
    for half, ref in enumerate(("U2", "U3")):
        outputs = {f"Y{k}": f"BANK{8 * half + k}" for k in range(8) if 8 * half + k in _banks(mat)}
        enables = {"E1": address[7], "E3": "+3V3"} if half == 0 else {"E1": "GND", "E3": address[7]}
        board.put(
            "decoder", ref, A0=address[4], A1=address[5], A2=address[6], E2="GND", GND="GND",
            VCC="+3V3", **enables, **outputs,
        )  # fmt: skip
        board.put("c100n", f"C{1 + half}", "100n", A="+3V3", B="GND")
    for adc in range(len(mat.adc_pins)):
        bus, pin = f"BUS{adc}", f"ADC{adc}"
        board.put("resistor", f"R{30 + adc}", ADC_OHM, A=bus, B=pin)
        board.put("resistor", f"R{40 + adc}", PULL_DOWN, A=bus, B="GND")
        board.put("c100p", f"C{30 + adc}", "100p", A=pin, B="GND")
    for number, chain in enumerate(chains(mat)):
        first = chain[0]
        nets = {"GND": "GND", "+3V3": "+3V3", "AOUT": f"BUS{first.adc}"}
        nets |= {f"A{k}": address[k] for k in range(4)}
        nets |= {f"S{k}": f"BANK{first.bank + k}" for k in range(mat.chain)}
        board.cable(f"J{1 + number}", nets, turned=False)
    inputs = (f"BUS{adc}" for adc in range(len(mat.adc_pins)))
    board.test_points("VBUS", "FUSED", "VCC5", "+3V3", "GND", "LED_OUT", *inputs)
    return board


def _banks(mat: Mat) -> set[int]:
    return {chain[0].bank + k for chain in chains(mat) for k in range(mat.chain)}


def chains(mat: Mat) -> list[list[Tile]]:
    """The tiles of a mat, chain by chain from the left, each from the carrier on."""
    columns = sorted({tile.column for tile in mat.tiles})
    return [[tile for tile in mat.tiles if tile.column == column] for column in columns]


def _pico(board: Board, mat: Mat) -> None:
    wires = {f"GP{pin}": f"GP_A{k}" for k, pin in enumerate(mat.address_pins)}
    wires |= {f"GP{pin}": f"ADC{k}" for k, pin in enumerate(mat.adc_pins)}
    wires |= {f"GP{pin}": f"BUTTON{k}" for k, pin in enumerate(mat.button_pins)}
    wires[f"GP{mat.led_pin}"] = "LED_DATA"
    grounds = [name for _, name, _ in part_kinds()["pico"].pins if name.startswith("GND")]
    wires |= dict.fromkeys(grounds, "GND")
    board.put("pico", "U1", AGND="GND", VBUS="VBUS", ADC_VREF="+3V3", **wires)
    # A finger's spark at a button goes to ground by the clamp; the Pico sees what is left of it
    # through a resistor.
    leads = [f"LEAD{k}" for k in range(len(mat.button_pins))]
    for k, lead in enumerate(leads):
        board.put("leads2", f"J{21 + k}", _1=lead, _2="GND")
        board.put("resistor", f"R{3 + k}", BUTTON_OHM, A=lead, B=f"BUTTON{k}")
    board.put(
        "esd", "U6", IO1_1=leads[0], IO1_6=leads[0], IO2_3=leads[1], IO2_4=leads[1], VBUS="+3V3",
        GND="GND",
    )  # fmt: skip


def _supply(board: Board) -> None:
    """5 V from the Pico's plug, slowly switched on, for the LEDs and the sensors' regulator."""
    board.put("tvs", "D1", K="VBUS", A="GND")
    board.put("fuse", "F1", A="VBUS", B="FUSED")
    board.put("switch", "Q1", G="GATE", S="FUSED", D="VCC5")
    board.put("resistor", "R1", GATE_OHM, A="GATE", B="GND")
    board.put("c4u7", "C10", "4u7", A="FUSED", B="GATE")
    board.put("regulator", "U4", IN="VCC5", OUT="+3V3", GND="GND")
    for ref, rail in (("C11", "VCC5"), ("C12", "+3V3"), ("C13", "+3V3")):
        board.put("c4u7", ref, "4u7", A=rail, B="GND")
    board.put("resistor", "R5", POWER_LED_OHM, A="+3V3", B="POWER_LED")
    board.put("power_led", "D2", A="POWER_LED", K="GND")
    board.put("shifter", "U5", OE="GND", A="LED_DATA", Y="LED_5V", GND="GND", VCC="VCC5")
    board.put("c100n", "C14", "100n", A="VCC5", B="GND")
    board.put("resistor", "R2", LED_OHM, A="LED_5V", B="LED_OUT")
    board.put("c100u", "C15", "100u", P="VCC5", N="GND")
    board.put("leads3", "J20", _1="VCC5", _2="LED_OUT", _3="GND")


def led_arc() -> Board:
    """An arc of the LED ring: J1 takes the data, J2 hands them on."""
    board = Board("led_arc")
    board.drives("GND", "VCC5", power=True)
    board.drives("D0")
    board.put("wires3", "J1", _1="VCC5", _2="D0", _3="GND")
    for k in range(LEDS_AN_ARC):
        board.put("led", f"D{1 + k}", VDD="VCC5", VSS="GND", DIN=f"D{k}", DOUT=f"D{k + 1}")
        board.put("c100n", f"C{1 + k}", "100n", A="VCC5", B="GND")
    board.put("wires3", "J2", _1="VCC5", _2=f"D{LEDS_AN_ARC}", _3="GND")
    return board
