"""What the ring shows, most urgent first; each by shape and motion, and by colour besides.

| shown | shape | motion | colour |
|---|---|---|---|
| mat not well | four dots in a cross | every other second, between what else is shown | orange |
| being calibrated | two dots face to face | turn round, clockwise | green |
| red disc touched, or off its dot | all the ring | flashes twice a second | red |
| game over | winner's side (a draw: all of it, and a dot) | a gap runs along it | winner's |
| the score, in turns with that | on each side an LED a point | blinks below 0 | own |
| fault | the side whose fault; see FAULTS | by its kind | orange |
| where it was | three LEDs between two dark ones, besides | flash | orange |
| out of the circle | the LED nearest to the disc, with two beside it | flashes | orange |
| was it so? | "yes": solid, by the first button; "no": dashed, by the second | in turns | purple |
| whose was it? | white's side solid; black's side dashed | in turns | purple |
| groups to capture | a pair of dots a group on the capturer's side | walk along it | capturer's |
| whose turn | the player's side: white solid, black dashed | breathes | player's |
| setting up | a third of the ring | turns round | green |
| a host is there | the first LED | steady | green |

LED 0 is at azimuth 0 (x to the right), and they go round counter-clockwise. White sits at azimuth
-90°, black at +90° (hardware/mat.toml: y away from the USB plug, white's side).
"""

from ..rules.faults import WAS_IT_SO
from ..rules.position import OVER, PLAY
from . import palette

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    class ShownRuling(Protocol):
        """What the ring shows of a polarity.rules.ruling.Ruling."""

        @property
        def code(self) -> str: ...
        @property
        def t_ms(self) -> int: ...
        @property
        def player(self) -> int: ...
        @property
        def why(self) -> str: ...

    class ShownPosition(Protocol):
        """What the ring shows of a polarity.rules.position.Position."""

        @property
        def phase(self) -> str: ...
        @property
        def active(self) -> int: ...
        @property
        def outcome(self) -> tuple: ...
        @property
        def question(self) -> tuple: ...
        def owed(self) -> "tuple[tuple[int, tuple[int, ...]], ...]": ...

    Colour = tuple[int, int, int]  # red, green, blue, of 255 each

FAULT_MS = 4000  # how long a fault is shown, before what follows from it
BREATH_MS = 2000  # period of the side whose turn it is
STEP_MS = 80  # of a walking dot
END_MS = 3000  # how long the winner is shown, then the score, by turns

# How the side at fault moves, by the reason.
BLINK, CLOSE, PART, SWEEP, SWAY, ALTERNATE = 0, 1, 2, 3, 4, 5
FAULTS = {
    "snapped": CLOSE,  # two dots run together
    "contact": PART,  # two dots run apart
    "leaner_fell": SWEEP,  # a dot falls from one end to the other
    "shifted": SWAY,  # a half of the side to and fro
    "flipped": ALTERNATE,  # odd and even LEDs in turns
}
ILL_MS = 1000  # how long the cross of a mat that is not well is shown, then all else, by turns


class Ring:
    """`count` LEDs round the circle. Call `show` with every ruling, and `paint` for a picture."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._pixels = bytearray(3 * count)
        self._dark = bytes(3 * count)
        self._fault: "tuple[int, int, str] | None" = None  # (t_ms, player, why)
        self._at = -1  # the LED nearest to where the fault was, -1: not known
        self._half = count // 2
        self._first = {1: count // 2, -1: 0}  # where a side begins: white -90°, black +90°

    def show(self, ruling: "ShownRuling", azimuth_deg: int = -1) -> None:
        """Shows a ruling from now on; `azimuth_deg` (0-359) of what it is about, -1 if unknown."""
        code = ruling.code
        if code == "fault":
            self._fault = (ruling.t_ms, ruling.player, ruling.why)
            self._at = -1
            if azimuth_deg >= 0:
                self._at = azimuth_deg * self.count // 360
        elif code in ("overruled", "undone", "revised"):
            self._fault = None

    def clear(self) -> None:
        """Another game has begun."""
        self._fault = None

    def paint(
        self,
        t_ms: int,
        position: "ShownPosition",
        connected: bool = False,
        ill: bool = False,
        calibrating: bool = False,
    ) -> bytearray:
        """The picture now: 3 * count bytes, the same buffer each time. Allocates nothing of size.

        `position` is the referee's; `connected`: a host is there; `ill`: the mat reports that
        something is wrong with it; `calibrating`: it judges nothing, as its frames only serve a
        calibration.
        """
        pixels = self._pixels
        pixels[:] = self._dark
        if ill and t_ms % (2 * ILL_MS) < ILL_MS:
            for quarter in range(4):
                self._put(quarter * self.count // 4, palette.ORANGE)
        elif calibrating:
            for led in (0, self._half):
                self._put(led - t_ms // STEP_MS, palette.GREEN)
        elif position.outcome:
            self._end(t_ms, *position.outcome)
        elif self._fault and t_ms - self._fault[0] < FAULT_MS:
            self._show_fault(t_ms, *self._fault)
        elif position.question:
            self._question(t_ms, position.question[1])
        elif position.phase == PLAY:
            if not self._groups(t_ms, position):
                self._turn(t_ms, position.active)
        elif position.phase != OVER:
            self._setting_up(t_ms)
        if connected and not self._lit(0):
            self._put(0, palette.GREEN, 8)
        return pixels

    # ------------------------------------------------------------------ pictures
    def _end(self, t_ms: int, why: str, winner: int, points: "tuple[int, ...]" = ()) -> None:
        alarm = why in ("touched_red", "red_off")
        if alarm and t_ms % 500 < 250:
            for led in range(self.count):
                self._put(led, palette.RED)
            return
        if points and not alarm and t_ms % (2 * END_MS) >= END_MS:
            self._score(t_ms, points)
            return
        if not winner:
            for led in range(self.count):
                self._put(led, palette.GREEN, 6 + 10 * (led == t_ms // STEP_MS % self.count))
            return
        colour = palette.WHITE if winner > 0 else palette.BLUE
        self._side(winner, colour, 16, 1 if winner > 0 else 2)
        for gap in (0, 1, 2):
            self._put(self._first[winner] + (t_ms // STEP_MS + gap) % self._half, palette.DARK)

    def _score(self, t_ms: int, points: "tuple[int, ...]") -> None:
        """White's and black's points, or those of three players, each from a third of the ring."""
        own = self._half
        firsts, colours = (self._first[1], self._first[-1]), (palette.WHITE, palette.BLUE)
        if len(points) > 2:
            own = self.count // 3
            firsts, colours = (0, own, 2 * own), (palette.GREEN,) * 3
        for k in range(len(points)):
            if points[k] >= 0 or t_ms % 500 < 250:
                for led in range(min(abs(points[k]), own)):
                    self._put(firsts[k] + led, colours[k])

    def _question(self, t_ms: int, asks: str) -> None:
        first = t_ms % 1200 < 600
        start = self._first[1 if first else -1]
        if asks == WAS_IT_SO:
            start += self.count // 4 - self._half
        for led in range(start, start + self._half, 1 if first else 2):
            self._put(led, palette.PURPLE)

    def _show_fault(self, t_ms: int, begun_ms: int, player: int, why: str) -> None:
        if why != "out" or self._at < 0:
            self._show_side_at_fault(t_ms, begun_ms, player, why)
        if self._at >= 0:
            for led in (-2, -1, 0, 1, 2):
                shines = -2 < led < 2 and t_ms % 400 < 200
                self._put(self._at + led, palette.ORANGE if shines else palette.DARK)

    def _show_side_at_fault(self, t_ms: int, begun_ms: int, player: int, why: str) -> None:
        motion = FAULTS.get(why, BLINK)
        step = (t_ms - begun_ms) // STEP_MS
        first, half = self._first[player or 1], self._half
        if motion == CLOSE or motion == PART:
            away = step % (half // 2) + 1
            if motion == CLOSE:
                away = half // 2 + 1 - away
            self._put(first + half // 2 - away, palette.ORANGE)
            self._put(first + half // 2 + away - 1, palette.ORANGE)
        elif motion == SWEEP:
            self._put(first + step % half, palette.ORANGE)
            self._put(first + (step + half - 1) % half, palette.ORANGE, 4)
        elif motion == SWAY:
            begin = step // 4 % 2 * (half // 2)
            for led in range(begin, begin + half // 2):
                self._put(first + led, palette.ORANGE)
        elif motion == ALTERNATE:
            for led in range(first + step // 3 % 2, first + half, 2):
                self._put(led, palette.ORANGE)
        elif step // 3 % 2 == 0:
            self._side(player or 1, palette.ORANGE, 16, 1)

    def _groups(self, t_ms: int, position: "ShownPosition") -> int:
        shown = 0
        for player, _ in position.owed():
            colour = palette.WHITE if player > 0 else palette.BLUE
            at = t_ms // STEP_MS + 6 * shown
            for dot in (0, 1):
                self._put(self._first[player] + (at + dot) % self._half, colour)
            shown += 1
        return shown

    def _turn(self, t_ms: int, player: int) -> None:
        phase = t_ms % BREATH_MS * 24 // BREATH_MS
        level = 4 + (phase if phase < 12 else 24 - phase)
        if player > 0:
            self._side(1, palette.WHITE, level, 1)
        elif player < 0:
            self._side(-1, palette.BLUE, level, 2)

    def _setting_up(self, t_ms: int) -> None:
        for led in range(self.count // 3):
            self._put(t_ms // STEP_MS + led, palette.GREEN, 6)

    # ------------------------------------------------------------------ brushes
    def _side(self, player: int, colour: "Colour", level: int, step: int) -> None:
        pixels = self._pixels
        first = self._first[player]
        red, green, blue = colour[0] * level >> 4, colour[1] * level >> 4, colour[2] * level >> 4
        for at in range(3 * first, 3 * (first + self._half), 3 * step):
            pixels[at] = red
            pixels[at + 1] = green
            pixels[at + 2] = blue

    def _put(self, led: int, colour: "Colour", level: int = 16) -> None:
        """One LED, at `level` sixteenths of the colour."""
        at = led % self.count * 3
        self._pixels[at] = colour[0] * level >> 4
        self._pixels[at + 1] = colour[1] * level >> 4
        self._pixels[at + 2] = colour[2] * level >> 4

    def _lit(self, led: int) -> bool:
        at = 3 * led
        return bool(self._pixels[at] or self._pixels[at + 1] or self._pixels[at + 2])
