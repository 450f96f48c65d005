# SPDX-License-Identifier: Apache-2.0
"""Coverage of commands that meet in a cycle: conflicts, and what must not be flagged as one.

Source: A13; docs/adc.md sections 2 and 3. A conflict counts where the stream ``conflict`` has it.
"""

from __future__ import annotations

from itertools import combinations
from typing import Final

import numpy as np

from tilepath.models.jit import part
from tilepath.tb.adc.coverage.commands import Commands
from tilepath.tb.adc.coverage.layout import (
    COUNTERS,
    FIRST_THREAD,
    I64,
    KINDS,
    N_PLACES,
    OPS,
    SETADCXX,
    SETS,
    TARGETS,
    UNPACK,
    WRITERS,
    i64,
    share_a_counter,
)
from tilepath.tb.kernel.coverage.bins import Exclude, PointGroup

GROUP = PointGroup()
_PAIRS: Final = tuple(combinations(range(len(WRITERS)), 2))
_PAIR_NAMES: Final = tuple(f"{WRITERS[a]}+{WRITERS[b]}" for a, b in _PAIRS)

BUSY = GROUP.add("ports.writers_with_a_command", tuple(f"{mask:06b}" for mask in range(1, 64)))

_UPDATE_TARGETS: Final = "an update reaches its own targets only"


def _pair_targets() -> tuple[Exclude, ...]:
    rules = [Exclude(("unpack+pack", None, None), "they share no target")]
    for (a, b), name in zip(_PAIRS, _PAIR_NAMES, strict=True):
        if (a, b) == (0, 1):
            continue
        if a == 0:
            rules.append(Exclude((name, "packers", None), _UPDATE_TARGETS))
        elif a == 1:
            rules += [Exclude((name, k, None), _UPDATE_TARGETS) for k in TARGETS[:2]]
    return tuple(rules)


def _writer(kind: int) -> int:
    """First writer that can send ``kind``."""
    return min(kind - UNPACK, FIRST_THREAD) if kind >= UNPACK else FIRST_THREAD


def _pair_kinds() -> tuple[Exclude, ...]:
    rules = []
    for one, first in enumerate(KINDS):
        for other, second in enumerate(KINDS):
            if not share_a_counter(one, other):
                rules.append(Exclude((first, second), "these two share no counter"))
            elif other >= UNPACK and _writer(one) >= _writer(other):
                rules.append(Exclude((first, second), "the other applies first (A13)"))
            elif one == other == SETADCXX:
                rules.append(Exclude((first, second), "of two threads: two sets, no override"))
    return tuple(rules)


WHO = GROUP.add(
    "conflict.writers_x_target_x_set", _PAIR_NAMES, TARGETS, SETS, exclude=_pair_targets()
)
WHAT = GROUP.add("conflict.first_x_second", KINDS, KINDS, exclude=_pair_kinds())
WHERE = GROUP.add("conflict.set_x_target_x_counter", SETS, TARGETS, COUNTERS)
# Writers at one counter; five: an update, REG2FLOP and three threads
HOW_MANY = GROUP.add("conflict.target_x_writers", TARGETS, ("2", "3", "4", "5"))
BITS = GROUP.add(
    "conflict.bits_set",
    ("1", "2", "3", "4", "5", "6", "7-9"),
    # Three threads in three sets meet the packer update at 3 places, and unpacker update and
    # REG2FLOP at 3 more. Where threads share a set, they meet at its 3 places, and each of the
    # three other commands makes one more at most, with the third thread or with one another.
    exclude=(Exclude(("7-9",), "six commands do not meet in pairs at more than six places"),),
)

# Commands of the same cycle that do not touch the same counter. The nearest miss counts.
MISS = GROUP.add(
    "no_conflict.writers_x_differ_in",
    _PAIR_NAMES,
    ("set", "target", "counter"),
    exclude=(Exclude(("unpack+pack", "counter"), "they share no target"),),
)
# A value of 0, or a value without its mask bit, at a counter that another command touches
_PARTLY: Final = (*(op for op in OPS if op not in ("setadc", "setadcxx")), "unpack", "pack")
UNTOUCHED = GROUP.add("no_conflict.named_but_not_touched", _PARTLY)
_UNTOUCHED_PLACE: Final = np.array([_PARTLY.index(k) if k in _PARTLY else -1 for k in KINDS])

_W: Final = len(WRITERS)
_PAIR: Final = np.array(
    [[_PAIRS.index((a, b)) if a < b else -1 for b in range(_W)] for a in range(_W)]
)
# Bit 3 · s + k for each s in the first bit set and each k in the second
_PRODUCT: Final = np.array(
    [[sum(t << 3 * s for s in range(3) if m >> s & 1) for t in range(8)] for m in range(8)]
)


@part
def product(sets: int, targets: int) -> int:
    """Places of these sets and targets, one bit each."""
    return i64(_PRODUCT[sets, targets])


@part
def count_flags(where: int, counts: I64) -> None:
    """Count how many places a record of ``conflict`` flags."""
    bits = 0
    for place in range(N_PLACES):
        bits += where >> place & 1
    if bits:
        counts[BITS + min(bits, 7) - 1] += 1


@part
def count_busy(writers: int, counts: I64) -> None:
    """Count who has a command in a cycle; ``writers``: one bit each, at least one."""
    counts[BUSY + writers - 1] += 1


@part
def count_pairs(writers: int, now: Commands, where: int, counts: I64) -> None:
    """Count each two commands of a cycle."""
    for a in range(_W - 1):
        if writers >> a & 1:
            for b in range(a + 1, _W):
                if writers >> b & 1:
                    _count_pair(a, b, now, where, counts)


@part
def _count_pair(a: int, b: int, now: Commands, where: int, counts: I64) -> None:
    """The commands of two writers in the same cycle."""
    number = i64(_PAIR[a, b])
    sets = now.sets[a] & now.sets[b]
    targets = now.targets[a] & now.targets[b]
    meet = now.touched[a] & now.touched[b]
    shared = product(sets, targets)
    flagged = shared & where
    if meet and flagged:
        counts[WHAT + now.kind[a] * len(KINDS) + now.kind[b]] += 1
        for place in range(N_PLACES):
            if flagged >> place & 1:
                counts[WHO + (number * 3 + place % 3) * 3 + place // 3] += 1
    if flagged:
        return
    if shared:
        _count_untouched(a, b, now, counts)
        _count_untouched(b, a, now, counts)
    for w in (a, b):
        if now.touched[w] == 0 or now.sets[w] == 0 or now.targets[w] == 0:
            return
    if sets == 0:
        counts[MISS + number * 3] += 1
    elif targets == 0:
        counts[MISS + number * 3 + 1] += 1
    elif meet == 0:
        counts[MISS + number * 3 + 2] += 1


@part
def _count_untouched(one: int, other: int, now: Commands, counts: I64) -> None:
    """What ``one`` names and does not touch, and ``other`` touches."""
    place = i64(_UNTOUCHED_PLACE[now.kind[one]])
    if place >= 0 and now.named[one] & ~now.touched[one] & now.touched[other]:
        counts[UNTOUCHED + place] += 1


@part
def count_meeting(place: int, number: int, now: Commands, counts: I64) -> None:
    """Count a counter in conflict, and how many commands of the cycle touch it."""
    writers = 0
    for w in range(_W):
        if now.kind[w] >= 0 and now.touched[w] >> number & 1:
            writers += product(now.sets[w], now.targets[w]) >> place & 1
    counts[WHERE + place * 8 + number] += 1
    counts[HOW_MANY + place % 3 * 4 + writers - 2] += 1
