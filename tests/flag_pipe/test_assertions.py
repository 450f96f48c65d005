# SPDX-License-Identifier: Apache-2.0
"""Every assertion of the flag pipe's HDL fires when what it watches is broken."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from tilepath.tb.kernel.host.run import RunRequest, run
from tilepath.tests.cosim_runs import FAST
from tilepath.tests.planted import SIM, Edit, assertions, broken, changed_rtl

CORE, ENDPOINT, TOP = "pipe_core.sv", "pipe_endpoint.sv", "flag_pipe.sv"
FAST_USE: Final = "timeline_use_6"


@dataclass(frozen=True)
class Broken:
    """What an assertion says; ``edits`` of the RTL make it, in ``test`` on ``platform``.

    ``more``: parameters of the profile.
    """

    says: str
    edits: tuple[Edit, ...]
    test: str = FAST_USE
    platform: str = "a5"
    more: str = ""


CASES: Final = (
    Broken("I1: free", ((CORE, "(pushes || op_q == Tfree)", "pushes"),)),
    Broken(
        "I2: a SET arrives",
        ((CORE, "set_index_o = index_q;", "set_index_o = index_q ^ IndexW'(op_q == Tfree);"),),
        "c2v",
        more=",flag_lat=1",
    ),
    Broken(
        "I2: a flag is consumed",
        ((CORE, "consume_o = state_q == Wait && flag;", "consume_o = state_q == Wait;"),),
    ),
    Broken("I3: pop_tag", ((ENDPOINT, "(pop_tag_q + 3'd1)", "(pop_tag_q + 3'd2)"),)),
    Broken("I3: push_tag", ((ENDPOINT, "(push_tag_q + 3'd1)", "(push_tag_q + 3'd2)"),)),
    Broken(
        "I4: 2 held",
        (("pipe_check.sv", "endpoint_i.held == limit", "endpoint_i.held == 4'd8"),),
        "hold_limit",
    ),
    Broken("I5: a write", ((CORE, "offset_of(3'(slot),", "offset_of(3'(slot) + 3'd1,"),)),
    Broken("I6: slot", (("pipe_dma.sv", "wr_left_q == CountW'(1)", "wr_left_q == CountW'(2)"),)),
    Broken(
        "I7: a read",
        ((CORE, ".from_i(pushes ? tile_q : slot_addr)", ".from_i(pushes ? tile_q : base_q)"),),
        platform="a2a3",
    ),
    Broken(
        "I9: both cores of pair 0",
        ((TOP, "awaited[0] = peer[0] ? flags[3] : flags[1];", "awaited[0] = flags[3];"),),
        "c2v",
    ),
    Broken(
        "does something",
        ((CORE, "state_q == Pre || (done &&", "state_q == Pre || (state_q == Done &&"),),
        "hold_limit",
    ),
    Broken(
        "changes its endpoint",
        ((CORE, "init_o = accept && is_init && err == Ok;", "init_o = accept && is_init;"),),
        "relaunch_without_clear",
    ),
    Broken("I12: INIT of core 1", ((CORE, "mask != 2'd3 ? '1 :", "mask != 2'd3 ? ~IndexW'(1) :"),)),
    Broken(
        "I12: flags",
        (
            (
                "flag_bank.sv",
                "else if (clr_i) begin\n      flags_q <= '0;",
                "else if (clr_i) begin\n      flags_q <= flags_q;",
            ),
        ),
        "relaunch",
    ),
    Broken(
        "I13: core 0",
        ((CORE, "flag = flags_i[index_q];", "flag = flags_i[index_q] && tag_q == 3'd0;"),),
    ),
    Broken("I14: pair 1", ((TOP, ".init_i(init[Core] && offered)", ".init_i(init[Core])"),)),
    Broken(
        "I15: the configuration of endpoint 0",
        ((ENDPOINT, "end else if (init_i) begin", "end else if (init_i || push_i) begin"),),
    ),
    Broken(
        "I15: the configuration of endpoint 1",
        (
            (TOP, "pipe_endpoint #(.Nflags(Nflags))", "pipe_endpoint #(.Nflags(Nflags), .E(e))"),
            (
                ENDPOINT,
                "parameter int Nflags = 8",
                "parameter int Nflags = 8,\n  parameter int E = 0",
            ),
            (ENDPOINT, "else if (init_i) begin", "else if (init_i || (push_i && E == 1)) begin"),
        ),
        "sweep_ready",
    ),
)


def test_all_assertions_are_known() -> None:
    found = assertions("rtl/flag_pipe", "tb/flag_pipe/hdl")
    rtl = {"flag_pipe_checker.sv": 9, "pipe_checker.sv": 9}
    assert {name: found[name] for name in rtl} == rtl
    assert len(CASES) == sum(rtl.values())


_RUNS: Final = [(case, SIM) for case in CASES] + [(case, FAST) for case in CASES[::6]]


@pytest.mark.parametrize(("case", "sim"), _RUNS, ids=[f"{c.says}, {sim}" for c, sim in _RUNS])
def test_it_fires(case: Broken, sim: str, tmp_path: Path) -> None:
    request = RunRequest(
        block="flag_pipe",
        test=case.test,
        seed=1,
        sim=sim,
        profile=f"baseline,platform={case.platform}{case.more}",
        cycles=2_048,
        coverage=False,
        source_root=changed_rtl(tmp_path, "flag_pipe", case.edits),
        build_root=tmp_path / "build",
        out_dir=tmp_path / "runs",
        rerun_for_waves=False,
    )
    broken(run(request), case.says)
