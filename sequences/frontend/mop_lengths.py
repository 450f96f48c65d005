# SPDX-License-Identifier: Apache-2.0
"""How many words a MOP turns into: what keeps programs in proportion.

This is arithmetic for planning stimulus, not the golden model: nothing is checked against it. All
takes numbers or arrays: ``word`` and ``mask_hi``, and each word of ``cfg``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tilepath.sequences.frontend.words import OP_NOP, OP_REPLAY


def _length(word: Any, cfg: Any, mask_hi: Any, each: Any) -> Any:
    """What MOP ``word`` takes, where the words of ``cfg`` take ``each``."""
    nop = cfg >> 24 == OP_NOP
    # template 1, with doubling and the hardware bug (F3, F4)
    outer, inner = cfg[0] & 127, (cfg[1] & 127) * np.where(nop[6], 1, 2)
    outer = outer + 128 * ((outer == 1) & (inner == 0) & nop[2] & ~nop[3])
    frame = each[2] * ~nop[2] + (each[3] + each[4] * ~nop[4]) * ~nop[3]
    body = np.maximum(each[5], each[6]) * np.maximum(inner - 1, 0)
    lasts = np.maximum(each[7], each[8]) * (inner > 0)
    # template 0
    count = (word >> 16 & 0x7F) + 1
    mask = (mask_hi << 16 | word & 0xFFFF) & ((1 << count) - 1)
    skip = np.bitwise_count(mask).astype(np.int64)
    b, a123 = cfg[1] & 1, cfg[1] >> 1 & 1
    unpack = each[3] + a123 * (each[4] + each[5] + each[6]) + b * each[2]
    zmask = (count - skip) * unpack + skip * (each[7] + b * each[8])
    return np.where(word >> 23 & 1, outer * (frame + body + lasts), zmask)


def mop_words(word: Any, cfg: Any, mask_hi: Any = 0) -> Any:
    """Length of the expansion of MOP ``word``: 0 … 32639 (template 1), 1 … 640 (template 0)."""
    cfg = np.asarray(cfg, np.int64)
    return _length(word, cfg, mask_hi, np.ones_like(cfg))


def mop_cycles(word: Any, cfg: Any, mask_hi: Any = 0, count0: int = 64) -> Any:
    """Upper bound on the cycles the expansion takes to leave an issue port that is always ready."""
    cfg = np.asarray(cfg, np.int64)
    return 1 + _length(word, cfg, mask_hi, _weight(cfg, count0))


def _weight(word: Any, count0: int) -> Any:
    """Cycles of a word: of a REPLAY that plays, its count."""
    count = word >> 4 & 0x3F
    plays = (word >> 24 == OP_REPLAY) & (word & 1 == 0)
    return np.where(plays, np.where(count == 0, count0, count), 1)
