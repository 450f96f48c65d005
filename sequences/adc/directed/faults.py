# SPDX-License-Identifier: Apache-2.0
"""Every fault (docs/adc.md section 3)."""

from __future__ import annotations

from itertools import product
from typing import Final

from tilepath.sequences.adc import words as w
from tilepath.sequences.adc.directed.common import THREADS, timeline_test
from tilepath.sequences.adc.timeline import Timeline
from tilepath.tb.kernel.description.stimulus import ANY, TestSpec


def _illegal(tl: Timeline) -> None:
    """Each opcode that is none of the eight, with the low bits of one that would write."""
    for number, opcode in enumerate(w.ILLEGAL):
        low = int(w.packed("setadcxy", 7, (1, 2, 3, 4), 15)) & 0xFF_FFFF if number % 4 else 0
        tl.issue(number % 3, opcode << 24 | low).step()
    for opcode in (0x42, 0x57, 0x5D, 0x5F):
        for thread in THREADS:
            tl.issue(thread, opcode << 24 | 0xE0_000F)
        tl.step()


def _warnings(tl: Timeline) -> None:
    """SETADC of X with an override, no target, no mask: carried out all the same (A2, A7)."""
    for thread, override, channel in product(THREADS, range(4), (0, 1)):
        for target in (1, 7, 0):
            tl.issue(thread, int(w.setadc(target, 4 * channel, 0x321 | override << 16))).step()
    for op, target, mask in product(w.PACKED, (0, 5), (0, 9)):
        for thread in THREADS:
            tl.issue(thread, int(w.packed(op, target, (1, 2, 3, 4), mask)))
        tl.step()
    for thread, op in product(THREADS, ("setadc", "setadcxx")):
        word = w.setadc(0, 3, 5) if op == "setadc" else w.setadcxx(0, 6, 7)
        tl.issue(thread, int(word)).step()


def _units(tl: Timeline) -> None:
    """Threads and selects that there are not: by themselves and together."""
    for bad_unpack, bad_thread, bad_select in product((False, True), repeat=3):
        tl.unpack(1, 3 if bad_unpack else 0, 0, 1, 2, 3, 1)
        tl.flop(3 if bad_thread else 1, 3 if bad_select else 0, 5, 9, bad_unpack)
        tl.pack(5, YsrcIncr=2).issue(2, int(w.setadcxx(7, 1, 2))).step()
    for unpacker, (thread, adc), y in product((0, 1), ((3, 1), (2, 3), (3, 3)), (0, 3)):
        tl.unpack(unpacker, thread, adc, y, y, y, y).step()
    for (thread, select), checkpoint in product(((3, 1), (2, 3), (3, 3)), (False, True)):
        tl.flop(thread, select, 2, 77, checkpoint).step()
    # faults of every kind in one cycle
    tl.issue(0, 0).issue(1, int(w.setadc(0, 0, 0x10001))).issue(2, int(w.setadc(0, 1, 1)))
    tl.unpack(0, 3, 3, 1, 1, 1, 1).flop(3, 3, 0, 1).pack(7).step()


def _build(tl: Timeline) -> None:
    _illegal(tl)
    _warnings(tl)
    _units(tl)


TESTS: Final[tuple[TestSpec, ...]] = (
    timeline_test("faults", "every fault", _build, fault=80, unit_fault=15, faults=ANY),
)
