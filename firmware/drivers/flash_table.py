"""A mat's field table, read where it lies in the flash: 16 KB of heap less.

Its rows lie one after another in pages such as flash_code.py tells of, a row in one page, each page
with a head of its own: b"PMT1", a stamp, a CRC-32. The kernels take the address of each row.
"""

import os
from array import array

from drivers import flash_code

MAGIC = b"PMT1"
LEVELS = ((41, 164), (41, 164), (25, 100))  # rows, and bytes a row: hardware/generate.py, LEVELS


class Rows:
    """Stands in the place of the module polarity.mat_data.<mat>_field."""

    FIELD_TABLE = None


def rows(folder, name):
    """(addresses, complaint): array("I") of the rows of the table `name`; None where they cannot be
    used, and why."""
    places = []
    try:
        names = sorted([one for one in os.listdir(folder) if one.startswith(name + ".")])
    except OSError:
        names = []
    for one in names:
        at = flash_code.place(folder + "/" + one, MAGIC)
        if not at:
            return None, "table page %s cannot be used" % one
        places.append(at)
    found = array("I", bytes(4 * sum([count for count, _ in LEVELS])))
    number, at, left = 0, 0, 0
    for count, length in LEVELS:
        for _ in range(count):
            if left < length:
                if not places:
                    return None, "table pages are missing" if names else "no table pages"
                at = places.pop(0) + flash_code.HEAD
                left = flash_code.PAGE_BYTES - flash_code.HEAD
            found[number] = at
            number += 1
            at += length
            left -= length
    return found, ""
