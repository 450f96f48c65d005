# SPDX-License-Identifier: Apache-2.0
"""Coverage of the address counters in the unit: instructions, and UNPACRs at the same counters.

Source: unpack-adc section 7, line ADC, cross 10; docs/adc.md. Every form and value of the
instructions is covered in block ``adc``, which is the same instance; here counts what meets UNPACR.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import numpy as np

from tilepath.isa.profiles import Profile
from tilepath.models.jit import kernel, part
from tilepath.tb.adc.coverage.labels import COUNTERS, OPS, THREADS
from tilepath.tb.adc.coverage.labels import YZ as YZ_NAMES
from tilepath.tb.adc.streams import STREAMS
from tilepath.tb.kernel.coverage.bins import Exclude
from tilepath.tb.kernel.coverage.recorded import Recorded
from tilepath.tb.kernel.coverage.tally import Tally
from tilepath.tb.kernel.description.stream import Records
from tilepath.tb.unpack.coverage.counter_commands import (
    FIRST_THREAD,
    INCREMENT,
    N_PLACES,
    RELOAD,
    UNPACK,
    YZ_PLACE,
    Commands,
    Memory,
    i64,
    is_chain,
    of_unpack,
    of_word,
    override_of,
    product,
    remember,
    share,
    share_a_counter,
    target_of,
    tops,
)
from tilepath.tb.unpack.coverage.derive import Instructions
from tilepath.tb.unpack.coverage.layout import I64
from tilepath.tb.unpack.coverage.levels import Level
from tilepath.tb.unpack.coverage.points import UNPACKERS, numbers

_KINDS: Final = (*OPS, "unpacr")
_BY: Final = ("owner", "foreign")
_VALUES: Final = ("0", "1", "max", "other")
_RELATION: Final = ("cr_is_live", "cr_is_not_live")
_ADDS: Final = ("incadc", "addrcr", "unpacr")
_ISSUE: Final = Recorded(next(s for s in STREAMS if s.name == "issue"))
_UPDATE: Final = next(s for s in STREAMS if s.name == "unpack")

# Places of the points that ``walk`` counts
_TARGET, _OVERRIDE, _ORDER, _CHAIN, _WRAP, _CR, _MEETS = range(7)

FIELDS: Final = ("x0", "y0", "z0", "w0", "x1", "y1", "z1", "w1", "x0_cr", "x1_cr")
"""Of a level, in the order of the counters' numbers, then the checkpoints of X."""


class Seen(NamedTuple):
    """A block: words by thread, updates, and rows of levels by 2 · set + unpacker."""

    words: tuple[Any, ...]
    updates: Any
    levels: tuple[I64, ...]


class State(NamedTuple):
    """Commands of the cycle, what touched the counters before, and their largest values.

    ``next``: how many records were seen, by writer. ``row``: of the levels, in force. ``once``,
    ``twice``: as :func:`share` leaves them.
    """

    now: Commands
    memory: Memory
    tops: I64
    next: I64
    row: I64
    once: I64
    twice: I64


@part
def _value(row: I64, number: int) -> tuple[int, int]:
    """Live value and checkpoint of a counter, from a row of its level."""
    value = row[1 + number]
    if number & 3 == 0:
        return value, row[9 + (number >> 2)]
    return value & 0xFFFF, value >> 16


@part
def _take(seen: Seen, cycle: int, state: State, places: I64, counts: I64) -> bool:
    """Commands of this cycle; whether there are any."""
    now, at = state.now, state.next
    now.kind[:] = -1
    found = False
    while at[0] < len(seen.updates) and seen.updates[at[0]].cycle == cycle:
        of_unpack(seen.updates[at[0]], now)
        found = now.kind[0] >= 0
        at[0] += 1
    for thread in range(3):
        words, w = seen.words[thread], FIRST_THREAD + thread
        if at[w] < len(words) and words[at[w]].cycle == cycle:
            word = i64(words[at[w]].word)
            of_word(word, thread, now)
            at[w] += 1
            op = now.kind[w]
            if op >= 0:
                found = True
                counts[places[_TARGET] + op * 8 + target_of(word)] += 1
                counts[places[_OVERRIDE] + (op * 4 + override_of(op, word)) * 3 + thread] += 1
    return found


@part
def _count_meetings(now: Commands, place: int, counts: I64) -> None:
    """Commands of threads in the cycle of an UNPACR's update, at a counter of both."""
    for w in range(FIRST_THREAD, FIRST_THREAD + 3):
        if now.kind[0] >= 0 and now.kind[w] >= 0:
            sets, targets = now.sets[0] & now.sets[w], now.targets[0] & now.targets[w]
            if sets and targets and now.touched[0] & now.touched[w]:
                counts[place + now.kind[w] * 2 + (now.targets[0] >> 1)] += 1


@part
def _count_order(counter: int, w: int, cycle: int, state: State, places: I64, counts: I64) -> None:
    """What follows what at a counter; of the packers' counters the unit shows nothing."""
    now, memory = state.now, state.memory
    kind, thread, unpacker = now.kind[w], now.thread[w], counter // 8 % 3
    # it comes from a thread that does not own the set; ContextADC names sets too (A11)
    named = 1 if kind == UNPACK and thread != counter // 24 else 0
    foreign = now.foreign[w] | named
    before = memory.kind[counter, 0]
    if unpacker < 2:
        if before >= 0 and cycle > memory.cycle[counter, 0]:
            by = foreign | memory.foreign[counter, 0]
            counts[places[_ORDER] + (before * len(_KINDS) + kind) * 2 + by] += 1
        if is_chain(counter, w, cycle, now, memory):
            counts[places[_CHAIN] + unpacker * 4 + i64(YZ_PLACE[counter & 7])] += 1
    remember(counter, kind, cycle, foreign, thread, memory)


@part
def _count_sums(
    counter: int, w: int, cycle: int, seen: Seen, state: State, places: I64, counts: I64
) -> None:
    """The sum or reload of an unpacker's counter that nothing else touches in the cycle."""
    now, number, unpacker = state.now, counter & 7, counter // 8 % 3
    action = now.action[w, number]
    if unpacker == 2 or action not in (INCREMENT, RELOAD):
        return
    level = counter // 24 * 2 + unpacker
    rows, row = seen.levels[level], state.row[level]
    while row + 1 < len(rows) and rows[row + 1, 0] <= cycle:
        row += 1
    state.row[level] = row
    live, checkpoint = _value(rows[row], number)
    reload = 1 if action == RELOAD else 0
    if reload:
        relation = 1 if live != checkpoint else 0
        counts[places[_CR] + (unpacker * 8 + number) * 2 + relation] += 1
    if (checkpoint if reload else live) + now.amount[w, number] > state.tops[number & 3]:
        by = 2 if now.kind[w] == UNPACK else reload
        counts[places[_WRAP] + by * 8 + number] += 1


@kernel
def walk(seen: Seen, start: int, end: int, state: State, places: I64, counts: I64) -> None:
    """Count the commands of cycles ``start`` ≤ c < ``end``."""
    now = state.now
    state.next[:] = 0
    state.row[:] = 0
    for cycle in range(start, end):
        if not _take(seen, cycle, state, places, counts):
            continue
        _count_meetings(now, places[_MEETS], counts)
        share(now, state.once, state.twice)
        for w in range(FIRST_THREAD + 3):
            if now.kind[w] < 0 or now.touched[w] == 0:
                continue
            reached = product(now.sets[w], now.targets[w])
            for place in range(N_PLACES):
                for number in range(8):
                    if reached >> place & now.touched[w] >> number & 1:
                        counter = 8 * place + number
                        _count_order(counter, w, cycle, state, places, counts)
                        if not state.twice[place] >> number & 1:
                            _count_sums(counter, w, cycle, seen, state, places, counts)


class Counters:
    """The counters of a run."""

    def __init__(self, points: Tally, profile: Profile) -> None:
        self._points = points
        add = points.group.add
        places = np.zeros(7, np.int64)
        places[_TARGET] = add("counter.op_x_target", OPS, numbers(8))
        places[_OVERRIDE] = add(
            "counter.op_x_override_x_thread", OPS, numbers(4), THREADS,
            exclude=tuple(
                Exclude(("setadcxx", str(k), None), "SETADCXX has no ThreadOverride (A3)")
                for k in (1, 2, 3)
            ),
        )  # fmt: skip
        places[_ORDER] = add(
            "counter.first_x_second_x_by", _KINDS, _KINDS, _BY,
            exclude=(
                *(
                    Exclude((one, other, None), "they share no counter")
                    for a, one in enumerate(_KINDS)
                    for b, other in enumerate(_KINDS)
                    if not share_a_counter(a, b)
                ),
                Exclude(("setadcxx", "setadcxx", "foreign"), "SETADCXX has no ThreadOverride (A3)"),
            ),
        )  # fmt: skip
        places[_CHAIN] = add("counter.unpacr_set_inc_in_a_row", UNPACKERS, YZ_NAMES)
        add("counter.unpacker_x_counter_x_value", UNPACKERS, COUNTERS, _VALUES)
        places[_WRAP] = add(
            "counter.wraps_by_x_counter", _ADDS, COUNTERS,
            exclude=tuple(
                Exclude(("unpacr", name), "UNPACR moves Y and Z only (A11)")
                for name in COUNTERS
                if name not in YZ_NAMES
            ),
        )  # fmt: skip
        places[_CR] = add(
            "counter.addrcr_unpacker_x_counter_x_relation", UNPACKERS, COUNTERS, _RELATION
        )
        places[_MEETS] = add("counter.unpacr_meets_x_unpacker", OPS, UNPACKERS, exclude=(
            Exclude(("setadcxx", None), "they share no counter"),
        ))  # fmt: skip
        self._places: I64 = places
        self._state = State(
            Commands.none(),
            Memory.after_reset(),
            tops(profile.zw_w),
            np.zeros(FIRST_THREAD + 3, np.int64),
            np.zeros(6, np.int64),
            np.zeros(N_PLACES, np.int64),
            np.zeros(N_PLACES, np.int64),
        )
        self._late = np.zeros(0, _UPDATE.dtype)  # updates of UNPACRs that are sampled already

    def _updates(self, i: Instructions, end: int) -> Records:
        """What UNPACRs give the counters before ``end``."""
        word = i["word"]
        regular = (word >> 24 == 0x42) & (word & 0x2002 == 0)
        word = word[regular]
        new = np.zeros(len(word), _UPDATE.dtype)
        new["cycle"], new["unpacker"] = i["last"][regular], i["u"][regular]
        new["thread"] = thread = i["thread"][regular]
        named = np.where(word >> 8 & 3 == 3, 0, word >> 8 & 3)
        new["adc"] = np.where(word >> 7 & 1, named, thread)
        for name, low in (("z0", 15), ("y0", 17), ("z1", 19), ("y1", 21)):
            new[name] = word >> low & 3
        found = np.concatenate([self._late, new])
        found = found[np.argsort(found["cycle"], kind="stable")]
        self._late = found[found["cycle"] >= end]
        now: Records = found[found["cycle"] < end]
        return now

    def count(
        self, i: Instructions, streams: Mapping[str, Records],
        levels: tuple[tuple[Level, ...], ...], start: int, end: int,
    ) -> None:  # fmt: skip
        """Count a block; ``levels[set][unpacker]``."""
        words = tuple(_ISSUE.records(streams[f"{name}.counter"]) for name in THREADS)
        updates = Recorded(_UPDATE).records(self._updates(i, end))
        rows = tuple(level.rows for of_set in levels for level in of_set)
        seen = Seen(words, updates, rows)
        walk(seen, start, end, self._state, self._places, self._points.counts)
        for s in range(3):
            for u, name in enumerate(("unpacker0", "unpacker1")):
                records = streams[f"t{s}.{name}"]
                for number, counter in enumerate(COUNTERS):
                    top = int(self._state.tops[number & 3])
                    value = records[counter].astype(np.int64) & top
                    kind = np.where(value == top, 2, np.where(value > 1, 3, value))
                    self._points.hit("counter.unpacker_x_counter_x_value", u, number, kind)
