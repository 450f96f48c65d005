# SPDX-License-Identifier: Apache-2.0
"""A run in which threads wait for what nobody does ends, and says which ones, and for what."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tilepath.engine.host.run import RunRequest, run
from tilepath.sequences.control import TESTS
from tilepath.tests.control import deadlock_cosim
from tilepath.tests.control.deadlock_cosim import DEADLOCKS, ROWS
from tilepath.tests.cosim_runs import EACH_SIMULATOR, loading

BLOCK_CYCLES: Final = 256
PATIENCE: Final = 16  # blocks of cycles without an event


@pytest.mark.parametrize("sim", EACH_SIMULATOR)
@pytest.mark.parametrize("test", ROWS)
def test_deadlock(test: str, sim: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(TESTS, test, DEADLOCKS[test])
    request = RunRequest(
        block="control",
        test=test,
        seed=1,
        sim=sim,
        coverage=False,
        block_cycles=BLOCK_CYCLES,
        out_dir=tmp_path,
    )
    with loading(deadlock_cosim.__name__):
        result = run(request)
    assert result.status == "fail" and result.report is not None

    wanted = ROWS[test]["waiting"]
    headline, *waiting = result.message.split("; thread ")
    begin = f"nothing happened for {PATIENCE} blocks of cycles before cycle {result.cycles}; "
    assert headline.startswith(begin + "players that wait: ")
    assert [f"thread {line}" for line in waiting] == wanted
    for line in wanted:
        assert f"t{line[len('thread ')]}.issue" in headline

    lines = "".join(f"  {line}\n" for line in wanted)
    assert result.report.read_text().startswith(f"STUCK {headline}\n\n{lines}\n")
    # it ends soon after the last thing that happened
    assert result.cycles <= (PATIENCE + 4) * BLOCK_CYCLES
