# SPDX-License-Identifier: Apache-2.0
"""Compressed tiles: rows, runs of zeros, groups of 32, parts of rows, blobs; upsampling of them."""

from __future__ import annotations

from itertools import product
from typing import Any, Final

import numpy as np

from tilepath.engine.description.stimulus import TestSpec
from tilepath.isa import profiles
from tilepath.models.format_codes import SHARED
from tilepath.sequences.unpack.config import Setup, Thread
from tilepath.sequences.unpack.directed.common import EVEN, Cases, case_test, same, tile
from tilepath.sequences.unpack.directed.faults import ZEROS
from tilepath.sequences.unpack.tiles import Packed, datums, exponents, nibbles
from tilepath.sequences.unpack.words import unpacr

CODES: Final = (14, 5, 0, 6, 7, 3)
ROWS: Final = (5, 0, 32, 27, 31, 1, 33, 64, 15, 16, 0, 80, 17)


def _put(cases: Cases, setup: Setup, rows: tuple[int, ...], dense: float, runs: Any = None) -> None:
    """A compressed tile of ``rows``, as ``setup`` has it."""
    code, memory, d = setup.in_format, cases.memory, cases.d
    cases.script.view.set_up(0, 1, setup)
    rsi, exps, where = cases.script.view.machine.sections(0, 1, 0, 0, code)
    made = Packed(np.array(rows, np.int64))
    made.put_index(memory, rsi)
    total = made.datums + 40
    if code in SHARED and exps != where:
        memory.put(exps, exponents(d.rng, code, where - exps).astype(np.uint8))
    zeros = nibbles(d.rng, total, dense)
    if runs is not None:
        zeros[: len(runs)] = runs
    made.put_groups(memory, where, code, datums(d.rng, code, total, EVEN), zeros)


def _packed(code: int, **changes: Any) -> Setup:
    out = 5 if code == 0 else code
    fields = {"x_dim": 48, "y_dim": len(ROWS), "z_dim": 1, "uncompressed": 0, **same(code, out)}
    return tile(**{**fields, **changes})


def _rows(cases: Cases) -> None:
    """Whole rows: of every length, from every place in a group, of each format."""
    for code in CODES:
        for dense in (0.5, 0.97):
            setup = _packed(code)
            _put(cases, setup, ROWS, dense)
            cases.prepare({(0, 1): setup})
            for y in range(len(ROWS)):
                cases.script.counters(0, 1, **{**ZEROS, "x1": 47, "y0": y})
                cases.script.word(0, unpacr(1, zero=int(y == 7)))
                cases.script.counters(0, 1, x0=y + (y & 1) - (y == len(ROWS) - 1))
                cases.script.word(0, unpacr(1, search=1, zero=int(y == 2)))
                cases.script.counters(0, 1, x0=0)


def _parts(cases: Cases) -> None:
    """Parts of rows: first and last item in the middle of runs, at their ends, zeroed or not."""
    runs = [0, 1, 15, 15, 0, 0, 0, 3, 2, 15, 15, 15, 1, 0, 7] * 8
    for code, zero in product((14, 5, 0, 6), (0, 1)):
        setup = _packed(code)
        _put(cases, setup, ROWS, 0.7, runs)
        cases.prepare({(0, 1): setup})
        for y, x0 in product((0, 2, 4), (0, 1, 2, 3, 4, 18, 19, 20, 33, 34, 35, 36, 40)):
            for n in (1, 2, 16, 33) if code == 5 else (1, 17):
                cases.script.counters(0, 1, **{**ZEROS, "y0": y, "x0": x0, "x1": x0 + n - 1})
                cases.script.word(0, unpacr(1, zero=zero))
        cases.script.counters(0, 1, **{**ZEROS, "x0": 9, "x1": 8})
        cases.script.word(0, unpacr(1), unpacr(1, flip=1))
        cases.script.release(1)
    # items by the hundred in front of the first
    setup = _packed(5)
    _put(cases, setup, (64, 64), 0.7, [15] * 128)
    cases.prepare({(0, 1): setup})
    for x0 in (255, 256, 300, 600):
        cases.script.counters(0, 1, **{**ZEROS, "x0": x0, "x1": x0 + 20})
        cases.script.word(0, unpacr(1))


def _beyond(cases: Cases) -> None:
    """Row starts that leave L1 from one instruction to the next."""
    end = profiles.get(cases.profile).l1_bytes // 16
    for line, first in product(range(end - 6, end), (0, 3)):
        setup = tile(line, **same(14), uncompressed=0, x_dim=16, y_dim=16, z_dim=1)
        cases.memory.put_datums(line * 64, 16, np.arange(8) * 4)
        cases.prepare({(0, 1): setup})
        cases.script.counters(0, 1, **{**ZEROS, "x1": 15, "y0": first})
        cases.script.word(0, *[unpacr(1, inc=(0, 1, 0, 0))] * 10)


def _first(cases: Cases) -> None:
    """Every place in a group as the first datum, for a run of a few."""
    rows = (1,) * 40
    for code in (14, 5, 6):
        setup = _packed(code, y_dim=40)
        _put(cases, setup, rows, 0.6)
        cases.prepare({(0, 1): setup})
        for y in range(34):
            cases.script.counters(0, 1, **{**ZEROS, "y0": y, "x1": 5 + y})
            cases.script.word(0, unpacr(1))


def _planes(cases: Cases) -> None:
    """Z and W choose rows; blobs instead of rows."""
    for blobs, search in ((0, 0), (0, 1), (3, 0), (3, 1), (7, 1)):
        setup = _packed(5, y_dim=3, z_dim=2, w_dim=2, blobs=blobs)
        rows = (7, 20, 0, 33, 5, 16, 31, 12, 40, 3, 9, 11, *range(1, 18))
        count = (blobs or 3) * 4
        _put(cases, setup, rows[:count], 0.8)
        cases.prepare({(0, 1): setup})
        for y, z, w in product(range(3), range(2), range(2)):
            x = {"x0": y, "x1": 60} if search else {"x0": 0, "x1": 47}
            cases.script.counters(0, 1, **{**ZEROS, **x, "y0": y, "z0": z, "w0": w})
            cases.script.word(0, unpacr(1, search=search))


def _dropped(cases: Cases) -> None:
    """Beats of which all is dropped, with one item more than whole steps have."""
    for (code, datums_of_beat), place in product(((5, 32), (14, 64), (6, 64), (7, 128)), (0, 31)):
        setup = _packed(code, x_dim=200, y_dim=1)
        runs = [int(i % datums_of_beat == place) for i in range(256)]
        _put(cases, setup, (256,), 1.0, runs)
        cases.prepare({(0, 1): setup})
        for x0 in (66, 140):
            cases.script.counters(0, 1, **{**ZEROS, "x0": x0, "x1": x0 + 15})
            cases.script.word(0, unpacr(1))


def _wraps(cases: Cases) -> None:
    """Datums, nibbles and exponents that wrap."""
    for code in (14, 5, 6, 7, 0):
        for back, fifo in product((2, 4, 5, 6, 7, 8, 10, 12), (1, 8, 0x40)):
            setup = _packed(code, limit=0x400 + back, fifo=fifo)
            _put(cases, setup, ROWS, 0.8)
            cases.prepare({(0, 1): setup})
            for y in (0, 2, 7):
                cases.script.counters(0, 1, **{**ZEROS, "y0": y, "x1": 47})
                cases.script.word(0, unpacr(1))
    # from the middle of a group on
    for code, lines in product((7, 6), range(1, 9)):
        setup = _packed(code, y_dim=2)
        cases.script.view.set_up(0, 1, setup)
        _, _, datum = cases.script.view.machine.sections(0, 1, 0, 0, code)
        setup = setup.with_(limit=datum // 16 + lines, fifo=4)
        _put(cases, setup, (16, 100), 0.8)
        cases.prepare({(0, 1): setup})
        cases.script.counters(0, 1, **{**ZEROS, "y0": 1, "x1": 47})
        cases.script.word(0, unpacr(1))


def _ends(cases: Cases) -> None:
    """Dropped items in front of some that end with the last row of SrcA or SrcB, or behind it."""
    for u, over, x0 in product((0, 1), (0, 1, 4), (3, 9)):
        end = (64 + 16 * 16, 64 * 16)[u]
        setup = _packed(5, out_base=2 * (end - 16 + over))
        _put(cases, setup, ROWS, 0.9, [15] * 8)
        cases.prepare({(0, u): setup}, {0: Thread()})
        cases.script.counters(0, u, **{**ZEROS, "x0": x0, "x1": x0 + 15})
        cases.script.word(0, unpacr(u))


def _upsample(cases: Cases) -> None:
    """Upsampling of plain and compressed rows, with and without interleave, to each file."""
    for code, rate, leave, plain in product((5, 14), (1, 2, 3), (0, 1), (0, 1)):
        setup = _packed(code, uncompressed=plain, upsample=rate, interleave=leave)
        _put(cases, setup, ROWS, 0.7)
        for u, to_dst in ((0, 0), (0, 1), (1, 0)):
            changed = setup.with_(out_base=2 * 64 * (1 - u), if_sel=to_dst)
            cases.prepare({(0, u): changed}, {0: Thread(ovrd=1 - to_dst)})
            for x0, x1, y in ((0, 47, 0), (0, 20, 2), (7, 15, 3), (1, 1, 4)):
                cases.script.counters(0, u, **{**ZEROS, "x0": x0, "x1": x1, "y0": y})
                cases.script.word(0, unpacr(u), unpacr(u, zero=1))
    # dropped items and masked rows in front of those that are written
    for code, rate in product((5, 6), (0, 2)):
        setup = _packed(code, upsample=rate, out_base=60)
        _put(cases, setup, ROWS, 0.5)
        for row in (0, 3, 4):
            shift = (row & 1) * 3
            changed = setup.with_(out_base=32 * row, shift=(shift, 0, 0, 0))
            cases.prepare({(0, 0): changed}, {0: Thread(ovrd=1)})
            for x0, x1 in ((0, 30), (3, 40), (20, 45), (40, 70)):
                cases.script.counters(0, 0, **{**ZEROS, "x0": x0, "x1": x1, "y0": 7})
                cases.script.word(0, unpacr(0))


def _stalled(cases: Cases) -> None:
    """Bounded outputs wait for buffer and bank; RSI lines far apart; slow L1."""
    script = cases.script
    setup = _packed(5)
    _put(cases, setup, ROWS, 0.6)
    for u, gap in product((0, 1), (0, 9, 50)):
        cases.prepare({(0, u): setup.with_(out_base=128 * (1 - u))}, {0: Thread(ovrd=1)})
        script.counters(0, u, **{**ZEROS, "x0": 2, "x1": 33, "y0": 2})
        script.word(0, *[unpacr(u, flip=1)] * 4)
        for _ in range(4):
            script.release(u, gap)
        # beat buffer and queue fill up
        script.word(0, *[unpacr(u, flip=1)] * 2, *[unpacr(u)] * 40)
        for _ in range(2):
            script.release(u, 500)


TESTS: Final[tuple[TestSpec, ...]] = (
    case_test(
        "packed", "compressed rows, groups, planes, blobs", _beyond, _rows, _first, _planes,
        _stalled,
        latency=((900, 1), (300, 6), (100, 23)), u1_read=1500, u1_write=500,
        faults=("datum", "delta", "rsi"),
    ),
    case_test(
        "packed_parts", "parts of compressed rows; wraps; last rows", _parts, _dropped, _wraps,
        _ends,
        u1_read=1000, u1_write=500,
        faults=("empty_flip", "out_row", "srca_row", "srcb_row"),
    ),
    case_test(
        "upsample", "upsampling and interleave, of compressed datums too", _upsample,
        u0_write=300, u1_write=150,
        faults=("burst", "out_low"),
    ),
)  # fmt: skip
