"""Puts the firmware on a Pico that runs MicroPython, beside the version that is there.

Two folders, `a` and `b`, hold a version each: the slots. The file `slot` names the one that boot.py
starts. A new version goes into the other slot, where only what differs is copied. Its start.mpy
has another name from before the first change until every file reads back correctly, and a slot
without start.mpy is never started. Then the file `slot` is replaced. So a cable that is pulled at
any moment leaves one complete version, and the mat can go back to the version before as long as
that one is complete. Neither touches what the mat stores itself (kept/).
"""

import zlib
from collections.abc import Callable, Mapping
from typing import NamedTuple

from polarity_host.device.flashing.firmware import STARTS
from polarity_host.device.flashing.pages import HEAD_BYTES, SLOTS
from polarity_host.device.flashing.pico import PAGED, TEMPORARY, Pico
from polarity_host.errors import FAILED, HostError, Said

COMPLETE = "start.mpy"  # a slot that has this is complete and can be started


class _Difference(NamedTuple):
    """How a slot differs from what it is to hold."""

    wanted: dict[str, bytes]  # path -> bytes of all that it is to hold
    changed: list[str]  # paths of what is missing or different
    extra: list[str]  # paths of what does not belong there

    @property
    def none(self) -> bool:
        return not self.changed and not self.extra


def install(
    pico: Pico, files: Mapping[str, bytes], report: Callable[[Said], None] = lambda line: None
) -> int:
    """Puts the firmware's files on the Pico, so that its next start uses them; returns how many
    were copied, and calls `report` with each step in words. HostError when a copied file reads back
    differently: then the same version as before starts next."""
    slot, starts, checksums, machine = pico.contents()
    target, copied = slot, 0
    if _difference(slot, files, checksums).none:
        report(
            Said("{machine}: this version is in slot {slot} already", machine=machine, slot=slot)
        )
    else:
        target = _other(slot)
        report(
            Said(
                "{machine}: version in slot {slot}, the new one goes to {target}",
                machine=machine, slot=slot or "-", target=target,
            )
        )  # fmt: skip
        if not _difference(target, files, checksums).none:
            copied = _copy(pico, target, files, checksums, report)
    for name, text in zip(STARTS, starts):
        if text.encode() != files[name]:
            pico.replace(name, files[name])
    pico.replace("slot", target.encode())
    return copied


def _copy(
    pico: Pico,
    slot: str,
    files: Mapping[str, bytes],
    checksums: Mapping[str, int],
    report: Callable[[Said], None],
) -> int:
    """Makes the slot hold these files; returns how many were copied."""
    mark = f"{slot}/{COMPLETE}"
    named = {name + TEMPORARY if name == COMPLETE else name: data for name, data in files.items()}
    if mark in checksums:
        pico.rename(mark, mark + TEMPORARY)
        checksums = {
            path + TEMPORARY if path == mark else path: crc for path, crc in checksums.items()
        }
    wanted, changed, extra = _difference(slot, named, checksums)
    for path in extra:
        pico.remove(path)
    for number, path in enumerate(sorted(changed)):
        report(
            Said(
                "{number} of {count}: {path}",
                number=number + 1, count=len(changed), path=path.removesuffix(TEMPORARY),
            )
        )  # fmt: skip
        pico.write(path, wanted[path])
    _, wrong, left = _difference(slot, named, pico.contents().checksums)
    if wrong or left:
        path = [*wrong, *left][0].removesuffix(TEMPORARY)
        raise HostError(
            FAILED, "{path} reads back differently; the version before is still there", path=path
        )
    pico.rename(mark + TEMPORARY, mark)
    return len(changed)


def _difference(slot: str, files: Mapping[str, bytes], checksums: Mapping[str, int]) -> _Difference:
    """What differs between a slot and these files, by the checksums of all files there are."""
    wanted = {f"{slot}/{name}": data for name, data in files.items() if name not in STARTS}
    changed = [path for path, data in wanted.items() if checksums.get(path) != checksum(path, data)]
    extra = [path for path in checksums if path.startswith(slot + "/") and path not in wanted]
    return _Difference(wanted, changed, extra)


def go_back(pico: Pico) -> str:
    """Makes the next start use the version before; returns its slot. HostError without one."""
    found = pico.contents()
    before = _other(found.slot)
    if found.slot not in SLOTS or f"{before}/{COMPLETE}" not in found.checksums:
        raise HostError(FAILED, "there is no version before this one on the Pico")
    pico.replace("slot", before.encode())
    return before


def checksum(path: str, data: bytes) -> int:
    """CRC-32 of a file; of a page, without its stamp, which is new each time that it is written."""
    return zlib.crc32(data[HEAD_BYTES:] if path.split("/")[-2] in PAGED else data)


def _other(slot: str) -> str:
    return SLOTS[1] if slot == SLOTS[0] else SLOTS[0]
