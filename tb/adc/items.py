# SPDX-License-Identifier: Apache-2.0
"""Stimulus items of the address counters: arrays of uint32, one row an item.

All players are item players with 2 words. Word 0: [15:0] gap, [16] wait for go, which is always
there: no command is ever refused. An item is done in the cycle in which it is presented, so items
with gap 0 follow one another in consecutive cycles. Word 1:

- ``issue`` (one a thread): the instruction word;
- ``unpack``: [0] unpacker, [2:1] thread, [4:3] adc, [6:5] y0, [8:7] z0, [10:9] y1, [12:11] z1;
- ``pack``: [15:0] addr_mod, [18:16] sets;
- ``flop``: [17:0] value, [18] checkpoint, [20:19] counter, [21] channel, [23:22] select,
  [25:24] thread.

The functions here make items from scalars and arrays, which broadcast against one another to n
items; ``ValueError`` for a value that does not fit its field. What the block reports as a fault
(thread 3, select 3, an illegal word) fits.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from tilepath.tb.kernel.description.player import GAP_MASK, Items

WORDS = 2


def _items(gaps: ArrayLike, **fields: tuple[ArrayLike, int, int]) -> Items:
    """Items whose word 1 has ``fields``: name → (values, lowest bit, width)."""
    placed = {"gap": (gaps, 0, GAP_MASK.bit_length()), **fields}
    checked = []
    for name, (values, low, width) in placed.items():
        wide = np.atleast_1d(np.asarray(values, np.int64))
        if wide.size and (wide.min() < 0 or wide.max() >> width):
            raise ValueError(f"{name}: 0 to {2**width - 1}, not {wide.min()} to {wide.max()}")
        checked.append(wide.astype(np.uint32) << np.uint32(low))
    gap, *parts = np.broadcast_arrays(*checked)
    word = np.zeros_like(gap)
    for part in parts:
        word |= part
    return np.stack((gap, word), axis=1)


def issue(words: ArrayLike, gaps: ArrayLike = 0) -> Items:
    """Items that offer instruction ``words`` (32 bits), each after its gap in cycles."""
    return _items(gaps, word=(words, 0, 32))


def unpack(
    unpacker: ArrayLike,
    thread: ArrayLike,
    adc: ArrayLike,
    y0: ArrayLike,
    z0: ArrayLike,
    y1: ArrayLike,
    z1: ArrayLike,
    gaps: ArrayLike = 0,
) -> Items:
    """Unpacker updates: unpacker 0 or 1, the rest 0 … 3; y0 … z1 are the increments (A11)."""
    return _items(
        gaps,
        unpacker=(unpacker, 0, 1),
        thread=(thread, 1, 2),
        adc=(adc, 3, 2),
        y0=(y0, 5, 2),
        z0=(z0, 7, 2),
        y1=(y1, 9, 2),
        z1=(z1, 11, 2),
    )


def pack(sets: ArrayLike, addr_mod: ArrayLike, gaps: ArrayLike = 0) -> Items:
    """Packer updates: ``sets`` has bit s for set s, ``addr_mod`` is an ADDR_MOD_PACK word (P18)."""
    return _items(gaps, addr_mod=(addr_mod, 0, 16), sets=(sets, 16, 3))


def flop(
    thread: ArrayLike,
    select: ArrayLike,
    channel: ArrayLike,
    counter: ArrayLike,
    checkpoint: ArrayLike,
    value: ArrayLike,
    gaps: ArrayLike = 0,
) -> Items:
    """REG2FLOP writes: ``select`` is the target, ``counter`` 0 X, 1 Y, 2 Z, 3 W; 18-bit value."""
    return _items(
        gaps,
        value=(value, 0, 18),
        checkpoint=(checkpoint, 18, 1),
        counter=(counter, 19, 2),
        channel=(channel, 21, 1),
        select=(select, 22, 2),
        thread=(thread, 24, 2),
    )
