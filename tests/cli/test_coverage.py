# SPDX-License-Identifier: Apache-2.0
"""``tilepath coverage``: which run adds what, the plan beside the decisions."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pytest

from tilepath.engine.checking.stored import stored_account
from tilepath.engine.commands import covered
from tilepath.engine.commands.covered import decisions
from tilepath.engine.commands.regression import Outcome
from tilepath.engine.commands.run_list import PlannedRun, Selection, make_run_list
from tilepath.engine.commands.simulation import RunOptions
from tilepath.engine.coverage.model import CoverageModel
from tilepath.engine.coverage.plan import Point
from tilepath.engine.coverage.planned import PlannedCoverage
from tilepath.engine.coverage.report import CoverageReport, few, grown, merge_files
from tilepath.engine.description.registry import block_names, coverage_of, load_block, with_files
from tilepath.engine.host.run import RunRequest, run
from tilepath.tb.adc.coverage.labels import plan
from tilepath.tests.cli.fakes import Behaviour, FakeKernel, hitting, invoke, passing, printed
from tilepath.tests.cli.files import CASES, stored
from tilepath.tests.commands import refused
from tilepath.tests.cosim_runs import FAST
from tilepath.tests.docs.examples import sources

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


UNTIL = ("--until-coverage", "--root-seed", 5)


def hits_all_with(seed: int) -> Behaviour:
    """Runs that hit all bins where they have this seed, and else none that no other hits."""
    return hitting(lambda run, bins: dict.fromkeys(bins, 1) if run.seed == seed else bins)


def seeds(count: int) -> list[int]:
    """The first seeds of a random test with root seed 5."""
    selection = Selection(("alpha",), ("random_mix",), seeds=count, root_seed=5)
    return [run.seed for run in make_run_list(selection).runs]


@pytest.fixture
def last(kernel: FakeKernel) -> int:
    """The seventh seed hits all bins of ``kernel``; three are of the first round."""
    seed = seeds(7)[-1]
    kernel.behaviour = hits_all_with(seed)
    return seed


def test_rounds_go_on_with_new_seeds_until_all_bins_are_hit(
    kernel: FakeKernel, last: int, tmp_path: Path
) -> None:
    out = kernel.regression("--block", "alpha", *UNTIL, "--jobs", 1).stdout
    runs = kernel.runner.runs
    assert [run.seed for run in runs if run.test == "random_mix"] == seeds(7)
    assert Counter(run.test for run in runs) == {"random_mix": 7, "corner": 1}
    rounds = [line for line in out.splitlines() if line.startswith("round ")]
    assert rounds[0] == "round 1: 4 runs; alpha 2 of 4 bins (+2)"
    assert rounds[1] == "round 2: 1 runs; alpha 2 of 4 bins (+0)"
    assert rounds[4:] == ["round 5: 1 runs; alpha 4 of 4 bins (+2)"]
    assert "8 runs: 8 passed" in out and "coverage of alpha: 100.0 % (4 of 4 bins, 8 runs)" in out
    assert json.loads((tmp_path / "alpha" / "coverage.json").read_text())["runs"] == 8
    assert all(run.start is not None for run in runs)


def test_blocks_with_all_bins_hit_are_run_no_more(kernel: FakeKernel) -> None:
    kernel.behaviour = hits_all_with(seeds(4)[-1])
    out = kernel.regression(*UNTIL, "--budget", "12runs", status=1).stdout
    count = Counter(run.block for run in kernel.runner.runs)
    assert count == {"alpha": 4 + 1, "beta": 3 + 4}
    assert "the budget of 12runs is spent" in out and "what was not hit" in out


def test_a_budget_of_time_ends_it(kernel: FakeKernel, monkeypatch: pytest.MonkeyPatch) -> None:
    now = iter(range(0, 1000, 45))
    clock = SimpleNamespace(monotonic=lambda: next(now))
    monkeypatch.setattr("tilepath.engine.commands.until.time", clock)
    options = ("--block", "alpha", *UNTIL, "--budget", "2m")
    assert "the budget of 2m is spent" in kernel.regression(*options, status=1).stdout
    assert len(kernel.runner.runs) == 4 + 2


def test_a_failure_ends_it(kernel: FakeKernel) -> None:
    fifth = seeds(5)[-1]

    def behaviour(run: PlannedRun, options: RunOptions) -> Outcome:
        outcome = passing(run, options)
        return replace(outcome, status="fail") if run.seed == fifth else outcome

    kernel.behaviour = behaviour
    out = kernel.regression("--block", "alpha", *UNTIL, status=1).stdout
    assert "6 runs: 5 passed, 1 failed" in out and "budget" not in out


def test_next_to_all_bins_are_not_all(kernel: FakeKernel) -> None:
    """Of 3,782 bins one is less than the half of a tenth of a percent."""
    kernel.behaviour = hitting(lambda _run, _bins: {str(i): i for i in range(3782)})
    out = kernel.regression("--block", "alpha").stdout
    assert "coverage of alpha: 99.9 % (3781 of 3782 bins" in out


# -- what is to be covered, beside the decisions: ``--plan``


PLANNED = [
    name
    for name in block_names()
    if isinstance(load_block(name).coverage("baseline"), PlannedCoverage)
]


def test_a_plan_is_a_table() -> None:
    result = invoke("coverage", "--plan", "adc")
    lines = result.stdout.splitlines()
    assert result.exit_code == 0 and lines[0] == "# Coverage plan of `adc`"
    assert (
        "| unpack.no_increment_thread_x_adc | A11 | 9: thread × adc "
        r"| y0 \| z0 \| y1 \| z1 == 0 |  |"
    ) in lines
    assert "| writers | writers - 1 | 000001, 000010, 000011, 000100, … 111111 (63) |" in lines
    assert "| A13 | Order within a cycle |  |" in lines
    bins = [
        int(found[1]) for line in lines if (found := re.match(r"\| \S+\.\S+ \|.*?\| (\d+): ", line))
    ]
    report = load_block("adc").coverage("baseline").report()
    assert (len(bins), sum(bins)) == (len(report.points), report.total)


@pytest.mark.parametrize("block", PLANNED)
def test_every_decision_has_a_point_or_a_reason(block: str) -> None:
    lines = invoke("coverage", "--plan", block).stdout.splitlines()
    rows = [line for line in lines if re.match(r"\| [A-Z]\d+ \|", line)]
    assert rows and not [row for row in rows if row.endswith("| none |")]
    model = load_block(block).coverage("baseline")
    assert isinstance(model, PlannedCoverage)
    cited = {n for plan in model.plans for one in plan.points for n in one.decisions.split()}
    assert (cited | set(model.without)) <= set(decisions()) and not cited & set(model.without)


def test_a_plan_as_a_file(tmp_path: Path) -> None:
    for name in ("plan.md", "plan.html"):
        assert invoke("coverage", "--plan", "adc", "--out", tmp_path / name).exit_code == 0
    assert (tmp_path / "plan.md").read_text() == invoke("coverage", "--plan", "adc").stdout
    page = (tmp_path / "plan.html").read_text()
    assert page.startswith("<!doctype html>") and "<td>mask &lt; 0 or mask &gt;&gt; field" in page
    for table in re.findall(r"<table>.*?</table>", page, re.DOTALL):
        assert len(ElementTree.fromstring(table).findall("tr")) > 1


def test_a_column_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    own = replace(load_block("adc"), coverage=lambda _: plan("word", {}, Point("a.op", "", "op")))
    monkeypatch.setattr(covered, "load_block", lambda _: own)
    line = refused(invoke("coverage", "--plan", "adc"))
    says = "ValueError: coverpoint a.op: no bins op"
    assert re.search(rf"tests/cli/test_coverage.py:\d+: {says}", line)


def test_a_block_whose_coverage_is_no_table(monkeypatch: pytest.MonkeyPatch) -> None:
    own = replace(load_block("adc"), coverage=lambda profile: CoverageModel("adc", profile))
    monkeypatch.setattr(
        covered, "load_block", lambda name: own if name == "adc" else load_block(name)
    )
    says = "coverage of adc is no table; of these it is: control, datapath"
    refused(invoke("coverage", "--plan", "adc"), says)
    with pytest.raises(ValueError, match="coverage of adc is no table: it takes no PLAN"):
        own.coverage("baseline").with_plans([])


(_TEXT,) = (one for one in sources("docs/write-a-sequence.md", "# SPDX") if "PLAN" in one)
_POINT = "mine.gap_x_counter"


def _file(folder: Path, text: str = _TEXT) -> Path:
    file = folder / "my_file.py"
    file.write_text(text)
    return file


def test_points_of_ones_own_are_counted_and_added_up(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    with with_files([_file(tmp_path)]):
        plan = coverage_of(load_block("adc"), "baseline").plans[-1]  # type: ignore[attr-defined]
        mine = [run(RunRequest("adc", "close", n, FAST, cycles=1500, out_dir=runs)) for n in (1, 2)]
    ours = run(RunRequest("adc", "vectors", 1, FAST, out_dir=runs))
    files = [one.coverage_file for one in (*mine, ours) if one.coverage_file is not None]
    assert len(files) == 3
    expected = sum(plan.plain(stored_account(one.run_dir)[2]["touch"]) for one in mine)
    merged = merge_files(files)
    assert list(merged.points[_POINT].values()) == expected.tolist() and expected.any()
    assert merged.points == merge_files(files[::-1]).points and merged.outside == (_POINT,)
    alone = merge_files(files[2:])
    assert merged.points.keys() - alone.points.keys() == {_POINT}
    text = printed("coverage", runs)
    assert re.search(r"(?m)^mine.gap_x_counter +\d+ +24 ", text) and "of 3806 bins, 3 runs)" in text
    assert "of 3 runs hit all" in printed("coverage", runs, "--rank")


@pytest.mark.parametrize(("old", "new", "says"), CASES["plans"])
def test_plans_that_cannot_be_used(tmp_path: Path, old: str, new: str, says: str) -> None:
    file = _file(tmp_path, _TEXT.replace(old, new, 1))
    result = invoke("run", "--tests", file, "--test", "close", "--out", tmp_path / "runs")
    refused(result, says)
