# SPDX-License-Identifier: Apache-2.0
"""Streams put together from several sources: qstatus over the threads, status, fault and sticky."""

from __future__ import annotations

from tilepath.models.frontend import layout as L
from tilepath.models.jit import kernel, part

# Bit 0 of each occupancy counter, and the five bits below its highest
_ONES = sum(1 << (L.COUNTER_BITS * place) for place in range(L.COUNTERS))
_BELOW = 31 * _ONES

# State of ``qstatus``: sums, levels of sfpu_cc, values last recorded, records of this block
SUM = 0
BUSY = 3
SHOWN = 4
COUNT = 7
STATE_SIZE = 10


@part
def _bits(total: int) -> int:
    """Bits 0 to 10 of qstatus for one thread's occupancy counters: which are not zero."""
    # A counter is not zero when its highest bit is set, or adding 31 to the rest sets it.
    some = ((((total & _BELOW) + _BELOW) | total) >> 5) & _ONES
    bits = (some & 1) | ((total >> 59) & 2)
    for place in range(1, L.COUNTERS):
        bits |= ((some >> (L.COUNTER_BITS * place)) & 1) << (place + 1)
    return bits


@kernel
def qstatus(d: L.Memory, base: int, until: int, s: L.Memory, o: L.Memory) -> None:
    """Records of ``qstatus`` (F22) in cycles ``base`` to ``until - 1`` for the three threads.

    ``d``: int64 (4, cycles + 2), changes of the threads' counters and of sfpu_cc, by qstatus cycle.
    ``o``: uint32 (3, cycles, 4). ``s``: the state above.
    """
    for thread in range(3):
        s[COUNT + thread] = 0
    for i in range(until - base):
        if (d[0, i] | d[1, i] | d[2, i] | d[3, i]) == 0:
            continue
        s[SUM] += d[0, i]
        s[SUM + 1] += d[1, i]
        s[SUM + 2] += d[2, i]
        s[BUSY] += d[3, i]
        bits0 = _bits(s[SUM])
        bits1 = _bits(s[SUM + 1])
        bits2 = _bits(s[SUM + 2])
        common = ((bits0 | bits1 | bits2) << 13) | (s[BUSY] << 11) | (s[BUSY] << 24)
        for thread in range(3):
            value = common | (bits0 if thread == 0 else (bits1 if thread == 1 else bits2))
            if value != s[SHOWN + thread]:
                s[SHOWN + thread] = value
                n = s[COUNT + thread]
                o[thread, n, 0] = base + i
                o[thread, n, 1] = value
                o[thread, n, 2] = 0
                o[thread, n, 3] = 0x80000000
                s[COUNT + thread] = n + 1


@kernel
def status(a: L.Memory, b: L.Memory, s: L.Memory, o: L.Memory) -> int:
    """Merge changes of mop_state ``a`` and replay_state ``b``; returns the count of records.

    ``a``, ``b``: uint32 (n, 4): cycle, state, origin. ``s``: the two states shown last.
    ``o``: uint32 (cycles, 5). When both change in one cycle, the record names the MOP.
    """
    i = 0
    j = 0
    n = 0
    while i < a.shape[0] or j < b.shape[0]:
        first = i < a.shape[0] and (j >= b.shape[0] or a[i, 0] <= b[j, 0])
        second = j < b.shape[0] and (i >= a.shape[0] or b[j, 0] <= a[i, 0])
        if second:
            s[1] = b[j, 1]
            o[n, 0] = b[j, 0]
            o[n, 3] = b[j, 2]
            o[n, 4] = b[j, 3]
            j += 1
        if first:
            s[0] = a[i, 1]
            o[n, 0] = a[i, 0]
            o[n, 3] = a[i, 2]
            o[n, 4] = a[i, 3]
            i += 1
        o[n, 1] = s[0]
        o[n, 2] = s[1]
        n += 1
    return n


@kernel
def faults(pulses: L.Memory, kinds: L.Memory, o: L.Memory) -> int:
    """Merge fault pulses that are in order of cycle; returns the count of records.

    ``pulses``: uint32 (n, 3): cycle, origin. ``kinds``: int64 (n,): 0 illegal, 1 mopcfg_race,
    2 collision. ``o``: uint32 (cycles, 6). The record of several pulses in one cycle names the
    word of the first.
    """
    n = 0
    for i in range(pulses.shape[0]):
        if n == 0 or o[n - 1, 0] != pulses[i, 0]:
            o[n, 0] = pulses[i, 0]
            o[n, 1] = 0
            o[n, 2] = 0
            o[n, 3] = 0
            o[n, 4] = pulses[i, 1]
            o[n, 5] = pulses[i, 2]
            n += 1
        o[n - 1, 1 + kinds[i]] = 1
    return n
