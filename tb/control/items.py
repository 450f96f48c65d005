# SPDX-License-Identifier: Apache-2.0
"""Stimulus items of the control block: arrays of uint32, one row an item.

Item players; word 0: [15:0] gap, [16] wait for go, which is always there; the last word: ``after``.

- ``issue`` (one a thread), 3 words: word 1: the instruction word.
- ``risc``, 4 words: word 1: [9:0] address, [31] write; word 2: data.
- ``risc_sem``, 3 words: word 1: [2:0] index, [4] get, [8] write.
- ``stream``, 4 words: word 1: [9:0] register, [15:10] stream; word 2: data. It writes one of the
  64 x 1024 stream registers of the bench; the value shows from the next cycle on.

An item of ``issue``, ``risc`` or ``risc_sem`` is done when the DUT has taken or done it, one of
``stream`` in the cycle in which it writes. The next one can follow in the next cycle.

``after`` holds an item back when its gap is over: nothing is offered, and for ``stream`` nothing
written, before the first cycle in which this is true, as registered (what happened in earlier
cycles). [18:16] is the source, [15:0] the count:

- 0: nothing, at once (whatever the count);
- 1, 2, 3: at least ``count`` words of thread 0, 1, 2 have issued since reset;
- 4, 5: at least ``count`` accesses at ``risc``, ``risc_sem`` were done since reset;
- 6, 7: semaphore [15:12] has a value below, above [3:0] (what a core does that polls it).

The counters stop at 65535. A condition need not last: an item that is offered stays offered.

Level players: ``conditions``, word 1: [12:0] bits of ``busy`` that are forced to 1 (10 and 12 are
ignored), [13] ``stream_busy``, [21:16] units (u in bit 16 + u) whose ``ready`` is forced to 0; 0 at
the end. ``work``, word 1: for how many cycles a word keeps unit u busy, in [5u+4:5u], as it is in
the cycle in which the unit takes the word; 0 at the end. A unit is not ready while it is busy.

The functions here make items from scalars and arrays, which broadcast against one another to n
items; ``ValueError`` for a value that does not fit its field. Addresses, indices and words that the
block reports as a fault do fit.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from tilepath.tb.kernel.description.player import END, GAP_MASK, Items

ISSUE_WORDS = 3
RISC_WORDS = 4
RISC_SEM_WORDS = 3
STREAM_WORDS = 4

PHASE_REGISTER = 29  # of a stream: what STREAMWAIT compares, 20 and 17 bits
COUNT_REGISTER = 259

_GAP_WIDTH = GAP_MASK.bit_length()
_WORD_WIDTH = 32
_AFTER_WIDTH = 19


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
        checked = _checked(name.replace("_", " "), values, 0, (1 << width) - 1)
        word = word | (checked << np.uint32(low))
    return word


def _rows(*words: ArrayLike) -> Items:
    """Items from their words, which broadcast."""
    columns = np.broadcast_arrays(*(np.atleast_1d(np.asarray(w, np.uint32)) for w in words))
    return np.stack(columns, axis=1)


def issue(words: ArrayLike, gaps: ArrayLike = 0, after: ArrayLike = 0) -> Items:
    """Items that offer instruction ``words`` (32 bits), each after its gap (0 … 65535 cycles)."""
    return _rows(
        _packed(gap=(gaps, 0, _GAP_WIDTH)),
        _packed(word=(words, 0, _WORD_WIDTH)),
        _packed(after=(after, 0, _AFTER_WIDTH)),
    )


def _risc(
    write: int, address: ArrayLike, data: ArrayLike, gaps: ArrayLike, after: ArrayLike
) -> Items:
    return _rows(
        _packed(gap=(gaps, 0, _GAP_WIDTH)),
        _packed(address=(address, 0, 10), write=(write, 31, 1)),
        _packed(data=(data, 0, _WORD_WIDTH)),
        _packed(after=(after, 0, _AFTER_WIDTH)),
    )


def risc_write(
    address: ArrayLike, data: ArrayLike, gaps: ArrayLike = 0, after: ArrayLike = 0
) -> Items:
    """Configuration writes of the cores: ``address`` (10 bits) is a word index, data 32 bits."""
    return _risc(1, address, data, gaps, after)


def risc_read(address: ArrayLike, gaps: ArrayLike = 0, after: ArrayLike = 0) -> Items:
    """Configuration reads of the cores: ``address`` (10 bits) is a word index."""
    return _risc(0, address, 0, gaps, after)


def _risc_sem(write: int, get: int, index: ArrayLike, gaps: ArrayLike, after: ArrayLike) -> Items:
    return _rows(
        _packed(gap=(gaps, 0, _GAP_WIDTH)),
        _packed(index=(index, 0, 3), get=(get, 4, 1), write=(write, 8, 1)),
        _packed(after=(after, 0, _AFTER_WIDTH)),
    )


def sem_post(index: ArrayLike, gaps: ArrayLike = 0, after: ArrayLike = 0) -> Items:
    """The cores raise semaphore ``index`` (0 … 7)."""
    return _risc_sem(1, 0, index, gaps, after)


def sem_get(index: ArrayLike, gaps: ArrayLike = 0, after: ArrayLike = 0) -> Items:
    """The cores lower semaphore ``index`` (0 … 7)."""
    return _risc_sem(1, 1, index, gaps, after)


def sem_read(index: ArrayLike, gaps: ArrayLike = 0, after: ArrayLike = 0) -> Items:
    """The cores read semaphore ``index`` (0 … 7)."""
    return _risc_sem(0, 0, index, gaps, after)


def stream_write(
    stream: ArrayLike,
    register: ArrayLike,
    data: ArrayLike,
    gaps: ArrayLike = 0,
    after: ArrayLike = 0,
) -> Items:
    """Writes of stream registers: ``stream`` 0 … 63, ``register`` 0 … 1023, data 32 bits."""
    return _rows(
        _packed(gap=(gaps, 0, _GAP_WIDTH)),
        _packed(register=(register, 0, 10), stream=(stream, 10, 6)),
        _packed(data=(data, 0, _WORD_WIDTH)),
        _packed(after=(after, 0, _AFTER_WIDTH)),
    )


def conditions(
    cycles: ArrayLike, busy: ArrayLike = 0, stream_busy: ArrayLike = 0, stall: ArrayLike = 0
) -> Items:
    """For ``cycles`` (1 or more): ``busy`` bits forced to 1, ``stream_busy``, units that stall."""
    return _rows(
        _checked("cycles", cycles, 1, END - 1),
        _packed(busy=(busy, 0, 13), stream_busy=(stream_busy, 13, 1), stall=(stall, 16, 6)),
    )


def work(cycles: ArrayLike, times: Sequence[ArrayLike]) -> Items:
    """For ``cycles`` (at least 1): how many cycles (0 … 31) a word keeps each of six units busy."""
    if len(times) != 6:
        raise ValueError(f"times: one for each of six units, not {len(times)}")
    fields = {f"time of unit {u}": (time, 5 * u, 5) for u, time in enumerate(times)}
    return _rows(_checked("cycles", cycles, 1, END - 1), _packed(**fields))


def _after(source: int, count: ArrayLike) -> Items:
    return _packed(count=(count, 0, 16)) | np.uint32(source << 16)


def after_issue(thread: ArrayLike, count: ArrayLike) -> Items:
    """``after``: ``count`` (0 … 65535) words of ``thread`` (0 … 2) have issued."""
    return (_checked("thread", thread, 0, 2) + np.uint32(1) << np.uint32(16)) | _after(0, count)


def after_risc(count: ArrayLike) -> Items:
    """``after``: ``count`` (0 … 65535) accesses at ``risc`` were done."""
    return _after(4, count)


def after_sem(count: ArrayLike) -> Items:
    """``after``: ``count`` (0 … 65535) accesses at ``risc_sem`` were done."""
    return _after(5, count)


def sem_below(index: ArrayLike, limit: ArrayLike) -> Items:
    """``after``: semaphore ``index`` (0 … 7) has a value below ``limit`` (0 … 15)."""
    return _after(6, _packed(limit=(limit, 0, 4), semaphore=(index, 12, 3)))


def sem_above(index: ArrayLike, limit: ArrayLike) -> Items:
    """``after``: semaphore ``index`` (0 … 7) has a value above ``limit`` (0 … 15)."""
    return _after(7, _packed(limit=(limit, 0, 4), semaphore=(index, 12, 3)))
