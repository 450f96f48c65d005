# SPDX-License-Identifier: Apache-2.0
"""The instruction words: every field, mask, ignored bit, and what comes first after reset."""

from __future__ import annotations

from itertools import product
from typing import Final

from tilepath.sequences.adc import words as w
from tilepath.sequences.adc.directed.common import THREADS, timeline_test, top
from tilepath.sequences.adc.timeline import Timeline
from tilepath.tb.kernel.description.stimulus import TestSpec


def _after_reset(tl: Timeline) -> None:
    """The first write to a counter, by everything that can write one (A16)."""
    tl.touch("setadc", (0, 0, 0), 9).touch("setadcxy", (1, 0, 1), 3).touch("setadczw", (2, 0, 2), 4)
    tl.touch("unpack", (0, 1, 1), 2).touch("pack", (1, 2, 6), 1).touch("flop", (2, 1, 7), 8).step()
    tl.touch("setadcxx", (0, 0, 4), 5).touch("incadcxy", (1, 1, 5), 6)
    tl.touch("incadczw", (2, 2, 3), 7).step()
    tl.touch("addrcrxy", (0, 2, 0), 1).touch("addrcrzw", (1, 1, 2), 2)
    tl.touch("flop_cr", (2, 0, 1), 77).step()
    tl.touch("addrcrxy", (1, 0, 5), 0).touch("addrcrzw", (0, 1, 3), 0).step()


def _words(tl: Timeline) -> None:
    """Each instruction with each target, override and thread (A3, A7)."""
    number = 0
    for op, target, override, thread in product(w.OPS, range(8), range(4), THREADS):
        number += 1
        values = tuple((number * 5 + k * 3) % 8 for k in range(4))
        if op == "setadc":
            value = (number * 37) & 0xFFFF | override << 16
            tl.issue(thread, int(w.setadc(target, number % 8, value)))
        elif op == "setadcxx":
            if override:
                continue
            tl.issue(thread, int(w.setadcxx(target, number % 1024, 1023 - number % 1024)))
        else:
            mask = number % 15 + 1
            tl.issue(thread, int(w.packed(op, target, values, mask, override)))
        tl.step()


def _fields(tl: Timeline) -> None:
    """Each 3-bit value in each place, each mask, each ignored bit."""
    for op, place, value in product(w.PACKED, range(4), range(8)):
        values = tuple(value if k == place else 0 for k in range(4))
        tl.issue(value % 3, int(w.packed(op, 1 + value % 7, values, 15))).step()
    for op, mask in product(w.MASKED, range(16)):
        tl.issue(mask % 3, int(w.packed(op, 1 + mask % 7, (1, 2, 3, 4), mask))).step()
    for op, place in product(w.MASKED, range(4)):
        tl.issue(place % 3, int(w.packed(op, 7, (7, 6, 5, 4), 15 & ~(1 << place)))).step()
    for op, bit in product(w.OPS, range(24)):
        if w.IGNORED[op] >> bit & 1:
            ordinary = w.setadcxx(2, 5, 6) if op == "setadcxx" else w.packed(op, 2, (1, 2, 3, 4), 9)
            tl.issue(bit % 3, int(ordinary) | 1 << bit).step()


def _wide_values(tl: Timeline) -> None:
    """SETADC and SETADCXX: values at the ends, and values that do not fit (A2)."""
    for counter, override in product(range(8), range(4)):
        largest = top(tl.profile, counter)
        values = (0, 1, largest, largest ^ 2, 0xFFFF, 0x8000, largest + 1, 0xA5A5)
        for value in values:
            # the top bits of X's largest value are an override of 3
            whole = value if value >> 16 == override == 3 else value & 0xFFFF | override << 16
            tl.issue(override % 3, int(w.setadc(1 << counter % 3, counter, whole))).step()
    for counter in range(8):
        for value in (0, 1, top(tl.profile, counter), top(tl.profile, counter) - 1):
            tl.issue(1, int(w.setadc(7, counter, value))).step()
    for x0, x1 in product((0, 1, 1023, 255), repeat=2):
        tl.issue(x0 % 3, int(w.setadcxx(1 + x1 % 7, x0, x1))).step()


def _build(tl: Timeline) -> None:
    _words(tl)
    _fields(tl)
    _wide_values(tl)


TESTS: Final[tuple[TestSpec, ...]] = (
    timeline_test("after_reset", "the first write to a counter", _after_reset, issue=2, level=1),
    timeline_test(
        "instructions",
        "each instruction: targets, overrides, values, masks, ignored bits",
        _build,
        issue=200,
        level=50,
        fault=20,
        faults=("empty", "x_override"),
    ),
)
