# SPDX-License-Identifier: Apache-2.0
"""``tilepath coverage --plan``: what is to be covered, beside the decisions."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tilepath.engine.checking.stored import stored_account
from tilepath.engine.commands import covered
from tilepath.engine.commands.covered import decisions
from tilepath.engine.coverage.model import CoverageModel
from tilepath.engine.coverage.plan import Point
from tilepath.engine.coverage.planned import PlannedCoverage
from tilepath.engine.coverage.report import merge_files
from tilepath.engine.description.registry import block_names, coverage_of, load_block, with_files
from tilepath.engine.host.run import RunRequest, run
from tilepath.tb.adc.coverage.labels import plan
from tilepath.tests.cli.fakes import invoke, printed
from tilepath.tests.cli.files import CASES
from tilepath.tests.commands import refused
from tilepath.tests.cosim_runs import FAST
from tilepath.tests.docs.examples import sources

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
    assert re.search(rf"tests/cli/test_coverage_plan.py:\d+: {says}", line)


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
