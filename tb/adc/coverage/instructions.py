# SPDX-License-Identifier: Apache-2.0
"""Coverage of the instruction words, one by one, and of their faults.

Source: unpack-adc section 7, line ADC; A2 to A8; docs/adc.md sections 2 and 3.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from tilepath.isa import layout_of
from tilepath.tb.adc.coverage.commands import Instructions
from tilepath.tb.adc.coverage.layout import (
    COUNTERS,
    MASKED,
    OPCODES,
    OPS,
    PACKED,
    SETADC,
    SETADCXX,
    THREADS,
    Column,
    Tally,
    add,
    hit,
    value_class,
    width,
)
from tilepath.tb.kernel.coverage.bins import Exclude, PointGroup
from tilepath.tb.kernel.description.stream import Records

GROUP = PointGroup()
_NO_MASK: Final = tuple(op for op in range(len(OPS)) if op not in MASKED)
_PLACES: Final = ("first0", "second0", "first1", "second1")  # X or Z, Y or W, by channel
_PACKED_NAMES: Final = tuple(OPS[op] for op in PACKED)
_MASKED_NAMES: Final = tuple(OPS[op] for op in MASKED)

WHOLE = add(
    GROUP,
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
MASK = add(GROUP, "instruction.op_x_mask", _MASKED_NAMES, tuple(f"{m:04b}" for m in range(16)))
# Values that count: those of a SETADC.. or ADDRCR.. with the mask bit set, all of an INCADC..
VALUE = add(
    GROUP, "instruction.op_x_field_x_value", _PACKED_NAMES, _PLACES, tuple(map(str, range(8)))
)
MASKED_OFF = add(GROUP, "instruction.value_without_mask_bit", _MASKED_NAMES, _PLACES)
_IGNORED: Final = tuple(
    (op, bit)
    for op in range(len(OPS))
    for bit in range(24)
    if layout_of(OPS[op]).ignored >> bit & 1
)
IGNORED = add(GROUP, "instruction.ignored_bit_set", tuple(f"{OPS[op]}.{b}" for op, b in _IGNORED))

# Truncated: bits [15:0] do not fit. The two bits above are the override, whatever the width.
SETADC_VALUE = add(
    GROUP,
    "setadc.counter_x_value",
    COUNTERS,
    ("0", "1", "max", "other", "truncated"),
    exclude=tuple(Exclude((x, "truncated"), "X takes all 18 bits (A2)") for x in ("x0", "x1")),
)
SETADC_OVERRIDE = add(GROUP, "setadc.counter_x_override", COUNTERS, tuple(map(str, range(4))))
SETADCXX_VALUE = add(GROUP, "setadcxx.channel_x_value", ("0", "1"), ("0", "1", "max", "other"))

_ALONE = "a word is illegal because it is none of the instructions that warn"
FLAGS = add(
    GROUP,
    "fault.thread_x_flags",
    THREADS,
    ("illegal", "x_override", "x_override+illegal", "empty", "empty+illegal",
     "empty+x_override", "all"),
    exclude=tuple(
        Exclude((None, both), _ALONE) for both in ("x_override+illegal", "empty+illegal", "all")
    ),
)  # fmt: skip
EMPTY = add(
    GROUP,
    "fault.empty_op_x_why",
    OPS,
    ("target", "mask", "both"),
    exclude=tuple(
        Exclude((OPS[op], why), "has no mask") for op in _NO_MASK for why in ("mask", "both")
    ),
)
X_OVERRIDE = add(
    GROUP, "fault.x_override_thread_x_override_x_channel", THREADS, ("1", "2", "3"), ("0", "1")
)
_ILLEGAL: Final = tuple(opcode for opcode in range(256) if opcode not in OPCODES)
ILLEGAL = add(GROUP, "fault.illegal_opcode", tuple(f"{opcode:02X}" for opcode in _ILLEGAL))
_ILLEGAL_PLACE: Final = np.searchsorted(_ILLEGAL, np.arange(256))


def count(issued: Instructions, faults: Mapping[str, Records], zw_width: int, tally: Tally) -> None:
    """Count the words of a block; ``faults``: the recorded fault stream of each thread."""
    good = issued.where(issued.op >= 0)
    hit(tally, WHOLE, good.op, good.target, good.override, good.thread)
    _count_fields(good, tally)
    for place, (op, bit) in enumerate(_IGNORED):
        hit(tally, IGNORED, place, where=(good.op == op) & (good.word >> bit & 1 == 1))
    _count_values(good, zw_width, tally)
    for thread, name in enumerate(THREADS):
        _count_faults(issued.where(issued.thread == thread), faults[name], thread, tally)


def _count_fields(good: Instructions, tally: Tally) -> None:
    fields, bits = good.values, good.mask_bits
    for place, op in enumerate(MASKED):
        hit(tally, MASK, place, good.word & 15, where=good.op == op)
        for k in range(4):
            off = (good.op == op) & (bits[:, k] == 0) & (fields[:, k] != 0)
            hit(tally, MASKED_OFF, place, k, where=off)
    for place, op in enumerate(PACKED):
        for k in range(4):
            counts = good.op == op
            if op in MASKED:
                counts = counts & (bits[:, k] == 1)
            hit(tally, VALUE, place, k, fields[:, k], where=counts)


def _count_values(good: Instructions, zw_width: int, tally: Tally) -> None:
    one = good.where(good.op == SETADC)
    hit(tally, SETADC_OVERRIDE, one.counter, one.override)
    widths = np.array([width(d, zw_width) for d in range(4)])[one.counter & 3]
    top = (1 << widths) - 1
    value = one.word & 0x3FFFF
    # the value is meant: what is left of it, override included, must not count as 0, 1 or max
    kind = value_class(value, top)
    kind = np.where((widths < 18) & (value & 0xFFFF > top), 4, kind)
    hit(tally, SETADC_VALUE, one.counter, kind)
    double = good.where(good.op == SETADCXX)
    for channel in (0, 1):
        value = double.word >> 10 * channel & 1023
        hit(tally, SETADCXX_VALUE, channel, value_class(value, 1023))


def _at(issued: Instructions, cycles: Column) -> Instructions:
    """The words of one thread in ``cycles``; only where there is a word."""
    return issued.where(np.isin(issued.cycle, cycles))


def _count_faults(issued: Instructions, faults: Records, thread: int, tally: Tally) -> None:
    flags = faults["illegal"] | faults["x_override"] << 1 | faults["empty"] << 2
    hit(tally, FLAGS, thread, flags.astype(np.int64) - 1, where=flags != 0)
    bad = _at(issued, faults["cycle"][faults["illegal"] == 1])
    bad = bad.where(bad.op < 0)
    hit(tally, ILLEGAL, _ILLEGAL_PLACE[bad.word >> 24])
    over = _at(issued, faults["cycle"][faults["x_override"] == 1])
    over = over.where((over.op == SETADC) & (over.counter & 3 == 0) & (over.override > 0))
    hit(tally, X_OVERRIDE, over.thread, over.override - 1, over.counter >> 2)
    none = _at(issued, faults["cycle"][faults["empty"] == 1])
    no_target = none.target == 0
    no_mask = np.isin(none.op, MASKED) & (none.word & 15 == 0)
    why = no_target + 2 * no_mask - 1
    hit(tally, EMPTY, none.op, why, where=(none.op >= 0) & (why >= 0))
