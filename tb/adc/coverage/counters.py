# SPDX-License-Identifier: Apache-2.0
"""Coverage of the counters: their values, sums that wrap, and what follows what at a counter.

Source: unpack-adc section 7, line ADC and cross 10; A1, A4 to A6, A15, A16, P18. Where a counter is
in conflict, what its value was before a command is not recorded: values and sums count without.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from tilepath.models.jit import part
from tilepath.tb.adc.coverage.commands import CLEAR, INCREMENT, RELOAD, Commands
from tilepath.tb.adc.coverage.layout import (
    COUNTERS,
    DIMENSIONS,
    FLOP,
    I64,
    INCADCXY,
    INCADCZW,
    KINDS,
    N_PLACES,
    PACK,
    SETADC,
    SETADCXX,
    SETS,
    TARGETS,
    THREADS,
    UNPACK,
    YZ_NAMES,
    YZ_PLACE,
    i64,
    share_a_counter,
    value_class,
)
from tilepath.tb.adc.coverage.levels import N_PARTS, part_of
from tilepath.tb.kernel.coverage.bins import Exclude, PointGroup
from tilepath.tb.kernel.coverage.recorded import Rows

GROUP = PointGroup()
PLACES: Final = tuple(f"{s}.{k}" for s in SETS for k in TARGETS)

VALUE = GROUP.add(
    "counter.place_x_counter_x_part_x_new_value",
    PLACES, COUNTERS, ("live", "checkpoint"), ("0", "1", "max"),
)  # fmt: skip

# Sums. Sources: INCADC.., ADDRCR.., the unpacker update, the packer update without and with CR
_SOURCES: Final = ("incadc", "addrcr", "unpack", "pack", "pack_cr")
_UPDATES_YZ: Final = "updates reach Y and Z only (A11, P18)"
_CR_Y: Final = "an ADDR_MOD_PACK word has CR for Y only (P18)"
SUM = GROUP.add(
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
WRAP = GROUP.add("wrap.instruction_x_place_x_counter", _SOURCES[:2], PLACES, COUNTERS)
WRAP_UNPACK = GROUP.add("wrap.unpack_set_x_unpacker_x_counter", SETS, TARGETS[:2], YZ_NAMES)
WRAP_PACK = GROUP.add(
    "wrap.pack_set_x_cr_x_counter",
    SETS,
    ("incr", "cr"),
    YZ_NAMES,
    exclude=tuple(Exclude((None, "cr", z), _CR_Y) for z in ("z0", "z1")),
)

_RELATION: Final = ("cr==live", "cr!=live")
_ADDED: Final = ("add0", "add")
RELATION = GROUP.add("addrcr.place_x_counter_x_relation_x_increment",
               PLACES, COUNTERS, _RELATION, _ADDED)  # fmt: skip
PACK_RELATION = GROUP.add(
    "pack_cr.set_x_channel_x_relation_x_increment", SETS, ("0", "1"), _RELATION, _ADDED
)
CLEARED = GROUP.add(
    "pack_clear.counter_x_live_x_checkpoint", YZ_NAMES, ("live0", "live"), ("cr0", "cr")
)
INCREMENTED = GROUP.add("incadc.counter_x_relation", COUNTERS, _RELATION)

FIRST = GROUP.add("counter.first_write_after_reset", KINDS)

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
PAIR = GROUP.add(
    "order.first_x_second_x_by_x_distance",
    KINDS, KINDS, ("owner", "foreign"), ("next_cycle", "later"),
    exclude=_impossible_pairs(),
)  # fmt: skip
# Unpacker update, SETADC.., INCADC.. of the same thread at the same counter, cycle after cycle
CHAIN = GROUP.add("order.unpack_set_inc_thread_x_unpacker_x_counter",
            THREADS, TARGETS[:2], YZ_NAMES)  # fmt: skip

_N: Final = N_PLACES * len(COUNTERS)
_K: Final = len(KINDS)


class Memory(NamedTuple):
    """Of each counter, 8 · place + number, what touched it last ([..., 0]) and before ([..., 1]).

    ``kind``: -1 where nothing did. ``cycle``: of the run. ``foreign``, ``thread``: as in
    :class:`Commands`.
    """

    kind: I64
    cycle: I64
    foreign: I64
    thread: I64

    @classmethod
    def after_reset(cls) -> Memory:
        """Nothing touched any counter."""
        return cls(*(np.full((_N, 2), -1, np.int64) for _ in range(4)))


@part
def remember(
    counter: int, kind: int, cycle: int, foreign: int, thread: int, memory: Memory
) -> None:
    """A command touches a counter."""
    memory.kind[counter, 1], memory.kind[counter, 0] = memory.kind[counter, 0], kind
    memory.cycle[counter, 1], memory.cycle[counter, 0] = memory.cycle[counter, 0], cycle
    memory.foreign[counter, 1], memory.foreign[counter, 0] = memory.foreign[counter, 0], foreign
    memory.thread[counter, 1], memory.thread[counter, 0] = memory.thread[counter, 0], thread


@part
def is_chain(counter: int, w: int, cycle: int, now: Commands, memory: Memory) -> bool:
    """Unpacker update, SETADC.., INCADC.. of one thread, cycle after cycle, at a counter."""
    kind, before, thread = now.kind[w], memory.kind[counter, 0], now.thread[w]
    return (
        (kind in (INCADCXY, INCADCZW))
        and SETADC <= before < SETADCXX
        and memory.kind[counter, 1] == UNPACK
        and cycle - memory.cycle[counter, 0] == 1
        and cycle - memory.cycle[counter, 1] == 2
        and thread == memory.thread[counter, 0]
        and thread == memory.thread[counter, 1]
    )


@part
def count_values(row: Rows, values: I64, place: int, tops: I64, counts: I64) -> None:
    """Count what the counters of a place became; ``values``: what they were, brought up to date."""
    for which in range(N_PARTS):
        value = part_of(row, which)
        if value == values[which]:
            continue
        values[which] = value
        number = which & 7
        kind = value_class(value, tops[number & 3])
        if kind < 3:
            counts[VALUE + ((place * 8 + number) * 2 + (which >> 3)) * 3 + kind] += 1


@part
def count_order(
    counter: int, w: int, cycle: int, now: Commands, memory: Memory, counts: I64
) -> None:
    """Count pairs and triples of commands at a counter, which writer ``w`` touches."""
    kind, before = now.kind[w], memory.kind[counter, 0]
    if before < 0:
        counts[FIRST + kind] += 1
    distance = cycle - memory.cycle[counter, 0]
    if before >= 0 and distance > 0:
        foreign = now.foreign[w] | memory.foreign[counter, 0]
        later = 1 if distance > 1 else 0
        counts[PAIR + ((before * _K + kind) * 2 + foreign) * 2 + later] += 1
    if is_chain(counter, w, cycle, now, memory):
        place = now.thread[w] * 2 + counter // 8 % 3
        counts[CHAIN + place * 4 + i64(YZ_PLACE[counter & 7])] += 1
    remember(counter, kind, cycle, now.foreign[w], now.thread[w], memory)


@part
def count_sums(counter: int, w: int, now: Commands, values: I64, tops: I64, counts: I64) -> None:
    """Count the sum, reload or clear of a counter that only writer ``w`` touches in the cycle.

    ``values``: of its place, before.
    """
    number, place = counter & 7, counter >> 3
    live, checkpoint = values[number], values[number + 8]
    kind, action, amount = now.kind[w], now.action[w, number], now.amount[w, number]
    instruction = kind < UNPACK
    relation = 1 if live != checkpoint else 0
    some = min(amount, 1)
    if action == RELOAD:
        if instruction:
            counts[RELATION + (counter * 2 + relation) * 2 + some] += 1
        else:
            counts[
                PACK_RELATION + ((place // 3 * 2 + (number >> 2)) * 2 + relation) * 2 + some
            ] += 1
    elif action == CLEAR:
        yz = i64(YZ_PLACE[number])
        counts[CLEARED + (yz * 2 + min(live, 1)) * 2 + min(checkpoint, 1)] += 1
    elif action == INCREMENT and instruction:
        counts[INCREMENTED + number * 2 + relation] += 1
    if amount and (action in (RELOAD, INCREMENT)):
        _count_sum(counter, kind, action, amount, live, checkpoint, tops, counts)


@part
def _count_sum(
    counter: int,
    kind: int,
    action: int,
    amount: int,
    live: int,
    checkpoint: int,
    tops: I64,
    counts: I64,
) -> None:
    number, place = counter & 7, counter >> 3
    reload = 1 if action == RELOAD else 0
    total = (checkpoint if reload else live) + amount
    source = reload
    if kind >= UNPACK:
        source = 2 if kind == UNPACK else 3 + reload
    result = min(max(total - tops[number & 3] + 1, 0), 3)
    counts[SUM + (source * 4 + (number & 3)) * 4 + result] += 1
    if result < 2:
        return
    if kind < UNPACK:
        counts[WRAP + source * _N + counter] += 1
        return
    yz = i64(YZ_PLACE[number])
    if kind == UNPACK:
        counts[WRAP_UNPACK + (place // 3 * 2 + place % 3) * 4 + yz] += 1
    else:
        counts[WRAP_PACK + (place // 3 * 2 + reload) * 4 + yz] += 1
