"""Up to two buttons that pull their pins low: pressed or held, without their bounce."""

from machine import Pin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

BOUNCE_MS = 20
HELD_MS = 1500
PRESSED, HELD = "pressed", "held"


class Buttons:
    """Buttons at `pins`. The loop calls `event` once a turn. A pin without a button is never
    pressed, as its own pull-up holds it high."""

    def __init__(self, pins: "Sequence[int]") -> None:
        self._pins = [Pin(pin, Pin.IN, Pin.PULL_UP) for pin in pins]
        self._down_ms = [-1] * len(self._pins)  # since when, -1 while it is up
        self._reported = [False] * len(self._pins)

    def down(self, number: int) -> bool:
        """Whether the button is down at this moment."""
        return number < len(self._pins) and not self._pins[number].value()

    def event(self, t_ms: int) -> "tuple[int, str] | None":
        """(number, PRESSED | HELD), or None. PRESSED comes with the release of a short press, HELD
        while the button is still down."""
        for number in range(len(self._pins)):
            since = self._down_ms[number]
            if not self._pins[number].value():
                if since < 0:
                    self._down_ms[number] = t_ms
                    self._reported[number] = False
                elif not self._reported[number] and t_ms - since >= HELD_MS:
                    self._reported[number] = True
                    return number, HELD
            elif since >= 0:
                self._down_ms[number] = -1
                if not self._reported[number] and t_ms - since >= BOUNCE_MS:
                    return number, PRESSED
        return None
