# SPDX-License-Identifier: Apache-2.0
"""The coverage model as a whole: random programs, cut anywhere, with bad input."""

from __future__ import annotations

from functools import cache
from random import Random

import numpy as np
import pytest

from tilepath.isa import constants
from tilepath.models.pack import fields as F
from tilepath.models.pack.faults import Flag
from tilepath.tb.kernel.description.stream import Records
from tilepath.tb.pack.coverage import PackCoverage, datums
from tilepath.tests.coverage_runs import hits, streams
from tilepath.tests.pack.pack_cover import TABLE, Program, covered

PROFILES = (
    "baseline", "blackhole", "baseline,relu_max_cmp19=1", "blackhole,pack_tpg_by_intf=1",
)  # fmt: skip


@cache
def random_run(seed: int) -> tuple[dict[str, Records], int, str]:
    """Streams of random instructions and settings; the cycle behind them; profile."""
    profile = PROFILES[seed % len(PROFILES)]
    rng = np.random.default_rng(seed)
    program = Program(profile, gap=1)
    state = program.state
    for row in range(0, 1024, 9):
        data = tuple(rng.integers(0, 1 << 32, 72).tolist())
        program.now("dst_write", row, 9, (0xFFFF,) * 9, data)
    for _ in range(6):
        for packer in range(4):
            program.config(packer, **random_setup(rng))
        for thread in range(3):
            program.thread_word(thread, 37, int(rng.integers(1 << 16)))
            program.datums(int(rng.integers(1, 40)), int(rng.integers(3)), thread)
        for _ in range(4):
            mask = int(rng.choice((0, 1, 3, 15, 5)))
            word = constants.OP_PACR << 24 | mask << 8 | int(rng.choice((0, 0, 1, 2, 0x10, 0x1000)))
            program.issue(word, int(rng.integers(3)), gap=int(rng.integers(1, 60)))
        program.cycle += 600
    assert state is program.state
    return program.streams(), program.end, profile


def random_setup(rng: np.random.Generator) -> dict[str, int]:
    """Settings of a packer."""
    code = int(rng.choice((0, 1, 2, 4, 5, 6, 8, 9, 10, 14)))
    return {
        "inner": code, "from_": code, "to": int(rng.choice((0, 1, 2, 3, 5, 6, 7, 8, 10, 11, 15))),
        "plain": int(rng.random() < 0.7), "r32": int(rng.integers(2)), "raw": int(rng.integers(2)),
        "acc": int(rng.random() < 0.3), "relu": int(rng.integers(4)),
        "relu_threshold": int(rng.integers(1 << 15)), "mask1": int(rng.integers(1 << 16)),
        "row_mapping0": int(rng.integers(1 << 32)), "downsample": int(rng.integers(1 << 16)),
        "threshold_en": int(rng.integers(2)), "threshold": int(rng.integers(256)),
        "dst_offset": int(rng.integers(1024)), "l1": int(rng.integers(0x100, 0x10000)),
        "exp_size": int(rng.integers(8)), "y_stride": 64, "transposed": int(rng.integers(2)),
    }  # fmt: skip


@pytest.mark.parametrize("seed", range(8))
def test_every_row_and_every_line_belongs_to_an_instruction(seed: int) -> None:
    seen, end, profile = random_run(seed)
    assert seen["busy"]["value"][-1] == 0, "the run is too short for its instructions"
    model = covered(seen, end, profile)
    assert model.contradicted() == []
    assert model.left() == (0, 0)


@pytest.mark.parametrize("seed", range(4))
def test_counts_do_not_depend_on_the_cuts(seed: int) -> None:
    seen, end, profile = random_run(seed)
    whole = covered(seen, end, profile).report().points
    busy = sorted({int(c) for name in ("l0.row", "w0.write", "p0.read", "hist")
                   for c in seen[name]["cycle"]})  # fmt: skip
    near = sorted({min(c + d, end - 1) for c in busy[:40] for d in (0, 1)})
    for cuts in ([end // 2], sorted(Random(seed).sample(range(1, end), 20)), near):
        assert covered(seen, end, profile, cuts).report().points == whole


@pytest.mark.parametrize("seed", range(4))
def test_tables_are_counted_whenever_they_are_full(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen, end, profile = random_run(seed)
    whole = covered(seen, end, profile).report().points
    monkeypatch.setattr("tilepath.tb.pack.coverage.INSTRUCTIONS", 3)
    assert covered(seen, end, profile).report().points == whole


def test_one_tile_hits_what_it_should() -> None:
    """16 BF16 datums of 0: a few points at random, and what must stay empty."""
    found = hits(Program().issue(constants.OP_PACR << 24 | 1 << 8 | 1).covered())
    assert found["pacr.flags_x_source"] == {"last*dst": 1}
    assert found["early.bf16_x_class"] == {"bf16*+0": 16}
    assert found["late.e8_x_target_x_exponent"] == {"bf16*bf16*+0": 16}
    assert found["rows.first_behind_issue"] == {"10": 1}
    assert found["port.kind_x_waited_for_ready"] == {"data*no": 2}
    assert not [p for p in found if p.split(".")[0] in ("fault", "sum", "group", "setreg")]


def test_setreg_before_everything_else() -> None:
    """Of packers that are as reset leaves them."""
    program = Program("blackhole").issue(constants.OP_PACR_SETREG << 24 | 1 << 23 | 2)
    assert hits(program.covered())["setreg.form_x_select"] == {"closed*a0": 1}


@pytest.mark.parametrize("profile", PROFILES)
def test_bins_are_declared_before_the_first_sample(profile: str) -> None:
    before = PackCoverage(profile).report().points
    seen, end, _ = random_run(PROFILES.index(profile))
    after = covered(seen, end, profile).report().points
    assert {p: list(b) for p, b in before.items()} == {p: list(b) for p, b in after.items()}
    assert 2000 < sum(map(len, before.values())) < 3000


def test_what_is_impossible_and_happens_is_reported() -> None:
    model = covered(streams(TABLE, fault=[(3, 0, Flag.ROW_END)]), 9, "baseline")
    (found,) = model.contradicted()
    assert found[:2] == ("fault.flag_x_thread", "row_end*t0")


def test_cells_are_those_that_are_defined() -> None:
    """The table of cells against what the golden model flags (P20)."""
    from tilepath.models.pack.early import is_undefined

    for code in range(16):
        for bits in range(16):
            wide, unsigned, raw, r10 = (bits >> k & 1 for k in range(4))
            if code in (0, 1, 5) and r10 and not raw:
                continue
            legal = not is_undefined(code, wide, raw, r10, unsigned)
            assert (datums.CELL[code, bits] >= 0) == legal, (code, bits)


def test_the_bits_of_how_dst_is_read_are_the_lowest() -> None:
    assert F.READ_32B.lsb == 0
