# SPDX-License-Identifier: Apache-2.0
"""Tiles: NumPy arrays ↔ the bytes that L1 holds, and the raw values of SrcA, SrcB and Dst.

- ``layout``: ``to_l1`` and ``from_l1``, whole tiles: header, row starts, exponents, faces; tiles
  without their zeros;
- ``registers``: ``src_bits``, ``src_values``, ``dst_bits``, ``dst_values`` and rows of a Dst;
- ``formats``: the formats by name, single datums, and 16 that share an exponent;
- ``host``: what the host library does in another way.

Two rules hold for all but ``host``. A number becomes the nearest one that a format has (ties to
even), as ``float32`` at first. Bits become the number that the unpackers put into a register for
them, which ``docs/tiles.md`` works out where it is not what one expects.
"""

from __future__ import annotations

from tilepath.models.tiles.formats import FORMATS, HOST_INTEGERS, Format
from tilepath.models.tiles.layout import Layout, from_l1, to_l1
from tilepath.models.tiles.registers import (
    dst_bits,
    dst_values,
    read_dst,
    src_bits,
    src_values,
    write_dst,
)

__all__ = [
    "FORMATS",
    "HOST_INTEGERS",
    "Format",
    "Layout",
    "dst_bits",
    "dst_values",
    "from_l1",
    "read_dst",
    "src_bits",
    "src_values",
    "to_l1",
    "write_dst",
]
