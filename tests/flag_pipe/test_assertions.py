# SPDX-License-Identifier: Apache-2.0
"""Every assertion of the flag pipe's RTL fires when what it watches is broken."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tilepath.sequences.flag_pipe import TESTS
from tilepath.tb.kernel.host.run import RunRequest, run
from tilepath.tests.assertion_cases import Broken, fires, results_of, run_alone
from tilepath.tests.blocks.test_bugs_in_batches import ROWS
from tilepath.tests.cosim_runs import EACH_SIMULATOR, loading
from tilepath.tests.flag_pipe import outside_cosim
from tilepath.tests.planted import Edit, assertions, broken

A2A3: Final = "baseline,platform=a2a3"
COUNTS: Final = {"flag_pipe_checker.sv": 9, "pipe_checker.sv": 9}


def _case(says: str, test: str, name: str, old: str, new: str, *more: Edit) -> Broken:
    return Broken(says, test, ((f"flag_pipe/{name}.sv", old, new), *more))


_OTHER_FLAG: Final = (
    "flag_pipe/pipe_core.sv",
    "set_index_o = index_q",
    "set_index_o = state_q == Wait ? ~index_q : index_q",
)
_READS_ELSEWHERE: Final = (
    "flag_pipe/pipe_core.sv",
    ".from_i(pushes ? tile_q : slot_addr)",
    ".from_i(pushes ? tile_q : ~slot_addr)",
)

CASES: Final = (
    _case("I1: free *, not signalled *", "timeline_use_6", "pipe_core",
          "(pushes || op_q == Tfree)", "pushes"),
    _case("I2: a SET arrives at a flag that is set", "timeline_use_6", "pipe_core",
          "set_o = state_q == Pre ||", "set_o = state_q == Pre || (!IsCube && state_q == Wait) ||",
          _OTHER_FLAG),
    _case("I2: a flag is consumed that is clear", "timeline_use_6", "pipe_core",
          "consume_o = state_q == Wait && flag", "consume_o = state_q == Wait"),
    _case("I3: pop_tag 2, free_tag 0, held 1", "timeline_use_6", "pipe_endpoint",
          "(pop_tag_q + 3'd1)", "(pop_tag_q + 3'd2)"),
    _case("I3: push_tag 2, free_tag 0, 0 held, 1 ready", "timeline_use_6", "pipe_endpoint",
          "(push_tag_q + 3'd1)", "(push_tag_q + 3'd2)"),
    _case("I4: 2 held, *", "hold_limit", "pipe_check",
          "endpoint_i.held == limit", "endpoint_i.held == 4'd8"),
    _case("I5: a write to *, slot 0 is at *", "timeline_use_6", "pipe_core",
          "offset_of(3'(slot), endpoint_i", "offset_of(3'(slot) + 3'd1, endpoint_i"),
    _case("I6: slot 0 is SET ready with 96 bytes of 128", "timeline_use_6", "pipe_dma",
          "wr_left_q == CountW'(1)", "wr_left_q == CountW'(2)"),
    _case("I7: a read from *, slot 0 is at *", "timeline_use_6", "pipe_core",
          "pushes || !platform_i", "1'b1", _READS_ELSEWHERE),
    _case("I9: both cores of pair 0 are blocked", "head_of_line", "flag_pipe",
          "awaited[1] = flags[0]", "awaited[1] = blocked[0] ? '0 : flags[0]"),
    _case("I10: an error of core * does something", "hold_limit", "pipe_core",
          "(done && (pushes", "(state_q == Done && (pushes"),
    _case("I10: an error of core * changes its endpoint", "relaunch_without_clear", "pipe_core",
          "accept && is_init && err == Ok", "accept && is_init"),
    _case("I12: INIT of core 1 SETs 01111111, not 11111111", "timeline_use_6", "pipe_core",
          "mask != 2'd3 ? '1", "mask != 2'd3 ? ~IndexW'(1)"),
    _case("I12: flags * of bank *, which is not active", "edges", "flag_pipe",
          ".clr_i(clear[Pair])", ".clr_i(1'b0)"),
    _case("I13: core 0 waits for a set flag", "timeline_use_6", "pipe_core",
          "flag = flags_i[index_q]", "flag = flags_i[index_q] && tag_q == 3'd0"),
    _case("I14: pair 1 changes with nothing at work for it", "timeline_use_6", "flag_pipe",
          "init[Core] && offered", "init[Core]"),
    _case("I15: the configuration of endpoint 0 changes", "timeline_use_6", "pipe_endpoint",
          "slot_size_q, gm_base_q,", "slot_size_q, gm_base_q + 32'(push_tag_q),"),
    _case("I15: the configuration of endpoint 1 changes", "edges", "flag_pipe",
          "init[Core] && offered", "(init[Core] || (e == 1 && cmd_i[0].op == Tpush)) && offered"),
)  # fmt: skip

SAMPLE: Final = (
    *((x, "baseline") for x in CASES if x.says.startswith(("I1:", "I13:"))),
    (
        _case("I7: a read from 00000020, slot 1 is at 0000000a0", "timeline_use_6", "pipe_core",
              ".from_i(pushes ? tile_q : slot_addr)", ".from_i(pushes ? tile_q : base_q)"),
        A2A3,
    ),
)  # fmt: skip
"""Under the other simulator: of both checkers, with profiles."""


def test_all_assertions_are_known() -> None:
    """A ``$fatal`` more, and this file has to grow."""
    assert assertions("rtl/flag_pipe") == COUNTS
    assert assertions("tb/flag_pipe/hdl") == {"flag_pipe_memory.sv": 1}
    assert len({case.says for case in CASES}) == len(CASES) == sum(COUNTS.values())


results = results_of(ROWS["flag_pipe"].bugs, CASES)
test_assertion_fires = fires(CASES)


@pytest.mark.parametrize(("case", "profile"), SAMPLE, ids=["I1", "I13", "I7"])
def test_it_fires_under_the_other_simulator(case: Broken, profile: str, tmp_path: Path) -> None:
    result = run_alone("flag_pipe", case.test, case.edits, tmp_path, below="", profile=profile)
    broken(result, case.says.split("*")[0])


@pytest.mark.parametrize("sim", EACH_SIMULATOR)
def test_an_access_beyond_the_memory_stops_the_run(
    sim: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A legal ring, but where the bench has no memory."""
    monkeypatch.setitem(TESTS, outside_cosim.TEST.name, outside_cosim.TEST)
    request = RunRequest(
        block="flag_pipe",
        test=outside_cosim.TEST.name,
        seed=1,
        sim=sim,
        profile=A2A3,
        coverage=False,
        out_dir=tmp_path,
    )
    with loading(outside_cosim.__name__):
        result = run(request)
    broken(result, "flag_pipe_memory: an access beyond the memory, before cycle ")
