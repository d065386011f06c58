"""What depends on which mat it is: its description, its field and its ring of LEDs."""

from polarity.lights.azimuth import azimuth_deg
from polarity_host.live.evidence import mat_of
from polarity_host.live.field import FieldView
from polarity_host.live.game_state import GameView
from polarity_host.live.led_ring import LedRing
from polarity_host.mats.description import load_mat
from polarity_host.wire.messages import FactMessage, RulingMessage


class MatInUse:
    """The mat called `name`. MatError when there is no such mat.

    `shown` is its description as viewers get it; `field_number` rises with every frame taken.
    """

    def __init__(self, name: str):
        self.mat = load_mat(name)
        self.shown = mat_of(self.mat)
        self.field_number = 0
        self._view = FieldView(self.mat)
        self._ring = LedRing(self.mat.led_count)
        self._last_fact = 0, 0  # its number and its azimuth in degrees

    def take_frame(self, counts: str, bare: bool) -> bool:
        """Takes the counts of a frame; returns whether they are one of this mat. `bare`: nothing
        lies on it."""
        taken = self._view.take(counts, bare)
        self.field_number += taken
        return taken

    def field(self) -> str:
        """The field as FieldView has it."""
        return self._view.field()

    def zero(self) -> list[int]:
        """The counts of each sensor without a field."""
        return self._view.zero()

    def ill(self) -> dict[str, list[int]]:
        """The sensors that look ill, by what is wrong with them."""
        return self._view.ill()

    def handle_fact(self, number: int, fact: FactMessage) -> None:
        """A fact: the ring shows a fault where its last fact was."""
        self._last_fact = number, azimuth_deg(fact.x, fact.y)

    def handle_ruling(self, ruling: RulingMessage, t_ms: int) -> None:
        """A ruling: the ring shows it."""
        number, azimuth = self._last_fact  # the mat's own ring takes the last fact too
        self._ring.handle_ruling(ruling, t_ms, azimuth if number in ruling.facts else -1)

    def lights(self, t_ms: int, game: GameView, unwell: bool) -> str:
        """The ring's lights, six hexadecimal digits an LED."""
        return self._ring.paint(t_ms, game, unwell)
