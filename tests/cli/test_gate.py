# SPDX-License-Identifier: Apache-2.0
"""``tilepath gate`` without simulators: what becomes of a run of RTL and netlist, and of ports."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tilepath.engine.commands import gate
from tilepath.engine.commands.answers import SynthError
from tilepath.engine.commands.gate import GateRunner
from tilepath.engine.commands.regression import Outcome
from tilepath.engine.commands.run_list import PlannedRun
from tilepath.engine.commands.simulation import EngineRunner, RunOptions
from tilepath.engine.description.registry import load_block
from tilepath.engine.host.build import BuildError

RUN = PlannedRun("flag_pipe", "edges_l1", 1)
RTL = """module dut
  import isa_pkg::*;
(
    input wire logic clk_i,
    input wire word_t word_i [Two],
    output wire logic done_o
);
endmodule
"""


class Ran:
    """A runner whose runs end so, and leave a trace."""

    def __init__(self, folder: Path, outcome: Outcome, text: str) -> None:
        self._trace = folder / "flag_pipe" / "edges_l1-1" / "trace"
        self._outcome, self._text = outcome, text

    def run(self, _run: PlannedRun) -> Outcome:
        """As the kernel's."""
        self._trace.mkdir(parents=True)
        (self._trace / "flags.bin").write_text(self._text)
        return self._outcome


@pytest.mark.parametrize(
    "rtl, gates, texts, status, message",
    [
        ("pass", "pass", "aa", "pass", ""),
        ("pass", "pass", "ab", "fail", "the netlist records other streams than its RTL: flags"),
        ("pass", "fail", "ab", "fail", "late"),
        ("fail", "pass", "aa", "fail", "the RTL, not its netlist: late"),
    ],
)
def test_what_becomes_of_two_runs(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    rtl: Any,
    gates: Any,
    texts: str,
    status: str,
    message: str,
) -> None:
    runner: Any = GateRunner(RunOptions("verilator", "baseline", tmp_path))
    ends = [Outcome(RUN, end, message="late" if end == "fail" else "") for end in (rtl, gates)]
    monkeypatch.setattr(EngineRunner, "run", Ran(tmp_path / "rtl", ends[0], texts[0]).run)
    runner._netlists = {"flag_pipe": Ran(tmp_path, ends[1], texts[1])}
    assert (found := runner.run(RUN)) == replace(found, status=status, message=message)


def test_ports_are_led_on() -> None:
    bits = ["input clk_i;", *(f"input \\word_i[{n}] ;" for n in range(4)), "output done_o;"]
    gates = "".join(f"  {bit}\n" for bit in bits)
    text = gate._wrapped("dut", RTL, gates, [])
    assert "i < Two; i++) assign flat_word_i[4/Two*(Two-1-i)+:4/Two] = word_i[i];" in text
    assert ".\\word_i[3] (flat_word_i[3])" in text and "assign done_o = flat_done_o;" in text
    for wrong in (gates.replace("done_o", "done"), ""):
        with pytest.raises(SynthError, match="has not the ports of module dut"):
            gate._wrapped("dut", RTL, wrong, [])


def test_what_the_bench_reads_must_be_there() -> None:
    block = load_block("flag_pipe")
    with pytest.raises(SynthError, match=r"the bench reads .*, which is not in the netlist"):
        list(gate._reads(block, [], "  wire other ;\n"))


def test_a_block_that_does_not_synthesize(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_arguments: object) -> str:
        raise SynthError("a latch")

    monkeypatch.setattr(gate, "_synthesized", fails)
    monkeypatch.setattr(gate, "build_folder", lambda: tmp_path)
    with pytest.raises(BuildError, match="no netlist of flag_pipe: a latch"):
        gate.netlist(load_block("flag_pipe"), "baseline")
    assert not list(tmp_path.rglob("complete"))
