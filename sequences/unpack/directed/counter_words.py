# SPDX-License-Identifier: Apache-2.0
"""The address counters inside the unit: words by target and thread, ends of counters, meetings."""

from __future__ import annotations

from itertools import product
from typing import Final

from tilepath.sequences.adc import words as cw
from tilepath.sequences.unpack.config import Thread
from tilepath.sequences.unpack.directed.common import PLACE, Cases, case_test, fill_tile, tile
from tilepath.sequences.unpack.script import FENCE
from tilepath.sequences.unpack.words import unpacr
from tilepath.tb.kernel.description.stimulus import TestSpec


def _plain(cases: Cases) -> None:
    fill_tile(cases.memory, cases.d, 5, PLACE, 512)
    setups = {(0, u): tile(x_dim=16, y_dim=2, z_dim=2, dest=(64,) * 4) for u in (0, 1)}
    cases.prepare(setups, {t: Thread(ovrd=1) for t in range(3)})


def word(op: str, target: int, number: int, value: int, override: int = 0) -> int:
    """A word of ``op`` that touches counter ``number``; SETADCXX touches both X."""
    if op == "setadc":
        return int(cw.setadc(target, number, value | override << 16))
    if op == "setadcxx":
        return int(cw.setadcxx(target, value, value + 3))
    return cw.one(op, target, number, value & 7, override)


def reaches(op: str, number: int) -> bool:
    """Whether ``op`` can touch counter ``number``."""
    if op == "unpacr":
        return number & 3 in (1, 2)
    if op == "setadcxx":
        return number & 3 == 0
    return op == "setadc" or (op.endswith("xy") if number & 2 == 0 else op.endswith("zw"))


def _targets(cases: Cases) -> None:
    """Each word by target and, for one target, by override and thread."""
    script = cases.script
    for k, op in enumerate(cw.OPS):
        number = 2 if op.endswith("zw") else 5 if op != "setadcxx" else 0
        for target in range(8):
            script.word((k + target) % 3, word(op, target, number, 1 + k))
        for override, thread in product(range(4), range(3)):
            if op != "setadcxx" or not override:
                # one thread at a time: others' sets are not in use
                script.phase(idle=False)
                script.word(thread, word(op, 1 << (k & 1), number, 1, override))
    script.phase()


def _orders(cases: Cases) -> None:
    """Every two writers at one counter: both of the owner, or the second of another thread."""
    script = cases.script
    kinds = (*cw.OPS, "unpacr")
    for k, (one, other) in enumerate(product(kinds, kinds)):
        number = next(
            (n for n in (1, 2, 5, 6, 0, 3, 4, 7) if reaches(one, n) and reaches(other, n)), -1
        )
        if number < 0:
            continue
        u = k & 1
        inc = tuple(int(number == n) for n in (1, 2, 5, 6))
        for foreign in (0, 1, 2):
            script.phase()
            # set 0 is thread 0's; thread 1 names it by ContextADC or override, SETADCXX cannot
            for place, op in enumerate((one, other)):
                away = foreign == place + 1 and op != "setadcxx"
                thread = int(away)
                text = (
                    unpacr(u, inc=inc, multi=int(away))  # type: ignore[arg-type]
                    if op == "unpacr"
                    else word(op, 1 << u, number, 1, int(away))
                )
                script.word(thread, text)
                script.fence(thread)
                script.phase(idle=False)


def _row(cases: Cases) -> None:
    """UNPACR, set and increment in three cycles, at Y and Z of both channels."""
    script = cases.script
    for u, number, single in product((0, 1), (1, 2, 5, 6), (0, 1)):
        inc = tuple(int(number == n) for n in (1, 2, 5, 6))
        letters = "xy" if number & 2 == 0 else "zw"
        op = "setadc" if single else f"setadc{letters}"
        script.phase()
        script.word(0, unpacr(u, inc=inc), word(op, 1 << u, number, 3))  # type: ignore[arg-type]
        script.word(0, word(f"incadc{letters}", 1 << u, number, 2), FENCE)
        script.word(0, *(word("setadc", 1 << u, n, 0) for n in range(8)))


def _ends(cases: Cases) -> None:
    """Counters at their ends: values, and sums that wrap; checkpoints that differ from live."""
    script = cases.script
    tops = [(1 << width) - 1 for width in script.view.machine.adc.widths] * 2
    for u, number in product((0, 1), range(8)):
        target, letters = 1 << u, "xy" if number & 2 == 0 else "zw"
        top = tops[number]
        script.phase()
        script.word(2, word("setadc", target, number, top))
        script.word(2, word(f"incadc{letters}", target, number, 1))
        script.word(2, word(f"addrcr{letters}", target, number, 0))
        script.word(2, word(f"addrcr{letters}", target, number, 3))
        script.word(2, word("setadc", target, number, top - 1))
        script.word(2, word(f"incadc{letters}", target, number, 7))
        script.word(2, word("setadc", target, number, top))
        if number & 3 in (1, 2):
            inc = tuple(3 * int(number == n) for n in (1, 2, 5, 6))
            empty = word("setadc", target, 0, 9), word("setadc", target, 4, 8)
            script.word(2, *empty, unpacr(u, inc=inc))  # type: ignore[arg-type]
        script.word(2, *(word("setadc", target, n, 0) for n in range(8)))


def _meetings(cases: Cases) -> None:
    """Words of another thread in the cycle of an UNPACR's update, or next to it."""
    script = cases.script
    for u, op, delay in product((0, 1), cw.OPS, range(1, 6)):
        if op == "setadcxx":
            continue
        number = 2 if op.endswith("zw") else 1
        script.phase()
        script.word(0, FENCE, unpacr(u, inc=(1, 1, 1, 1)))
        script.word(1, word(op, 1 << u, number, 1, 1), gap=delay)
        script.phase()
        script.word(0, *(word("setadc", 1 << u, n, 0) for n in (1, 2, 5, 6)))
    inc = word("incadcxy", 7, 1, 1)
    for t in range(3):
        script.phase()
        for other in range(3):
            script.word(other, word("incadcxy", 7, 1, 1, t + 1), inc)


TESTS: Final[tuple[TestSpec, ...]] = (
    case_test(
        "counter_words", "words of the address counters, alone and around UNPACRs", _plain,
        _targets, _orders, _row, _ends, _meetings,
        t0_unpacker0=150, t0_unpacker1=150, t2_unpacker0=30, counter_conflict=10,
        faults=("empty", "out_low", "x_override", "y_range"),
    ),
)  # fmt: skip
