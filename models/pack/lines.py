# SPDX-License-Identifier: Apache-2.0
"""From elements to lines of 16 bytes: units and groups, partial lines, row starts (P29, P39)."""

from __future__ import annotations

from typing import Final

from tilepath.engine.compiled.jit import compiled, part
from tilepath.engine.compiled.records import Record
from tilepath.models import format_codes as C
from tilepath.models.pack.bfp import GROUP, Elements, bfp_datum, exponent_of, shared_exponent
from tilepath.models.pack.faults import RunFlag
from tilepath.models.pack.fields import wide
from tilepath.models.pack.state import KINDS, LINE_BITS, LINE_WORDS, LOW17, Kind

_ENTRIES: Final = 33  # row starts of a tile that has flags for all its rows (P41)


@part
def _next_line(packer: Record, number: int, kind: int, accumulate: int, walk: Record) -> Record:
    """The next line of a stream, still all 0."""
    stream = packer.streams[kind]
    line: Record = walk.lines[walk.line_count]
    walk.line_count += 1
    line.packer = number
    line.kind = kind
    line.line = stream.line
    line.accumulate = accumulate
    for k in range(LINE_WORDS):
        line.words[k] = 0
    line.faults = 0
    if kind != Kind.DATA:
        if (stream.line - stream.start) & LOW17 >= stream.section:
            overlap = kind == Kind.EXPONENT
            line.faults |= RunFlag.EXP_OVERLAP if overlap else RunFlag.RSI_OVERFLOW
        if kind == Kind.RSI and packer.section_entries > _ENTRIES:
            line.faults |= RunFlag.ROWS
        walk.run_faults |= line.faults
    stream.line = (stream.line + 1) & LOW17
    return line


@part
def write_partial(mode: Record, packer: Record, number: int, kind: int, walk: Record) -> None:
    """A line that is full, or is padded at the end of a tile, out of its stream's buffer."""
    stream = packer.streams[kind]
    accumulate = mode.accumulate if kind == Kind.DATA else 0
    line = _next_line(packer, number, kind, accumulate, walk)
    for k in range(LINE_WORDS):
        line.words[k] = stream.words[k]
        stream.words[k] = 0
    stream.filled = 0


@part
def append(
    mode: Record, packer: Record, number: int, kind: int, bits: int, value: int, walk: Record
) -> None:
    """``value`` of ``bits`` bits, at most 32, behind what a stream's buffer holds."""
    stream = packer.streams[kind]
    stream.words[stream.filled >> 5] |= value << (stream.filled & 31)
    stream.filled += bits
    if stream.filled == LINE_BITS:
        write_partial(mode, packer, number, kind, walk)


@part
def _word(elements: Elements, first: int, bits: int) -> int:
    """As many elements as a word has room for."""
    word, ones = 0, (1 << bits) - 1
    for n in range(32 // bits):
        word |= (wide(elements[first + n]) & ones) << (n * bits)
    return word


@part
def _fill(line: Record, elements: Elements, bits: int) -> None:
    """The elements of a line."""
    for k in range(LINE_WORDS):
        line.words[k] = _word(elements, k * (32 // bits), bits)


@compiled
def put_unit(mode: Record, packer: Record, number: int, elements: Elements, walk: Record) -> None:
    """The first elements become a line or a group."""
    if mode.bfp:
        _put_group(mode, packer, number, elements, walk)
        return
    line = _next_line(packer, number, Kind.DATA, mode.accumulate, walk)
    if mode.bits == 16:
        _fill(line, elements, 16)
    elif mode.bits == 32:
        _fill(line, elements, 32)
    else:
        _fill(line, elements, mode.bits)


@compiled
def pop_unit(mode: Record, packer: Record, number: int, walk: Record) -> None:
    """The first elements become a line or a group; missing ones are 0."""
    unit = mode.unit
    elements = packer.elements
    for k in range(packer.element_count, unit):
        elements[k] = 0
    put_unit(mode, packer, number, elements, walk)
    left: int = max(packer.element_count - unit, 0)
    packer.element_count = left
    for k in range(left):
        elements[k] = elements[unit + k]


@part
def _put_group(mode: Record, packer: Record, number: int, elements: Elements, walk: Record) -> None:
    """16 elements with one exponent (P29 to P31)."""
    is_a, bits = mode.to in C.BFPA, mode.bits
    shared = shared_exponent(is_a, elements, mode.unit)
    if walk.accounts:
        group = walk.groups[walk.group_count]
        walk.group_count += 1
        group.count = min(packer.element_count or GROUP, GROUP)  # 0: none was kept before
        group.shared = shared
        group.not_zero = 0
        for k in range(GROUP):
            element = elements[k]
            group.element[k] = element
            group.not_zero += (element & 0x7FFF) != 0
    # ``unit`` is 16; LLVM makes vectors of loops whose length it does not know, and unrolls others
    for k in range(mode.unit):
        element = wide(elements[k])
        own = exponent_of(is_a, element) if mode.own_exponents else shared
        elements[k] = bfp_datum(is_a, bits, element, own)
    for at in range(0, GROUP, 32 // bits):
        append(mode, packer, number, Kind.DATA, 32, _word(elements, at, bits), walk)
    append(mode, packer, number, Kind.EXPONENT, 8, shared, walk)


@part
def push(mode: Record, packer: Record, number: int, element: int, walk: Record) -> None:
    """An element more; a complete unit leaves."""
    packer.elements[packer.element_count] = element
    packer.element_count += 1
    if packer.element_count >= mode.unit:
        pop_unit(mode, packer, number, walk)


@part
def push_counters(packer: Record, number: int, walk: Record) -> None:
    """The counters of a block of compressed datums: a line of data of their own (P44)."""
    line = _next_line(packer, number, Kind.DATA, 0, walk)
    for k in range(packer.block_count):
        line.words[k >> 3] |= wide(packer.counters[k]) << (4 * (k & 7))


@part
def close(mode: Record, packer: Record, number: int, walk: Record) -> None:
    """Let everything go out at the end of a tile, padded with 0: data, exponents, row starts."""
    if packer.element_count > 0:
        pop_unit(mode, packer, number, walk)
    for kind in range(KINDS):
        stream = packer.streams[kind]
        if stream.filled > 0:
            write_partial(mode, packer, number, kind, walk)
        stream.needs_new = 1
    packer.emitted = packer.entries = 0


@part
def change_format(mode: Record, packer: Record, number: int, walk: Record) -> None:
    """What is left of a tile when TO or compression changes (P30)."""
    data = packer.streams[Kind.DATA]
    for k in range(LINE_WORDS):
        data.words[k] = 0
    data.filled = 0
    packer.row_count = packer.emitted = packer.entries = packer.block_count = 0
    while packer.element_count >= mode.unit:
        pop_unit(mode, packer, number, walk)
