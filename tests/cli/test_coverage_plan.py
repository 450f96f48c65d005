# SPDX-License-Identifier: Apache-2.0
"""``tilepath coverage --plan``: what is to be covered, beside the decisions."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tilepath.engine.commands import covered
from tilepath.engine.commands.covered import decisions
from tilepath.engine.coverage.model import CoverageModel
from tilepath.engine.coverage.plan import Point
from tilepath.engine.coverage.planned import PlannedCoverage
from tilepath.engine.description.registry import block_names, load_block
from tilepath.tb.adc.coverage.labels import plan
from tilepath.tests.cli.fakes import invoke
from tilepath.tests.commands import refused

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
