# SPDX-License-Identifier: Apache-2.0
"""Stimulus items of the front end: arrays of uint32, one row an item.

``core`` player (one a thread; what a TRISC does, in program order), 3 words:
word 0: [15:0] gap, [17] push, [18] MopCfg write, [19] mop_sync, [20] mop_sync in the background,
[27:24] MopCfg index; word 1: word to push; word 2: MopCfg data. All that one item asks for starts
in the same cycle. The item is done when the push is accepted and the mop_sync acknowledged; a
mop_sync in the background is requested and the item does not wait for it (a later mop_sync waits
until the one in the background is acknowledged). All functions here raise ``ValueError`` for a gap,
an index or a number of cycles out of range.

``brisc`` player (one a thread), 2 words: word 0: [15:0] gap, [16] wait for go; word 1: the word.
"Go" is: FIFO empty, MOP expander idle and M not full, so that no collision can happen (F18).

``gate`` player (one a thread), level: word 0: cycles, word 1: ``issue_ready``; 1 at the end.
``sfpu_cc`` player (one), level: word 0: cycles, word 1: ``sfpu_cc``; 0 at the end.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from tilepath.tb.kernel.description.player import END, GAP_MASK, WAIT_GO, Items

PUSH = 1 << 17
MOPCFG = 1 << 18
SYNC = 1 << 19
SYNC_BACKGROUND = 1 << 20
INDEX_SHIFT = 24

CORE_WORDS = 3


def _checked(name: str, values: ArrayLike, least: int, most: int) -> Items:
    """``values`` as uint32; ``ValueError`` when one is outside ``least`` … ``most``."""
    wide = np.asarray(values, np.int64)
    if wide.size and (wide.min() < least or wide.max() > most):
        raise ValueError(f"{name}: {least} to {most}, not {wide.min()} to {wide.max()}")
    return wide.astype(np.uint32)


def push(words: ArrayLike, gaps: ArrayLike = 0) -> Items:
    """Items that push ``words`` (n), each after its gap in cycles (0 … 65535)."""
    w = np.atleast_1d(np.asarray(words, np.uint32))
    items = np.zeros((len(w), CORE_WORDS), np.uint32)
    items[:, 0] = _checked("gap", gaps, 0, GAP_MASK) | PUSH
    items[:, 1] = w
    return items


def mopcfg(index: ArrayLike, data: ArrayLike, gaps: ArrayLike = 0) -> Items:
    """Items that write MopCfg[index] = data."""
    i = np.atleast_1d(_checked("MopCfg index", index, 0, 15))
    items = np.zeros((len(i), CORE_WORDS), np.uint32)
    items[:, 0] = _checked("gap", gaps, 0, GAP_MASK) | MOPCFG | (i << INDEX_SHIFT)
    items[:, 2] = np.asarray(data, np.uint32)
    return items


def sync(gap: int = 0, background: bool = False) -> Items:
    """One item that requests mop_sync, and waits for it unless in the background."""
    flags = SYNC | (SYNC_BACKGROUND if background else 0)
    return np.array([[int(_checked("gap", gap, 0, GAP_MASK)) | flags, 0, 0]], np.uint32)


def brisc(words: ArrayLike, gaps: ArrayLike = 0, safe: bool = True) -> Items:
    """Items for the BRISC port; ``safe`` waits until no collision can happen."""
    w = np.atleast_1d(np.asarray(words, np.uint32))
    items = np.zeros((len(w), 2), np.uint32)
    items[:, 0] = _checked("gap", gaps, 0, GAP_MASK) | (WAIT_GO if safe else 0)
    items[:, 1] = w
    return items


def level(cycles: ArrayLike, values: ArrayLike) -> Items:
    """Items for a level player: drive ``values`` for ``cycles`` (at least 1) each."""
    return np.stack(
        np.broadcast_arrays(
            np.atleast_1d(_checked("cycles", cycles, 1, END - 1)),
            np.atleast_1d(np.asarray(values, np.uint32)),
        ),
        axis=1,
    ).copy()
