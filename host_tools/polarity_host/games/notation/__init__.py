"""The text form of a game and of a position: what PGN and FEN are to chess. See
host_tools/RECORD.md.
"""

from polarity_host.games.notation.model import Entry, Record, RecordedPosition
from polarity_host.games.notation.reading import RecordError, record_of
from polarity_host.games.notation.writing import text_of

__all__ = ["Entry", "Record", "RecordError", "RecordedPosition", "record_of", "text_of"]
