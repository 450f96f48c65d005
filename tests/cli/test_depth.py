# SPDX-License-Identifier: Apache-2.0
"""Tests of the longest path that ``make synth`` finds in a netlist."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilepath.engine.commands.depth import LongestPath, LoopError, longest
from tilepath.engine.commands.synth import synthesize
from tilepath.tests.cli.files import design, source

RAM = source("ram.sv")

CHAIN = """.model dut
.subckt $_AND_ A=a_i[3] B=$true Y=$auto$1
.cname $auto$9
.subckt $_XOR_ A=$auto$1 B=b_i Y=$auto$2
.cname $auto$8
.conn $auto$2 u_x.d[7]
.end
"""
FLOP = ".subckt $_DFF_P_ C=clk_i D=u_x.d[7] Q=u_x.q[7]\n.cname $auto$7\n"
BOX = ".subckt ram$u_ram address[0]=u_x.d[7] data[0]=$auto$5 out[0]=$auto$6\n.cname u_ram\n"
BEHIND = ".subckt $_NOT_ A=$auto$6 Y=$auto$5\n.cname $auto$4\n"


def _longest(tmp_path: Path, text: str, **out: frozenset[str]) -> LongestPath:
    path = tmp_path / "netlist"
    path.write_text(text)
    return longest(path, {"ram$u_ram": out})


def test_a_path_and_its_ends(tmp_path: Path) -> None:
    found = LongestPath(2, ("a_i", "u_x.d"), ("a_i", "$auto$1", "u_x.d"))
    assert _longest(tmp_path, CHAIN) == found
    assert _longest(tmp_path, CHAIN + FLOP).ends == ("a_i", "u_x.q")
    assert _longest(tmp_path, "") == LongestPath()


def test_a_memory_is_one_gate_from_what_its_output_follows(tmp_path: Path) -> None:
    """Its data written come from its output: a loop for whoever takes it for a gate."""
    found = _longest(tmp_path, CHAIN + BOX + BEHIND, out=frozenset({"address"}))
    assert (found.length, found.ends) == (4, ("a_i", "u_ram.data"))
    with pytest.raises(LoopError, match="auto"):
        _longest(tmp_path, CHAIN + BOX + BEHIND, out=frozenset({"address", "data"}))


def test_a_memory_with_a_registered_output_ends_a_path(tmp_path: Path) -> None:
    found = _longest(tmp_path, CHAIN + BOX + BEHIND, out=frozenset())
    assert (found.length, found.ends) == (2, ("a_i", "u_ram.address"))
    behind = BOX + BEHIND + BEHIND.replace("$auto$6", "$auto$5").replace("Y=$auto$5", "Y=y_o")
    found = _longest(tmp_path, behind, out=frozenset())
    assert (found.length, found.ends) == (2, ("u_ram.out", "y_o"))


@pytest.mark.parametrize(("registered", "gates"), [(0, 3), (1, 1)])
def test_what_a_macro_does_within_a_cycle_is_read(
    tmp_path: Path, registered: int, gates: int
) -> None:
    found = synthesize("b", design(tmp_path, RAM, "ram", Registered=registered))
    assert (found.longest_path, found.macros, found.flip_flops) == (gates, 1, 8)
