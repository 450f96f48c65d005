# SPDX-License-Identifier: Apache-2.0
"""Views beside waves, from a description and the scopes that recorders say; see also the runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilepath.engine.description.hdl import generated_hdl
from tilepath.engine.description.registry import block_names, load_block
from tilepath.engine.host.wave_views import SCOPES, write_views

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
