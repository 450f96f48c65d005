# SPDX-License-Identifier: Apache-2.0
"""The walk of an UNPACR through L1: which datums, from where (sections 5.2 and 5.3).

The walk goes by *runs*: datums that lie behind one another in one line, whose exponents and delta
nibbles do too. Runs make lines, and lines make *beats*. Nothing here knows of time: whoever walks
says how many lines a beat may have.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Record, record
from tilepath.models.unpack import convert
from tilepath.models.unpack.convert import Conversion
from tilepath.models.unpack.faults import ReadFlag
from tilepath.models.unpack.plan import HALVES, QUARTERS, SIXTEENTHS
from tilepath.models.unpack.sample_source import wrap
from tilepath.models.unpack.settings import wide as as_int

Words = npt.NDArray[np.uint32]

MOST_DATUMS: Final = 128  # of a beat
_MOST_LINES: Final = 4
_MOST_RUNS: Final = 16
# A line of 16 bytes in the parts that pointers count
_LINE_QUARTERS: Final = 64
_LINE_SIXTEENTHS: Final = 256
_LINE_HALVES: Final = 32

# Bits of what lies behind a beat, which ends there
DATUM, EXPONENT, DELTA, GROUP = range(4)

# Where an instruction is in L1: pointers to its next datum
CURSOR: Final = record(
    datum=np.int64,  # quarters
    exponent=np.int64,  # sixteenths
    delta=np.int64,  # halves
    row_begin=np.int64,  # quarters; not if compressed
    done=np.int64,  # datums before it
    place=np.int64,  # datums before it in its row
)
RUN: Final = record(datum=np.int64, exponent=np.int64, delta=np.int64, count=np.int64)
BEAT: Final = record(
    runs=(RUN, _MOST_RUNS),
    run_count=np.int64,
    count=np.int64,  # of datums
    ends=np.int64,  # the instruction's last
    lines=(np.int64, _MOST_LINES),
    line_count=np.int64,
    passes=np.int64,  # behind it: a pointer wraps, bits DATUM to DELTA; the group ends, GROUP
    starts_unaligned=np.int64,  # a transposed compressed instruction does not begin with a line
    # what the datums are, once they have been read
    values=(np.uint32, MOST_DATUMS),
    nibbles=(np.uint8, MOST_DATUMS),
    bad_exponents=(np.uint8, MOST_DATUMS),
)


@part
def begin(source: Record, cursor: Record) -> None:
    """Go to the first datum; if compressed, this comes after ``resolve_compressed``."""
    cursor.datum = cursor.row_begin = source.datum
    cursor.exponent = source.exponent
    cursor.delta = source.delta
    cursor.done = cursor.place = 0


@part
def _run_count(source: Record, cursor: Record) -> int:
    """Datums of the run that begins at the cursor."""
    count: int = min(source.count - cursor.done, source.row_w - cursor.place)
    count = min(count, (_LINE_QUARTERS - (cursor.datum & 63)) // source.quarters)
    if source.reads_exponents:
        count = min(count, _LINE_SIXTEENTHS - (cursor.exponent & 0xFF))
    if source.compressed:
        count = min(count, _LINE_HALVES - (cursor.delta & 31))
    return count


@part
def _advance(source: Record, cursor: Record, count: int, beat: Record) -> bool:
    """Go to the datum behind a run; return whether the run must end its beat (section 4)."""
    ends = False
    cursor.done += count
    cursor.place += count
    datum = (cursor.datum + count * source.quarters) & QUARTERS
    if cursor.place == source.row_w:
        cursor.place = 0
        if source.compressed == 0:
            datum = (cursor.row_begin + source.stride) & QUARTERS
        wrapped = wrap(source, datum, 4)
        if wrapped != datum:
            ends = True
            beat.passes |= 1 << DATUM
        datum = wrapped
        cursor.row_begin = datum
    if source.reads_exponents:
        exponent = (cursor.exponent + count) & SIXTEENTHS
        if exponent & 0xFF == 0:
            wrapped = wrap(source, exponent, 16)
            if wrapped != exponent:
                beat.passes |= 1 << EXPONENT
            exponent = wrapped
            ends = True
        cursor.exponent = exponent
    if source.compressed:
        delta = (cursor.delta + count) & HALVES
        if delta & 31 == 0:  # the group's nibbles are behind its datums (U20)
            datum = (datum + _LINE_QUARTERS) & QUARTERS
            delta = (delta + 16 * source.quarters) & HALVES
            wrapped = wrap(source, delta, 2)
            beat.passes |= 1 << GROUP | (wrapped != delta) << DELTA
            delta = wrapped
        cursor.delta = delta
    cursor.datum = datum
    return ends


@part
def most_lines(source: Record) -> int:
    """Lines of a beat that is as large as can be, for whom time does not matter.

    Of a bounded output nothing is read that is not needed.
    """
    return 1 if source.bounded or source.quarters == 1 else _MOST_LINES


@part
def next_beat(plan: Record, cursor: Record, most_lines: int, beat: Record) -> None:
    """The next datums, as many as lie in ``most_lines`` lines and one beat; at least one."""
    source = plan.source
    beat.run_count = beat.count = beat.line_count = beat.passes = 0
    at_begin = cursor.done == 0 and source.compressed != 0 and plan.target.transposes != 0
    beat.starts_unaligned = at_begin and cursor.datum & 63 != 0
    ends = False
    while not ends:
        line = cursor.datum >> 6
        begins_row = source.tilize != 0 and cursor.place == 0
        if beat.line_count == 0 or begins_row or line != beat.lines[beat.line_count - 1]:
            if beat.line_count == most_lines:
                break
            beat.lines[beat.line_count] = line
            beat.line_count += 1
        run = beat.runs[beat.run_count]
        beat.run_count += 1
        run.datum, run.exponent, run.delta = cursor.datum, cursor.exponent, cursor.delta
        run.count = _run_count(source, cursor)
        beat.count += run.count
        ends = _advance(source, cursor, run.count, beat) or cursor.done == source.count
    beat.ends = cursor.done == source.count


@part
def exponent_line(beat: Record) -> int:
    """The line with the exponents of a beat."""
    line: int = beat.runs[0].exponent >> 8
    return line


@part
def delta_line(beat: Record) -> int:
    """The line with the delta nibbles of a beat."""
    line: int = beat.runs[0].delta >> 5
    return line


@part
def _word(l1: Words, byte: int) -> int:
    return as_int(l1[byte >> 2])


@part
def datum_bits(source: Record, pointer: int, l1: Words) -> int:
    """The bits of the datum at a pointer, quarters; 0 beyond L1."""
    if pointer >> 2 >= 4 * l1.shape[0]:
        return 0
    return (_word(l1, pointer >> 2) >> (2 * (pointer & 15))) & ((1 << (2 * source.quarters)) - 1)  # type: ignore[no-any-return]


@part
def exponent(source: Record, pointer: int, l1: Words) -> int:
    """The exponent at a pointer, sixteenths, if any is read; 0 beyond L1."""
    if source.reads_exponents == 0:
        return source.forced_exponent  # type: ignore[no-any-return]
    byte = pointer >> 4
    if byte >= 4 * l1.shape[0]:
        return 0
    return (_word(l1, byte) >> (8 * (byte & 3))) & 0xFF


@part
def nibble(pointer: int, l1: Words) -> int:
    """The nibble at a pointer, halves; 0 beyond L1."""
    if pointer >> 1 >= 4 * l1.shape[0]:
        return 0
    return (_word(l1, pointer >> 1) >> (4 * (pointer & 7))) & 15


@part
def _read_run(plan: Record, run: Record, beat: Record, at: int, l1: Words) -> int:
    """The datums of a run, to place ``at`` on; returns ``ReadFlag`` bits (U66)."""
    source, target = plan.source, plan.target
    quarters, conversion = source.quarters, target.conversion
    end = 4 * l1.shape[0]
    faults = ReadFlag.EXPONENT if source.reads_exponents and run.exponent >> 4 >= end else 0
    ones = (1 << (2 * quarters)) - 1
    if run.datum >> 2 >= end:
        faults |= ReadFlag.DATUM
        ones = 0
    first = run.datum if ones else 0
    for k in range(run.count):
        pointer = first + k * quarters
        beat.values[at + k] = (as_int(l1[pointer >> 4]) >> (2 * (pointer & 15))) & ones
        beat.bad_exponents[at + k] = 0
    if conversion == Conversion.BFP or conversion == Conversion.BFPA:
        done = 0
        while done < run.count:
            pointer = run.exponent + done
            count = min(run.count - done, 16 - (pointer & 15))
            of_group = exponent(source, pointer, l1)
            bad = convert.convert_group(target, of_group, beat.values, at + done, count)
            for k in range(count):
                beat.bad_exponents[at + done + k] = (bad >> k) & 1
            done += count
    else:
        convert.convert_row(conversion, target.to_dst, target.wide, beat.values, at, run.count)
    return faults


@part
def read_nibbles(plan: Record, beat: Record, l1: Words) -> int:
    """How many zeros are behind each datum of a beat; likewise."""
    faults = at = 0
    if plan.source.compressed:
        for number in range(beat.run_count):
            run = beat.runs[number]
            for k in range(run.count):
                beat.nibbles[at + k] = nibble(run.delta + k, l1)
            faults |= 0 if run.delta >> 1 < 4 * l1.shape[0] else ReadFlag.DELTA
            at += run.count
    if plan.target.all_zero or plan.source.compressed == 0:
        for k in range(beat.count):
            beat.nibbles[k] = 0
    return faults


@part
def read_beat(plan: Record, beat: Record, l1: Words) -> int:
    """Read what ``next_beat`` has found; ``l1``: its 32-bit words. Returns ``ReadFlag`` bits."""
    faults = ReadFlag.START_ALIGN if beat.starts_unaligned else 0
    at = 0
    for number in range(beat.run_count):
        run = beat.runs[number]
        faults |= _read_run(plan, run, beat, at, l1)
        at += run.count
    if plan.target.all_zero:  # U23: what is read is at fault as always
        for k in range(beat.count):
            beat.values[k] = 0
    return faults | read_nibbles(plan, beat, l1)


@part
def rsi_entry(l1: Words, byte: int) -> int:
    """Entry of the RSI section at an even address; 0 beyond L1."""
    if not has_rsi(l1, byte):
        return 0
    return (_word(l1, byte) >> (8 * (byte & 2))) & 0xFFFF


@part
def has_rsi(l1: Words, byte: int) -> bool:
    """Whether the entry is in L1."""
    return bool(byte < 4 * l1.shape[0])


def new_l1(l1_bytes: int) -> Words:
    """L1 as the walk reads it."""
    words: npt.NDArray[Any] = np.zeros(l1_bytes // 4, dtype="<u4")
    return words
