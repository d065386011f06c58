"""What lies on the emulated Pico's flash: files, in the file system of MicroPython."""

from collections.abc import Mapping

# Where MicroPython's RPI_PICO build stores its files: the last 1408 KB of 2 MB, in sectors of 4 KB
# (ports/rp2/boards/RPI_PICO/mpconfigboard.h; RP2040 has no flash of its own, the Pico's W25Q16JV
# erases 4 KB and programs 256 bytes at a time, as pico-sdk's hardware/flash.h has it).
FILES_AT = 0xA0000
SECTOR_BYTES = 4096
SECTORS = 352
PAGE_BYTES = 256
DISK_VERSION = 0x00020000  # littlefs 2.0, as MicroPython formats it


def file_system(files: Mapping[str, bytes]) -> bytes:
    """The bytes of the flash's file region with these files (paths with slashes) in it."""
    from littlefs import LittleFS

    system = LittleFS(
        block_size=SECTOR_BYTES, block_count=SECTORS, prog_size=PAGE_BYTES,
        disk_version=DISK_VERSION,
    )  # fmt: skip
    for name, data in files.items():
        folder = name.rpartition("/")[0]
        if folder:
            system.makedirs(folder, exist_ok=True)
        with system.open(name, "wb") as file:
            file.write(data)
    system.unmount()
    return bytes(system.context.buffer)
