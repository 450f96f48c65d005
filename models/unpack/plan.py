# SPDX-License-Identifier: Apache-2.0
"""What an UNPACR or UNPACR_NOP is going to do, from what it samples (sections 5 to 8).

``t``: the tables; ``p``: the plan; ``config``, ``tc`` (ThreadConfig), ``live``, ``pointers``: as in
``layout``.
"""

from __future__ import annotations

from tilepath.models.jit import part
from tilepath.models.unpack import layout as L
from tilepath.models.unpack import nop, output, source
from tilepath.models.unpack import tables as T
from tilepath.models.unpack.source import resolve_compressed, starts_unaligned, wrap
from tilepath.models.unpack.tables import read

__all__ = ["leave", "resolve_compressed", "sample", "starts_unaligned", "wrap"]


@part
def _regular(
    t: L.Memory, p: L.Memory, config: L.Memory, tc: L.Memory, live: L.Memory, pointers: L.Memory
) -> None:
    word = p[L.WORD]
    p[L.FLIP] = (word >> 6) & 1
    p[L.ALL_ZERO] = (word >> 4) & 1
    p[L.INCREMENTS] = (word >> 17) & 3
    p[L.INCREMENTS + 1] = (word >> 15) & 3
    p[L.INCREMENTS + 2] = (word >> 21) & 3
    p[L.INCREMENTS + 3] = (word >> 19) & 3  # A17
    source.context(t, p, config, tc, pointers)
    source.formats(t, p, config)
    p[L.WANT] = source.want(t, p, config)
    source.rows(t, p, config)
    rsi = source.sections(t, p, config)
    if p[L.COMPRESSED]:
        source.compressed(t, p, config, live, rsi)
    else:
        source.uncompressed(t, p, config, live)
    output.place(t, p, config, tc, live, pointers)
    output.pointers_left(t, p, config, tc)


@part
def sample(
    t: L.Memory,
    p: L.Memory,
    config: L.Memory,
    tc: L.Memory,
    live: L.Memory,
    pointers: L.Memory,
    unit: int,
    thread: int,
    word: int,
) -> None:
    """Fill the plan of an UNPACR or UNPACR_NOP from the state as it is; changes no state."""
    for k in range(L.PLAN):
        p[k] = 0
    p[L.UNIT] = unit
    p[L.THREAD] = thread
    p[L.WORD] = word
    p[L.STATE] = read(t, tc, thread, unit, T.STATE_ID)
    p[L.BANK] = pointers[L.POINTERS * unit + L.P_BANK]
    p[L.NEW_CONTEXT] = -1
    p[L.NEW_ROW] = -1
    p[L.NEW_BANK] = -1
    if (word >> 24) == L.OPCODE_NOP:
        nop.sample(t, p, config, tc)
        return
    if word & 0x4020:
        p[L.FLAGS] |= L.F_RESERVED_BIT
    if word & 1 == 0:
        p[L.FLAGS] |= L.F_NOT_LAST
    if (word >> 1) & 1:  # U3
        p[L.KIND] = L.FLUSH
    elif (word >> 13) & 1:
        p[L.KIND] = L.INCREMENT
        after = (pointers[L.POINTERS * unit + L.P_CONTEXT + thread] + 1) & 7
        if after >= 1 << read(t, config, p[L.STATE], unit, T.CONTEXT_COUNT):
            after = 0
        p[L.NEW_CONTEXT] = after
    else:
        p[L.KIND] = L.REGULAR
        _regular(t, p, config, tc, live, pointers)


@part
def leave(p: L.Memory, pointers: L.Memory) -> None:
    """What the instruction leaves behind at the end of the sampling cycle (6, 7)."""
    at = L.POINTERS * p[L.UNIT]
    if p[L.NEW_CONTEXT] >= 0:
        pointers[at + L.P_CONTEXT + p[L.THREAD]] = p[L.NEW_CONTEXT]
    if p[L.NEW_ROW] >= 0:
        pointers[at + L.P_ROW + p[L.THREAD]] = p[L.NEW_ROW]
    if p[L.NEW_BANK] >= 0:
        pointers[at + L.P_BANK] = p[L.NEW_BANK]
