"""A Pico with the drivers and the mats' data on its flash, and a mat at its pins."""

from zlib import crc32

from polarity_host.device.flashing.compiled import FIRMWARE, compiled


def driver_files():
    """The drivers, and what of the core they need, compiled."""
    core = [FIRMWARE / "polarity" / "__init__.py", *(FIRMWARE / "polarity/mat_data").glob("*.py")]
    core += (FIRMWARE / "drivers").glob("*.py")
    return compiled([*core, *(FIRMWARE / "flash_pages").glob("*.py")])


def pico_with(image, *devices, files=None):
    """A booted Pico with `devices` at its pins."""
    from polarity_host.simulation.pico.pico import EmulatedPico

    pico = EmulatedPico(files or driver_files(), devices, image)
    pico.boot()
    return pico


def record(data: bytes) -> bytes:
    """A file of drivers/flash_store.py, made by its description."""
    numbered = (1).to_bytes(4, "little") + data
    return b"PMK2" + numbered + crc32(numbered).to_bytes(4, "little")
