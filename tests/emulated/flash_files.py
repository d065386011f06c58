"""The files on an emulated Pico's flash, as littlefs-python finds them: another program than the
MicroPython that wrote them. And what is done to that flash."""

from polarity_host.simulation.pico.flash import FILES_AT, PAGE_BYTES, SECTOR_BYTES, SECTORS

REGION = slice(FILES_AT, FILES_AT + SECTOR_BYTES * SECTORS)


def mounted(region: bytes):
    """The file system in a file region, as littlefs-python has it."""
    from littlefs import LittleFS, UserContext

    context = UserContext(buffer=bytearray(region))
    return LittleFS(context, block_size=SECTOR_BYTES, block_count=SECTORS)


def files_in(region: bytes) -> dict[str, bytes]:
    """The bytes of each file in a file region, by its path without a slash before it."""
    system = mounted(region)
    found = {}
    for folder, _, names in system.walk("/"):
        for name in names:
            path = f"{folder}/{name}".lstrip("/")
            with system.open(path, "rb") as file:
                found[path] = file.read()
    return found


def recorded(chip):
    """A list that grows by (offset, bytes before, bytes after) of each page programmed and each
    sector or block erased among the files."""
    changes, ssi = [], chip.ssi
    apply = ssi._apply_command
    sizes = {0x02: PAGE_BYTES, 0x20: SECTOR_BYTES, 0xD8: 65536}  # the W25Q16JV's instructions

    def applied():
        command = bytes(ssi._tx_buffer[:4])
        at = int.from_bytes(command[1:], "big") & ~(PAGE_BYTES - 1)
        size = sizes.get(command[:1] and command[0], 0)
        before = bytes(chip.flash[at : at + size])
        apply()
        if size and at >= FILES_AT:
            changes.append((at - FILES_AT, before, bytes(chip.flash[at : at + size])))

    ssi._apply_command = applied
    return changes
