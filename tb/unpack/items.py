# SPDX-License-Identifier: Apache-2.0
"""Stimulus items of the unpackers: arrays of uint32, one row an item.

Item players. Word 0: [15:0] gap, [16] wait for go, which is always there, [22:17] ``idle``. Words 1
and 2: two conditions, ``after``. From word 3 on:

- ``issue`` (one a thread), 4 words: the instruction word. Opcode 42 and 43 go to the unpacker that
  bit 23 names: the threads take turns, and it must be ready. All others go to the address counters.
  Either must wait while the thread is held.
- ``cfg``, 8 words: [7:0] index, [9:8] banks, [10] wide; then four words of data, lowest first.
- ``setc16`` (one a thread), 4 words: [15:0] value, [22:16] index.
- ``matrix``, 4 words: [1:0] op, [3:2] file, [4] bank, [14:5] row, [15] wait, [16] toggle, [17]
  follow. With wait the item waits until the bank is the Matrix Unit's (of SrcA for file 0 and 2,
  of SrcB for file 1). With toggle the bench's pointer of that file, ``matrix_bank``, changes at the
  end of the cycle of the command. With follow the bank is the one that this pointer names.
- ``l1_write``, 20 words: [27:0] line, a multiple of 4; then 16 words of data, lowest address first.
  The memory is 0 in the beginning; lines beyond it are not written.

An item is done in the cycle in which it is issued, written or commanded, which is also when it is
recorded. The next one can follow in the next cycle.

An item is held back when its gap is over, before the first cycle in which all of this is true, as
registered (what happened in earlier cycles): no bit of ``idle`` (as in ``busy``: bit 2t + u) is set
in ``busy``, and both conditions hold. A condition: [31:28] source, [27:0] count: at least ``count``
items of the source were done since reset. Sources: 0: nothing, always true; 1, 2, 3: ``issue`` of
thread 0, 1, 2; 4: ``cfg``; 5, 6, 7: ``setc16``; 8: ``matrix``; 9: ``l1_write``; 10: all of these
players together. If each item of a phase of a test waits until as many items were done as all the
phases before have (source 10), then phases follow one another. Counters stop at 2^28 - 1. A
condition need not last: an item that has been offered stays offered (which matters for ``issue``
only).

Level players: ``setreg_base``, 3 words: two bases of 20 bits; 0 before and behind. ``l1_latency``,
2 words: cycles, 1 … 31; ``LATENCY`` before and behind.

The functions here make items from scalars and arrays, which broadcast against one another to n
items; ``ValueError`` for a value that does not fit its field. What the block reports as a fault
fits.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from tilepath.tb.kernel.description.player import END, GAP_MASK, Items

ISSUE_WORDS: Final = 4
CFG_WORDS: Final = 8
SETC16_WORDS: Final = 4
MATRIX_WORDS: Final = 4
L1_WRITE_WORDS: Final = 20
SETREG_BASE_WORDS: Final = 3
L1_LATENCY_WORDS: Final = 2

LATENCY: Final = 4  # of L1 in cycles, while ``l1_latency`` plays nothing
LINE_BYTES: Final = 16

READ, RELEASE, ZERO, NOTHING = range(4)  # op of ``matrix``
SRCA, SRCB, DST = range(3)  # file of ``matrix``
ALL_IDLE: Final = 0x3F

_GAP_WIDTH = GAP_MASK.bit_length()
_COUNT_WIDTH = 28
_ISSUE, _CFG, _SETC16, _MATRIX, _L1_WRITE, _ALL = 1, 4, 5, 8, 9, 10


def _checked(name: str, values: ArrayLike, least: int, most: int) -> Items:
    """``values`` as uint32; ``ValueError`` when one is outside ``least`` … ``most``."""
    wide = np.asarray(values, np.int64)
    if wide.size and (wide.min() < least or wide.max() > most):
        raise ValueError(f"{name}: {least} to {most}, not {wide.min()} to {wide.max()}")
    return wide.astype(np.uint32)


def _packed(**fields: tuple[ArrayLike, int, int]) -> Items:
    """Words made of ``fields``: name → (values, lowest bit, width)."""
    word = np.zeros((), np.uint32)
    for name, (values, low, width) in fields.items():
        word = word | (_checked(name, values, 0, (1 << width) - 1) << np.uint32(low))
    return word


def _rows(*words: ArrayLike) -> Items:
    """Items from their words, which broadcast."""
    columns = np.broadcast_arrays(*(np.atleast_1d(np.asarray(w, np.uint32)) for w in words))
    return np.stack(columns, axis=1)


def _data(data: ArrayLike, words: int) -> list[Items]:
    """Columns of ``data``, whose last axis has ``words`` words of 32 bits."""
    checked = _checked("data", data, 0, 0xFFFF_FFFF)
    if checked.ndim == 0 or checked.shape[-1] != words:
        raise ValueError(f"data: {words} words an item, not shape {checked.shape}")
    return [checked[..., word] for word in range(words)]


def _head(gaps: ArrayLike, idle: ArrayLike, after: ArrayLike, and_after: ArrayLike) -> list[Items]:
    return [
        _packed(gap=(gaps, 0, _GAP_WIDTH), idle=(idle, 17, 6)),
        _packed(after=(after, 0, 32)),
        _packed(and_after=(and_after, 0, 32)),
    ]


def issue(
    words: ArrayLike,
    gaps: ArrayLike = 0,
    idle: ArrayLike = 0,
    after: ArrayLike = 0,
    and_after: ArrayLike = 0,
) -> Items:
    """Items that issue instruction ``words`` (32 bits), each after its gap (0 … 65535 cycles)."""
    return _rows(*_head(gaps, idle, after, and_after), _packed(word=(words, 0, 32)))


def cfg(
    banks: ArrayLike,
    index: ArrayLike,
    data: ArrayLike,
    gaps: ArrayLike = 0,
    idle: ArrayLike = 0,
    after: ArrayLike = 0,
    and_after: ArrayLike = 0,
) -> Items:
    """Writes of one configuration word: ``banks`` multi-hot (2 bits), ``index`` 8, ``data`` 32."""
    head = _head(gaps, idle, after, and_after)
    place = _packed(index=(index, 0, 8), banks=(banks, 8, 2))
    return _rows(*head, place, _packed(data=(data, 0, 32)), 0, 0, 0)


def cfg_wide(
    banks: ArrayLike,
    index: ArrayLike,
    data: ArrayLike,
    gaps: ArrayLike = 0,
    idle: ArrayLike = 0,
    after: ArrayLike = 0,
    and_after: ArrayLike = 0,
) -> Items:
    """Writes of four configuration words; the last axis of ``data`` has them, lowest first."""
    head = _head(gaps, idle, after, and_after)
    place = _packed(index=(index, 0, 8), banks=(banks, 8, 2), wide=(1, 10, 1))
    return _rows(*head, place, *_data(data, 4))


def setc16(
    index: ArrayLike,
    value: ArrayLike,
    gaps: ArrayLike = 0,
    idle: ArrayLike = 0,
    after: ArrayLike = 0,
    and_after: ArrayLike = 0,
) -> Items:
    """Writes of ThreadConfig: ``index`` 7 bits, ``value`` 16."""
    head = _head(gaps, idle, after, and_after)
    return _rows(*head, _packed(value=(value, 0, 16), index=(index, 16, 7)))


def matrix(
    op: ArrayLike,
    file: ArrayLike,
    bank: ArrayLike = 0,
    row: ArrayLike = 0,
    wait: ArrayLike = 0,
    toggle: ArrayLike = 0,
    follow: ArrayLike = 0,
    gaps: ArrayLike = 0,
    idle: ArrayLike = 0,
    after: ArrayLike = 0,
    and_after: ArrayLike = 0,
) -> Items:
    """Commands of the Matrix Unit: ``op`` and ``file`` 2 bits, ``bank`` 1, ``row`` 10; flags."""
    fields = _packed(
        op=(op, 0, 2),
        file=(file, 2, 2),
        bank=(bank, 4, 1),
        row=(row, 5, 10),
        wait=(wait, 15, 1),
        toggle=(toggle, 16, 1),
        follow=(follow, 17, 1),
    )
    return _rows(*_head(gaps, idle, after, and_after), fields)


def l1_write(
    line: ArrayLike,
    data: ArrayLike,
    gaps: ArrayLike = 0,
    idle: ArrayLike = 0,
    after: ArrayLike = 0,
    and_after: ArrayLike = 0,
) -> Items:
    """Writes of four lines of L1 from ``line`` (28 bits, a multiple of 4) on.

    The last axis of ``data`` has 16 words of 32 bits, lowest address first.
    """
    if bool((np.asarray(line) & 3).any()):
        raise ValueError("line: a multiple of 4")
    head = _head(gaps, idle, after, and_after)
    return _rows(*head, _packed(line=(line, 0, 28)), *_data(data, 16))


def setreg_base(cycles: ArrayLike, base0: ArrayLike, base1: ArrayLike) -> Items:
    """For ``cycles`` (1 or more): the two bases, 20 bits each."""
    bases = (_packed(base0=(base0, 0, 20)), _packed(base1=(base1, 0, 20)))
    return _rows(_checked("cycles", cycles, 1, END - 1), *bases)


def l1_latency(cycles: ArrayLike, latency: ArrayLike) -> Items:
    """For ``cycles`` (1 or more): the latency of L1, 1 … 31 cycles."""
    return _rows(_checked("cycles", cycles, 1, END - 1), _checked("latency", latency, 1, 31))


def _after(source: ArrayLike, count: ArrayLike) -> Items:
    return _packed(count=(count, 0, _COUNT_WIDTH), source=(source, _COUNT_WIDTH, 4))


def after_issue(thread: ArrayLike, count: ArrayLike) -> Items:
    """Condition: ``count`` items of ``issue`` of ``thread`` (0 … 2) were done."""
    return _after(_checked("thread", thread, 0, 2) + np.uint32(_ISSUE), count)


def after_cfg(count: ArrayLike) -> Items:
    """Condition: ``count`` items of ``cfg`` were done."""
    return _after(_CFG, count)


def after_setc16(thread: ArrayLike, count: ArrayLike) -> Items:
    """Condition: ``count`` items of ``setc16`` of ``thread`` (0 … 2) were done."""
    return _after(_checked("thread", thread, 0, 2) + np.uint32(_SETC16), count)


def after_matrix(count: ArrayLike) -> Items:
    """Condition: ``count`` items of ``matrix`` were done."""
    return _after(_MATRIX, count)


def after_l1_write(count: ArrayLike) -> Items:
    """Condition: ``count`` items of ``l1_write`` were done."""
    return _after(_L1_WRITE, count)


def after_all(count: ArrayLike) -> Items:
    """Condition: ``count`` items of all item players together were done: a barrier."""
    return _after(_ALL, count)
