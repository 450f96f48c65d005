# SPDX-License-Identifier: Apache-2.0
"""What runs are compared by: the digest of their traces, the signature of their failures."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Final

_NUMBER: Final = re.compile(r"0x[0-9a-fA-F]+|\d[\d,]*")
_LONGEST: Final = 200  # characters of a signature


def signature(message: str, found: str = "") -> str:
    """What failures that are alike have in common: what a mismatch ``found``, or the message.

    Of that its first line, with ``#`` for every number.
    """
    return found or _NUMBER.sub("#", message.partition("\n")[0])[:_LONGEST]


def digest(folder: Path) -> str:
    """SHA-256, hexadecimal, of the names and contents of all files in a folder of traces."""
    found = hashlib.sha256()
    for path in sorted(folder.iterdir()):
        with path.open("rb") as file:
            content = hashlib.file_digest(file, "sha256").hexdigest()
        found.update(f"{path.name} {content}\n".encode())
    return found.hexdigest()
