"""How much of a virtual game has been played, for the progress line."""

from collections.abc import Sequence

from polarity_host.simulation.twin.truth import Record

SETUP_TURNS = 5  # how many turns take as long as it takes to lay the foundations
FOUNDATIONS = 10


class Played:
    """Follows the truth of a game, which grows. `turns`: how many the game has, None for a game
    that lasts until a reserve is empty."""

    def __init__(self, truth: Sequence[Record], turns: int | None):
        self._truth, self._turns = truth, turns
        self._read = 0
        self._laid = self._turn = self._stock = 0
        self._share = 0.0

    @property
    def share(self) -> float:
        """From 0 to 1; it never falls, though discs may go back to a reserve."""
        new = self._truth[self._read :]
        self._read += len(new)
        for record in new:
            if record.get("k") == "ruling":
                self._share = max(self._share, self._after(record))
        return self._share

    def _after(self, ruling: Record) -> float:
        self._laid += ruling["code"] == "foundation"
        self._turn = max(self._turn, ruling["turn"])
        self._stock = max(self._stock, *ruling["reserve"])
        if ruling["code"] == "end":
            return 1.0
        if self._turns is None:
            return 1.0 - min(ruling["reserve"]) / max(1, self._stock)
        laid = SETUP_TURNS * min(1.0, self._laid / FOUNDATIONS)
        return min(1.0, (laid + self._turn) / (SETUP_TURNS + self._turns + 1))
