# SPDX-License-Identifier: Apache-2.0
"""How the pointers into L1 go from datum to datum (sections 5.2, 5.3).

``at``: where an instruction is, int64, shape (S_SIZE,).
"""

from __future__ import annotations

from typing import Final

from tilepath.models.jit import part
from tilepath.models.unpack import layout as L
from tilepath.models.unpack.source import wrap

S_DATUM: Final = 0  # quarter bytes
S_EXPONENT: Final = 1  # sixteenths
S_DELTA: Final = 2  # halves
S_ROW: Final = 3  # begin of the row, quarter bytes (not if compressed)
S_INDEX: Final = 4  # datums done
S_PLACE: Final = 5  # of them in this row
S_SIZE: Final = 6


@part
def begin(p: L.Memory, at: L.Memory) -> None:
    """To the first datum; after ``resolve_compressed`` if compressed."""
    at[S_DATUM] = p[L.DATUM]
    at[S_EXPONENT] = p[L.EXPONENT]
    at[S_DELTA] = p[L.DELTA]
    at[S_ROW] = p[L.DATUM]
    at[S_INDEX] = 0
    at[S_PLACE] = 0


@part
def step(p: L.Memory, at: L.Memory) -> int:
    """To the next datum; 1 if the datum pointer was wrapped at the end of a row, fifo not being 0.

    The delta nibble of the datum that is left must have been read before.
    """
    size = p[L.SIZE]
    wrapped = 0
    at[S_INDEX] += 1
    at[S_PLACE] += 1
    datum = (at[S_DATUM] + size) & L.QUARTERS
    if at[S_PLACE] == p[L.ROW_W]:
        at[S_PLACE] = 0
        if p[L.COMPRESSED] == 0:
            datum = (at[S_ROW] + p[L.STRIDE]) & L.QUARTERS
        after = wrap(p, datum, 4)
        wrapped = 1 if after != datum else 0
        datum = after
        at[S_ROW] = datum
    if p[L.READS_EXP]:
        exponent = (at[S_EXPONENT] + 1) & L.SIXTEENTHS
        at[S_EXPONENT] = wrap(p, exponent, 16) if exponent & 0xFF == 0 else exponent
    if p[L.COMPRESSED]:
        delta = (at[S_DELTA] + 1) & L.HALVES
        if delta & 31 == 0:
            datum = (datum + 64) & L.QUARTERS
            delta = wrap(p, (delta + 16 * size) & L.HALVES, 2)
        at[S_DELTA] = delta
    at[S_DATUM] = datum
    return wrapped


@part
def bits_of(word: int, datum: int, size: int) -> int:
    """Bits of a datum.

    Args:
        word: the four bytes from that of the pointer on, lowest first.
        datum: the pointer, quarter bytes.
        size: quarter bytes.
    """
    return (word >> (2 * (datum & 3))) & ((1 << (2 * size)) - 1)
