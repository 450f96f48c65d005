# SPDX-License-Identifier: Apache-2.0
"""Every assertion of the flag pipe's RTL fires when what it watches is broken."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tilepath.sequences.flag_pipe import TESTS
from tilepath.tb.kernel.host.run import RunRequest, run
from tilepath.tests.assertion_cases import Broken, fires, results_of, run_alone, stored_cases
from tilepath.tests.blocks.test_bugs_in_batches import ROWS
from tilepath.tests.cosim_runs import EACH_SIMULATOR, loading
from tilepath.tests.flag_pipe import outside_cosim
from tilepath.tests.planted import assertions, broken

A2A3: Final = "baseline,platform=a2a3"
COUNTS: Final = {"flag_pipe_checker.sv": 9, "pipe_checker.sv": 9}

CASES: Final = stored_cases(Path(__file__).with_name("assertions.toml"))

SAMPLE: Final = (
    *((x, "baseline") for x in CASES if x.says.startswith(("I1:", "I13:"))),
    (
        Broken("I7: a read from 00000020, slot 1 is at 0000000a0", "timeline_use_6",
               (("flag_pipe/pipe_core.sv", ".from_i(pushes ? tile_q : slot_addr)",
                 ".from_i(pushes ? tile_q : base_q)"),)),
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
