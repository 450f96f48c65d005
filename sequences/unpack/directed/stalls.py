# SPDX-License-Identifier: Apache-2.0
"""A bank that comes back around the cycle in which it is wanted."""

from __future__ import annotations

from itertools import product
from typing import Final

from tilepath.engine.description.stimulus import TestSpec
from tilepath.sequences.unpack import words as w
from tilepath.sequences.unpack.config import Thread
from tilepath.sequences.unpack.directed.common import ZEROS, Cases, case_test, tile
from tilepath.sequences.unpack.script import RELEASE
from tilepath.sequences.unpack.words import unpacr


def _behind(profile: str, u: int) -> list[tuple[int, int]]:
    """What can stand behind an UNPACR: an UNPACR, then each mode of NOP; whether it hands over."""
    words = [
        (unpacr(u), 0), (w.nop(profile, u), 0), (w.overlay(profile, u), 0),
        (w.overlay_stream(profile, u, 5, 1), 0), (w.setreg(profile, u, 1), 0),
        (w.zerosrc(profile, u, 0, 0, 1), 0), (w.setdvalid(profile, u), 1),
    ]  # fmt: skip
    if w.is_bh(profile):
        return [*words, (w.zerosrc(profile, u, 0, 0, 1, 0, 1), 1)]
    return [*words, (w.nop(profile, u) | 6, 0)]


def _stall_by_one(cases: Cases) -> None:
    """By flip, and what stands behind."""
    script = cases.script
    for u in (0, 1):
        cases.prepare(
            {(0, u): tile(x_dim=64, z_dim=1, out_base=128 * (1 - u))}, {0: Thread(ovrd=1)}
        )
        script.counters(0, u, **{**ZEROS, "x1": 31})
        behind = _behind(cases.profile, u)
        for (word, hands), flip, gap in product(behind, (0, 1), range(4, 11)):
            script.phase()
            bank = script.released[u] & 1
            script.word(0, unpacr(u, flip=1), unpacr(u, flip=1))
            script.word(0, unpacr(u, flip=flip), word, gap=gap)
            # the second one first, so that what hands it over again may
            for which in (1 - bank, bank):
                script.matrix(RELEASE, u, which, wait=1, toggle=1)
            script.released[u] += 2
            for _ in range(flip + hands):
                script.release(u)


TESTS: Final[tuple[TestSpec, ...]] = (
    case_test(
        "bank_stalls", "banks that come back around the cycle in which they are wanted",
        _stall_by_one, u0_write=200, u1_write=80, owner=150, faults=("nop_reserved",),
    ),
)  # fmt: skip
