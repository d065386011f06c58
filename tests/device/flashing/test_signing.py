"""Firmware is copied only as its maker signed it. OpenSSL says what a right signature is."""

import base64
import shutil
import subprocess
import zipfile

import pytest
from cryptography.hazmat.primitives.asymmetric import ed25519, rsa
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from polarity_host.device.flashing import firmware, signing
from polarity_host.errors import BAD_INPUT, FAILED, HostError

FILES = {"main.py": b"import start\n", "a/polarity/engine.mpy": bytes(range(256)), "b": b""}


def key_pair(folder, name, key=None):
    """(private, public): the PEM files of a key."""
    key = key or ed25519.Ed25519PrivateKey.generate()
    private, public = folder / f"{name}.key", folder / f"{name}.pem"
    form = (Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    private.write_bytes(key.private_bytes(*form))
    public.write_bytes(key.public_key().public_bytes(form[0], PublicFormat.SubjectPublicKeyInfo))
    return private, public


@pytest.fixture
def keys(tmp_path):
    return key_pair(tmp_path, "maker")


def refused(*args):
    with pytest.raises(HostError) as failure:
        signing.check(*args)
    assert "\n" not in failure.value.message
    return failure.value.exit_code, failure.value.message


def test_what_was_signed_passes_in_any_order(keys):
    signature = signing.sign(FILES, keys[0])
    signing.check(dict(reversed(FILES.items())), signature, keys[1])


@pytest.mark.skipif(not shutil.which("openssl"), reason="OpenSSL is not installed")
def test_openssl_agrees(keys, tmp_path):
    signature, text = tmp_path / "signature", tmp_path / "text"
    signature.write_bytes(base64.b64decode(signing.sign(FILES, keys[0])))
    text.write_bytes(signing.listed(FILES))
    command = ["openssl", "pkeyutl", "-verify", "-pubin", "-inkey", keys[1], "-rawin"]
    done = subprocess.run([*command, "-in", text, "-sigfile", signature], capture_output=True)
    assert done.returncode == 0 and b"Success" in done.stdout, done.stderr
    made = tmp_path / "openssl.key"
    subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", made], check=True)
    public = tmp_path / "openssl.pem"
    subprocess.run(["openssl", "pkey", "-in", made, "-pubout", "-out", public], check=True)
    signing.check(FILES, signing.sign(FILES, made), public)


@pytest.mark.parametrize(
    "files",
    [
        {**FILES, "main.py": b"import stars\n"},
        {**FILES, "more.py": b""},
        {name: data for name, data in FILES.items() if name != "b"},
        {"c" if name == "b" else name: data for name, data in FILES.items()},
    ],
    ids=["changed", "added", "missing", "renamed"],
)
def test_other_files_are_refused(keys, files):
    code, why = refused(files, signing.sign(FILES, keys[0]), keys[1])
    assert code == FAILED and "not what the owner" in why


def test_another_s_signature_is_refused(keys, tmp_path):
    private, _ = key_pair(tmp_path, "other")
    assert refused(FILES, signing.sign(FILES, private), keys[1])[0] == FAILED
    for signature in (b"", b"noise", b"\xff" * 88, signing.sign(FILES, keys[0])[:40]):
        assert refused(FILES, signature, keys[1])[0] == FAILED
    assert "not signed" in refused(FILES, None, keys[1])[1]


def test_what_is_no_key_is_said(keys, tmp_path):
    signature = signing.sign(FILES, keys[0])
    _, wrong = key_pair(tmp_path, "rsa", rsa.generate_private_key(65537, 2048))
    noise = tmp_path / "noise"
    noise.write_bytes(b"\0\xff")
    for file in (wrong, noise, keys[0]):
        code, why = refused(FILES, signature, file)
        assert code == BAD_INPUT and "no Ed25519 key" in why
    assert refused(FILES, signature, tmp_path / "none")[0] == BAD_INPUT


def test_nothing_is_copied_that_is_not_signed(keys, polarity, tmp_path, monkeypatch):
    carried, signature = tmp_path / "firmware.zip", tmp_path / "firmware.sig"
    with zipfile.ZipFile(carried, "w") as archive:
        for name, data in FILES.items():
            archive.writestr(name, data)
    monkeypatch.setattr(firmware, "COMPILED", carried)
    monkeypatch.setattr(firmware, "SIGNATURE", signature)
    flash = ("flash", tmp_path / "no-such-port", "--key", keys[1])
    code, _, err = polarity(*flash)
    assert code == FAILED and "not signed" in err
    signature.write_bytes(signing.sign({**FILES, "more": b""}, keys[0]))
    code, _, err = polarity(*flash)
    assert code == FAILED and "not what the owner" in err and err.count("\n") == 1
    signature.write_bytes(signing.sign(FILES, keys[0]))
    code, _, err = polarity(*flash)
    assert code == BAD_INPUT and "there is no port" in err  # the next thing that it looks for
