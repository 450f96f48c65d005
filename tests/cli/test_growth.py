# SPDX-License-Identifier: Apache-2.0
"""Which run adds what: ``tilepath coverage --growth`` and ``--rank``, and the store."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tilepath.engine.coverage.report import CoverageReport, few, grown
from tilepath.tests.cli.fakes import FakeKernel, hitting, invoke, printed
from tilepath.tests.cli.files import stored
from tilepath.tests.commands import refused

BINS = "abcdefgh"


def _store(out: Path, seed: int, hit: str, *, cycles: int = 10, status: str = "pass") -> None:
    points = {"op": {name: int(name in hit) for name in BINS[:4]}}
    points["op_x_way"] = {f"{name}*in": 2 * (name in hit) for name in BINS[4:]}
    report = CoverageReport("alpha", "baseline", 1, points, {"op_x_way": ("op", "way")})
    began = f"2026-01-01T00:00:{99 - seed}"  # the last one first
    stored(out, ("alpha", "mix", seed), status, report, cycles, began)


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """Runs of which the second adds nothing, and one failed."""
    _store(tmp_path, 9, "abef")
    _store(tmp_path, 8, "abe")
    _store(tmp_path, 7, "bcd")
    _store(tmp_path, 6, "g", status="fail")
    _store(tmp_path, 5, "abcdef", cycles=20)
    _store(tmp_path, 4, "abcdef")
    return tmp_path


def test_which_run_hit_a_bin_first(runs: Path) -> None:
    lines = printed("coverage", runs, "--growth").splitlines()
    assert lines[0].startswith("coverage of alpha (baseline): 75.0 % (6 of 8 bins, 5 runs)")
    assert [line.strip().split(maxsplit=3) for line in lines[2:4]] == [
        ["mix-9", "4", "4", "op a, op b, op_x_way op=e way=in, and 1 more"],
        ["mix-7", "2", "6", "op c, op d"],
    ]
    assert lines[4:] == ["3 runs hit nothing that others before them had not"]
    assert "way=in, op_x_way op=f way=in" in printed("coverage", runs, "--growth", "--all")


def test_few_runs_that_hit_everything(runs: Path) -> None:
    lines = printed("coverage", runs, "--rank").splitlines()
    assert lines[0] == "alpha (baseline): 1 of 5 runs hit all 6 bins that are hit, of 8"
    assert [line.split() for line in lines[2:]] == [["mix-4", "6", "6", "10"]]


def test_few_lose_no_bin() -> None:
    rng = np.random.default_rng(1)
    for _ in range(20):
        hits = rng.random((8, 30)) < rng.choice([0.05, 0.2, 0.5])
        chosen = few(hits, [1] * 8)
        rows = [row for row, _ in chosen]
        assert (hits[rows].any(axis=0) == hits.any(axis=0)).all()
        assert sum(adds for _, adds in chosen) == hits.any(axis=0).sum()
        assert [adds for _, adds in chosen] == sorted((adds for _, adds in chosen), reverse=True)


def test_a_regression_stores_what_each_run_added(kernel: FakeKernel, tmp_path: Path) -> None:
    kernel.regression("--block", "alpha", "--root-seed", 1)
    growth = json.loads((tmp_path / "alpha" / "coverage.json").read_text())["growth"]
    assert [run.rpartition("-")[0] for run in growth] == ["random_mix"] * 3 + ["corner"]
    assert list(growth.values()) == [{"kind": ["random_mix"]}, {}, {}, {"kind": ["corner"]}]


def test_the_next_regression_begins_with_what_hit_most(kernel: FakeKernel, tmp_path: Path) -> None:
    kernel.behaviour = hitting(lambda run, bins: {**bins, "never": int(run.test == "corner")})
    stored = tmp_path / "alpha" / "coverage.json"
    order = (["random_mix"] * 3 + ["corner"], ["corner"] + ["random_mix"] * 3)
    for begun in order:
        kernel.regression("--block", "alpha", "--jobs", 1)
        assert [run.test for run in kernel.runner.runs] == begun
        assert json.loads(stored.read_text())["ranking"] == ["corner", "random_mix"]
    kernel.regression("--test", "random_mix", "--block", "alpha")
    assert json.loads(stored.read_text())["ranking"] == ["random_mix", "corner"]
    stored.write_text("{")
    kernel.regression("--block", "alpha", "--jobs", 1)
    assert [run.test for run in kernel.runner.runs] == order[0]


def test_time_changes_nothing_of_what_is_stored(kernel: FakeKernel, tmp_path: Path) -> None:
    alike = hitting(lambda run, bins: dict.fromkeys(bins, 1))
    stored = set()
    for slow in ("corner", "random_mix"):
        kernel.behaviour = lambda run, options, slow=slow: replace(
            alike(run, options), seconds=float(run.test == slow)
        )
        kernel.regression("--block", "alpha", "--root-seed", 1)
        stored.add((tmp_path / "alpha" / "coverage.json").read_bytes())
    assert len(stored) == 1


def test_growth_of_other_bins() -> None:
    one, other = (CoverageReport("a", "p", 1, {"op": {name: 1}}) for name in "ab")
    with pytest.raises(ValueError, match="different bins"):
        grown(one, "x", other)


@pytest.mark.parametrize("option", ["--rank", "--growth"])
def test_damaged_coverage_of_a_run(runs: Path, option: str) -> None:
    (runs / "alpha" / "mix-7" / "coverage.json").write_text("{}")
    refused(invoke("coverage", runs, option), "mix-7/coverage.json is not a coverage file")
