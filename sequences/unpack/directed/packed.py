# SPDX-License-Identifier: Apache-2.0
"""Parts of compressed rows: dropped items in front, wraps in the middle of a group; ninth rows."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Any, Final

import numpy as np

from tilepath.engine.description.stimulus import TestSpec
from tilepath.sequences.unpack.config import Setup, Thread
from tilepath.sequences.unpack.directed.common import FEW, ZEROS, Cases, case_test, same, tile
from tilepath.sequences.unpack.plan import bits
from tilepath.sequences.unpack.tiles import Packed
from tilepath.sequences.unpack.words import unpacr

_ROWS: Final = (5, 0, 32, 27, 31, 1, 33, 64)
_RUNS: Final = (0, 1, 15, 15, 0, 0, 0, 3, 2, 15, 15, 15, 1, 0, 7) * 40


def _put(cases: Cases, setup: Setup, rows: Iterable[int], runs: Iterable[int] = _RUNS) -> None:
    """A compressed tile of ``rows``, as ``setup`` has it; ``runs``: zeros behind its datums."""
    code, view = setup.in_format, cases.script.view
    view.set_up(0, 1, setup)
    rsi, _, where = view.machine.sections(0, 1, 0, 0, code)
    made = Packed(np.array(rows, np.int64))
    made.put_index(view.memory, rsi)
    zeros = np.resize(np.array(runs, np.int64), made.datums + 40)
    values = cases.d.rng.integers(0, 1 << bits(code), len(zeros))
    made.put_groups(view.memory, where, code, values, zeros)


def _packed(code: int, **changes: Any) -> Setup:
    fields = {"x_dim": 48, "y_dim": len(_ROWS), "z_dim": 1, "uncompressed": 0, **same(code)}
    return tile(**{**fields, **changes})


def _parts(cases: Cases) -> None:
    """First and last item in the middle of runs, at their ends, whole rows."""
    for code in (14, 5, 6, 7):
        setup = _packed(code, force_exponent=1)
        _put(cases, setup, _ROWS)
        cases.prepare({(0, 1): setup})
        for y, x0 in product((0, 2, 4), (0, 1, 3, 18, 19, 20, 34, 40)):
            cases.script.counters(0, 1, **{**ZEROS, "y0": y, "x0": x0, "x1": x0 + 16})
            cases.script.word(0, unpacr(1))
        for y in range(len(_ROWS)):
            cases.script.counters(0, 1, **{**ZEROS, "x1": 47, "y0": y})
            cases.script.word(0, unpacr(1))


def _dropped(cases: Cases) -> None:
    """Beats of which all is dropped, with one item more than whole steps have."""
    for (code, datums_of_beat), place in product(((5, 32), (14, 64), (6, 64), (7, 128)), (0, 31)):
        setup = _packed(code, x_dim=200, y_dim=1, force_exponent=1)
        _put(cases, setup, (256,), [int(i % datums_of_beat == place) for i in range(256)])
        cases.prepare({(0, 1): setup})
        for x0 in (66, 140):
            cases.script.counters(0, 1, **{**ZEROS, "x0": x0, "x1": x0 + 15})
            cases.script.word(0, unpacr(1))


def _wraps(cases: Cases) -> None:
    """Datums and nibbles that wrap, from the middle of a group on."""
    for code, lines in product((14, 5, 7, 6), range(1, 9)):
        setup = _packed(code, y_dim=2, force_exponent=1)
        cases.script.view.set_up(0, 1, setup)
        _, _, datum = cases.script.view.machine.sections(0, 1, 0, 0, code)
        setup = setup.with_(limit=datum // 16 + lines, fifo=4)
        _put(cases, setup, (16, 100))
        cases.prepare({(0, 1): setup})
        cases.script.counters(0, 1, **{**ZEROS, "y0": 1, "x1": 47})
        cases.script.word(0, unpacr(1))


def _ends(cases: Cases) -> None:
    """Dropped items in front of some that end with the last row of SrcA or SrcB, or behind it."""
    for u, over, x0 in product((0, 1), (0, 1, 4), (3, 9)):
        end = (64 + 16 * 16, 64 * 16)[u]
        setup = _packed(5, out_base=2 * (end - 16 + over))
        _put(cases, setup, _ROWS, [15] * 8 + [0] * 200)
        cases.prepare({(0, u): setup}, {0: Thread()})
        cases.script.counters(0, u, **{**ZEROS, "x0": x0, "x1": x0 + 15})
        cases.script.word(0, unpacr(u))


def _modes(cases: Cases) -> None:
    """The length of the address phase follows a write of the modes alone."""
    for u, plain in product((0, 1), (0xFF, 0, 0xFF)):
        setup = tile(x_dim=16, z_dim=1, ctx_uncompressed=plain, ctx_x_dim=(16,) * 4)
        cases.case(u, setup, [(0, FEW), *[(0, unpacr(u, multi=1))] * 3])


def _nine_rows(cases: Cases) -> None:
    """128 datums from the middle of a row on, which end a block of 16 rows: the next one stays."""
    script = cases.script
    for row, turn in product((7, 15, 23, 39), (0, 1)):
        for start, col, last in ((0, 0, 1023), (row, 5, 127)):
            setup = tile(**same(7), x_dim=1024, z_dim=1, out_base=16 * (start + 4) + col)
            setup = setup.with_(force_exponent=1, transpose=turn * (start > 0))
            cases.prepare({(0, 0): setup}, {0: Thread(ovrd=1)})
            script.counters(0, 0, **{**ZEROS, "x1": last})
            script.word(0, unpacr(0, flip=int(start > 0)))
        script.fence(0)
        script.release(0, reads=range(64))


TESTS: Final[tuple[TestSpec, ...]] = (
    case_test(
        "packed_parts", "parts of compressed rows; wraps; last rows; ninth rows",
        _parts, _dropped, _wraps, _ends, _modes, _nine_rows, u1_read=300, u1_write=200,
        faults=("burst", "datum", "delta", "out_row", "rsi", "srca_row", "srcb_row"),
    ),
)  # fmt: skip
