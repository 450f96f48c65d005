# SPDX-License-Identifier: Apache-2.0
"""Tests of what ``make lint`` and ``make synth`` add to the tools they call."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tilepath.cli import synth
from tilepath.cli.houserules import import_problems, missing_spdx
from tilepath.cli.synth import Netlist, SynthError, synthesize
from tilepath.tb.kernel.description.registry import load_block


def _write(root: Path, name: str, text: str) -> Path:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("name", "line", "allowed"),
    [
        ("isa/codec.py", "import tilepath.isa.tables", True),
        ("isa/codec.py", "from tilepath.models import frontend", False),
        ("models/adc.py", "from tilepath.isa import decode", True),
        ("models/adc.py", "import cocotb.triggers", False),
        ("models/adc.py", "from pyuvm import uvm_test", False),
        ("models/adc.py", "def f():\n    from tilepath.tb.kernel import block", False),
        ("tb/kernel/host/run.py", "import cocotb, tilepath.models", True),
        ("tb/kernel/host/run.py", "from tilepath.sequences.adc import TESTS", False),
        ("tb/kernel/host/run.py", "from tilepath.cli.errors import UsageError", False),
        ("tb/kernel/host/run.py", "import tilepath.cli.main", False),
        (
            "sequences/adc/mix.py",
            "from tilepath.tb.kernel.description.stimulus import TestSpec",
            True,
        ),
        ("sequences/adc/mix.py", "from tilepath import tests", False),
        ("tests/test_x.py", "from tilepath import cli, sequences, tb, models, isa", True),
        ("cli/main.py", "import tilepath.tests", True),
    ],
)
def test_imports_point_one_way(tmp_path: Path, name: str, line: str, allowed: bool) -> None:
    path = _write(tmp_path, name, line + "\n")
    assert (list(import_problems([path], tmp_path)) == []) is allowed


def test_a_missing_licence_line_is_named(tmp_path: Path) -> None:
    line = "SPDX-License-Identifier: Apache-2.0"
    _write(tmp_path, "a.py", f"# {line}\n")
    _write(tmp_path, "b.sv", "module b; endmodule\n")
    _write(tmp_path, "run", f"#!/bin/sh\n# {line}\n")
    _write(tmp_path, "late.py", "\n" * 9 + f"# {line}\n")
    _write(tmp_path, "README.md", "no licence line here\n")
    assert [problem.partition(":")[0] for problem in missing_spdx(tmp_path)] == ["b.sv", "late.py"]


SOUND = """
module dut #(parameter int Width = 4) (
  input  wire logic             clk_i,
  input  wire logic             en_i,
  input  wire logic [Width-1:0] a_i,
  output logic      [Width-1:0] q_o
);
  always_ff @(posedge clk_i) if (en_i) q_o <= q_o + a_i;
endmodule
"""
LATCH = """
module dut (input wire logic en_i, input wire logic a_i, output logic q_o);
  always_comb if (en_i) q_o = a_i;
endmodule
"""


def test_a_sound_design_synthesizes(tmp_path: Path) -> None:
    source = _write(tmp_path, "dut.sv", SOUND)
    found = synthesize("block", "dut", [source], {"Width": 8}, tmp_path)
    assert found.sound
    assert (found.flip_flops, found.latches) == (8, 0)
    assert found.cells > 8
    assert found.longest_path > 1
    assert found.ends[1] == "q_o"


def test_a_path_that_is_too_long_is_a_complaint(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = Netlist("adc", 9, 8, 0, 61, (), ends=("u_one.a_q", "u_two.b_q"))
    monkeypatch.setattr(synth, "synthesize", lambda *_, **__: found)
    for limit, status in ((61, 0), (60, 1)):
        loaded = {"adc": replace(load_block("adc"), max_gates=limit)}
        monkeypatch.setattr(synth, "load_block", loaded.__getitem__)
        monkeypatch.setattr(sys, "argv", ["synth", "--block", "adc"])
        assert synth.main() == status
        printed = capsys.readouterr()
        assert "u_one.a_q … u_two.b_q" in printed.out
        said = "61 gates from u_one.a_q to u_two.b_q, 60 are allowed" in printed.err
        assert said == (status > 0)


MEMORY = """
module store #(parameter int Rows = 4) (
  input  wire logic       clk_i,
  input  wire logic       we_i,
  input  wire logic [5:0] row_i [2],
  input  wire logic [7:0] data_i,
  output logic      [7:0] data_o
);
  logic [7:0] row_q [Rows];
  always_ff @(posedge clk_i) if (we_i) row_q[row_i[0]] <= data_i;
  assign data_o = row_q[row_i[1]];
endmodule

module dut #(parameter int Width = 4) (
  input  wire logic       clk_i,
  input  wire logic       we_i,
  input  wire logic [5:0] row_i [2],
  input  wire logic [7:0] data_i,
  output logic      [7:0] sum_o
);
  wire logic [7:0] data [2];
  store #(.Rows(64)) u_one (.clk_i, .we_i, .row_i, .data_i, .data_o(data[0]));
  store #(.Rows(32)) u_two (.clk_i, .we_i, .row_i, .data_i, .data_o(data[1]));
  always_ff @(posedge clk_i) sum_o <= data[0] + data[1];
endmodule
"""


def test_a_macro_stays_a_black_box(tmp_path: Path) -> None:
    source = _write(tmp_path, "dut.sv", MEMORY)
    found = synthesize("block", "dut", [source], {}, tmp_path, ["store"])
    assert found.sound
    assert (found.flip_flops, found.macros) == (8, 2)
    whole = synthesize("block", "dut", [source], {}, tmp_path)
    assert whole.sound
    assert (whole.flip_flops, whole.macros) == (8 + 96 * 8, 0)
    assert whole.cells > found.cells + 96 * 8


def test_a_macro_that_is_nowhere_is_an_error(tmp_path: Path) -> None:
    source = _write(tmp_path, "dut.sv", SOUND)
    with pytest.raises(SynthError, match="no instance of macro store"):
        synthesize("block", "dut", [source], {}, tmp_path, ["store"])


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
    source = _write(tmp_path, "dut.sv", text)
    try:
        found = synthesize("block", "dut", [source], {}, tmp_path)
    except SynthError as error:
        assert expected in str(error)
    else:
        assert not found.sound
