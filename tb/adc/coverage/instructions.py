# SPDX-License-Identifier: Apache-2.0
"""Coverage of the instruction words, one by one, and of their faults.

Source: unpack-adc section 7, line ADC; A2 to A8; docs/adc.md sections 2 and 3.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tilepath.isa import layout_of
from tilepath.models.jit import kernel
from tilepath.tb.adc.coverage.layout import (
    COUNTERS,
    I64,
    MASKED,
    OP_OF,
    OPCODES,
    OPS,
    PACKED,
    SETADC,
    SETADCXX,
    THREADS,
    counter_of,
    i64,
    override_of,
    target_of,
    value_class,
)
from tilepath.tb.kernel.coverage.bins import Exclude, PointGroup

GROUP = PointGroup()
_NO_MASK: Final = tuple(op for op in range(len(OPS)) if op not in MASKED)
_PLACES: Final = ("first0", "second0", "first1", "second1")  # X or Z, Y or W, by channel
_PACKED_NAMES: Final = tuple(OPS[op] for op in PACKED)
_MASKED_NAMES: Final = tuple(OPS[op] for op in MASKED)

WHOLE = GROUP.add(
    "instruction.op_x_target_x_override_x_thread",
    OPS,
    tuple(map(str, range(8))),
    tuple(map(str, range(4))),
    THREADS,
    exclude=tuple(
        Exclude(("setadcxx", None, str(k), None), "SETADCXX has no ThreadOverride (A3)")
        for k in (1, 2, 3)
    ),
)
MASK = GROUP.add("instruction.op_x_mask", _MASKED_NAMES, tuple(f"{m:04b}" for m in range(16)))
# Values that count: those of a SETADC.. or ADDRCR.. with the mask bit set, all of an INCADC..
VALUE = GROUP.add(
    "instruction.op_x_field_x_value", _PACKED_NAMES, _PLACES, tuple(map(str, range(8)))
)
MASKED_OFF = GROUP.add("instruction.value_without_mask_bit", _MASKED_NAMES, _PLACES)
_IGNORED: Final = tuple(
    (op, bit)
    for op in range(len(OPS))
    for bit in range(24)
    if layout_of(OPS[op]).ignored >> bit & 1
)
IGNORED = GROUP.add("instruction.ignored_bit_set", tuple(f"{OPS[op]}.{b}" for op, b in _IGNORED))
_IGNORED_BITS: Final = np.array([layout_of(op).ignored & 0xFF_FFFF for op in OPS])
_IGNORED_PLACE: Final = np.array(
    [[_IGNORED.index((op, b)) if (op, b) in _IGNORED else -1 for b in range(24)]
     for op in range(len(OPS))]
)  # fmt: skip

# Truncated: bits [15:0] do not fit. The two bits above are the override, whatever the width.
SETADC_VALUE = GROUP.add(
    "setadc.counter_x_value",
    COUNTERS,
    ("0", "1", "max", "other", "truncated"),
    exclude=tuple(Exclude((x, "truncated"), "X takes all 18 bits (A2)") for x in ("x0", "x1")),
)
SETADC_OVERRIDE = GROUP.add("setadc.counter_x_override", COUNTERS, tuple(map(str, range(4))))
SETADCXX_VALUE = GROUP.add("setadcxx.channel_x_value", ("0", "1"), ("0", "1", "max", "other"))

_ALONE = "a word is illegal because it is none of the instructions that warn"
FLAGS = GROUP.add(
    "fault.thread_x_flags",
    THREADS,
    ("illegal", "x_override", "x_override+illegal", "empty", "empty+illegal",
     "empty+x_override", "all"),
    exclude=tuple(
        Exclude((None, both), _ALONE) for both in ("x_override+illegal", "empty+illegal", "all")
    ),
)  # fmt: skip
EMPTY = GROUP.add(
    "fault.empty_op_x_why",
    OPS,
    ("target", "mask", "both"),
    exclude=tuple(
        Exclude((OPS[op], why), "has no mask") for op in _NO_MASK for why in ("mask", "both")
    ),
)
X_OVERRIDE = GROUP.add(
    "fault.x_override_thread_x_override_x_channel", THREADS, ("1", "2", "3"), ("0", "1")
)
_ILLEGAL: Final = tuple(opcode for opcode in range(256) if opcode not in OPCODES)
ILLEGAL = GROUP.add("fault.illegal_opcode", tuple(f"{opcode:02X}" for opcode in _ILLEGAL))
_MASKED_PLACE: Final = np.array(
    [MASKED.index(op) if op in MASKED else -1 for op in range(len(OPS))]
)
_PACKED_PLACE: Final = np.array(
    [PACKED.index(op) if op in PACKED else -1 for op in range(len(OPS))]
)
_ILLEGAL_PLACE: Final = np.searchsorted(_ILLEGAL, np.arange(256))


@kernel
def count(issue: Any, fault: Any, thread: int, tops: I64, counts: I64) -> None:
    """Count a thread's words of a block, and the faults recorded for them."""
    at = 0
    for i in range(len(issue)):
        word = i64(issue[i].word)
        op = i64(OP_OF[word >> 24])
        if op >= 0:
            place = ((op * 8 + target_of(word)) * 4 + override_of(op, word)) * 3 + thread
            counts[WHOLE + place] += 1
            _count_fields(op, word, counts)
            _count_values(op, word, tops, counts)
        while at < len(fault) and fault[at].cycle < issue[i].cycle:
            at += 1
        if at < len(fault) and fault[at].cycle == issue[i].cycle:
            _count_faults(fault[at], op, word, thread, counts)
    for i in range(len(fault)):
        flags = i64(fault[i].illegal) | i64(fault[i].x_override) << 1 | i64(fault[i].empty) << 2
        if flags:
            counts[FLAGS + thread * 7 + flags - 1] += 1


@kernel
def _count_fields(op: int, word: int, counts: I64) -> None:
    """The 3-bit values with their mask, and the bits that are ignored."""
    packed, masked = i64(_PACKED_PLACE[op]), i64(_MASKED_PLACE[op])
    if masked >= 0:
        counts[MASK + masked * 16 + (word & 15)] += 1
    if packed >= 0:
        for k in range(4):
            value = word >> (6 + 3 * k) & 7
            if masked < 0 or word >> k & 1:
                counts[VALUE + (packed * 4 + k) * 8 + value] += 1
            elif value:
                counts[MASKED_OFF + masked * 4 + k] += 1
    if word & i64(_IGNORED_BITS[op]):
        for bit in range(24):
            place = i64(_IGNORED_PLACE[op, bit])
            if place >= 0 and word >> bit & 1:
                counts[IGNORED + place] += 1


@kernel
def _count_values(op: int, word: int, tops: I64, counts: I64) -> None:
    """The wide values of SETADC and SETADCXX."""
    if op == SETADC:
        counter = counter_of(word)
        counts[SETADC_OVERRIDE + counter * 4 + override_of(op, word)] += 1
        top, value = tops[counter & 3], word & 0x3FFFF
        # the value is meant: what is left of it, override included, must not count as 0, 1 or max
        kind = value_class(value, top)
        if counter & 3 and value & 0xFFFF > top:
            kind = 4
        counts[SETADC_VALUE + counter * 5 + kind] += 1
    elif op == SETADCXX:
        for channel in range(2):
            value = word >> 10 * channel & 1023
            counts[SETADCXX_VALUE + channel * 4 + value_class(value, 1023)] += 1


@kernel
def _count_faults(fault: Any, op: int, word: int, thread: int, counts: I64) -> None:
    """A word for which faults are recorded; each counts where the word is of a kind to raise it."""
    if op < 0:
        if fault.illegal:
            counts[ILLEGAL + i64(_ILLEGAL_PLACE[word >> 24])] += 1
        return
    if fault.x_override and op == SETADC and counter_of(word) & 3 == 0:
        override = override_of(op, word)
        if override:
            channel = counter_of(word) >> 2
            counts[X_OVERRIDE + (thread * 3 + override - 1) * 2 + channel] += 1
    if fault.empty:
        why = 1 if target_of(word) == 0 else 0
        if _MASKED_PLACE[op] >= 0 and word & 15 == 0:
            why += 2
        if why:
            counts[EMPTY + op * 3 + why - 1] += 1
