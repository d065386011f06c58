"""All files that a mat's Pico needs."""

import ast
import tempfile
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path

from polarity import mat_data
from polarity_host.device.flashing.compiled import compiled
from polarity_host.device.flashing.inline import base_of, inlined, parsed
from polarity_host.device.flashing.pages import name_pages, pages, table_pages
from polarity_host.errors import BAD_INPUT, HostError
from polarity_host.mats.description import mat_names
from polarity_host.sources import COMPILED, FIRMWARE, SIGNATURE

RP2040, RP2350 = "RP2040", "RP2350"  # of a Pico and of a Pico 2, as MicroPython calls them
STARTS = ("boot.py", "main.py")  # MicroPython runs these sources at power-up
LOOP = "loop"
VERSION = "polarity.version"
# Not in pages: the code that moves the others, because it cannot move itself while it runs, and
# what is imported only now and then.
NOT_MOVED = ("flash_pages.code", "polarity.kernels._reference", "polarity.mat_data.")
# Runs where the kernels' machine code does not: never on an RP2040.
LEFT_OUT = "polarity.kernels._reference"
# Imported before all others, in this order: their names come first.
EARLY = (
    "drivers",
    "drivers.guard",
    "start",
    "flash_pages",
    "flash_pages.code",
    "flash_pages.names",
    "drivers.sums",
)


def firmware_files(root: Path = FIRMWARE) -> dict[str, bytes]:
    """The bytes of each file for the chip, by its path on the flash: the compiled modules that the
    start needs, and the pages of most of them."""
    files = {name: (root / name).read_bytes() for name in STARTS}
    needed: list[str] = []
    for name in STARTS:
        for module in import_order(name.removesuffix(".py"), root, always=False):
            if module + ".py" in STARTS or module in needed or _only_constants(module, root):
                continue
            if not module.startswith(LEFT_OUT):
                needed.append(module)
    files |= compiled([source_of(module, root) for module in needed], root)
    files |= version(files, root)
    moved = [
        module
        for module in import_order(LOOP, root, always=False)
        if not module.startswith(NOT_MOVED) and module in needed
    ]
    tables = [table_pages(name, mat_data.load(name)) for name in mat_names()]
    for made in [pages(files, moved), name_pages(files, [*EARLY, *moved]), *tables]:
        files |= made
    return files


def files_to_flash() -> dict[str, bytes]:
    """The same, compiled when the wheel was built; in a checkout, compiled now."""
    if not COMPILED.is_file():
        return firmware_files()
    with zipfile.ZipFile(COMPILED) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def write_files(path: Path, chip: str, files: Mapping[str, bytes]) -> None:
    """Writes files for a chip as one file, which read_files reads."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.comment = chip.encode()
        for name, data in files.items():
            archive.writestr(name, data)


def read_files(path: Path) -> tuple[str, dict[str, bytes]]:
    """(chip, files) as write_files wrote them. HostError when it is no such file."""
    try:
        with zipfile.ZipFile(path) as archive:
            files = {name: archive.read(name) for name in archive.namelist()}
            chip = archive.comment.decode()
    except (OSError, ValueError, zipfile.BadZipFile, zlib.error) as error:
        raise HostError(
            BAD_INPUT, "cannot read the firmware in {path}: {why}", path=path, why=error
        ) from error
    if chip not in (RP2040, RP2350) or not set(STARTS) <= set(files):
        raise HostError(BAD_INPUT, "{path} is no firmware: `make pico2` writes one", path=path)
    return chip, files


def signature() -> bytes | None:
    """The signature of files_to_flash (see signing.py); None where nobody signed them."""
    return SIGNATURE.read_bytes() if SIGNATURE.is_file() else None


def _only_constants(module: str, root: Path) -> bool:
    """Whether a module is nothing but constants, which are copied to where they are used."""
    source = source_of(module, root)
    if source.name == "__init__.py" or not source.is_file():
        return False
    left = ast.parse(inlined(source.read_text(encoding="utf-8"), module, root)).body
    return all(isinstance(line, ast.Pass) for line in left[1:])


def version(files: Mapping[str, bytes], root: Path = FIRMWARE) -> dict[str, bytes]:
    """The compiled module polarity/version.py, where the build follows the version: the CRC-32 of
    all the files in 8 hexadecimal digits."""
    build = 0
    for name in sorted(files):
        build = zlib.crc32(files[name], zlib.crc32(name.encode(), build))
    source = source_of(VERSION, root)
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, source.relative_to(root))
        path.parent.mkdir()
        text = source.read_text(encoding="utf-8").rstrip().removesuffix('"')
        path.write_text(f'{text}+{build:08x}"\n', encoding="utf-8")
        return compiled([path], Path(directory))


def import_order(first: str, root: Path = FIRMWARE, always: bool = True) -> list[str]:
    """The modules below `root` that an import of `first` imports, directly or not, each after those
    that it needs; `first` comes last. With `always` false, also those that a function imports."""
    order: list[str] = []
    begun: set[str] = set()

    def visit(module: str) -> None:
        path = source_of(module, root)
        if module in begun or not path.is_file():
            return
        begun.add(module)
        if "." in module:
            visit(module.rpartition(".")[0])
        package = module if path.name == "__init__.py" else module.rpartition(".")[0]
        tree, _ = parsed(path.read_text(encoding="utf-8"))
        for wanted in _imports(tree.body if always else ast.walk(tree), package):
            visit(wanted)
        order.append(module)

    visit(first)
    return order


def source_of(module: str, root: Path = FIRMWARE) -> Path:
    """Where the source of a module is, if there is such a module."""
    path = root / module.replace(".", "/")
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def _imports(lines: Iterable[ast.AST], package: str) -> Iterable[str]:
    """The imported modules. Names of functions are among them, and no module has those names."""
    for line in lines:
        if isinstance(line, ast.Import):
            yield from (alias.name for alias in line.names)
        elif isinstance(line, ast.ImportFrom):
            base = base_of(line, package)
            yield base
            yield from (f"{base}.{alias.name}" for alias in line.names)
