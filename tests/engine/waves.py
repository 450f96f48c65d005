# SPDX-License-Identifier: Apache-2.0
"""Names of the signals in a file of waves, as viewers spell them: a.b.c, with [7:0] of a vector."""

from __future__ import annotations

import gzip
import re
import struct
from collections.abc import Iterator
from pathlib import Path

_SCOPE, _UP, _ATTRIBUTE, _END_OF_ATTRIBUTE = 0xFE, 0xFF, 0xFC, 0xFD
_HIERARCHY = 4


def signals(path: Path) -> set[str]:
    """The full names in a VCD or FST file."""
    return set(_vcd(path) if path.suffix == ".vcd" else _fst(path))


def _vcd(path: Path) -> Iterator[str]:
    scopes: list[str] = []
    header = path.read_text().partition("$enddefinitions")[0]
    for keyword, words in re.findall(r"\$(scope|upscope|var)\s+(.*?)\s*\$end", header, re.DOTALL):
        fields = words.split()
        if keyword == "scope":
            scopes.append(fields[1])
        elif keyword == "upscope":
            scopes.pop()
        else:
            yield ".".join([*scopes, "".join(fields[3:])])


def _fst(path: Path) -> Iterator[str]:
    data, at = path.read_bytes(), 0
    hierarchy = b""
    while at < len(data):  # each block: a byte for its type, then its length without that byte
        size = struct.unpack_from(">Q", data, at + 1)[0]
        if data[at] == _HIERARCHY:
            hierarchy = gzip.decompress(data[at + 17 : at + 1 + size])
        at += 1 + size
    entries = iter(hierarchy)
    scopes: list[str] = []
    for tag in entries:
        if tag == _UP:
            scopes.pop()
        elif tag == _END_OF_ATTRIBUTE:
            pass
        elif tag == _SCOPE:
            next(entries)
            scopes.append(_text(entries))
            _text(entries)
        else:
            next(entries)
            if tag == _ATTRIBUTE:
                next(entries)
            name = _text(entries)
            _number(entries)
            if tag != _ATTRIBUTE:
                _number(entries)
                yield ".".join([*scopes, name.replace(" ", "")])


def _text(entries: Iterator[int]) -> str:
    return bytes(iter(lambda: next(entries), 0)).decode()


def _number(entries: Iterator[int]) -> None:
    """Skip a number: seven bits a byte, the highest says that more follow."""
    while next(entries) & 0x80:
        pass
