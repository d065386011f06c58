"""Recordings made for tests."""

import gzip
import json
import struct

from polarity_host.mats.description import load_mat


def recording_bytes(frames=150, n=None, zipped=False, **header):
    """A recording of a bare mat, 100 frames a second."""
    n = n or load_mat("standard").n
    head = {"format": "matrec", "version": 1, "mat": "standard", "n": n, "edition": "temple"}
    data = json.dumps({**head, "seed": 1, **header}).encode() + b"\n"
    for index in range(frames):
        data += struct.pack("<Q", 1_000_000 + index * 10_000) + b"\x00\x40" * n
    return gzip.compress(data) if zipped else data
