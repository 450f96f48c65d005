# SPDX-License-Identifier: Apache-2.0
"""MOP expansion cell by cell, and the MOP expander's decisions with cycles worked out by hand."""

from __future__ import annotations

import pytest

from tilepath.models.frontend import expand, expand_mop
from tilepath.tests.frontend.model_helpers import (
    MOP1,
    NOP,
    one_thread,
    pushed,
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


def test_f7_snapshot_and_race() -> None:
    # MOP accepted in 20, ingested in 21, EXP in 22 and 23, TRANS in 24.
    for cycle, used, race in (
        (19, 1, 0),
        (20, 1, 0),
        (21, 0, 0),
        (22, 0, 1),
        (23, 0, 1),
        (24, 0, 0),
    ):
        writes = [*((n, n, data) for n, data in enumerate(THREE)), (cycle, 5, C)]
        out = one_thread([(20, MOP1)], mopcfg=writes)
        assert rows(out["mq"], "cycle", "word") == [
            (21, C if used else A), (22, C if used else A), (23, B),
        ]  # fmt: skip
        pulses = rows(out["fault"], "cycle", "illegal", "mopcfg_race", "collision", "origin")
        assert pulses == [(cycle, 0, 1, 0, pushed(0))] * race
        assert (
            rows(out["sticky"], "cycle", "mopcfg_race", "collision") == [(cycle + 1, 1, 0)] * race
        )


def test_f7_the_next_mop_sees_writes_made_during_an_expansion() -> None:
    writes = [*((n, n, data) for n, data in enumerate(THREE)), (22, 5, C), (23, 9, 7)]
    out = one_thread([(20, MOP1), (21, MOP1)], mopcfg=writes)
    # Back to back: the second one is ingested in 24. An index above 8 writes nothing.
    assert out["mq"]["word"].tolist() == [A, A, B, C, C, B]
    assert rows(out["fault"], "cycle", "mopcfg_race") == [(22, 1), (23, 1)]
    assert rows(out["sticky"], "cycle", "mopcfg_race") == [(23, 1)]


def test_f7_a_waiting_mop_sees_later_writes() -> None:
    # R and M are full from cycle 20 on, the MOP is at the FIFO's head from 21 on.
    words = [(10 + n, C) for n in range(10)]
    writes = [*((n, n, data) for n, data in enumerate(THREE)), (30, 5, B)]
    out = one_thread([*words, (20, MOP1)], mopcfg=writes, ready=[(40, 1)])
    assert rows(out["mq"], "cycle", "word")[10:] == [(42, B), (43, B), (44, B)]
    # An expansion that a write makes empty needs no room in M.
    writes[-1] = (30, 0, 0)
    out = one_thread([*words, (20, MOP1), (21, A)], mopcfg=writes, ready=[(40, 1)])
    assert rows(out["ingest"], "cycle", "word") == [(31, MOP1)]
    assert rows(out["status"], "cycle", "mop_state") == [(32, 2), (33, 0)]
    assert rows(out["mq"], "cycle", "word")[10:] == [(42, A)]


def test_f8_mask_hi_persists_and_is_sampled_at_ingest() -> None:
    cfg = [0, 0, 0, A, 0, 0, 0, B, 0]
    out = one_thread([0x03000001, 0x01100000, 0x01100000, 0x03000000, 0x01100000], cfg, start=10)
    first = [(11, 0x03000001), (12, 0x01100000), (29, 0x01100000)]
    # 17 words each: 12 to 28 and 29 to 45; MOP_CFG pays TRANS (46) and is popped in 47.
    assert rows(out["ingest"], "cycle", "word") == [*first, (47, 0x03000000), (48, 0x01100000)]
    skipped = [A] * 16 + [B]
    assert out["mq"]["word"].tolist() == [*skipped, *skipped, *[A] * 17]


def test_f9_front_end_words_in_mopcfg_are_not_expanded() -> None:
    inside = [0x01800000, 0x03001234, A]
    cfg = [1, 1, inside[0], inside[1], NOP, NOP, NOP, inside[2], NOP]
    assert expand([MOP1], [(0, n, data) for n, data in enumerate(cfg)]).tolist() == [
        inside[0], inside[2], inside[1],
    ]  # fmt: skip
    out = one_thread([MOP1], cfg, start=10)
    assert rows(out["issue"], "word", "illegal") == [(inside[0], 1), (A, 0), (inside[1], 1)]


def test_f10_nop_is_skipped_only_where_it_is_tested() -> None:
    assert expand_mop(MOP1, 0, [2, 1, NOP, NOP, NOP, NOP, NOP, NOP, NOP]).tolist() == [NOP, NOP]
    assert expand_mop(0x01010001, 0, [0, 3, *[NOP] * 7]).size == 7


def test_f11_mop_cfg_pops_without_room_in_m() -> None:
    out = one_thread([*[(10 + n, A) for n in range(10)], (20, 0x0300BEEF), (21, A)])
    assert rows(out["ingest"], "cycle") == [(21,)]
    full = one_thread([*[(10 + n, A) for n in range(10)], (20, 0x0300BEEF), (21, A)], ready=[])
    assert rows(full["ingest"], "cycle") == [(21,)]
    assert len(full["mq"]) == 10


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
