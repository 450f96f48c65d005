# SPDX-License-Identifier: Apache-2.0
"""Lost resets: they are generated for everything that is reset, and noticed."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from tilepath.engine.description.block import ROOT
from tilepath.tests.lost_resets import (
    ALL,
    BLOCKS,
    apart,
    plant,
    reasons,
    resets,
    resets_in,
    unnoticed,
)

MODULE = """\
  always_ff @(posedge clk_i or negedge rst_ni) begin  // if (!rst_ni) c_q <= 1'b0;
    if (!rst_ni) begin
      a_q <= '0;
      for (int i = 0; i <= 3; i++) b_q[i] <= 4'd1;
    end else begin
      if (a_q <= b_q[0]) a_q <= b_q[0];
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {c_q, e_q} <= '0;
    else c_q <= 1'b1;
  end
  always_ff @(posedge clk_i) d_q <= c_q;
"""


def test_what_a_reset_branch_assigns() -> None:
    text = apart(MODULE)
    assert "if (!rst_ni) begin c_q <= '0; e_q <= '0; end\n    else" in text
    found = [text[start:end] for _, start, end in resets_in(text)]
    assert found == ["a_q <= '0;", "b_q[i] <= 4'd1;", "c_q <= '0;", "e_q <= '0;"]
    assert [name for name, _, _ in resets_in(text)] == ["a_q", "b_q[i]", "c_q", "e_q"]


def test_every_module_with_a_reset_has_lost_ones() -> None:
    lost = Counter(one.file for block in BLOCKS for one in resets(block))
    for path in sorted((ROOT / "rtl").rglob("*.sv")):
        branches = len(re.findall(r"if \(!rst_ni\)", path.read_text()))
        assert lost[str(path.relative_to(ROOT / "rtl"))] >= branches, path.name


def test_each_is_chosen_alone_and_the_listed_ones_together(tmp_path: Path) -> None:
    together = plant("flag_pipe", ["flag_bank.set_set_q"], tmp_path / "planted")
    number, every = together.numbers["flag_bank.set_set_q"], together.numbers[ALL]
    text = (together.root / "rtl" / "flag_pipe" / "flag_bank.sv").read_text()
    chosen = f"planted_pkg::bug != {number} && planted_pkg::bug != {every}"
    assert f"begin if ({chosen}) set_set_q <= 1'b0; end\n    end else if (clr_i)" in text
    assert text.count("planted_pkg::bug") == 5  # two stages, two registers, one of them listed
    assert len({*together.numbers.values()}) == len(together.numbers)


@pytest.mark.parametrize("block", BLOCKS)
def test_all_are_noticed_but_those_whose_start_cannot_matter(block: str, tmp_path: Path) -> None:
    listed = reasons(block)
    every = {*listed, *reasons(block, "covered")}
    together = plant(block, listed, tmp_path / "planted")
    about = BLOCKS[block]
    profiles = about.get("profiles", ("baseline",))
    left = unnoticed(together, every, about["first"], tmp_path / "runs", profiles)
    assert {*left} == every
