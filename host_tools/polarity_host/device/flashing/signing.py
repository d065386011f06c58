"""Whose firmware it is: Ed25519 signatures (RFC 8032) over all files for a Pico.

What is signed is a list of the files, each with its SHA-256, so that the archive that carries them
does not matter. Keys are PEM files, as `openssl genpkey -algorithm ed25519` makes them.
"""

import base64
import binascii
import hashlib
from collections.abc import Mapping
from pathlib import Path

from polarity_host.errors import BAD_INPUT, FAILED, HostError, MissingExtra

HEADING = b"polarity firmware 1\n"  # no other list that this key signs can be taken for one


def listed(files: Mapping[str, bytes]) -> bytes:
    """What is signed: a line for each file, by name."""
    lines = (f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in files.items())
    return HEADING + "".join(sorted(lines, key=lambda line: line[64:])).encode()


def sign(files: Mapping[str, bytes], private_key: Path) -> bytes:
    """The signature of these files, as text. HostError when the key cannot be used."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        key = load_pem_private_key(private_key.read_bytes(), password=None)
    except (OSError, ValueError, TypeError) as error:
        raise HostError(
            BAD_INPUT, "cannot use the key {path}: {why}", path=private_key, why=error
        ) from error
    if not isinstance(key, Ed25519PrivateKey):
        raise _no_key(private_key)
    return base64.b64encode(key.sign(listed(files))) + b"\n"


def check(files: Mapping[str, bytes], signature: bytes | None, public_key: Path) -> None:
    """Returns if the owner of the key has signed these files. HostError BAD_INPUT when the key
    cannot be used, FAILED when he has not."""
    try:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
        from cryptography.hazmat.primitives.serialization import load_pem_public_key
    except ImportError:
        raise MissingExtra("cryptography") from None

    try:
        key = load_pem_public_key(public_key.read_bytes())
    except OSError as error:
        raise HostError(
            BAD_INPUT, "cannot read {path}: {why}", path=public_key, why=error.strerror
        ) from error
    except ValueError:
        raise _no_key(public_key) from None
    if not isinstance(key, Ed25519PublicKey):
        raise _no_key(public_key)
    if signature is None:
        raise HostError(
            FAILED,
            "this firmware is not signed: install a wheel that its maker signed; a checkout's "
            "firmware never is",
        )
    try:
        key.verify(base64.b64decode(signature, validate=False), listed(files))
    except (InvalidSignature, binascii.Error):
        raise HostError(
            FAILED,
            "this firmware is not what the owner of {path} signed: nothing is copied; install "
            "it anew from where you trust",
            path=public_key,
        ) from None


def _no_key(path: Path) -> HostError:
    return HostError(
        BAD_INPUT, "{path} is no Ed25519 key as PEM; ask the maker for his public key", path=path
    )
