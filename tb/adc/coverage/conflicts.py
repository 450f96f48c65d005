# SPDX-License-Identifier: Apache-2.0
"""Coverage of commands that meet in a cycle: conflicts, and what must not be flagged as one.

Source: A13; docs/adc.md sections 2 and 3. A conflict counts where the stream ``conflict`` has it.
"""

from __future__ import annotations

from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilepath.tb.adc.coverage.commands import Commands
from tilepath.tb.adc.coverage.layout import (
    COUNTERS,
    FIRST_THREAD,
    KINDS,
    OPS,
    SETADCXX,
    SETS,
    TARGETS,
    UNPACK,
    WRITERS,
    Tally,
    add,
    hit,
    share_a_counter,
)
from tilepath.tb.adc.coverage.touches import Touches
from tilepath.tb.kernel.coverage.bins import Exclude, PointGroup
from tilepath.tb.kernel.description.stream import Records

GROUP = PointGroup()
_PAIRS: Final = tuple(combinations(range(len(WRITERS)), 2))
_PAIR_NAMES: Final = tuple(f"{WRITERS[a]}+{WRITERS[b]}" for a, b in _PAIRS)

BUSY = add(GROUP, "ports.writers_with_a_command", tuple(f"{mask:06b}" for mask in range(1, 64)))

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


WHO = add(
    GROUP, "conflict.writers_x_target_x_set", _PAIR_NAMES, TARGETS, SETS, exclude=_pair_targets()
)
WHAT = add(GROUP, "conflict.first_x_second", KINDS, KINDS, exclude=_pair_kinds())
WHERE = add(GROUP, "conflict.set_x_target_x_counter", SETS, TARGETS, COUNTERS)
# Writers at one counter; five: an update, REG2FLOP and three threads
HOW_MANY = add(GROUP, "conflict.target_x_writers", TARGETS, ("2", "3", "4", "5"))
BITS = add(
    GROUP,
    "conflict.bits_set",
    ("1", "2", "3", "4", "5", "6", "7-9"),
    # Three threads in three sets meet the packer update at 3 places, and unpacker update and
    # REG2FLOP at 3 more. Where threads share a set, they meet at its 3 places, and each of the
    # three other commands makes one more at most, with the third thread or with one another.
    exclude=(Exclude(("7-9",), "six commands do not meet in pairs at more than six places"),),
)

# Commands of the same cycle that do not touch the same counter. The nearest miss counts.
MISS = add(
    GROUP,
    "no_conflict.writers_x_differ_in",
    _PAIR_NAMES,
    ("set", "target", "counter"),
    exclude=(Exclude(("unpack+pack", "counter"), "they share no target"),),
)
# A value of 0, or a value without its mask bit, at a counter that another command touches
UNTOUCHED = add(
    GROUP,
    "no_conflict.named_but_not_touched",
    (*(op for op in OPS if op not in ("setadc", "setadcxx")), "unpack", "pack"),
)
_UNTOUCHED_PLACE: Final = np.array(
    [UNTOUCHED.axes[0].index(k) if k in UNTOUCHED.axes[0] else -1 for k in KINDS]
)

# Bit 3 · s + k for each s in the first bit set and each k in the second
_PRODUCT: Final = np.array(
    [[sum(t << 3 * s for s in range(3) if m >> s & 1) for t in range(8)] for m in range(8)]
)


def flagged(records: Records, start: int, cycles: int) -> NDArray[np.int64]:
    """``where`` of each cycle of the block, from the recorded conflicts."""
    column = np.zeros(cycles, np.int64)
    column[records["cycle"].astype(np.int64) - start] = records["where"]
    return column


def count(commands: Commands, where: NDArray[np.int64], tally: Tally) -> None:
    """Count the commands of a block; ``where``: see :func:`flagged`."""
    there = commands.kind >= 0
    mask = there @ (1 << np.arange(len(WRITERS)))
    hit(tally, BUSY, mask - 1, where=mask > 0)
    bits = sum((where >> place & 1 for place in range(9)), np.zeros_like(where))
    hit(tally, BITS, np.minimum(bits, 7) - 1, where=bits > 0)
    rows = np.flatnonzero(there.sum(axis=1) > 1)
    for number, (a, b) in enumerate(_PAIRS):
        both = rows[there[rows, a] & there[rows, b]]
        if len(both):
            _count_pair(commands, where, both, number, tally)


def _count_pair(
    commands: Commands, where: NDArray[np.int64], rows: NDArray[np.int64], number: int, tally: Tally
) -> None:
    """Commands of two writers in the same cycles."""
    a, b = _PAIRS[number]
    sets = commands.sets[rows, a] & commands.sets[rows, b]
    targets = commands.targets[rows, a] & commands.targets[rows, b]
    touched = commands.touched[rows, a], commands.touched[rows, b]
    first, second = commands.kind[rows, a], commands.kind[rows, b]
    shared = _PRODUCT[sets, targets]
    agreed = np.where(touched[0] & touched[1], shared & where[rows], 0)
    hit(tally, WHAT, first, second, where=agreed != 0)
    for place in range(9):
        there = agreed >> place & 1 == 1
        hit(tally, WHO, number, place % 3, place // 3, where=there)
    quiet = shared & where[rows] == 0
    active = np.ones(len(rows), bool)
    for me, mine, others in ((a, *touched), (b, *reversed(touched))):
        active &= (mine != 0) & (commands.sets[rows, me] != 0) & (commands.targets[rows, me] != 0)
        idle = commands.named[rows, me] & ~mine & others
        kinds = _UNTOUCHED_PLACE[commands.kind[rows, me]]
        hit(tally, UNTOUCHED, kinds, where=quiet & (shared != 0) & (idle != 0))
    apart = active & quiet & (touched[0] & touched[1] == 0)
    hit(tally, MISS, number, 2, where=apart & (shared != 0))
    hit(tally, MISS, number, 1, where=active & (sets != 0) & (targets == 0))
    hit(tally, MISS, number, 0, where=active & (sets == 0))


def count_places(touches: Touches, where: NDArray[np.int64], tally: Tally) -> None:
    """Count counters in conflict, and how many commands touch them."""
    first = touches.first
    writers = np.diff(first, append=len(touches.counter))
    first, writers = first[writers > 1], writers[writers > 1]
    counter = touches.counter[first]
    place = counter >> 3
    flag = where[touches.at[first]] >> place & 1 == 1
    hit(tally, WHERE, place // 3, place % 3, counter & 7, where=flag)
    hit(tally, HOW_MANY, place % 3, writers - 2, where=flag)
