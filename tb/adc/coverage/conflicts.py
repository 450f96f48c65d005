# SPDX-License-Identifier: Apache-2.0
"""Points of commands that meet in a cycle: conflicts, and what must not be flagged as one.

Source: A13; docs/adc.md sections 2 and 3.
"""

from __future__ import annotations

from itertools import combinations
from typing import Final

from tilepath.engine.coverage.bins import Exclude
from tilepath.engine.coverage.plan import Bins, Point, each
from tilepath.isa.boundary.adc import TARGETS
from tilepath.tb.adc.coverage.labels import (
    COMMANDS,
    OPS,
    SETS,
    WRITERS,
    chosen,
    plan,
    share_a_counter,
)

_PAIRS: Final = tuple(f"{one}+{other}" for one, other in combinations(WRITERS, 2))
# What can name a counter and not touch it: with a value of 0, or without its mask bit
_PARTLY: Final = (*(op for op in OPS if op not in ("setadc", "setadcxx")), "unpack", "pack")

# A counter that the one names and does not touch, and the other touches
_MISSED: Final = (
    "second.named & ~second.counters & first.counters if side"
    " else first.named & ~first.counters & second.counters"
)


def _no_targets() -> tuple[Exclude, ...]:
    rules = [Exclude(("unpack+pack", None, None), "they share no target")]
    for pair in _PAIRS[1:]:
        others = {"unpack": TARGETS[2:], "pack": TARGETS[:2]}.get(pair.partition("+")[0], ())
        rules.append(Exclude((pair, others, None), "an update reaches its own targets only"))
    return tuple(rules)


def _no_kinds() -> tuple[Exclude, ...]:
    port = {name: min(WRITERS.index(name) if name in WRITERS else 3, 3) for name in COMMANDS}
    rules = []
    for one in COMMANDS:
        for other in COMMANDS:
            if not share_a_counter(one, other):
                rules.append(Exclude((one, other), "these two share no counter"))
            elif port[other] < 3 and port[one] >= port[other]:
                rules.append(Exclude((one, other), "the other applies first (A13)"))
            elif one == other == "setadcxx":
                rules.append(Exclude((one, other), "of two threads: two sets, no override"))
    return tuple(rules)


CYCLES: Final = plan(
    "cycle",
    {
        "flags": Bins(
            "faults - 1",
            ("unpack_thread", "flop_thread", "unpack_thread+flop_thread", "flop_select",
             "unpack_thread+flop_select", "flop_thread+flop_select", "all"),
        ),
        "writers": Bins("writers - 1", tuple(f"{mask:06b}" for mask in range(1, 64))),
        "bits": Bins(
            {**{str(n): f"bits == {n}" for n in range(1, 7)}, "7-9": "bits > 6"}
        ),
    },
    Point("unit_fault.flags", "A11 C14"),
    Point("ports.writers_with_a_command", "A13", "writers"),
    # Three threads in three sets meet the packer update at 3 places, and unpacker update and
    # REG2FLOP at 3 more. Where threads share a set, they meet at its 3 places, and each of the
    # three other commands makes one more at most, with the third thread or with one another.
    Point("conflict.bits_set", "A13", "bits", exclude=(
        Exclude(("7-9",), "six commands do not meet in pairs at more than six places"),
    )),
)  # fmt: skip

CONFLICTS: Final = plan(
    "touch",
    {"writers": Bins("number - 1", ("2", "3", "4", "5"))},
    Point("conflict.set_x_target_x_counter", "A13", when="last and number"),
    # five: an update, REG2FLOP and three threads
    Point("conflict.target_x_writers", "A13", when="last and number"),
)

PAIRS: Final = plan(
    "pair",
    {
        # of six writers the first has five pairs, the second four, …
        "writers": Bins("writer[0] * (11 - writer[0]) // 2 + writer[1] - writer[0] - 1", _PAIRS),
        "set": each(SETS),
        "target": each(TARGETS),
        "first": Bins("first.command", COMMANDS),
        "second": Bins("second.command", COMMANDS),
        # the nearest miss
        "differ_in": Bins(
            {"set": "sets == 0", "target": "targets == 0", "counter": "counters == 0"}
        ),
        "side": each(("first", "second")),
        "partly": chosen(
            "(second.command if side else first.command)", _PARTLY, COMMANDS
        ),
    },
    Point("conflict.writers_x_target_x_set", "A13", exclude=_no_targets(),
          when="conflict and counters and conflict >> 3 * set + target & 1"),
    Point("conflict.first_x_second", "A13", when="conflict and counters", exclude=_no_kinds()),
    # Commands of the same cycle that do not touch the same counter
    Point("no_conflict.writers_x_differ_in", "A13", when="not conflict and not idle",
          exclude=(Exclude(("unpack+pack", "counter"), "they share no target"),)),
    Point("no_conflict.named_but_not_touched", "A6 A7 A13", "partly",
          when=f"not conflict and sets and targets and ({_MISSED})"),
)  # fmt: skip
