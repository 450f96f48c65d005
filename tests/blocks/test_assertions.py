# SPDX-License-Identifier: Apache-2.0
"""Every assertion of the blocks' HDL fires when what it watches is broken."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tilepath.engine.host.run import RunRequest, run
from tilepath.sequences.flag_pipe import TESTS
from tilepath.tests.assertion_cases import Broken, fires_alone, silent, stored_cases
from tilepath.tests.blocks.test_bugs_in_batches import ROWS
from tilepath.tests.cosim_runs import EACH_SIMULATOR, loading, missing
from tilepath.tests.flag_pipe import outside_cosim
from tilepath.tests.planted import assertions, broken

CASES: Final = list(stored_cases())
ELSEWHERE: Final = {
    **{"fe_queue.sv": 1, "mop_expander.sv": 1, "replay_expander.sv": 1},
    **{"tp_player.sv": 2, "tp_recorder.sv": 2, "tp_state_pkg.sv": 2, "flag_pipe_memory.sv": 1},
}
"""Those of ``tests/frontend/test_assertions.py`` and of the last test here."""


def test_all_assertions_are_known() -> None:
    """A ``$fatal`` more, and there has to be a case more."""
    found = assertions("rtl", "tb", "engine")
    counts = {name: count for name, count in found.items() if not name.endswith("_proof.sv")}
    assert ELSEWHERE.items() <= counts.items()
    cases = {(case.block, case.says, case.edits[0][0]) for case in CASES if "," not in case.profile}
    assert len(cases) + sum(ELSEWHERE.values()) == sum(counts.values())


@pytest.mark.parametrize("block", dict.fromkeys(x.block for x in CASES if "together" in x.builds))
def test_assertions_fire(block: str, tmp_path: Path) -> None:
    """And none fires before it."""
    cases = [case for case in CASES if case.block == block and "together" in case.builds]
    assert silent(ROWS[block].bugs, cases, tmp_path) == []


@pytest.mark.parametrize(
    ("case", "sim"),
    [(x, sim) for x in CASES for sim in x.builds if sim != "together"],
    ids=lambda of: of.says.replace(" ", "_") if isinstance(of, Broken) else of,
)
def test_assertion_fires_alone(case: Broken, sim: str, tmp_path: Path) -> None:
    if sim != "any" and (why := missing(sim)):
        pytest.skip(why)
    fires_alone(case, sim, tmp_path)


@pytest.mark.parametrize("sim", EACH_SIMULATOR)
def test_an_access_beyond_the_memory_stops_the_run(
    sim: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A legal ring, but where the bench of the flag pipe has no memory."""
    monkeypatch.setitem(TESTS, outside_cosim.TEST.name, outside_cosim.TEST)
    profile = "baseline,platform=a2a3"
    request = RunRequest(
        "flag_pipe", outside_cosim.TEST.name, 1, sim,
        profile=profile, coverage=False, out_dir=tmp_path,
    )  # fmt: skip
    with loading(outside_cosim.__name__):
        result = run(request)
    broken(result, "flag_pipe_memory: an access beyond the memory, before cycle ")
