# SPDX-License-Identifier: Apache-2.0
"""The two MOP templates: one pass of an expansion as a pattern of words (seed; F1 to F10)."""

from __future__ import annotations

from tilepath.models.frontend import layout as L
from tilepath.models.jit import part


@part
def is_nop(m: L.Memory, word: int) -> bool:
    """Whether the opcode is plain NOP: DMANOP and SFPNOP are not (seed, edge case 3)."""
    kind: int = m[L.FLAG + (word >> 24)] & L.KIND
    return kind == L.NOP


@part
def _template0(m: L.Memory, word: int) -> int:
    """Mask loop, written out: one entry per emitted word, a single pass."""
    mask = (m[L.MASK_HI] << 16) | (word & 0xFFFF)
    has_b = (m[L.CFG + 1] & 1) != 0
    has_a123 = (m[L.CFG + 1] & 2) != 0
    n = L.PATTERN
    for _ in range(((word >> 16) & 127) + 1):
        if mask & 1:
            m[n] = m[L.CFG + 7]
            n += 1
            if has_b:
                m[n] = m[L.CFG + 8]
                n += 1
        else:
            m[n] = m[L.CFG + 3]
            n += 1
            if has_a123:
                m[n] = m[L.CFG + 4]
                m[n + 1] = m[L.CFG + 5]
                m[n + 2] = m[L.CFG + 6]
                n += 3
            if has_b:
                m[n] = m[L.CFG + 2]
                n += 1
        mask >>= 1  # zero fill: iterations beyond 31 unpack (F1)
    m[L.P_LENGTH] = n - L.PATTERN
    m[L.P_PASSES] = 1
    m[L.P_SLOT] = -1
    return n - L.PATTERN


@part
def _template1(m: L.Memory) -> int:
    """Double loop: the pattern is one outer pass that is not the last."""
    c = L.CFG
    outer = m[c] & 127
    inner = m[c + 1] & 127
    start = not is_nop(m, m[c + 2])
    end = not is_nop(m, m[c + 3])
    if not is_nop(m, m[c + 6]):
        inner *= 2
        other = m[c + 6]
    else:
        other = m[c + 5]
    if outer == 1 and not start and inner == 0 and end:
        outer = 129  # hardware bug (F3)
    n = L.PATTERN
    if start:
        m[n] = m[c + 2]
        n += 1
    # A doubled count is even: every outer pass begins with LoopOp again (F5).
    for i in range(inner):
        m[n + i] = other if i & 1 else m[c + 5]
    n += inner
    m[L.P_SLOT] = -1
    if inner > 0:
        m[L.P_SLOT] = n - 1 - L.PATTERN
        m[n - 1] = m[c + 8]
        m[L.P_LAST] = m[c + 7]
    if end:
        m[n] = m[c + 3]
        n += 1
        if not is_nop(m, m[c + 4]):
            m[n] = m[c + 4]
            n += 1
    m[L.P_LENGTH] = n - L.PATTERN
    m[L.P_PASSES] = outer
    length: int = (n - L.PATTERN) * outer
    return length


@part
def prepare(m: L.Memory, word: int) -> int:
    """Set up the expansion of MOP ``word`` from the MopCfg and MaskHi in ``m``; returns its length.

    Length: 0 to 32639 words. Pass p, place q is ``PATTERN[q]``, except ``P_LAST`` in place
    ``P_SLOT`` of the last pass.
    """
    m[L.P_AT] = 0
    m[L.P_PASS] = 0
    # Template 0 always has iteration 0, so only template 1 can be empty.
    length: int = _template1(m) if word & 0x800000 else _template0(m, word)
    m[L.P_LEFT] = length
    return length


@part
def next_word(m: L.Memory) -> int:
    """The next word of the expansion; there must be one left."""
    at = m[L.P_AT]
    word: int = m[L.PATTERN + at]
    if at == m[L.P_SLOT] and m[L.P_PASS] + 1 == m[L.P_PASSES]:
        word = m[L.P_LAST]
    at += 1
    if at == m[L.P_LENGTH]:
        at = 0
        m[L.P_PASS] += 1
    m[L.P_AT] = at
    m[L.P_LEFT] -= 1
    return word
