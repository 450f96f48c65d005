# SPDX-License-Identifier: Apache-2.0
"""The Matrix Unit's port: reads of several files, writes, clears, valid bits, releases, pause."""

from __future__ import annotations

from itertools import product
from typing import Final

from tilepath.engine.description.stimulus import ANY, TestSpec
from tilepath.models.dst_rows import Access
from tilepath.sequences.unpack import words as w
from tilepath.sequences.unpack.config import Thread
from tilepath.sequences.unpack.directed.common import (
    PLACE,
    Cases,
    case_test,
    fill_tile,
    same,
    tile,
)
from tilepath.sequences.unpack.directed.faults import ZEROS
from tilepath.sequences.unpack.script import DST, FENCE, SRCA, SRCB
from tilepath.sequences.unpack.words import unpacr

_BANKS: Final = tuple(product((SRCA, SRCB), (0, 1)))
_ROWS: Final = (0, 4, 7, 8, 15, 16, 31, 32, 255, 256, 511, 512, 1000, 1016, 1023)
_ALL: Final = 3  # mode of ZEROACC


def _row(cases: Cases) -> tuple[int, ...]:
    """16 columns of anything."""
    return tuple(cases.d.rng.integers(0, 1 << 32, 16).tolist())


def _files(cases: Cases) -> None:
    """Rows of one, two, three files in a cycle, of all banks, each written before."""
    script = cases.script
    script.phase()
    for (file, bank), row in product(_BANKS, (0, 1, 15, 16, 33, 63)):
        script.matrix_write(file, bank, row, _row(cases))
    for row in (0, 1, 15, 16, 33, 63):
        script.matrix_write(DST, row & 1, row, _row(cases))
    script.phase()
    for read, banks in product(range(1, 8), range(4)):
        for row_a, row_b, row in ((0, 63, 33), (63, 0, 1), (16, 15, 0), (33, 1, 63), (15, 33, 16)):
            script.command(read=read, banks=banks, row_a=row_a, row_b=row_b, row=row)
    for bank in (0, 1):  # a row that is written in the cycle in which it is read, or beside
        script.phase()
        for _ in range(4):
            script.matrix_write(SRCA, bank, 5, _row(cases))
            script.matrix_write(SRCB, bank, 5, _row(cases))
            script.matrix_write(DST, bank, 5, _row(cases))
        for _ in range(14):
            script.command(read=7, banks=3 * bank, row_a=5, row_b=5, row=5)


def _dst(cases: Cases) -> None:
    """Rows of 16 and 32 bits by all maps: written one way, read both ways and as stored."""
    script = cases.script
    for access, wide in product(range(4), (0, 1)):
        script.phase()
        script.command(zero=1, zero_mode=_ALL)
        script.phase()
        for row in _ROWS:
            script.matrix_write(DST, row & 1, row, _row(cases), wide=wide, access=access)
        script.phase()
        for row in _ROWS:
            script.command(read=4, row=row, wide=wide, access=access)
            script.command(read=4, row=row, wide=1 - wide, access=access)
            high = Access().row(1, row)
            for place in (row, high, high | 8, row ^ 8, row ^ 24, row ^ 48):
                script.command(read=4, row=place)


def _valid_bits(cases: Cases) -> None:
    """ZEROACC in all modes, with undo and without; what lies beside the rows."""
    script = cases.script
    for access, wide, mode in product(range(4), (0, 1), range(4)):
        for undo, row in product((0, 1), (0, 61, 240, 512, 1008)):
            script.phase()
            script.command(zero=1, zero_mode=_ALL, undo=1 - undo)
            script.command(zero=1, zero_mode=mode, row=row, wide=wide, access=access, undo=undo)
            high = Access().row(1, row)
            for first in (row, high):
                for near in (-1, 0, 1, 7, 8, 9, 15, 16, 17, 24):
                    script.command(read=4, row=(first + near) & 1023)
            for near in (-1, 0, 4, 8, 12, 15, 16):
                at = (row + near) & 1023
                script.command(read=4, row=at, wide=wide, access=access)
    for gap in range(3):  # a row that is written when valid bits are zeroed, or beside that
        script.phase()
        for _ in range(gap):
            script.matrix_write(SRCA, 0, 0, _row(cases))
        script.matrix_write(DST, 0, 20, _row(cases))
        script.command().command(zero=1, zero_mode=_ALL)
        script.phase()
        script.command(read=4, row=20).command(zero=1, zero_mode=_ALL, undo=1)


def _clears(cases: Cases) -> None:
    """ZEROSRC of the Matrix Unit: all sets of banks, both values; rows written beside it."""
    script = cases.script
    for clear, neg_inf in product(range(1, 16), (0, 1)):
        script.phase()
        for file, bank in _BANKS:
            script.matrix_write(file, bank, 3, _row(cases))
        script.phase()
        script.command(clear=clear, neg_inf=neg_inf)
        for banks, row in product((0, 3), (3, 60)):
            script.command(read=3, banks=banks, row_a=row, row_b=row)
    for (file, bank), lead in product(_BANKS, range(3)):
        script.phase()
        for _ in range(lead):
            script.matrix_write(3, 0, 0, _row(cases))
        script.matrix_write(file, bank, 7, _row(cases))
        script.command().command(clear=1 << 2 * file + bank, neg_inf=1)
        script.phase()
        script.command(read=3, banks=3 * bank, row_a=7, row_b=7)


def _releases(cases: Cases) -> None:
    """Banks of both files come back, in one cycle or apart, from all states of their owners."""
    script, profile = cases.script, cases.profile
    for release, banks, mine in product(range(1, 4), range(4), (0, 1, 2)):
        script.phase()
        for u in (0, 1):
            for _ in range(mine):
                script.word(0, w.setdvalid(profile, u))
        script.phase()
        script.command(release=release, banks=banks, wait=0).command(release=3, banks=3 ^ banks)
        script.command(release=3, banks=banks)
    for u in (0, 1):
        script.released[u] = int(script.view.bank[u])


def _waits(cases: Cases) -> None:
    """Commands and rows wait until their banks are the Matrix Unit's; banks by its pointers."""
    script, profile = cases.script, cases.profile
    for _ in range(4):
        script.phase()
        first = script.pointer[0] | script.pointer[1] << 1
        bank = [int(script.view.bank[u]) for u in (0, 1)]
        for u in (0, 1):
            script.word(u, FENCE, w.setdvalid(profile, u), gap=20 * u)
        for file in (SRCA, SRCB):
            script.matrix_write(file, bank[file], 9, _row(cases), wait=1)
        known = bank[SRCA] | bank[SRCB] << 1
        script.command(read=3, banks=known, row_a=9, row_b=9, wait=3)
        script.command(read=3, follow=1, toggle=first ^ known, row_a=9, row_b=9)
        script.command(read=7, follow=1, row_a=9, row_b=9)
        written = script.done("matrix_write")
        script.command(release=3, follow=1, toggle=3, wait=3, after=written)
    for u in (0, 1):
        script.released[u] = int(script.view.bank[u])


def _formats(cases: Cases) -> None:
    """The format that comes with a bank: of UNPACRs, by contexts, and of NOPs."""
    script, profile = cases.script, cases.profile
    for u, code in product((0, 1), reversed(range(16))):
        others = {**same(code), "ctx_out": tuple((code + 5 + k) & 15 for k in range(8))}
        setup = tile(**others, x_dim=16, z_dim=1)
        with_contexts = setup.with_(ovrd_format=1)
        for one, word in (
            (setup, unpacr(u, flip=1)),
            (with_contexts, unpacr(u, multi=1, ctx=code & (7 if u == 0 else 1), flip=1)),
            (with_contexts, w.setdvalid(profile, u)),
            (setup, w.setdvalid(profile, u)),
        ):
            cases.case(u, one, [(0, {**ZEROS, "x1": 15}), (0, word)], release=False)
            script.phase()
            script.release(u)


def _beside(cases: Cases) -> None:
    """Rows of SrcA and SrcB in each cycle around those in which an unpacker writes its bank."""
    script, profile = cases.script, cases.profile
    for u, mine in product((SRCA, SRCB), (0, 1)):
        fill_tile(cases.memory, cases.d, 5, PLACE, 256)
        cases.prepare({(0, u): tile(x_dim=256, z_dim=1, out_base=128 * (1 - u))}, {0: Thread()})
        script.counters(0, u, **{**ZEROS, "x1": 255})
        script.phase()
        bank = int(script.view.bank[u])
        script.word(0, unpacr(u))
        issued = script.done("t0.issue")
        for k in range(60):
            row, after = (5 * k) & 63, issued * (k == 0)
            script.matrix_write(u, bank ^ mine, row, _row(cases), after=after)
        script.phase()
        for row in range(64):
            script.command(read=1 << u, banks=3 * bank, row_a=row, row_b=row)
            script.command(read=1 << u, banks=3 * (1 - bank), row_a=row, row_b=row)
        script.phase()
        script.word(0, w.zerosrc(profile, u, 0, 1, 1))


def _pause(cases: Cases) -> None:
    """Rows of Dst and valid bits in each cycle around those in which unpacker 0 changes Dst."""
    script = cases.script
    for code, first in product((5, 4), (604, 607)):
        size = 2 if code == 5 else 4
        setup = tile(**same(code), x_dim=256, z_dim=1, if_sel=1, out_base=size * 16 * first)
        fill_tile(cases.memory, cases.d, code, PLACE, 256)
        cases.prepare({(0, 0): setup}, {0: Thread()})
        script.counters(0, 0, **{**ZEROS, "x1": 255})
        for zero in (0, 1):
            script.phase()
            script.word(0, unpacr(0))
            issued = script.done("t0.issue")
            for k in range(50):
                after = issued * (k == 0)
                if zero:
                    script.command(zero=1, row=596 + k % 32, zero_mode=k % 7 == 6, after=after)
                else:
                    row = _row(cases)
                    script.matrix_write(DST, 0, 596 + k % 32, row, wide=k & 1, after=after)
            script.phase()
            for row in range(592, 628):
                script.command(read=4, row=row).command(read=4, row=row, wide=1)


def _stale(cases: Cases) -> None:
    """SrcA's banks are unpredictable one by one, until each is cleared or released."""
    script = cases.script
    setup = tile(x_dim=64, z_dim=1, if_sel=1, out_base=128)
    by_clear = ({"clear": 1}, {"clear": 2})
    by_release = ({"release": 1}, {"release": 1, "banks": 1})
    for ends in (by_clear, by_release, ()):
        for flip in (1, 0):
            last = {**ZEROS, "x1": 31 + 32 * flip}  # one step or two
            cases.case(0, setup, [(0, last), (0, unpacr(0, flip=flip))], release=False)
        script.phase()
        for fields in ends:
            script.command(**fields).command(read=1).command(read=1, banks=1)
        if not ends:
            script.word(0, w.zerosrc(cases.profile, 0, 0, 1, 1))
        script.phase()
        script.command(release=3).command(release=3, banks=3)
    script.released[SRCA] = int(script.view.bank[SRCA])


TESTS: Final[tuple[TestSpec, ...]] = (
    case_test(
        "matrix_rows", "the Matrix Unit's reads and writes of rows, its zeroing of rows and banks",
        _files, _dst, _valid_bits, _clears,
        matrix_write=200, answer_a=200, answer_b=200, answer_d=1000,
    ),
    case_test(
        "matrix_banks", "the Matrix Unit's banks and formats; it writes where unpackers write",
        _releases, _waits, _formats, _beside, _pause, _stale,
        matrix_write=400, owner=100, implied=60, pause=20, stale=4, answer_d=100,
        faults=ANY,
    ),
)  # fmt: skip
