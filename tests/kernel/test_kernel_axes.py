# SPDX-License-Identifier: Apache-2.0
"""Bins of crosses are told with the names of their axes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilepath.cli import report
from tilepath.tb.kernel.coverage.bins import PointGroup
from tilepath.tb.kernel.coverage.model import CoverageModel
from tilepath.tb.kernel.coverage.report import CoverageReport, merge_files
from tilepath.tb.kernel.coverage.tally import Tally
from tilepath.tb.kernel.description.registry import block_names, load_block


def crosses(**axes: str) -> CoverageModel:
    group = PointGroup()
    group.add("order.first_x_second", ("a", "b"), ("c",))
    group.add("order.when", ("early",), ("late",))
    group.add("size", ("small", "large"))
    return CoverageModel(
        "fake", "baseline", Tally(group), axes={f"order.{k}": v for k, v in axes.items()}
    )


def test_names_of_axes_are_in_the_file_and_in_their_sum(tmp_path: Path) -> None:
    path = tmp_path / "coverage.json"
    crosses(when="begin end").report().write_json(path)
    found = merge_files([path, path])
    assert found.axes == {
        "order.first_x_second": ("first", "second"),
        "order.when": ("begin", "end"),
    }
    assert found.described("order.first_x_second", "b*c") == "first=b second=c"
    assert found.described("size", "small") == "small"
    assert [row[3] for row in found.table_rows()] == [
        "first=a second=c, first=b second=c", "begin=early end=late", "small, large",
    ]  # fmt: skip


def test_a_cross_without_names_keeps_its_labels() -> None:
    assert crosses().report().described("order.when", "early*late") == "early*late"


def test_another_number_of_names_is_refused() -> None:
    with pytest.raises(ValueError, match=r"coverpoint order\.when: 2 axes, not \('end',\)"):
        crosses(when="end")


def test_the_command_prints_them(capsys: pytest.CaptureFixture[str]) -> None:
    report.print_coverage(report.make_console(), "fake", crosses(when="begin end").report(), 1)
    shown = capsys.readouterr().out
    assert "first=a second=c, and 1 more (--all lists them)" in shown
    assert "begin=early end=late" in shown


@pytest.mark.parametrize("name", block_names())
def test_every_axis_of_every_block_has_a_name_of_its_own(name: str) -> None:
    """No label has the sign that stands between labels, so that each gets its own axis' name."""
    block = load_block(name)
    for profile in block.profiles:
        found: CoverageReport = block.coverage(profile).report()
        for point, bins in found.points.items():
            axes = found.axes.get(point, ("",))
            assert axes and len(set(axes)) == len(axes), point
            assert all(label.count("*") == len(axes) - 1 for label in bins), point
