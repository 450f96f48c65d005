# SPDX-License-Identifier: Apache-2.0
"""The coverage model as a whole: a program by hand, what is impossible."""

from __future__ import annotations

from tilepath.isa import constants
from tilepath.models.pack import fields as F
from tilepath.models.pack.faults import Flag
from tilepath.tb.pack.block import BLOCK
from tilepath.tb.pack.coverage import PackCoverage
from tilepath.tests.coverage_runs import counted, hits, streams
from tilepath.tests.pack.pack_cover import TABLE, Program


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


def test_what_is_impossible_and_happens_is_reported() -> None:
    model = counted(BLOCK, "baseline", streams(TABLE, fault=[(3, 0, Flag.ROW_END)]), 9)
    (found,) = model.contradicted()
    assert found[:2] == ("fault.flag_x_thread", "row_end*t0")


def test_the_bits_of_how_dst_is_read_are_the_lowest() -> None:
    assert F.READ_32B.lsb == 0


def test_a_plan_of_ones_own_leaves_what_is_counted_from_streams() -> None:
    seen = streams(TABLE, dst_zero=[(3, 1, 0)])
    own = PackCoverage("baseline").with_plans([])
    assert isinstance(own, PackCoverage)
    own.follow(_Silent())
    own.sample(seen, 0, 10)
    assert hits(own) == {"dst_zero.rows": {"all": 1}}


class _Silent:
    """A model that tells nothing."""

    account = ()

    def keep_account(self) -> None:
        """As ``engine.compiled.account`` says."""
