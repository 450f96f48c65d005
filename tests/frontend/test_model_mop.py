# SPDX-License-Identifier: Apache-2.0
"""MOP expansion cell by cell, and the MOP expander's decisions with cycles worked out by hand."""

from __future__ import annotations

import pytest

from tilepath.models.frontend import expand_mop
from tilepath.tests.frontend.model_helpers import (
    MOP1,
    NOP,
    one_thread,
    replay,
    rows,
)

A, B, C = 0x26000001, 0x27000002, 0x28000003
DMANOP, SFPNOP = 0x60000000, 0x8F000000
THREE = [1, 3, NOP, NOP, NOP, A, NOP, B, NOP]  # A A B


def cfg1(**changes: int) -> list[int]:
    """MopCfg of the template 1 bug cell, with some of its registers changed."""
    names = ("outer", "inner", "start", "end0", "end1", "loop", "loop1", "last0", "last1")
    values = dict(zip(names, (1, 0, NOP, A, NOP, B, NOP, B, B), strict=True)) | changes
    return [values[name] for name in names]


@pytest.mark.parametrize(
    ("changes", "length"),
    [
        ({}, 129),
        ({"end1": C}, 258),
        ({"loop": NOP, "loop1": C}, 129),  # 0 doubled is 0
        ({"end0": DMANOP}, 129),
        ({"end0": SFPNOP}, 129),
        ({"end0": replay(0, 1)}, 129),
        ({"start": NOP | 0x123456}, 129),
        ({"outer": 0x81}, 129),
        ({"inner": 0x80}, 129),
        # one condition missing
        ({"outer": 0}, 0),
        ({"outer": 2}, 2),
        ({"outer": 127}, 127),
        ({"inner": 1}, 2),
        ({"start": C}, 2),
        ({"start": DMANOP}, 2),
        ({"start": SFPNOP}, 2),
        ({"end0": NOP}, 0),
        ({"end0": NOP | 0xFFFFFF, "end1": C}, 0),
    ],
)
def test_bug_cell_and_its_neighbours(changes: dict[str, int], length: int) -> None:
    cfg = cfg1(**changes)
    assert expand_mop(MOP1, 0, cfg).size == length
    out = one_thread([MOP1, C], cfg, start=10)
    assert len(out["mq"]) == length + 1
    # Ingest in cycle 11, one word a cycle, one cycle of TRANS (also when nothing was emitted).
    assert int(out["mq"]["cycle"][-1]) == 11 + max(length, 1) + 1


def test_longest_expansions() -> None:
    cfg = cfg1(outer=127, inner=127, start=A, end0=A, end1=A, loop1=A)
    assert expand_mop(MOP1, 0, cfg).size == 32639
    assert expand_mop(0x017F0000, 0, [0, 3, A, A, A, A, A, A, A]).size == 640
    out = one_thread([MOP1, C], cfg, start=10, cycles=33000)
    assert len(out["mq"]) == 32640
    assert rows(out["status"], "cycle", "mop_state") == [(12, 1), (32650, 2), (32651, 0)]


def test_f5_flip_goes_on_through_the_override() -> None:
    cfg = [3, 1, NOP, NOP, NOP, A, B, C, DMANOP]
    assert expand_mop(MOP1, 0, cfg).tolist() == [A, DMANOP, A, DMANOP, A, C]


def test_f6_template1_ignores_its_immediates() -> None:
    assert (expand_mop(0x01FFFFFF, 0xFFFF, THREE) == expand_mop(MOP1, 0, THREE)).all()


def test_f9_front_end_words_in_mopcfg_are_not_expanded() -> None:
    cfg = [1, 1, MOP1, 0x03001234, NOP, NOP, NOP, A, NOP]
    assert expand_mop(MOP1, 0, cfg).tolist() == [MOP1, A, 0x03001234]


def test_f10_nop_is_skipped_only_where_it_is_tested() -> None:
    assert expand_mop(MOP1, 0, [2, 1, NOP, NOP, NOP, NOP, NOP, NOP, NOP]).tolist() == [NOP, NOP]
    assert expand_mop(0x01010001, 0, [0, 3, *[NOP] * 7]).size == 7


@pytest.mark.parametrize(
    ("word", "mask_hi", "cfg", "message"),
    [
        (A, 0, THREE, "no MOP"),
        (1 << 32, 0, THREE, "32 bits"),
        (MOP1, 1 << 16, THREE, "16 bits"),
        (MOP1, 0, THREE[:8], "9 registers"),
        (MOP1, 0, [*THREE[:8], -1], "32 bits"),
    ],
)
def test_bad_arguments(word: int, mask_hi: int, cfg: list[int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        expand_mop(word, mask_hi, cfg)
