# SPDX-License-Identifier: Apache-2.0
"""Coverage of the update ports and of REG2FLOP, one command at a time.

Source: unpack-adc section 7, cross 3 as far as the port goes (A10, A11); pack P18 and section 7,
C14; docs/adc.md section 2.
"""

from __future__ import annotations

from typing import Any, Final

from tilepath.models.jit import kernel
from tilepath.tb.adc.coverage.commands import PACK_FIELDS, pack_field
from tilepath.tb.adc.coverage.layout import (
    COUNTERS,
    I64,
    NO_YES,
    SETS,
    TARGETS,
    YZ_NAMES,
    i64,
    value_class,
)
from tilepath.tb.kernel.coverage.bins import Exclude, PointGroup

GROUP = PointGroup()
_INCREMENTS: Final = ("0", "1", "2", "3")
_UNPACKERS: Final = TARGETS[:2]
_CHANNELS: Final = ("src", "dst")
_SOME: Final = ("incr0", "incr")

# thread against adc: the same set once, or two sets (A11)
INCREMENTS = GROUP.add(
    "unpack.thread_x_adc_x_unpacker_x_field_x_increment",
    SETS, SETS, _UNPACKERS, YZ_NAMES, _INCREMENTS,
)  # fmt: skip
NOTHING = GROUP.add("unpack.no_increment_thread_x_adc", SETS, SETS)
UNPACK_FAULT = GROUP.add(
    "unpack.fault_x_unpacker_x_increments",
    ("thread", "adc", "both"), _UNPACKERS, ("zero", "some"),
)  # fmt: skip

PACK_SETS = GROUP.add("pack.sets", tuple(f"{s:03b}" for s in range(8)))
ALONE = GROUP.add("pack.only_field", (*PACK_FIELDS, "none"))
Y_INCREMENT = GROUP.add("pack.channel_x_y_increment", _CHANNELS, tuple(map(str, range(16))))
Y_PRIORITY = GROUP.add(
    "pack.set_x_channel_x_y_clear_x_cr_x_incr",
    SETS, _CHANNELS, ("clear0", "clear1"), ("cr0", "cr1"), _SOME,
)  # fmt: skip
Z_PRIORITY = GROUP.add(
    "pack.set_x_channel_x_z_clear_x_incr", SETS, _CHANNELS, ("clear0", "clear1"), _SOME
)

FLOP_PLACE = GROUP.add("flop.set_x_target_x_counter_x_checkpoint", SETS, TARGETS, COUNTERS, NO_YES)
FLOP_VALUE = GROUP.add(
    "flop.counter_x_checkpoint_x_value",
    COUNTERS,
    NO_YES,
    ("0", "1", "max", "other", "truncated"),
    exclude=tuple(
        Exclude((x, None, "truncated"), "the value has 18 bits, and so has X") for x in ("x0", "x1")
    ),
)
FLOP_FAULT = GROUP.add(
    "flop.fault_x_checkpoint", ("thread", "select", "both"), ("live", "checkpoint")
)
UNIT_FAULT = GROUP.add(
    "unit_fault.flags",
    ("unpack_thread", "flop_thread", "unpack_thread+flop_thread", "flop_select",
     "unpack_thread+flop_select", "flop_thread+flop_select", "all"),
)  # fmt: skip


@kernel
def count_faults(faults: Any, counts: I64) -> None:
    """Count the records of ``unit_fault``."""
    for i in range(len(faults)):
        fault = faults[i]
        flags = i64(fault.unpack_thread) | i64(fault.flop_thread) << 1 | i64(fault.flop_select) << 2
        if flags:
            counts[UNIT_FAULT + flags - 1] += 1


@kernel
def _at(faults: Any, at: int, cycle: int) -> int:
    """The first record from ``at`` on that is not before ``cycle``."""
    while at < len(faults) and faults[at].cycle < cycle:
        at += 1
    return at


@kernel
def count_unpack(unpack: Any, faults: Any, counts: I64) -> None:
    """Count the unpackers' updates of a block; ``faults``: the recorded ``unit_fault``."""
    at = 0
    for i in range(len(unpack)):
        update = unpack[i]
        thread, adc, unpacker = i64(update.thread), i64(update.adc), i64(update.unpacker)
        increments = (i64(update.y0), i64(update.z0), i64(update.y1), i64(update.z1))
        some = increments[0] | increments[1] | increments[2] | increments[3]
        if thread < 3 and adc < 3:
            pair = thread * 3 + adc
            for k in range(4):
                counts[INCREMENTS + ((pair * 2 + unpacker) * 4 + k) * 4 + increments[k]] += 1
            if some == 0:
                counts[NOTHING + pair] += 1
            continue
        at = _at(faults, at, i64(update.cycle))
        if at < len(faults) and faults[at].cycle == update.cycle and faults[at].unpack_thread:
            why = (1 if thread == 3 else 0) + (2 if adc == 3 else 0) - 1
            counts[UNPACK_FAULT + (why * 2 + unpacker) * 2 + min(some, 1)] += 1


@kernel
def count_pack(pack: Any, counts: I64) -> None:
    """Count the packers' updates of a block."""
    for i in range(len(pack)):
        sets, addr_mod = i64(pack[i].sets), i64(pack[i].addr_mod)
        counts[PACK_SETS + sets] += 1
        if sets == 0:
            continue
        given = only = 0
        for k in range(len(PACK_FIELDS)):
            if pack_field(addr_mod, k):
                given, only = given + 1, k
        if given <= 1:
            counts[ALONE + (only if given else len(PACK_FIELDS))] += 1
        for channel in range(2):
            _count_channel(channel, sets, addr_mod, counts)


@kernel
def _count_channel(channel: int, sets: int, addr_mod: int, counts: I64) -> None:
    y, z = 3 * channel, 6 + 2 * channel  # places of the fields
    incr, cr, clear = (
        pack_field(addr_mod, y),
        pack_field(addr_mod, y + 1),
        pack_field(addr_mod, y + 2),
    )
    z_incr, z_clear = pack_field(addr_mod, z), pack_field(addr_mod, z + 1)
    if clear == 0:  # the value counts where it is added
        counts[Y_INCREMENT + channel * 16 + incr] += 1
    for s in range(3):
        if sets >> s & 1:
            there = s * 2 + channel
            counts[Y_PRIORITY + ((there * 2 + clear) * 2 + cr) * 2 + min(incr, 1)] += 1
            counts[Z_PRIORITY + (there * 2 + z_clear) * 2 + z_incr] += 1


@kernel
def count_flop(flop: Any, faults: Any, tops: I64, counts: I64) -> None:
    """Count the REG2FLOPs of a block; ``faults``: the recorded ``unit_fault``."""
    at = 0
    for i in range(len(flop)):
        write = flop[i]
        thread, select, checkpoint = i64(write.thread), i64(write.select), i64(write.checkpoint)
        wrong = (1 if thread == 3 else 0) + (2 if select == 3 else 0)
        if wrong == 0:
            number = i64(write.channel) * 4 + i64(write.counter)
            counter = (thread * 3 + select) * 8 + number
            counts[FLOP_PLACE + counter * 2 + checkpoint] += 1
            top, value = tops[i64(write.counter)], i64(write.value)
            kind = 4 if value > top else value_class(value, top)
            counts[FLOP_VALUE + (number * 2 + checkpoint) * 5 + kind] += 1
            continue
        at = _at(faults, at, i64(write.cycle))
        if at == len(faults) or faults[at].cycle > write.cycle:
            continue
        if faults[at].flop_thread or faults[at].flop_select:
            counts[FLOP_FAULT + (wrong - 1) * 2 + checkpoint] += 1
