# SPDX-License-Identifier: Apache-2.0
"""A bank that comes back in each cycle around the first step that needs it."""

from __future__ import annotations

from itertools import product
from typing import Final

from tilepath.engine.description.stimulus import TestSpec
from tilepath.sequences.unpack import words as w
from tilepath.sequences.unpack.config import Thread
from tilepath.sequences.unpack.directed.common import PLACE, Cases, case_test, fill_tile, tile
from tilepath.sequences.unpack.directed.faults import ZEROS
from tilepath.sequences.unpack.script import RELEASE
from tilepath.sequences.unpack.words import unpacr


def _plain(cases: Cases) -> None:
    fill_tile(cases.memory, cases.d, 5, PLACE, 512)


def _behind(profile: str, u: int) -> list[tuple[int, ...]]:
    """What can stand behind an UNPACR: nothing, and a word of each kind."""
    words: list[tuple[int, ...]] = [
        (),
        (unpacr(u),),
        (w.nop(profile, u),),
        (w.overlay(profile, u),),
        (w.overlay_stream(profile, u, 3, 1),),
        (w.setreg(profile, u, 3),),
        (w.zerosrc(profile, u),),
        (w.setdvalid(profile, u),),
    ]
    if w.is_bh(profile):
        return [*words, (w.zerosrc(profile, u, valid=1),)]
    return [*words, (w.NOP_OPCODE << 24 | u << 23 | 6,)]


def _meet(cases: Cases) -> None:
    """By flip, what comes next, when the release comes; Dst waits for SrcA's bank as well."""
    script, profile = cases.script, cases.profile
    for u, to_dst in ((0, 0), (1, 0), (0, 1)):
        setup = tile(x_dim=64, z_dim=1, out_base=128 * (1 - u), if_sel=to_dst)
        cases.prepare({(0, u): setup}, {0: Thread(ovrd=1 - to_dst)})
        script.counters(0, u, **{**ZEROS, "x1": 15})
        delays = range(3, 13) if not to_dst else (5, 7, 8, 9, 11)
        for words, flip, delay in product(_behind(profile, u), (0, 1), delays):
            if (u or to_dst) and words and delay & 1:
                continue
            script.phase()
            bank = script.view.bank[u]
            for _ in (0, 1):
                script.word(0, w.setdvalid(profile, u))
            script.phase()
            script.matrix(RELEASE, u, 1 - bank)
            script.phase()
            script.word(0, unpacr(u, flip=flip), *words)
            script.matrix(RELEASE, u, bank, gap=delay)
            script.matrix(RELEASE, u, 1 - bank, gap=25)
            script.matrix(RELEASE, u, bank)
            script.phase()
            script.matrix(RELEASE, u, 1 - bank)
            script.matrix(RELEASE, u, bank)
    for u in (0, 1):
        script.released[u] = script.view.bank[u]


def _release_meets_flip(cases: Cases) -> None:
    """A release around the cycle in which a bank is handed over, once or twice in a row."""
    script, profile = cases.script, cases.profile
    cases.prepare({})
    for u, words, gap in product((0, 1), (1, 3), range(8, 28)):
        script.phase()
        bank = script.view.bank[u]
        for _ in range(words):
            script.word(0, w.setdvalid(profile, u))
        script.matrix(RELEASE, u, bank, gap=gap)
        cases.own(u)


TESTS: Final[tuple[TestSpec, ...]] = (
    case_test(
        "bank_meets", "a bank comes back around the cycle in which it is needed", _plain, _meet,
        _release_meets_flip,
        u0_write=200, u1_write=80, owner=600,
        faults=("flip_owner", "nop_reserved"),
    ),
)  # fmt: skip
