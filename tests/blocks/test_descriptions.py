# SPDX-License-Identifier: Apache-2.0
"""What the engine makes of the description of a block: HDL, views beside waves, accounts, names."""

from __future__ import annotations

import importlib
from pathlib import Path

import numpy as np
import pytest

from tilepath.engine.checking.echo import echoes_of
from tilepath.engine.checking.faults import FaultCheck, fault_table
from tilepath.engine.checking.sent import SentCheck, _reason
from tilepath.engine.coverage.plan import CoveragePlan
from tilepath.engine.coverage.report import CoverageReport
from tilepath.engine.description.hdl import generated_hdl
from tilepath.engine.description.registry import block_names, load_block, tests_of
from tilepath.engine.host.wave_views import SCOPES, write_views
from tilepath.tb.control.items import after_issue, sem_above, sem_get
from tilepath.tests.engine.plan_meanings import counted, kept, plans, rows_by_chance, told

ADC = load_block("adc")


def test_groups_are_in_the_order_of_the_description(tmp_path: Path) -> None:
    waves = tmp_path / "waves.fst"
    waves.touch()
    lines = ("t1.issue h.t[1].u_issue", "pack h.u_pack", "t0.issue h.t[0].u_issue")
    (tmp_path / SCOPES).write_text("".join(f"{line}\n" for line in lines))
    write_views(ADC, waves)
    shown = (tmp_path / "waves.gtkw").read_text().splitlines()
    order = [name for name in ADC.stream_table if name in ("pack", "t0.issue", "t1.issue")]
    groups = [line[1:] for line in shown if line.startswith("-")]
    assert groups[::2] == groups[1::2] == ["time", *order]
    at = shown.index("-t1.issue")
    assert shown[at - 1 : at + 7] == [
        "@800200", "-t1.issue", "@28", "h.t[1].u_issue.valid_i",
        "@22", "h.t[1].u_issue.word_i[31:0]", "@1000200", "-t1.issue",
    ]  # fmt: skip
    commands = (tmp_path / "waves.sucl").read_text().splitlines()
    at = commands.index("divider_add t1.issue")
    assert commands[at + 1 : at + 3] == [
        "variable_add h.t[1].u_issue.valid_i", "variable_add h.t[1].u_issue.word_i",
    ]  # fmt: skip
    assert commands[-1] == "zoom_fit"


@pytest.mark.parametrize("text", [None, ""])
def test_a_run_that_came_to_nothing_has_no_views(text: str | None, tmp_path: Path) -> None:
    waves = tmp_path / "waves.vcd"
    waves.touch()
    if text is not None:
        (tmp_path / SCOPES).write_text(text)
    write_views(ADC, waves)
    assert not list(tmp_path.glob("waves.[gs]*"))


@pytest.mark.parametrize("name", block_names())
def test_every_recorder_says_where_it_is_in_builds_with_waves_only(name: str) -> None:
    block = load_block(name)
    assert generated_hdl(block, scopes=True).count("wave_scopes=%s") == len(block.streams)
    assert "wave_scopes" not in generated_hdl(block)


@pytest.mark.parametrize("name", block_names())
def test_hdl_of_real_blocks_is_the_same_each_time(name: str) -> None:
    block = load_block(name)
    assert generated_hdl(block) == generated_hdl(block)
    assert generated_hdl(block).startswith("// SPDX-License-Identifier: Apache-2.0\n")


@pytest.mark.parametrize("name", [n for n in block_names() if load_block(n).state])
def test_models_have_the_state_that_is_described(name: str) -> None:
    block = load_block(name)
    assert block.untimed is not None
    nothing = {n: s.empty() for n, s in block.stream_table.items() if s.direction == "input"}
    model, untimed = block.model("baseline"), block.untimed("baseline")
    untimed.follow(nothing, model.step(nothing, 8))
    for found in (model.state(), untimed.state()):  # type: ignore[attr-defined]
        assert list(found) == [array.name for array in block.state]
        for array in block.state:
            assert found[array.name].shape == array.whole_shape
            assert found[array.name].dtype == np.dtype(array.dtype)


@pytest.mark.parametrize("name", block_names())
def test_a_block_has_the_state_of_its_boundary(name: str) -> None:
    boundary = importlib.import_module(f"tilepath.isa.boundary.{name}").BOUNDARY
    assert load_block(name).state == boundary.state


def test_conditions_that_only_the_bench_sees() -> None:
    """In joined blocks some of the sources are no players."""
    joined = load_block("frontend_control")
    for after, what in (
        (sem_above(2, 1), "waits until semaphore 2 is above 1, or "),
        (after_issue(1, 5), "waits until 5 items of t1.issue are done, or "),
        (0, ""),
    ):
        item = sem_get(2, after=after)
        told = _reason(joined, "risc_sem", item, joined.player_table["risc_sem"], {"risc_sem": 3})
        assert told[1].startswith(f"{what}is offered to the DUT: write 1, ")


@pytest.mark.parametrize("name", block_names())
def test_the_accounts_of_a_block_name_what_it_has(name: str) -> None:
    described = load_block(name)
    SentCheck(described)
    streams_known = {stream.name: stream for stream in described.streams}
    for name_of_player, player in described.player_table.items():
        echoes = echoes_of(described, name_of_player, player)
        shown: dict[str, set[str]] = {}
        for echo in echoes:
            stream = described.stream_table[echo.stream]
            assert stream.direction == "input"
            _, values, _ = echo.records(np.zeros((1, player.words), np.uint32))
            shown.setdefault(echo.stream, {echo.own}).update(values)
        for stream_name, made in shown.items():
            names = {field.name for field in described.stream_table[stream_name].fields}
            assert made - {""} == names  # nothing of what is recorded goes unchecked
    for one, other in described.balances.pairs:
        assert len(streams_known[one].instances) == len(streams_known[other].instances)
    for level, field_name, _ in described.balances.rest:
        assert field_name in {field.name for field in streams_known[level].fields}


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


@pytest.mark.parametrize("name", block_names())
def test_every_fault_has_a_name_and_every_declaration_a_fault(name: str) -> None:
    block = load_block(name)
    table = fault_table(block)
    assert table and all(fault.name.isidentifier() for fault in table)
    per_stream: dict[str, list[str]] = {}
    for fault in table:
        per_stream.setdefault(fault.stream, []).append(fault.name)
    assert all(len(set(names)) == len(names) for names in per_stream.values())
    for spec in tests_of(name).values():
        FaultCheck(block, spec.faults)


PLANS = [
    pytest.param(block, one, id=f"{block}-{number}-{one.account}")
    for number, (block, one) in enumerate(plans())
]


@pytest.mark.parametrize(("block", "given"), PLANS)
def test_plans_of_the_blocks(block: str, given: CoveragePlan) -> None:
    """What is generated means the same as the lines, and they mean what they did.

    Where a line was changed on purpose: ``python -m tilepath.tests.engine.plan_meanings``.
    """
    some = rows_by_chance(given)
    counts = counted(given, some)
    assert np.array_equal(counts, given.plain(some))
    own = [line for line in kept() if line[0] == block and line[2] in given.group.named]
    assert told(block, given, counts) == own


def test_every_line_counts_something() -> None:
    """So that a change of it shows."""
    assert [line for line in kept() if line[3] == "0"] == []
