# SPDX-License-Identifier: Apache-2.0
"""``make synth`` and ``tilepath gate``: what is in a netlist, and what becomes of its runs."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tilepath.engine.commands import gate, synth, yosys
from tilepath.engine.commands.answers import LongestPath, Memory, SynthError, longest
from tilepath.engine.commands.gate import GateRunner
from tilepath.engine.commands.regression import Outcome
from tilepath.engine.commands.run_list import PlannedRun
from tilepath.engine.commands.simulation import EngineRunner, RunOptions
from tilepath.engine.commands.synth import Netlist, synthesize, synthesize_modules
from tilepath.engine.commands.yosys import Sources
from tilepath.engine.description.registry import load_block
from tilepath.engine.host.build import BuildError
from tilepath.tests.cli.files import CASES, design, source

SOUND = source("sound.sv")
LATCH = source("latch.sv")
NESTED = source("nested.sv")
MEMORY = source("memory.sv")
WIDTHS = source("widths.sv")
PORTS = source("ports.sv")


def test_a_sound_design_synthesizes(tmp_path: Path) -> None:
    found = synthesize("block", design(tmp_path, SOUND, Width=8))
    assert found.sound
    assert (found.flip_flops, found.latches) == (8, 0)
    assert found.cells > 8
    assert found.longest_path > 1
    assert found.ends[1] == "q_o"


DEEP = Netlist("adc", 9, 8, 0, 61, (), ends=("u_one.a_q", "u_two.b_q"), levels=36)


@pytest.mark.parametrize(
    ("gates", "levels", "max_gates", "max_levels", "too_deep"),
    [
        (61, 36, 60, 35, True),
        (60, 36, 60, 35, False),
        (61, 35, 60, 35, False),
        (61, None, 60, 35, True),
        (60, None, 60, 35, False),
        (61, 9, 60, 0, True),
        (999, 999, 0, 0, False),
        (9, 36, 0, 35, True),
    ],
)
def test_one_of_the_limits_must_hold(
    gates: int, levels: int | None, max_gates: int, max_levels: int, too_deep: bool
) -> None:
    found = replace(DEEP, longest_path=gates, levels=levels)
    assert found.too_deep(max_gates, max_levels) is too_deep


@pytest.mark.parametrize(("whole", "module", "status"), [(61, 60, 1), (60, 61, 1), (60, 60, 0)])
def test_a_path_that_is_too_long_is_a_complaint(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    whole: int,
    module: int,
    status: int,
) -> None:
    inner = replace(DEEP, block="adc_group", longest_path=module)
    monkeypatch.setattr(
        synth, "synthesize", lambda *_, **__: replace(DEEP, longest_path=whole, levels=None)
    )
    monkeypatch.setattr(synth, "synthesize_modules", lambda *_, **__: [("adc.1", inner)])
    monkeypatch.setattr(synth.yosys, "levels", lambda *_: 36)
    loaded = {"adc": replace(load_block("adc"), max_gates=60, max_levels=35)}
    monkeypatch.setattr(synth, "load_block", loaded.__getitem__)
    monkeypatch.setattr(sys, "argv", ["synth", "--block", "adc"])
    assert synth.main() == status
    printed = capsys.readouterr()
    assert "u_one.a_q … u_two.b_q" in printed.out
    assert "adc_group" in printed.out
    said = "61 gates and 36 levels from u_one.a_q to u_two.b_q, 60 gates or 35" in printed.err
    assert said == (status > 0)
    assert ("adc: adc_group: 61 gates" in printed.err) == (module > 60)


def test_modules_that_differ_at_most_by_constants_are_one_kind() -> None:
    leaf = {"num_cells_by_type": {"$add_8": 1}}
    wide = {"num_cells_by_type": {"$add_9": 1}}
    middle = [{"num_cells_by_type": {f"leaf$t.u_{n}.u_leaf": 2}} for n in range(3)]
    modules = {f"\\leaf$t.u_{n}.u_leaf": (leaf, leaf, wide)[n] for n in range(3)}
    modules |= {f"\\middle$t.u_{n}": middle[n] for n in range(3)}
    found = yosys.kinds(json.dumps({"modules": modules}))
    assert found == {
        "leaf$t.u_0.u_leaf": "leaf",
        "leaf$t.u_2.u_leaf": "leaf",
        "middle$t.u_0": "middle",
        "middle$t.u_2": "middle",
    }


def test_depth_after_abc_and_by_module(tmp_path: Path) -> None:
    sources = design(tmp_path, NESTED)
    whole = synthesize("block", sources)
    assert 0 < yosys.levels(tmp_path, "block", whole.cells) < whole.longest_path
    found = [one for _, one in synthesize_modules("block", sources)]
    assert sorted((one.block, one.flip_flops) for one in found) == [("chain", 4), ("chain", 12)]
    assert max(one.longest_path for one in found) == whole.longest_path
    assert [one.ends[1] for one in found] == ["q_o", "q_o"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (LATCH, "latch"),
        (LATCH.replace("always_comb", "always @*"), "latch"),
        (SOUND.replace("q_o + a_i", "q_o + nosuch(a_i)"), "ERROR"),
        (SOUND.replace("endmodule", "nosuch u_x (.a(a_i));\nendmodule"), "ERROR"),
        (SOUND.replace("q_o + a_i", "$random"), "ERROR"),
    ],
)
def test_what_does_not_synthesize_is_an_error(tmp_path: Path, text: str, expected: str) -> None:
    try:
        found = synthesize("block", design(tmp_path, text))
    except SynthError as error:
        assert expected in str(error)
    else:
        assert not found.sound


def test_a_macro_stays_a_black_box(tmp_path: Path) -> None:
    boxed, gates = design(tmp_path, MEMORY, "store"), design(tmp_path, MEMORY)
    found = synthesize("block", boxed)
    assert found.sound
    assert (found.flip_flops, found.macros, found.memory_bits) == (8, 2, 96 * 8)
    assert found.memories == (
        Memory("u_one", "store", 64, 8, writes=1, reads=1, registered=False),
        Memory("u_two", "store", 32, 8, writes=1, reads=1, registered=False),
    )
    assert synthesize_modules("block", boxed) == []
    whole = synthesize("block", gates)
    assert whole.sound
    assert (whole.flip_flops, whole.macros) == (8 + 96 * 8, 0)
    assert whole.cells > found.cells + 96 * 8


def test_each_macro_has_the_widths_of_its_parameters(tmp_path: Path) -> None:
    sources = design(tmp_path, WIDTHS, "store")
    found = synthesize("block", sources)
    assert (found.macros, found.memory_bits) == (3, 2 * 8 * 64 + 3 * 4)
    assert found.cells == 2 * 6 + 2 * 2 + 8  # an inverter for each bit of an address, and of data
    modules = [one for _, one in synthesize_modules("block", sources)]
    figures = [(one.block, one.cells, one.macros, one.memory_bits) for one in modules]
    assert sorted(figures) == [("inverted", 4, 1, 12), ("inverted", 12, 1, 512)]


MISFIT = r"^3 ports do not fit: in \S+u_three: instance u_store, port \w+: from \d+ to \d+ bits"


def test_a_port_that_is_made_to_fit_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Boxes that read_slang makes itself have the ports of one instance."""
    sources = design(tmp_path, WIDTHS, "store")
    read = Sources.read
    monkeypatch.setattr(Sources, "read", lambda *x: read(*x) + " --blackboxed-module store")
    monkeypatch.setattr(Sources, "box", lambda _: [])
    for synthesis in (synthesize, synthesize_modules):
        with pytest.raises(SynthError, match=MISFIT):
            synthesis("block", sources)


@pytest.mark.parametrize(("before", "after", "expected"), CASES["misfits"])
def test_a_port_that_the_source_connects_wrongly_is_an_error(
    tmp_path: Path, before: str, after: str, expected: str
) -> None:
    """Cut or padded by read_slang, so that nothing is left for Yosys to see."""
    assert WIDTHS.count(before) == 1
    sources = design(tmp_path, WIDTHS.replace(before, after), "store")
    for synthesis in (synthesize, synthesize_modules):
        with pytest.raises(SynthError) as error:
            synthesis("block", sources)
        assert str(error.value).startswith(expected)
        assert "\n" not in str(error.value)


def test_a_macro_around_a_macro_is_an_error(tmp_path: Path) -> None:
    """It would count twice, or not at all."""
    sources = design(tmp_path, WIDTHS, "inverted", "store")
    for synthesis in (synthesize, synthesize_modules):
        with pytest.raises(SynthError, match=r"macro inverted\$dut\.u_.+ has 0 memories in it"):
            synthesis("block", sources)


def test_memories_that_are_alike_are_one_line_with_their_ports(tmp_path: Path) -> None:
    """A mask makes no ports; what is read is registered."""
    found = synthesize("b", design(tmp_path, PORTS, "bank"))
    bank = Memory("gen_bank[*].u_bank", "bank", 8, 16, writes=2, reads=2, registered=True)
    assert found.memories == (replace(bank, instances=3),)
    assert (found.macros, found.memory_bits, found.longest_path) == (3, 3 * 8 * 16, 0)


def test_memories_are_printed_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Those of a module are its block's: not a second time."""
    bank = Memory("gen[*].u_bank", "bank", 8, 16, 2, 1, registered=True, instances=3)
    queue = Memory("u_queue", "bank", 4, 9, 1, 1, registered=False)
    whole = Netlist("adc", 9, 8, 0, 5, (), memories=(bank, queue))
    monkeypatch.setattr(synth, "synthesize", lambda *_, **__: whole)
    monkeypatch.setattr(
        synth, "synthesize_modules", lambda *_, **__: [("adc.1", replace(whole, block="adc_group"))]
    )
    monkeypatch.setattr(synth.yosys, "levels", lambda *_: 5)
    monkeypatch.setattr(synth, "load_block", {"adc": load_block("adc")}.__getitem__)
    monkeypatch.setattr(sys, "argv", ["synth", "--block", "adc", "--modules"])
    assert synth.main() == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    at = next(n for n, line in enumerate(lines) if "memories" in line)
    assert [" ".join(line) for line in lines[at + 1 :]] == [
        "adc 3 8 × 16 384 2 1 a cycle later gen[*].u_bank",
        "adc 1 4 × 9 36 1 1 at once u_queue",
        "adc 4 420",
    ]


def test_a_macro_that_is_nowhere_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SynthError, match="no instance of macro queue"):
        synthesize("block", design(tmp_path, MEMORY, "store", "queue"))


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
    with pytest.raises(SynthError, match="auto"):
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


# -- runs of RTL and netlist, without simulators, and of ports


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
