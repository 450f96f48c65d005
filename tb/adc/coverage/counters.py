# SPDX-License-Identifier: Apache-2.0
"""Coverage of the counters: their values, sums that wrap, and what follows what at a counter.

Source: unpack-adc section 7, line ADC and cross 10; A1, A4 to A6, A15, A16, P18. Where a counter is
in conflict, what its value was before a command is not recorded: values and sums count without.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from tilepath.tb.adc.coverage.commands import CLEAR, INCREMENT, RELOAD, Commands
from tilepath.tb.adc.coverage.layout import (
    COUNTERS,
    DIMENSIONS,
    FLOP,
    KINDS,
    PACK,
    SETADC,
    SETADCXX,
    SETS,
    TARGETS,
    THREADS,
    UNPACK,
    YZ,
    YZ_NAMES,
    Tally,
    add,
    hit,
    share_a_counter,
    value_class,
    width,
)
from tilepath.tb.adc.coverage.levels import Levels
from tilepath.tb.adc.coverage.touches import CYCLE, FOREIGN, KIND, THREAD, Touches
from tilepath.tb.kernel.coverage.bins import Exclude, PointGroup

GROUP = PointGroup()
PLACES: Final = tuple(f"{s}.{k}" for s in SETS for k in TARGETS)

VALUE = add(
    GROUP, "counter.place_x_counter_x_part_x_new_value",
    PLACES, COUNTERS, ("live", "checkpoint"), ("0", "1", "max"),
)  # fmt: skip

# Sums. Sources: INCADC.., ADDRCR.., the unpacker update, the packer update without and with CR
_SOURCES: Final = ("incadc", "addrcr", "unpack", "pack", "pack_cr")
_UPDATES_YZ: Final = "updates reach Y and Z only (A11, P18)"
_CR_Y: Final = "an ADDR_MOD_PACK word has CR for Y only (P18)"
SUM = add(
    GROUP,
    "sum.source_x_dimension_x_result",
    _SOURCES,
    DIMENSIONS,
    ("below_max", "max", "wraps_to_0", "wraps_past_0"),
    exclude=(
        *(Exclude((u, d, None), _UPDATES_YZ) for u in _SOURCES[2:] for d in ("x", "w")),
        Exclude(("pack_cr", "z", None), _CR_Y),
        Exclude(("pack", "z", "wraps_past_0"), "the Z increments of a packer update are 0 or 1"),
    ),
)
WRAP = add(GROUP, "wrap.instruction_x_place_x_counter", _SOURCES[:2], PLACES, COUNTERS)
WRAP_UNPACK = add(GROUP, "wrap.unpack_set_x_unpacker_x_counter", SETS, TARGETS[:2], YZ_NAMES)
WRAP_PACK = add(
    GROUP,
    "wrap.pack_set_x_cr_x_counter",
    SETS,
    ("incr", "cr"),
    YZ_NAMES,
    exclude=tuple(Exclude((None, "cr", z), _CR_Y) for z in ("z0", "z1")),
)

_RELATION: Final = ("cr==live", "cr!=live")
_ADDED: Final = ("add0", "add")
RELATION = add(GROUP, "addrcr.place_x_counter_x_relation_x_increment",
               PLACES, COUNTERS, _RELATION, _ADDED)  # fmt: skip
PACK_RELATION = add(
    GROUP, "pack_cr.set_x_channel_x_relation_x_increment", SETS, ("0", "1"), _RELATION, _ADDED
)
CLEARED = add(
    GROUP, "pack_clear.counter_x_live_x_checkpoint", YZ_NAMES, ("live0", "live"), ("cr0", "cr")
)
INCREMENTED = add(GROUP, "incadc.counter_x_relation", COUNTERS, _RELATION)

FIRST = add(GROUP, "counter.first_write_after_reset", KINDS)

_ALONE_OVER: Final = (SETADCXX, UNPACK, PACK, FLOP)


def _impossible_pairs() -> tuple[Exclude, ...]:
    rules = []
    for one, first in enumerate(KINDS):
        for other, second in enumerate(KINDS):
            if not share_a_counter(one, other):
                reason = "these two share no counter"
                rules.append(Exclude((first, second, None, None), reason))
            elif one in _ALONE_OVER and other in _ALONE_OVER:
                reason = "neither has a ThreadOverride"
                rules.append(Exclude((first, second, "foreign", None), reason))
    return tuple(rules)


# Two commands one after the other at the same counter, in the next cycle or later (the same cycle
# is a conflict). Foreign: an instruction of the two comes from a thread that does not own the set.
PAIR = add(
    GROUP, "order.first_x_second_x_by_x_distance",
    KINDS, KINDS, ("owner", "foreign"), ("next_cycle", "later"),
    exclude=_impossible_pairs(),
)  # fmt: skip
# Unpacker update, SETADC.., INCADC.. of the same thread at the same counter, cycle after cycle
CHAIN = add(GROUP, "order.unpack_set_inc_thread_x_unpacker_x_counter",
            THREADS, TARGETS[:2], YZ_NAMES)  # fmt: skip
_YZ_PLACE: Final = np.full(8, -1, np.int64)
_YZ_PLACE[list(YZ)] = range(len(YZ))


def count_values(levels: Levels, place: int, zw_width: int, tally: Tally) -> None:
    """Count what the counters of a set and target became."""
    old, new = levels.values[:-1], levels.values[1:]
    rows, columns = np.nonzero(old != new)
    value = new[rows, columns]
    counter = columns & 7
    top = np.array([(1 << width(d, zw_width)) - 1 for d in range(4)])[counter & 3]
    kind = value_class(value, top)
    hit(tally, VALUE, place, counter, columns >> 3, kind, where=kind < 3)


def count_order(touches: Touches, tally: Tally) -> None:
    """Count pairs and triples of commands at a counter."""
    now, before, earlier = touches.now, touches.before, touches.earlier
    hit(tally, FIRST, now[KIND], where=before[KIND] < 0)
    distance = now[CYCLE] - before[CYCLE]
    hit(
        tally, PAIR, before[KIND], now[KIND], now[FOREIGN] | before[FOREIGN],
        (distance > 1).astype(np.int64), where=(before[KIND] >= 0) & (distance > 0),
    )  # fmt: skip
    number = touches.counter & 7
    chain = (now[KIND] == KINDS.index("incadcxy")) | (now[KIND] == KINDS.index("incadczw"))
    chain &= (before[KIND] >= SETADC) & (before[KIND] < SETADCXX)
    chain &= (earlier[KIND] == UNPACK) & (distance == 1)
    chain &= before[CYCLE] - earlier[CYCLE] == 1
    chain &= (now[THREAD] == before[THREAD]) & (now[THREAD] == earlier[THREAD])
    target = touches.counter // 8 % 3
    hit(tally, CHAIN, now[THREAD], target, _YZ_PLACE[number], where=chain)


def count_sums(
    touches: Touches, commands: Commands, levels: list[Levels], zw_width: int, tally: Tally
) -> None:
    """Count sums, reloads and clears; ``levels`` by place, 3 · set + target."""
    alone = touches.alone
    counter, at = touches.counter[alone], touches.at[alone]
    writer, kind = touches.writer[alone], touches.now[KIND][alone]
    number, place = counter & 7, counter >> 3
    live, cr = np.empty_like(counter), np.empty_like(counter)
    edges = np.searchsorted(place, np.arange(len(levels) + 1))
    for p, level in enumerate(levels):
        part = slice(edges[p], edges[p + 1])
        live[part], cr[part] = level.at(at[part], number[part])
    action = commands.action[at, writer, number]
    amount = commands.amount[at, writer, number].astype(np.int64)
    relation = (live != cr).astype(np.int64)
    some = np.minimum(amount, 1)
    instruction = kind < UNPACK

    reload, increment = action == RELOAD, action == INCREMENT
    hit(tally, RELATION, place, number, relation, some, where=reload & instruction)
    hit(tally, PACK_RELATION, place // 3, number >> 2, relation, some,
        where=reload & ~instruction)  # fmt: skip
    hit(tally, CLEARED, _YZ_PLACE[number], np.minimum(live, 1), np.minimum(cr, 1),
        where=action == CLEAR)  # fmt: skip
    hit(tally, INCREMENTED, number, relation, where=increment & instruction)

    limit = np.array([1 << width(d, zw_width) for d in range(4)])[number & 3]
    total = np.where(reload, cr, live) + amount
    source = np.where(instruction, reload, np.where(kind == UNPACK, 2, 3 + reload))
    added = (reload | increment) & (amount != 0)
    result = np.select([total < limit - 1, total == limit - 1, total == limit], [0, 1, 2], 3)
    hit(tally, SUM, source, number & 3, result, where=added)
    wraps = added & (result >= 2)
    hit(tally, WRAP, source, place, number, where=wraps & instruction)
    hit(tally, WRAP_UNPACK, place // 3, place % 3, _YZ_PLACE[number],
        where=wraps & (kind == UNPACK))  # fmt: skip
    hit(tally, WRAP_PACK, place // 3, reload.astype(np.int64), _YZ_PLACE[number],
        where=wraps & (kind == PACK))  # fmt: skip
