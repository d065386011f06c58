"""Reads the files on an emulated Pico's flash, as littlefs-python finds them: another program than
the MicroPython that wrote them."""

from polarity_host.emulated.flash import FILES_AT, SECTOR_BYTES, SECTORS

REGION = slice(FILES_AT, FILES_AT + SECTOR_BYTES * SECTORS)


def files_in(region: bytes) -> dict[str, bytes]:
    """The bytes of each file in a file region, by its path without a slash before it."""
    from littlefs import LittleFS, UserContext

    context = UserContext(buffer=bytearray(region))
    system = LittleFS(context, block_size=SECTOR_BYTES, block_count=SECTORS)
    found = {}
    for folder, _, names in system.walk("/"):
        for name in names:
            path = f"{folder}/{name}".lstrip("/")
            with system.open(path, "rb") as file:
                found[path] = file.read()
    return found
