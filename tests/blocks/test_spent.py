# SPDX-License-Identifier: Apache-2.0
"""Where the CPU time of a run goes; and its replay, which is measured beside it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tilepath.engine.host.request import RunRequest, RunResult
from tilepath.engine.host.run import run
from tilepath.engine.host.spent import PARTS, Spent, added
from tilepath.tests.cosim_runs import EACH_SIMULATOR

_CYCLES = 6_000


def _account(monkeypatch: pytest.MonkeyPatch, used: Sequence[tuple[str, float]]) -> Spent:
    """An account by a clock that says how much had been ``used`` when each part was named."""
    clock = iter([seconds for _, seconds in used])
    monkeypatch.setattr("time.process_time", lambda: next(clock))
    spent = Spent()
    for part, _ in used:
        spent.on(part)
    return spent


def test_what_was_used_between_two_calls_goes_to_the_later_ones_part(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    used = [("start", 2.0), ("model", 2.25), ("coverage", 3.25), ("model", 3.75)]
    spent = _account(monkeypatch, used)
    parts = spent.parts()
    assert list(parts) == list(PARTS)
    assert parts == added([{"start": 2.0, "model": 0.75, "coverage": 1.0}])
    assert sum(parts.values()) == spent.until == 3.75


def test_sums_of_runs() -> None:
    runs = [{"start": 1.0, "model": 2.0}, {}, {"model": 0.5, "coverage": 1.0}]
    assert added(runs) == {**dict.fromkeys(PARTS, 0.0), "start": 1, "model": 2.5, "coverage": 1}


def _outcome(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "outcome.json").read_text())
    return found


@pytest.mark.parametrize("sim", EACH_SIMULATOR)
def test_a_run_and_its_replay(sim: str, tmp_path: Path) -> None:
    """The replay plays the same to the last item, and records nothing."""
    request = RunRequest("adc", "random_default", 5, sim, cycles=_CYCLES, out_dir=tmp_path / "run")
    result = run(replace(request, keep=True))
    assert result.status == "pass"
    assert all(result.spent[part] > 0 for part in PARTS)
    outcome = _outcome(result.run_dir)
    assert sum(result.spent.values()) == pytest.approx(outcome["cpu"], abs=1e-5)
    first, last = (sum(parts.values()) for parts in outcome["spent_ends"])
    assert first == pytest.approx(outcome["cpu_ends"][0], abs=1e-5)
    assert last == pytest.approx(outcome["cpu_ends"][-1], abs=1e-5)
    assert all(result.spent[part] >= outcome["spent_ends"][1][part] for part in PARTS)
    stored = RunResult.from_json(result.run_dir / "result.json")
    assert stored.spent == result.spent
    played = {p.name: p.read_bytes()[-8:] for p in (result.run_dir / "stimulus").glob("*.state")}

    again = run(replace(request, out_dir=tmp_path / "again", check=False, replay=result.run_dir))
    assert (again.status, again.cycles, again.events) == ("unchecked", result.cycles, 0)
    assert list((again.run_dir / "trace").glob("*.bin")) == []
    assert again.spent["stimulus"] == again.spent["model"] == again.spent["coverage"] == 0
    files = (again.run_dir / "stimulus").glob("*.state")
    assert {p.name: p.read_bytes()[-8:] for p in files} == played
    # from one end to the other, twice over
    states = [p.stat().st_size for p in (result.run_dir / "stimulus").glob("*.state")]
    assert states and set(states) == {2 * 8 * len(outcome["ends"])}


def test_a_replay_is_not_checked(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="a replay records nothing, so it cannot be checked"):
        RunRequest("adc", "random_default", 5, "verilator", replay=tmp_path)
