"""What the start reads once: the mat's data, and its settings and calibration as they are stored.

loop.py unloads this module afterwards, and the modules that it used.
"""

import sys

from drivers.flash_store import FlashStore
from polarity import kernels, mat_data

TYPE_CHECKING = False
if TYPE_CHECKING:
    from polarity.calibration import Calibration
    from polarity.mat_data.mat import Mat
    from polarity.settings import Settings


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
