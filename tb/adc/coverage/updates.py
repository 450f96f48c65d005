# SPDX-License-Identifier: Apache-2.0
"""Coverage of the update ports and of REG2FLOP, one command at a time.

Source: unpack-adc section 7, cross 3 as far as the port goes (A10, A11); pack P18 and section 7,
C14; docs/adc.md section 2.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from tilepath.tb.adc.coverage.commands import pack_field
from tilepath.tb.adc.coverage.layout import (
    COUNTERS,
    NO_YES,
    SETS,
    TARGETS,
    YZ_NAMES,
    Tally,
    add,
    hit,
    value_class,
    width,
)
from tilepath.tb.kernel.coverage.bins import Exclude, PointGroup
from tilepath.tb.kernel.description.stream import Records

GROUP = PointGroup()
_INCREMENTS: Final = ("0", "1", "2", "3")
_UNPACKERS: Final = TARGETS[:2]
_CHANNELS: Final = ("src", "dst")
_SOME: Final = ("incr0", "incr")

# thread against adc: the same set once, or two sets (A11)
INCREMENTS = add(
    GROUP, "unpack.thread_x_adc_x_unpacker_x_field_x_increment",
    SETS, SETS, _UNPACKERS, YZ_NAMES, _INCREMENTS,
)  # fmt: skip
NOTHING = add(GROUP, "unpack.no_increment_thread_x_adc", SETS, SETS)
UNPACK_FAULT = add(
    GROUP, "unpack.fault_x_unpacker_x_increments",
    ("thread", "adc", "both"), _UNPACKERS, ("zero", "some"),
)  # fmt: skip

PACK_SETS = add(GROUP, "pack.sets", tuple(f"{s:03b}" for s in range(8)))
_FIELDS: Final = (
    "YsrcIncr", "YsrcCR", "YsrcClear", "YdstIncr", "YdstCR", "YdstClear", "ZsrcIncr", "ZsrcClear",
    "ZdstIncr", "ZdstClear",
)  # fmt: skip
ALONE = add(GROUP, "pack.only_field", (*_FIELDS, "none"))
Y_INCREMENT = add(GROUP, "pack.channel_x_y_increment", _CHANNELS, tuple(map(str, range(16))))
Y_PRIORITY = add(
    GROUP, "pack.set_x_channel_x_y_clear_x_cr_x_incr",
    SETS, _CHANNELS, ("clear0", "clear1"), ("cr0", "cr1"), _SOME,
)  # fmt: skip
Z_PRIORITY = add(
    GROUP, "pack.set_x_channel_x_z_clear_x_incr", SETS, _CHANNELS, ("clear0", "clear1"), _SOME
)

FLOP_PLACE = add(GROUP, "flop.set_x_target_x_counter_x_checkpoint", SETS, TARGETS, COUNTERS, NO_YES)
FLOP_VALUE = add(
    GROUP,
    "flop.counter_x_checkpoint_x_value",
    COUNTERS,
    NO_YES,
    ("0", "1", "max", "other", "truncated"),
    exclude=tuple(
        Exclude((x, None, "truncated"), "the value has 18 bits, and so has X") for x in ("x0", "x1")
    ),
)
FLOP_FAULT = add(
    GROUP, "flop.fault_x_checkpoint", ("thread", "select", "both"), ("live", "checkpoint")
)
UNIT_FAULT = add(
    GROUP,
    "unit_fault.flags",
    ("unpack_thread", "flop_thread", "unpack_thread+flop_thread", "flop_select",
     "unpack_thread+flop_select", "flop_thread+flop_select", "all"),
)  # fmt: skip


def count(
    unpack: Records, pack: Records, flop: Records, fault: Records, zw_width: int, tally: Tally
) -> None:
    """Count the commands of a block; ``fault``: the recorded ``unit_fault``."""
    flags = fault["unpack_thread"] | fault["flop_thread"] << 1 | fault["flop_select"] << 2
    hit(tally, UNIT_FAULT, flags.astype(np.int64) - 1, where=flags != 0)
    _count_unpack(unpack, fault["cycle"][fault["unpack_thread"] == 1], tally)
    _count_pack(pack, tally)
    flop_fault = (fault["flop_thread"] | fault["flop_select"]) == 1
    _count_flop(flop, fault["cycle"][flop_fault], zw_width, tally)


def _count_unpack(records: Records, faulty: Records, tally: Tally) -> None:
    valid = (records["thread"] < 3) & (records["adc"] < 3)
    some = records["y0"] | records["z0"] | records["y1"] | records["z1"]
    for k, name in enumerate(YZ_NAMES):
        hit(
            tally, INCREMENTS, records["thread"], records["adc"], records["unpacker"],
            k, records[name], where=valid,
        )  # fmt: skip
    hit(tally, NOTHING, records["thread"], records["adc"], where=valid & (some == 0))
    why = (records["thread"] == 3) + 2 * (records["adc"] == 3) - 1
    hit(
        tally, UNPACK_FAULT, why, records["unpacker"], np.minimum(some, 1),
        where=~valid & np.isin(records["cycle"], faulty),
    )  # fmt: skip


def _count_pack(records: Records, tally: Tally) -> None:
    hit(tally, PACK_SETS, records["sets"])
    fields = {name: pack_field(records["addr_mod"], name) for name in _FIELDS}
    given = np.stack([fields[name] != 0 for name in _FIELDS], axis=1)
    number = given.sum(axis=1)
    first = np.where(number == 0, len(_FIELDS), given.argmax(axis=1))
    applies = records["sets"] != 0
    hit(tally, ALONE, first, where=applies & (number <= 1))
    for channel, name in enumerate(_CHANNELS):
        incr = fields[f"Y{name}Incr"]
        clear, cr = fields[f"Y{name}Clear"], fields[f"Y{name}CR"]
        # the value counts where it is added
        hit(tally, Y_INCREMENT, channel, incr, where=applies & (clear == 0))
        for s in range(len(SETS)):
            there = records["sets"] >> s & 1 == 1
            some = np.minimum(incr, 1)
            hit(tally, Y_PRIORITY, s, channel, clear, cr, some, where=there)
            z_clear, z_incr = fields[f"Z{name}Clear"], fields[f"Z{name}Incr"]
            hit(tally, Z_PRIORITY, s, channel, z_clear, z_incr, where=there)


def _count_flop(records: Records, faulty: Records, zw_width: int, tally: Tally) -> None:
    wrong = (records["thread"] == 3) + 2 * (records["select"] == 3)
    good = wrong == 0
    counter = records["channel"].astype(np.int64) * 4 + records["counter"]
    checkpoint = records["checkpoint"]
    hit(tally, FLOP_PLACE, records["thread"], records["select"], counter, checkpoint, where=good)
    widths = np.array([width(d, zw_width) for d in range(4)])[records["counter"]]
    top = (1 << widths) - 1
    kind = np.where(records["value"] > top, 4, value_class(records["value"], top))
    hit(tally, FLOP_VALUE, counter, checkpoint, kind, where=good)
    hit(
        tally, FLOP_FAULT, wrong - 1, checkpoint,
        where=~good & np.isin(records["cycle"], faulty),
    )  # fmt: skip
