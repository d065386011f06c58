"""Calibration files on this computer."""

from datetime import date
from pathlib import Path

from polarity import calibration as files
from polarity_host.errors import BAD_INPUT, FAILED, HostError

ENDING = ".matcal"


def today() -> str:
    """The date of a calibration made now, as YYYY-MM-DD."""
    return date.today().isoformat()


def load(path: str | Path, mat_id: str, n: int) -> files.Calibration:
    """The calibration at `path`. HostError BAD_INPUT when it is not one of this mat."""
    try:
        return files.read(Path(path).read_bytes(), mat_id, n)
    except OSError as error:
        raise HostError(
            BAD_INPUT, "cannot read {path}: {why}", path=path, why=error.strerror
        ) from error
    except files.CalibrationError as error:
        raise HostError(BAD_INPUT, "{path} {error}", path=path, error=error) from error


def save(path: str | Path, data: bytes) -> None:
    """Writes a new file. HostError when it exists already or cannot be written."""
    try:
        with open(path, "xb") as file:
            file.write(data)
    except FileExistsError:
        raise HostError(
            BAD_INPUT, "{path} exists already; choose another name or delete it", path=path
        ) from None
    except OSError as error:
        raise HostError(
            FAILED, "cannot write {path}: {why}", path=path, why=error.strerror
        ) from error
