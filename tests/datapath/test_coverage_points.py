# SPDX-License-Identifier: Apache-2.0
"""For each coverpoint: records, bins that they hit and one that they must not."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from tilepath.isa.boundary.datapath import BOUNDARY
from tilepath.models.datapath.account import DatapathAccount
from tilepath.tb.datapath.coverage import DatapathCoverage
from tilepath.tests.coverage_runs import hits
from tilepath.tests.model_runs import cut

Row = tuple[str, int, dict[str, int]]
UNPACR0, UNPACR_NOP = 0x42000000, 0x43000000
CONTEXTS = 41  # word of ThreadConfig


def row(stream: str, cycle: int, **fields: int) -> Row:
    """A record; fields that are not given are 0."""
    return stream, cycle, fields


def stall(thread: int, cycle: int, what: int) -> Row:
    """A STALLWAIT is latched."""
    return row(f"t{thread}.latch", cycle, valid=1, kind=1, what=what)


def dst(cycle: int, storage: int, wide: int = 0) -> Row:
    """Unpacker 0 writes a row of Dst."""
    return row("u0.unpack_write2", cycle, dst=1, wide=wide, address=16 * storage)


def math(cycle: int, storage: int, wide: int = 0) -> Row:
    """The Matrix Unit does."""
    return row("standin_matrix_write", cycle, target=2, wide=wide, row=storage)


def issue(unpacker: int, cycle: int, word: int = UNPACR0, thread: int = 0) -> Row:
    """A word for an unpacker."""
    return row(f"u{unpacker}.unpack_issue", cycle, thread=thread, word=word)


def owner(cycle: int, value: int) -> Row:
    """A bit a bank: A0, A1, B0, B1."""
    return row("unpack_owner", cycle, value=value)


def contexts(cycle: int, value: int, thread: int = 0) -> Row:
    """SETC16 of the word of contexts."""
    return row(f"t{thread}.unpack_setc16", cycle, index=CONTEXTS, value=value)


CASES: list[tuple[list[Row], dict[str, str], str]] = [
    (
        [stall(0, 5, 1), row("t1.latch", 6, valid=1, kind=2), row("t2.latch", 7, kind=3, valid=1)],
        {
            "latches.t0_x_t1": "STALLWAIT*none STALLWAIT*SEMWAIT",
            "latches.t0_x_t2": "STALLWAIT*none STALLWAIT*STREAMWAIT",
            "latches.t1_x_t2": "none*none SEMWAIT*none SEMWAIT*STREAMWAIT",
        },
        "each kind of latch",
    ),
    (
        [
            stall(1, 5, 1 << 4 | 1 << 10 | 1 << 12),
            *(row("t1.busy", cycle, value=value) for cycle, value in ((3, 1 << 4), (9, 3))),
            *(row("risc", 7), row("risc_done", 12)),
            *(row("config_pipe", cycle, stages=value) for cycle, value in ((12, 1), (14, 1 << 6))),
        ],
        {
            "latches.t0_x_t1": "none*STALLWAIT",
            "latches.t0_x_t2": "none*none",
            "latches.t1_x_t2": "STALLWAIT*none",
            "stallwait.condition_x_thread": "MATH*t1 TRISC_CFG*t1 CFG_PIPE*t1",
        },
        "math alone, then with the cores, then these alone, then with the pipe, then that alone",
    ),
    (
        [
            *(row("u0.unpack_read", 5), row("w3.pack_write", 5), row("u1.unpack_read", 6)),
            *(row("p2.pack_read", 5), row("pack_source", 8), row("p0.pack_read", 8)),
        ],
        {"l1.clients": "u0_pack u1", "l1.at_once": "three one one"},
        "u0 and pack are there together only",
    ),
    (
        [
            *(row("l1.pack_row", 5, row=8), row("l2.pack_row", 5, row=520), dst(5, 16)),
            *(row("l0.pack_row", 6, row=512), math(6, 256, wide=1)),
            *(row("l0.pack_row", 7, row=512), math(7, 256), math(8, 0)),
            row("standin_matrix_write", 9, target=1),
        ],
        {
            "dst.at_once": "pack_u0 pack_math math",
            "dst.pair_x_halves": "pack_u0*same pack_u0*other pack_math*same pack_math*other",
        },
        "a write to Src is none to Dst, and row 256 of 32 bits is in the other half",
    ),
    (
        [
            *(row("config_write", 20, source=2, index=76), issue(0, 20), issue(1, 20)),
            *(row("config_write", 30, source=3, index=124), issue(1, 31)),
            *(row("flop_write", 40, index=76), issue(0, 44, UNPACR_NOP), issue(0, 45)),
            *(row("t1.unpack_setc16", 50, index=CONTEXTS), issue(0, 51), issue(0, 52, thread=1)),
            *(row("unpack_store", 60, thread=2, index=5), issue(1, 60, thread=2)),
        ],
        {
            "unpacr.write_x_ago_x_unpacker": "config_unit*0*u0 core*1*u1 SETC16*2-4*u0 core*0*u1",
            "bank.file_x_by_x_order": "",
        },
        "5 cycles are too long ago, another thread's SETC16 and other unpacker's words are none",
    ),
    (
        [
            *(contexts(20, 0x1), owner(22, 0b1), owner(30, 0), contexts(34, 0x101)),
            *(owner(40, 0b1000), contexts(45, 0x001), row("u1.unpack_pointers", 50, context2=1)),
            *(owner(50, 0b0), contexts(51, 0x001)),
        ],
        {
            "bank.file_x_by_x_order": "SrcA*unpacker*switch_first SrcB*Matrix_Unit*same_cycle",
        },
        "the offset of unpacker 0 stays in 34, 5 cycles are too many, and nothing switches in 51",
    ),
    (
        [*(owner(20, 0b1), contexts(24, 1), owner(30, 0), contexts(31, 0))],
        {
            "bank.file_x_by_x_order": "SrcA*unpacker*hand-over_first "
            "SrcA*Matrix_Unit*hand-over_first"
        },
        "both hand-overs come first",
    ),
    (
        [
            *(row("t1.fault", 20, illegal=1), row("t2.fault", 24, mopcfg_race=1)),
            *(row("t0.adc_fault", 30, empty=1), row("sfpu", 30), row("xmov", 34)),
        ],
        {"fault.alone": "t1.fault xmov"},
        "a race is none, and two in a cycle are not alone",
    ),
]


def _covered(rows: list[Row], cuts: tuple[int, ...] = ()) -> DatapathCoverage:
    seen: dict[str, Any] = {}
    for name, stream in BOUNDARY.table.items():
        own = sorted((r for r in rows if r[0] == name), key=lambda r: r[1])
        seen[name] = np.zeros(len(own), stream.dtype)
        for record, (_, cycle, fields) in zip(seen[name], own, strict=True):
            record["cycle"] = cycle
            for field, value in fields.items():
                record[field] = value
    seam, model = DatapathAccount(), DatapathCoverage("baseline")
    model.follow(seam)
    for first, last in pairwise((0, *cuts, 100)):
        part = cut(seen, first, last)
        seam.step(part, last)
        model.sample(part, first, last)
    return model


@pytest.mark.parametrize(("rows", "bins", "why"), CASES, ids=[why for *_, why in CASES])
def test_points(rows: list[Row], bins: dict[str, str], why: str) -> None:
    model = _covered(rows)
    found = {p: {b.replace(" ", "_") for b in own} for p, own in hits(model).items()}
    assert found == {p: set(own.split()) for p, own in bins.items() if own}, why
    assert model.contradicted() == []
    cycles = tuple(sorted({cycle + more for _, cycle, _ in rows for more in (0, 1)}))
    assert hits(_covered(rows, cycles)) == hits(model), "cut at every record, and behind it"


def test_unpacker_0_and_the_matrix_unit_together_contradict() -> None:
    assert len(_covered([dst(5, 0), math(5, 8)]).contradicted()) == 1


def test_every_point_has_a_test() -> None:
    points = set(DatapathCoverage("baseline").report().points)
    assert {point for _, bins, _ in CASES for point in bins} == points
