# SPDX-License-Identifier: Apache-2.0
"""Corners that only a certain coincidence shows: each of them has hidden a planted bug."""

from __future__ import annotations

from itertools import product
from typing import Final

import numpy as np

from tilepath.isa import profiles
from tilepath.sequences.unpack import words as w
from tilepath.sequences.unpack.config import Thread
from tilepath.sequences.unpack.directed.common import (
    PLACE,
    Cases,
    at,
    case_test,
    fill_tile,
    same,
    tile,
)
from tilepath.sequences.unpack.directed.faults import ZEROS
from tilepath.sequences.unpack.script import DST, READ, RELEASE, SRCA, SRCB
from tilepath.sequences.unpack.words import unpacr
from tilepath.tb.kernel.description.stimulus import TestSpec


def _plain(cases: Cases) -> None:
    fill_tile(cases.memory, cases.d, 5, PLACE, 1024)


def _release_and_flip(cases: Cases) -> None:
    """A release in each cycle around the flip of the same bank: in one it comes too soon."""
    script, profile = cases.script, cases.profile
    for u in (0, 1):
        cases.prepare({(0, u): tile(x_dim=16, z_dim=1, out_base=128 * (1 - u))}, {0: Thread()})
        script.counters(0, u, **{**ZEROS, "x1": 7})
        for dvalid, gap in product((0, 1), range(24)):
            script.phase()
            bank = script.view.bank[u]
            if dvalid:
                script.word(0, w.setdvalid(profile, u))
            else:
                script.word(0, unpacr(u, flip=1))
            script.matrix(RELEASE, u, bank, gap=gap)
            script.phase()
            for b in (0, 1):
                script.matrix(RELEASE, u, b)
        script.released[u] = script.view.bank[u]


def _exponents_beyond(cases: Cases) -> None:
    """Exponents out of L1 for datums that are in it, and are not 0."""
    lines = profiles.get(cases.profile).l1_bytes // 16
    cases.memory.put(0, np.full(81 * 16, 0x55, np.uint8))
    for u in (0, 1):
        setup = tile(lines - 1, **same(6), x_dim=1024, limit=lines + 1, fifo=lines)
        program = [(0, {**ZEROS, "x1": 700}), (0, unpacr(u))]
        cases.case(u, setup.with_(out_base=64 * (1 - u)), program, {0: Thread(ovrd=1)})


def _full_buffer(cases: Cases) -> None:
    """A token finds the beat buffer full: eight beats wait for a bank."""
    script, profile = cases.script, cases.profile
    for u, kind in product((0, 1), range(3)):
        setup = tile(x_dim=64, z_dim=1, throttle=0, out_base=128 * (1 - u))
        cases.prepare({(0, u): setup}, {0: Thread()})
        script.counters(0, u, **{**ZEROS, "x1": 63})
        script.word(0, unpacr(u, flip=1), unpacr(u, flip=1), unpacr(u))
        if kind == 0:
            script.word(0, w.zerosrc(profile, u, 0, 0, 1))
        elif kind == 1:
            script.word(0, w.setdvalid(profile, u))
        else:
            script.counters(0, u, x0=9, x1=8)
            script.word(0, unpacr(u))
        script.word(0, w.nop(profile, u))
        for n in range(3 if kind == 1 else 2):
            script.release(u, 60 if n == 0 else 3)


def _special_forms(cases: Cases) -> None:
    """Increments in forms that give none; a word that is both forms."""
    script = cases.script
    inc = 0xFF << 15
    for u, t in product((0, 1), range(3)):
        setup = tile(x_dim=16, z_dim=1, context_count=3, dest=(64,) * 4)
        cases.prepare({(0, u): setup}, {t: Thread(ovrd=1, reset=(1, 1))})
        script.counters(t, u, **{**ZEROS, "x1": 3})
        for word in (w.inc_context(u), w.flush_cache(u), w.flush_cache(u) | 1 << 13):
            script.word(t, word, word | inc, word | inc ^ 0x55 << 15)
        script.fence(t)


def _pairs(cases: Cases) -> None:
    """16-bit floats by the other's format: the input's counts (U55)."""
    for (u, to_dst), (code, out) in product(((0, 0), (0, 1), (1, 0)), ((5, 1), (1, 5), (5, 9))):
        setup = tile(**same(code, out), x_dim=64, z_dim=1, if_sel=to_dst, out_base=128 * (1 - u))
        cases.case(u, setup, [(0, {**ZEROS, "x1": 40}), (0, unpacr(u))])


def _ninth_blob(cases: Cases) -> None:
    """The blob behind the eighth has no begin, so nothing is left before it (U17)."""
    for u, y in product((0, 1), (0, 1, 5)):
        setup = tile(
            x_dim=64, blobs=4, blob_starts=0x76543219, z_dim=1, out_base=128 * (1 - u),
        )  # fmt: skip
        program = [(0, {**ZEROS, "x0": 7, "x1": 20, "y0": y}), (0, unpacr(u, search=1))]
        cases.case(u, setup, program)


def _clears(cases: Cases) -> None:
    """ZEROSRC of a bank that has just been written: its rows, and those of the other."""
    script, profile = cases.script, cases.profile
    for u, both in product((SRCA, SRCB), (0, 1)):
        cases.prepare({(0, u): tile(x_dim=128, z_dim=1, out_base=128 * (1 - u))}, {0: Thread()})
        script.counters(0, u, **{**ZEROS, "x1": 99})
        for _ in (0, 1):
            script.phase()
            script.word(0, unpacr(u), w.setdvalid(profile, u))
            script.release(u)
            script.phase()
            script.word(0, unpacr(u), w.zerosrc(profile, u, 0, both, 1))
            script.phase()
            for bank, row in product((0, 1), (0, 1, 4, 5)):
                script.matrix(READ, u, bank, row=row)
            script.phase()
            script.word(0, unpacr(u), w.setdvalid(profile, u))
            script.release(u)
            script.phase()
            script.word(0, unpacr(u), w.setdvalid(profile, u))
            script.release(u)


def _zeros(cases: Cases) -> None:
    """BFPa zeros of both signs have no exponent that could be wrong (U52)."""
    for code, exponent in product((2, 3, 11), (0, 32, 64, 255)):
        top = {2: 0x80, 3: 0x88, 11: 0xAA}[code]
        script = cases.script
        script.phase()
        cases.memory.put(PLACE, np.full(16, exponent, np.uint8))
        cases.memory.put(PLACE + 16, np.resize(np.array([0, top], np.uint8), 16))
        for u in (0, 1):
            setup = tile(**same(code), x_dim=16, z_dim=1, out_base=64 * (1 - u))
            cases.case(u, setup, [(0, {**ZEROS, "x1": 15}), (0, unpacr(u))])


def _dst_ovrd(cases: Cases) -> None:
    """Rows of Dst modulo 16, inside a step as well."""
    script = cases.script
    for row, last, code in ((20, 19, 5), (15, 63, 5), (15, 40, 0), (31, 60, 14)):
        size = 4 if code == 0 else 2 if code == 5 else 1
        setup = tile(
            **same(code),
            x_dim=64,
            z_dim=1,
            if_sel=1,
            out_base=size * 16 * (4 + row),
            base=at(0x400),
        )
        cases.case(0, setup, [(0, {**ZEROS, "x1": last}), (0, unpacr(0))], {0: Thread(ovrd=1)})
        script.phase()
        for where in (0, 1, 2, 4, 5, 15, 16, 17, 20, 23):
            script.matrix(READ, DST, row=where)


def _read_and_write(cases: Cases) -> None:
    """The Matrix Unit reads a row of Dst in each cycle around that in which it is first written."""
    script = cases.script
    for k in range(32):
        setup = tile(x_dim=16, z_dim=1, if_sel=1, out_base=32 * (604 + k))
        cases.prepare({(0, 0): setup}, {0: Thread()})
        if k == 0:
            script.counters(0, 0, **{**ZEROS, "x1": 15})
        script.phase()
        script.word(0, unpacr(0))
        script.matrix(READ, DST, row=600 + k, gap=k)


TESTS: Final[tuple[TestSpec, ...]] = (
    case_test(
        "corners", "coincidences: flips and releases, full buffers, zeros, rows read while written",
        _plain, _release_and_flip, _exponents_beyond, _full_buffer, _special_forms, _pairs,
        _ninth_blob, _clears, _read_and_write, _zeros, _dst_ovrd,
        u0_write=120, u1_write=80, answer_a=30, answer_b=30, answer_d=70, owner=150,
        faults=("blobs_index", "dst_ovrd", "exponent", "format_pair", "x_order"),
    ),
)  # fmt: skip
