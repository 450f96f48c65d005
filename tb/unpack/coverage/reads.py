# SPDX-License-Identifier: Apache-2.0
"""Follows each instruction through its recorded requests: which datums, with which values.

A beat has the next datums in order, as many as lie in the lines requested (docs/unpack.md section
4), so the walk is exact; RSI entries come ahead of the datums, in the order of the instructions. L1
is kept as ``l1_write`` fills it; a request sees the writes of earlier cycles. What the walk finds
of each beat is left for ``timing``: the steps that will write.
"""

from __future__ import annotations

from typing import Final

from tilepath.models.jit import kernel, part
from tilepath.tb.unpack.coverage.datums import count_datum
from tilepath.tb.unpack.coverage.layout import FRONT, I64, U8
from tilepath.tb.unpack.coverage.work import (
    ALL_ZERO,
    BOUNDED,
    COLSHIFT,
    COMPRESSED,
    COUNT,
    DATUM,
    DATUMS,
    DEST,
    DROP,
    END_ENTRY,
    EXPONENT,
    EXPONENTS,
    FAMILY,
    FIFO,
    FIRST_ENTRY,
    FORCED,
    FORMAT,
    INTERLEAVE,
    ITEMS,
    LIMIT,
    OUT,
    P_CROSSED,
    P_DATUM,
    P_EARLY,
    P_EMPTY,
    P_NIBBLE,
    P_PAIR,
    P_PARTIAL,
    P_ROWS,
    P_START,
    P_WRAP,
    PLAIN,
    QUARTERS,
    READ_EXPONENTS,
    ROW_KIND,
    ROW_W,
    RSI_END,
    RSI_FIRST,
    SEQ,
    SIZE,
    STRIDE,
    TILIZE,
    WANT,
    ZEROS,
)  # fmt: skip

M36: Final = 0xF_FFFF_FFFF
BEYOND: Final = 1 << 62

# Memory of an unpacker
S_HEAD: Final = 0  # row of the instruction being fetched, in the table of work
S_STAGE: Final = 1  # 0: not begun; 1: its datums
S_POINTER: Final = 2
S_BEGIN: Final = 3  # of the row
S_IN_ROW: Final = 4
S_EXPONENT: Final = 5
S_DELTA: Final = 6
S_LEFT: Final = 7  # datums to read
S_DROP: Final = 8
S_ITEMS: Final = 9  # to emit; -1: no limit
S_OUT: Final = 10
S_ANSWER: Final = 11  # cycle of the last answer
S_WRAPPED: Final = 12  # bit 3k: kind k wrapped initially, 3k + 1: later
S_GROUPS: Final = 13  # group boundaries crossed
S_PARTIAL: Final = 14  # how the drop ended
S_WRITTEN: Final = 15  # bit 0: the step under way writes
S_SLOTS: Final = 16  # of the step under way
S_STEPS: Final = 17  # steps of the beat that write
S_MID: Final = 18  # the last item emitted was not the last of its run
S_RSI: Final = 19  # row in the table of work up to which RSI entries have been requested
PER_UNIT: Final = 20
MEMORY: Final = 2 * PER_UNIT


@part
def _byte(l1: U8, address: int) -> int:
    if address < len(l1):
        return int(l1[address])
    return 0


@part
def _wrap(work: I64, h: int, s: I64, pointer: int, kind: int, late: int) -> int:
    """The pointer after *wrap*; ``kind``: 0 datum, 1 exponent, 2 delta.

    ``late``: 0 the initial pointer, 1 later, 2 behind the last datum, where nobody sees it.
    """
    if work[h, FIFO] and pointer > work[h, LIMIT]:
        s[S_WRAPPED] |= 1 << (3 * kind + late)
        return int((pointer - work[h, FIFO]) & M36)
    return pointer


@part
def _begin(work: I64, h: int, s: I64, points: I64, n: I64) -> None:
    """The begin of the instruction in row ``h`` of the work; compressed: by its RSI entries."""
    s[S_WRAPPED] = 0
    s[S_GROUPS] = 0
    s[S_PARTIAL] = 0
    s[S_IN_ROW] = 0
    s[S_MID] = 0
    s[S_OUT] = work[h, OUT]
    s[S_DROP] = work[h, DROP]
    s[S_ITEMS] = work[h, ITEMS]
    s[S_STAGE] = 1
    if work[h, COMPRESSED]:
        first = work[h, FIRST_ENTRY]
        step = 4 * work[h, QUARTERS]
        group = 32 * step + 256
        base = 16 * work[h, DATUMS] + (first >> 5) * group
        s[S_POINTER] = _wrap(work, h, s, (base + (first & 31) * step) & M36, 0, 0)
        s[S_DELTA] = _wrap(work, h, s, (base + 32 * step + (first & 31) * 8) & M36, 2, 0)
        s[S_EXPONENT] = (16 * work[h, EXPONENTS] + first) & M36
        if work[h, BOUNDED]:
            s[S_LEFT] = BEYOND if work[h, ITEMS] > 0 else 0
        else:
            end = work[h, END_ENTRY]
            s[S_LEFT] = max(end - first, 0)
            if end <= first:
                n[points[P_EMPTY] + work[h, ROW_KIND] * 2 + (1 if end < first else 0)] += 1
        start = first & 31
        place = 4
        if start < 2:
            place = start
        elif start == 15:
            place = 2
        elif start == 31:
            place = 3
        n[points[P_START] + place] += 1
        length = s[S_LEFT]
        place = 8
        if length < 2:
            place = length
        elif 15 <= length <= 17:
            place = length - 13
        elif 31 <= length <= 33:
            place = length - 26
        if not work[h, BOUNDED]:
            n[points[P_ROWS] + place] += 1
    else:
        s[S_LEFT] = work[h, COUNT]
        s[S_POINTER] = _wrap(work, h, s, work[h, DATUM], 0, 0)
        s[S_EXPONENT] = work[h, EXPONENT]
    if work[h, READ_EXPONENTS]:
        s[S_EXPONENT] = _wrap(work, h, s, s[S_EXPONENT], 1, 0)
    s[S_BEGIN] = s[S_POINTER]


@part
def _end(work: I64, h: int, s: I64, points: I64, n: I64) -> None:
    """All datums of the instruction have been requested."""
    s[S_STAGE] = 0
    s[S_HEAD] = h + 1
    for kind in range(3):
        counts = work[h, FIFO] != 0
        if (kind == 1 and not work[h, READ_EXPONENTS]) or (kind == 2 and not work[h, COMPRESSED]):
            counts = False
        if counts:
            bits = s[S_WRAPPED] >> (3 * kind) & 3
            place = points[P_WRAP] + kind * 3 * 5 + work[h, SIZE]
            if bits == 0:
                n[place] += 1
            if bits & 1:
                n[place + 5] += 1
            if bits & 2:
                n[place + 10] += 1
    if work[h, COMPRESSED]:
        n[points[P_CROSSED] + min(s[S_GROUPS], 2)] += 1
        if work[h, BOUNDED] and work[h, ITEMS] > 0 and s[S_DROP] == 0:
            n[points[P_PARTIAL] + s[S_PARTIAL] * 2 + s[S_MID]] += 1


@part
def _close_step(s: I64) -> None:
    s[S_STEPS] += s[S_WRITTEN]
    s[S_WRITTEN] = 0
    s[S_SLOTS] = 0


@part
def _slot(work: I64, h: int, s: I64, written: bool, takes: bool) -> None:
    """One slot of a step; ``takes``: it takes an OutAddr."""
    out = s[S_OUT]
    if written and not (work[h, DEST] == 0 and (out >> 4 < 4 or out & 15 < work[h, COLSHIFT])):
        s[S_WRITTEN] = 1
    if takes:
        s[S_OUT] = (out + 1) & 0xFFFFFFFF
    s[S_SLOTS] += 1
    if s[S_SLOTS] == 32 and not work[h, PLAIN]:
        _close_step(s)


@part
def _items(work: I64, h: int, s: I64, run: int) -> None:
    """A datum and ``run`` zeros behind it (section 5.3)."""
    for k in range(run + 1):
        if s[S_DROP]:
            s[S_DROP] -= 1
            _slot(work, h, s, False, False)
            if s[S_DROP] == 0:
                s[S_PARTIAL] = 1 if k < run else 2
            continue
        _slot(work, h, s, True, True)
        for _ in range(work[h, ZEROS]):
            _slot(work, h, s, work[h, INTERLEAVE] == 0, True)
        if s[S_ITEMS] > 0:
            s[S_ITEMS] -= 1
            if s[S_ITEMS] == 0:
                s[S_LEFT] = 0
                s[S_MID] = 1 if k < run else 0
                return


@part
def _next(work: I64, h: int, s: I64) -> bool:
    """Move the pointers on by a datum; whether the beat must end here because of a wrap."""
    s[S_POINTER] = (s[S_POINTER] + 4 * work[h, QUARTERS]) & M36
    s[S_IN_ROW] += 1
    wraps = False
    if s[S_IN_ROW] == work[h, ROW_W]:
        s[S_IN_ROW] = 0
        if work[h, TILIZE]:
            s[S_POINTER] = (s[S_BEGIN] + 16 * work[h, STRIDE]) & M36
        before = s[S_POINTER]
        s[S_POINTER] = _wrap(work, h, s, before, 0, 1 if s[S_LEFT] > 1 else 2)
        s[S_BEGIN] = s[S_POINTER]
        wraps = s[S_POINTER] != before
    if work[h, COMPRESSED]:
        s[S_DELTA] = (s[S_DELTA] + 8) & M36
        if s[S_DELTA] & 255 == 0:
            s[S_POINTER] = (s[S_POINTER] + 256) & M36
            delta = (s[S_DELTA] + 128 * work[h, QUARTERS]) & M36
            s[S_DELTA] = _wrap(work, h, s, delta, 2, 1 if s[S_LEFT] > 1 else 2)
            if s[S_LEFT] > 1:
                s[S_GROUPS] += 1
    if work[h, READ_EXPONENTS]:
        s[S_EXPONENT] = (s[S_EXPONENT] + 1) & M36
        if s[S_EXPONENT] & 255 == 0 and s[S_LEFT] > 1:
            s[S_EXPONENT] = _wrap(work, h, s, s[S_EXPONENT], 1, 1)
    return wraps


@part
def _beat(work: I64, h: int, s: I64, lines: int, l1: U8, points: I64, n: I64) -> None:
    """The datums of a request of ``lines`` lines."""
    line = s[S_POINTER] >> 8
    used = 1
    datums = 0
    while s[S_LEFT] > 0 and datums < 128:
        now = s[S_POINTER] >> 8
        if now != line or (datums and work[h, TILIZE] and s[S_IN_ROW] == 0):
            line = now
            used += 1
        if used > lines or (datums and work[h, READ_EXPONENTS] and s[S_EXPONENT] & 255 == 0):
            break
        address = s[S_POINTER] >> 4
        value = _byte(l1, address)
        if work[h, QUARTERS] >= 8:
            value |= _byte(l1, address + 1) << 8
            if work[h, QUARTERS] == 16:
                value |= _byte(l1, address + 2) << 16 | _byte(l1, address + 3) << 24
        elif work[h, QUARTERS] < 4:
            value = value >> ((s[S_POINTER] & 15) >> 1) & (15 if work[h, QUARTERS] == 2 else 3)
        exponent = work[h, FORCED]
        if work[h, READ_EXPONENTS]:
            exponent = _byte(l1, s[S_EXPONENT] >> 4)
        count_datum(
            work[h, FAMILY], work[h, FORMAT], work[h, DEST], value, exponent,
            points[P_DATUM:], n,
        )  # fmt: skip
        run = 0
        if work[h, COMPRESSED]:
            run = _byte(l1, s[S_DELTA] >> 4) >> (4 if s[S_DELTA] & 8 else 0) & 15
            place = 3
            if run < 2:
                place = run
            elif run == 15:
                place = 2
            n[points[P_NIBBLE] + work[h, ALL_ZERO] * 4 + place] += 1
            if work[h, ALL_ZERO]:
                run = 0
        datums += 1
        wraps = _next(work, h, s)
        s[S_LEFT] -= 1
        _items(work, h, s, run)
        if wraps or (work[h, COMPRESSED] and s[S_POINTER] >> 8 != line):
            break


@part
def _settle(work: I64, s: I64, points: I64, n: I64) -> None:
    """Begin the compressed instruction at the head, if its entries are known; empty ones end."""
    while s[S_HEAD] < s[S_RSI] and s[S_STAGE] == 0 and work[s[S_HEAD], COMPRESSED]:
        h = s[S_HEAD]
        _begin(work, h, s, points, n)
        if s[S_LEFT] == 0:
            _end(work, h, s, points, n)


@part
def _rsi(work: I64, s: I64, l1: U8, points: I64, n: I64) -> None:
    """The request of the next compressed instruction's RSI entries."""
    h = s[S_RSI]
    while h < len(work) and not work[h, COMPRESSED]:
        h += 1
    if h == len(work):
        return  # a request that no instruction stands for
    where = work[h, RSI_FIRST]
    work[h, FIRST_ENTRY] = _byte(l1, where) | _byte(l1, where + 1) << 8
    where = work[h, RSI_END]
    work[h, END_ENTRY] = _byte(l1, where) | _byte(l1, where + 1) << 8
    s[S_RSI] = h + 1
    _settle(work, s, points, n)


@part
def _request(
    work: I64, s: I64, cycle: int, count: int, latency: int, rsi: int, l1: U8,
    points: I64, n: I64, beats: I64, u: int,
) -> int:  # fmt: skip
    """One request; 4 * want + what: 1 datums, 2 and the last of the instruction; 0 else."""
    s[S_ANSWER] = max(cycle + max(latency, 1), s[S_ANSWER] + 1)
    if rsi:
        _rsi(work, s, l1, points, n)
    h = s[S_HEAD]
    if count == 0 or h >= len(work):
        return 0  # no datums, or a request that no instruction stands for
    what = 1
    if s[S_STAGE] == 0:
        _begin(work, h, s, points, n)
    s[S_STEPS], s[S_SLOTS], s[S_WRITTEN] = 0, 0, 0
    _beat(work, h, s, count, l1, points, n)
    _close_step(s)
    want = work[h, WANT]
    if s[S_STEPS]:
        k = beats[0, u]
        beats[1 + k, 0 + 4 * u] = work[h, SEQ]
        beats[1 + k, 1 + 4 * u] = s[S_STEPS]
        beats[1 + k, 2 + 4 * u] = s[S_ANSWER] + FRONT
        beats[0, u] = k + 1
    if s[S_LEFT] == 0:
        _end(work, h, s, points, n)
        _settle(work, s, points, n)
        what = 2
    return int(4 * want + what)


@kernel
def follow(
    work0: I64, work1: I64, reads: I64, writes: I64, data: U8, l1: U8,
    mem: I64, points: I64, n: I64, beats: I64,
) -> None:  # fmt: skip
    """Follow a block's requests.

    ``reads``: cycle, u, count, latency in this cycle, RSI lines. ``writes``: cycle, first byte.
    ``beats`` takes, from row 1 on, instruction, steps that write, first cycle in which they may,
    for either unpacker; row 0 says how many.
    """
    k, next_write = 0, 0
    s0, s1 = mem[:PER_UNIT], mem[PER_UNIT:]
    while k < len(reads):
        cycle = reads[k, 0]
        while next_write < len(writes) and writes[next_write, 0] < cycle:
            first = writes[next_write, 1]
            if first + 64 <= len(l1):
                for b in range(64):
                    l1[first + b] = data[next_write, b]
            next_write += 1
        what0, what1 = 0, 0
        while k < len(reads) and reads[k, 0] == cycle:
            if reads[k, 1] == 0:
                what0 = _request(
                    work0, s0, cycle, reads[k, 2], reads[k, 3], reads[k, 4], l1,
                    points, n, beats, 0,
                )  # fmt: skip
            else:
                what1 = _request(
                    work1, s1, cycle, reads[k, 2], reads[k, 3], reads[k, 4], l1,
                    points, n, beats, 1,
                )  # fmt: skip
            k += 1
        if what0 & 3 and what1 & 3:
            pair = (what0 >> 2) * 3 + (what1 >> 2)
            n[points[P_PAIR] + pair] += 1
            early = (what0 & 3 == 2) + 2 * (what1 & 3 == 2)
            if early:
                n[points[P_EARLY] + pair * 3 + early - 1] += 1
    while next_write < len(writes):
        first = writes[next_write, 1]
        if first + 64 <= len(l1):
            for b in range(64):
                l1[first + b] = data[next_write, b]
        next_write += 1
