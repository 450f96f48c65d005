# SPDX-License-Identifier: Apache-2.0
"""Stimulus items of the unpackers, and what they can wait for; ``streams`` describes them.

The functions here make items from scalars and arrays, which broadcast against one another to n
items; ``ValueError`` for a value that does not fit its field. What the block reports as a fault
fits. All item players take ``gaps`` (cycles), ``idle`` (bits of ``busy`` to wait for) and two
conditions, ``after`` and ``and_after``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilepath.engine.description.boundary import fitting
from tilepath.engine.description.packing import Items
from tilepath.tb.unpack import streams as s

LINE_BYTES: Final = 16
_WRITTEN: Final = 64  # bytes of an ``l1_write``

READ, RELEASE, ZERO, NOTHING = range(4)  # of ``command``
SRCA, SRCB, DST = range(3)  # files
COMMAND: Final = tuple(
    field.name for field in s.MATRIX.fields if field not in s.HOLDING.fields and field.name != "gap"
)
"""Fields of ``matrix`` beside those that say what an item waits for."""
ALL_IDLE: Final = (1 << s.THREADS * s.UNPACKERS) - 1

_held: Final = s.HOLDING.pack
source_of: Final = s.HOLDING.source_of
after_all: Final = s.HOLDING.after_all


def issue(words: ArrayLike, gaps: ArrayLike = 0, **waits: ArrayLike) -> Items:
    """Items that issue instruction ``words`` (32 bits), each after its gap (0 … 65535 cycles)."""
    return _held(s.ISSUE, {"gaps": gaps, **waits}, word=words)


def cfg(
    banks: ArrayLike, index: ArrayLike, data: ArrayLike, gaps: ArrayLike = 0, **waits: ArrayLike
) -> Items:
    """Writes of one configuration word: ``banks`` multi-hot (2 bits), ``index`` 8, ``data`` 32."""
    lowest = np.asarray(data, np.int64)[..., None] * np.array([1, 0, 0, 0])
    return _held(s.CFG, {"gaps": gaps, **waits}, banks=banks, index=index, data=lowest)


def cfg_wide(
    banks: ArrayLike, index: ArrayLike, data: ArrayLike, wide: ArrayLike = 1, **waits: ArrayLike
) -> Items:
    """Writes of four configuration words; the last axis of ``data`` has them, lowest first.

    ``wide`` 0: of the first one.
    """
    return _held(s.CFG, waits, banks=banks, index=index, wide=wide, data=data)


def flop(
    bank: ArrayLike, index: ArrayLike, wide: ArrayLike, data: ArrayLike, **waits: ArrayLike
) -> Items:
    """REG2FLOP's writes to ``bank`` (0, 1): of word ``index`` (64 to 179), or ``wide`` of four."""
    return _held(s.FLOP, waits, bank=bank, index=index, wide=wide, data=data)


def store(thread: ArrayLike, index: ArrayLike, value: ArrayLike, **waits: ArrayLike) -> Items:
    """A core's stores to ThreadConfig of ``thread``: ``index`` 7 bits, ``value`` 16."""
    return _held(s.STORE, waits, thread=thread, index=index, value=value)


def setc16(index: ArrayLike, value: ArrayLike, gaps: ArrayLike = 0, **waits: ArrayLike) -> Items:
    """Writes of ThreadConfig: ``index`` 7 bits, ``value`` 16."""
    return _held(s.SETC16, {"gaps": gaps, **waits}, index=index, value=value)


def command(op: int, file: int, bank: int = 0, row: int = 0) -> dict[str, int]:
    """Fields of a ``matrix`` item that does one thing with one file; of others see ``matrix``.

    ``READ``: ``row`` (modulo 64; of Dst a row of 16 bits as it is stored). ``RELEASE``. ``ZERO``:
    clears a bank; of Dst the valid bits of half ``bank``, or with ``row`` & 1 of all. ``NOTHING``.
    """
    fields = {"banks": bank << file} if file < DST else {}
    if op == READ:
        name, most = (("row_a", 63), ("row_b", 63), ("row", 1023))[file]
        fields |= {"read": 1 << file, name: row & most}
    elif op == RELEASE:
        fields["release"] = 1 << file
    elif op == ZERO and file < DST:
        fields["clear"] = 1 << 2 * file + bank
    elif op == ZERO:
        fields |= {"zero": 1, "zero_mode": 3 if row & 1 else 2, "row": 512 * bank}
    return fields


def matrix(fields: Mapping[str, ArrayLike], **waits: ArrayLike) -> Items:
    """Commands of the Matrix Unit: ``fields`` of the player (``COMMAND``), 0 where it has none."""
    return _held(s.MATRIX, waits, **fields)


def matrix_write(
    target: ArrayLike,
    bank: ArrayLike,
    row: ArrayLike,
    data: ArrayLike,
    wide: ArrayLike = 0,
    access: ArrayLike = 0,
    wait: ArrayLike = 0,
    **waits: ArrayLike,
) -> Items:
    """Rows that the Matrix Unit writes: the last axis of ``data`` has 16 columns, 0 first.

    ``target`` 2 bits (a file, 3: nothing is written), ``bank`` 1, ``row`` 10, ``access`` 2.
    """
    place = {"target": target, "bank": bank, "row": row, "wide": wide, "access": access}
    return _held(s.MATRIX_WRITE, waits, **place, data=data, wait=wait)


def l1_write(line: ArrayLike, data: ArrayLike, gaps: ArrayLike = 0, **waits: ArrayLike) -> Items:
    """Writes of four lines of L1 from ``line`` (28 bits, a multiple of 4) on.

    The last axis of ``data`` has 16 words of 32 bits, lowest address first.
    """
    if bool((np.asarray(line) & 3).any()):
        raise ValueError("line: a multiple of 4")
    return _held(s.L1_WRITE, {"gaps": gaps, **waits}, line=line, data=data)


def l1_bytes(line: int, data: NDArray[np.uint8], **waits: ArrayLike) -> Items:
    """Writes of bytes from ``line`` (a multiple of 4) on; 0 behind them up to 64."""
    words = np.pad(data, (0, -len(data) % _WRITTEN)).view("<u4").reshape(-1, _WRITTEN // 4)
    return l1_write(line + _WRITTEN // LINE_BYTES * np.arange(len(words)), words, **waits)


def setreg_base(cycles: ArrayLike, base0: ArrayLike, base1: ArrayLike) -> Items:
    """For ``cycles`` (1 or more): the two bases, 20 bits each."""
    return s.SETREG_BASE.pack(cycles=cycles, base0=base0, base1=base1)


def l1_latency(cycles: ArrayLike, latency: ArrayLike) -> Items:
    """For ``cycles`` (1 or more): the latency of L1, 1 … 31 cycles."""
    return s.L1_LATENCY.pack(cycles=cycles, latency=fitting("latency", latency, 1, 31))


def after_issue(thread: int, count: ArrayLike) -> Items:
    """Condition: ``count`` items of ``issue`` of ``thread`` (0 … 2) were done."""
    return s.HOLDING.after(f"t{thread}.issue", count)


def after_cfg(count: ArrayLike) -> Items:
    """Condition: ``count`` items of ``cfg`` were done."""
    return s.HOLDING.after("cfg", count)


def after_setc16(thread: int, count: ArrayLike) -> Items:
    """Condition: ``count`` items of ``setc16`` of ``thread`` (0 … 2) were done."""
    return s.HOLDING.after(f"t{thread}.setc16", count)


def after_matrix(count: ArrayLike) -> Items:
    """Condition: ``count`` items of ``matrix`` were done."""
    return s.HOLDING.after("matrix", count)


def after_l1_write(count: ArrayLike) -> Items:
    """Condition: ``count`` items of ``l1_write`` were done."""
    return s.HOLDING.after("l1_write", count)
