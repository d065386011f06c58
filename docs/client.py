"""A client of the mat in a hundred lines: pip install pyserial, then python client.py PORT.

PORT is a serial port, as /dev/ttyACM0, or socket://HOST:PORT. Prints turns, faults and the result.
"""

import json
import sys
import time
import zlib
from typing import Any

import serial

LONGEST = 4096  # bytes of a line
NUMBERED = ("game", "fact", "ruling", "log")
SILENT_S = 2.0  # after which the mat is asked for a sign of life
COLOURS = {"w": "White", "b": "Black"}


def message_of(line: bytes) -> dict[str, Any] | None:
    """The message in a line; None for noise, a traceback, or a line that is damaged."""
    start = line.rfind(b"~")  # a tilde always begins a message: what is before it broke off
    crc, _, text = line[start + 1 :].partition(b" ")
    if start < 0 or len(line) >= LONGEST or crc != b"%08x" % zlib.crc32(text):
        return None
    message = json.loads(text)
    if message["v"] > 1:
        sys.exit(f"This mat speaks protocol {message['v']}, this client 1: update it.")
    return message


class Client:
    """Follows one mat: knows its boot, and the last numbered message of it."""

    def __init__(self, port: serial.Serial):
        self.port = port
        self.boot: int | None = None
        self.last = 0
        self.asked, self.asked_s = 0, 0.0  # the number that was asked for, and when

    def send(self, command: str) -> None:
        self.port.write(command.encode("ascii") + b"\n")

    def run(self) -> None:
        line, silent_s = b"", time.monotonic()
        self.send("hello")
        while True:
            data = self.port.read(max(1, self.port.in_waiting))
            if data:
                silent_s = time.monotonic()
            elif time.monotonic() - silent_s > SILENT_S:
                silent_s = time.monotonic()
                self.send("hello")
            *lines, line = (line + data).split(b"\n")
            line = line[-LONGEST:]
            for one in lines:
                if message := message_of(one):
                    self.take(message)

    def take(self, message: dict[str, Any]) -> None:
        """Brings the messages into order: nothing is shown twice, and nothing is left out."""
        kind, number = message["k"], message["n"]
        if message["b"] != self.boot:  # another mat, or the same one switched on again
            self.boot, self.last, self.asked = message["b"], 0, 0
            self.ask()
        elif kind == "gap":  # gone for good
            print(f"-- messages {message['first']} to {message['last']} are lost")
            self.last = message["last"]
        elif kind not in NUMBERED:
            if number > self.last:
                self.ask()
        elif number == self.last + 1:
            self.last = number
            self.show(message)
        elif number > self.last:
            self.ask()

    def ask(self) -> None:
        """Asks for all that comes after the last message; again where the answer is lost, too."""
        if self.asked != self.last + 1 or time.monotonic() - self.asked_s > SILENT_S:
            self.asked, self.asked_s = self.last + 1, time.monotonic()
            self.send(f"resume {self.asked}")

    def show(self, message: dict[str, Any]) -> None:
        code, player = message.get("code"), COLOURS.get(message.get("player", ""), "nobody")
        if message["k"] == "game":
            print(f"A game by {message['edition']} rules begins.", flush=True)
        elif code == "turn":
            print(f"Turn {message['turn']}: {player}, {message['reserve']} left", flush=True)
        elif code == "fault":
            print(f"Fault of {player}: {message['why']} {message['pieces']}", flush=True)
        elif code == "end":
            print(f"The end: {message['why']}, won by {player}", flush=True)


if __name__ == "__main__":
    try:
        Client(serial.serial_for_url(sys.argv[1], timeout=0.5)).run()
    except (serial.SerialException, KeyboardInterrupt) as ending:
        sys.exit(f"The port is gone. {ending}")
