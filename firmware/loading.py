"""What the start reads once: the mat's data, and its settings and calibration as they are stored.

loop.py unloads this module afterwards, and the modules that it used.
"""

import sys
from binascii import b2a_base64

from drivers.flash_store import ASIDE, FlashStore
from polarity import kernels, mat_data

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator

    from polarity.calibration import Calibration
    from polarity.mat_data.mat import Mat
    from polarity.settings import Settings


#: What is set aside after a start that failed, and after one more: it may be the reason.
FIRST, NEXT = ("game", "offsets"), ("settings", "calibration")
PIECE_BYTES = 480  # of a record in a line for the host


def set_aside(store: FlashStore, failed: int) -> "list[str]":
    """The names of the records that are set aside after so many starts that failed in a row."""
    names = FIRST + NEXT if failed > 1 else FIRST if failed else ()
    return [name for name in names if store.set_aside(name)]


def contents(names: "list[str]", folder: str = "kept") -> "Generator[str]":
    """A generator: the files of records that were set aside, in lines for the host."""
    for name in names:
        at, piece = 0, b"?"
        while piece:
            with open(folder + "/" + name + ASIDE, "rb") as file:
                file.seek(at)
                piece = file.read(PIECE_BYTES)
            if piece:
                text = b2a_base64(piece).decode().strip()
                yield "%s%s from byte %d: %s" % (name, ASIDE, at, text)
            at += len(piece)


def load_settings(store: FlashStore) -> "tuple[Settings, str]":
    """(settings, complaint): what is stored, and defaults where that is missing or invalid."""
    from polarity import settings

    stored, damaged = store.load("settings")
    chosen, complaint = settings.read(stored)
    return chosen, "; ".join([s for s in (damaged, complaint) if s])


def load_mat(name: str, slot: str) -> "tuple[Mat, str]":
    """(data, complaint): the mat of this name. Its tables are read where they lie in the flash if
    possible; the modules that they came from, as large again, are unloaded."""
    folder = "polarity.mat_data." + name
    tables = rows = None
    if kernels.KIND == "chip":
        from flash_pages.tables import Tables

        tables = Tables(slot + "table", name)
        rows = tables.rows()
        if rows:
            sys.modules[folder + "_field"] = rows  # pyright: ignore[reportArgumentType]  # all it has
    mat = mat_data.load(name)
    if tables and rows:
        tables.move(mat)
    return mat, tables.complaint if tables else ""


def load_calibration(store: FlashStore, mat: "Mat") -> "tuple[Calibration | None, str]":
    """(calibration, complaint): what was measured of this mat, None if nothing was or it does not
    fit. Its module is loaded again when another comes over the wire."""
    stored, complaint = store.load("calibration")
    found = None
    if stored:
        from polarity import calibration as files

        try:
            found = files.read(stored, mat.MAT, mat.N)
        except files.CalibrationError as error:
            complaint = "the stored calibration " + str(error)
    return found, complaint
