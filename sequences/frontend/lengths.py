# SPDX-License-Identifier: Apache-2.0
"""How many words a MOP turns into: what keeps programs in proportion and windows long enough.

This is arithmetic for planning stimulus, not the golden model: nothing is checked against it.
"""

from __future__ import annotations

from collections.abc import Sequence

from tilepath.sequences.frontend.words import OP_MOP, OP_REPLAY, is_nop, plays

Cfg = Sequence[int]


def outer_inner(cfg: Cfg) -> tuple[int, int]:
    """Passes of the outer and of the inner loop, with doubling and the hardware bug (F3, F4)."""
    outer, inner = cfg[0] & 127, cfg[1] & 127
    if not is_nop(cfg[6]):
        inner *= 2
    if outer == 1 and inner == 0 and is_nop(cfg[2]) and not is_nop(cfg[3]):
        outer += 128
    return outer, inner


def framing(cfg: Cfg) -> list[int]:
    """Words emitted once per pass of the outer loop: start and end operations."""
    words = [] if is_nop(cfg[2]) else [cfg[2]]
    if not is_nop(cfg[3]):
        words += [cfg[3]] if is_nop(cfg[4]) else [cfg[3], cfg[4]]
    return words


def mop_words(word: int, cfg: Cfg, mask_hi: int = 0) -> int:
    """Length of the expansion of MOP ``word``: 0 … 32639 (template 1), 1 … 640 (template 0)."""
    if word >> 23 & 1:
        outer, inner = outer_inner(cfg)
        return outer * (len(framing(cfg)) + inner)
    unpack, skip = _zmask_iterations(word, mask_hi)
    has_b = cfg[1] & 1
    return unpack * (1 + 3 * (cfg[1] >> 1 & 1) + has_b) + skip * (1 + has_b)


def _zmask_iterations(word: int, mask_hi: int) -> tuple[int, int]:
    count = (word >> 16 & 0x7F) + 1
    mask = (mask_hi << 16 | word & 0xFFFF) & ((1 << count) - 1)
    return count - mask.bit_count(), mask.bit_count()


def mop_cycles(word: int, cfg: Cfg, mask_hi: int = 0, count0: int = 64) -> int:
    """Upper bound on the cycles the expansion takes to leave an issue port that is always ready."""
    if word >> 23 & 1:
        outer, inner = outer_inner(cfg)
        frame = sum(_weight(w, count0) for w in framing(cfg))
        lasts = max(_weight(cfg[7], count0), _weight(cfg[8], count0)) if inner else 0
        body = max(_weight(cfg[5], count0), _weight(cfg[6], count0)) * max(inner - 1, 0)
        return 1 + outer * (frame + body + lasts)
    unpack, skip = _zmask_iterations(word, mask_hi)
    b = _weight(cfg[2], count0) if cfg[1] & 1 else 0
    a123 = sum(_weight(w, count0) for w in cfg[4:7]) if cfg[1] & 2 else 0
    skip_b = _weight(cfg[8], count0) if cfg[1] & 1 else 0
    return (
        1
        + unpack * (_weight(cfg[3], count0) + a123 + b)
        + skip * (_weight(cfg[7], count0) + skip_b)
    )


def _weight(word: int, count0: int) -> int:
    return max(1, plays(word, count0))


def cycles(words: Sequence[int], cfg: Cfg, mask_hi: int = 0, count0: int = 64) -> int:
    """Upper bound on the cycles in which ``words`` pass the front end with an open issue port."""
    total = 0
    for word in words:
        if word >> 24 == OP_MOP:
            total += mop_cycles(word, cfg, mask_hi, count0) + 1
        elif word >> 24 == OP_REPLAY:
            total += _weight(word, count0)
        else:
            total += 1
        if word >> 24 == 0x03:
            mask_hi = word & 0xFFFF
    return total
