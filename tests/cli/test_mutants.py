# SPDX-License-Identifier: Apache-2.0
"""Where mutants are found in a source, and a copy with several of them."""

from __future__ import annotations

import sys

import pytest

from tilepath.cli.errors import UsageError
from tilepath.cli.mutants import KINDS, Mutant, chosen, draw, places
from tilepath.tb.kernel.description.block import ROOT
from tilepath.tb.kernel.description.registry import load_block

FILE = "rtl/adc/adc_unpack.sv"
SOURCE = """\
// a product: ·
module dut #(parameter int N = 3) (
  input wire logic clk_i, rst_ni, go_i, input wire logic [7:0] a_i, output logic [7:0] q_o
);
  localparam int Twice = 2 * N;
  wire logic unused = a_i[5];
  wire logic [3:0] low = a_i[4:1] & {2{go_i, !go_i}};
  for (genvar g = 0; g < N + 1; g++) begin : gen_one
    wire logic bit_of = a_i[g];
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) q_o <= '0;
    else if (go_i) begin
      for (int i = 0; i < 4; i++) q_o[i] <= low[i];
    end
    case (a_i[1:0])
      2'd1: q_o[7:4] <= low + 4'(Twice);
      default: ;
    endcase
  end
`ifndef SYNTHESIS
  initial if (N != 3) $fatal(1, "no");
  always_ff @(posedge clk_i) assert (a_i != 8'd9);
`endif
endmodule
"""

FOUND = [
    ("select", "a_i[4:1]", "a_i[4 - 1:1 - 1]"),
    ("operator", "a_i[4:1] & {2{go_i, !go_i}}", "a_i[4:1] | ({2{go_i, !go_i}})"),
    ("operator", "!go_i", "|(go_i)"),
    ("index", "g", "(g) ^ 1'd1"),
    ("reset", "'0", "q_o"),
    ("constant", "'0", "'1"),
    ("condition", "go_i", "!(go_i)"),
    ("condition", "go_i", "1'b0"),
    ("enable", "go_i", "1'b1"),
    ("update", "low[i]", "q_o[i]"),
    ("index", "i", "(i) ^ 1'd1"),
    ("index", "i", "(i) ^ 1'd1"),
    ("select", "a_i[1:0]", "a_i[1 + 1:0 + 1]"),
    ("update", "low + 4'(Twice)", "q_o[7:4]"),
    ("operator", "low + 4'(Twice)", "low - 4'(Twice)"),
]


def test_places_and_no_others() -> None:
    found = list(places("rtl/dut/dut.sv", SOURCE))
    assert sorted((one.kind, one.old, one.new) for one in found) == sorted(FOUND)
    assert {one.kind for one in found} == set(KINDS)
    for one in found:
        line = SOURCE.splitlines()[one.line - 1]
        assert one.source == line.strip() and one.old in line  # although "·" has two bytes


def test_a_copy_with_mutants_in_each_other() -> None:
    found = [one for one in places("rtl/dut/dut.sv", SOURCE) if one.line == 7]
    assert len(found) == 3
    line = chosen(SOURCE, enumerate(found, 1)).splitlines()[6]
    number = {one.old: str(n) for n, one in enumerate(found, 1)}
    whole, part, inner = number["a_i[4:1] & {2{go_i, !go_i}}"], number["a_i[4:1]"], number["!go_i"]
    bug = "planted_pkg::bug == "
    assert line.strip() == (
        f"wire logic [3:0] low = ({bug}{whole} ? (a_i[4:1] | ({{2{{go_i, !go_i}}}})) : "
        f"(({bug}{part} ? (a_i[4 - 1:1 - 1]) : (a_i[4:1])) & "
        f"{{2{{go_i, ({bug}{inner} ? (|(go_i)) : (!go_i))}}}}));"
    )
    assert chosen(SOURCE, []) == SOURCE


def test_drawn_ones_elaborate_and_are_the_same_again() -> None:
    block = load_block("flag_pipe")
    drawn = draw(block, 40, 7)
    assert drawn == draw(block, 40, 7) and drawn != draw(block, 40, 8)
    assert len(drawn) == len({(one.file, one.start, one.new) for one in drawn}) == 40
    assert {one.kind for one in drawn} == set(KINDS)


def test_what_slang_refuses_is_not_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    good = next(places(FILE, (ROOT / FILE).read_text()))
    wrong = Mutant(good.kind, good.file, good.start, good.old, "nosuch", good.line, good.source)
    monkeypatch.setattr(
        "tilepath.cli.mutants.places",
        lambda file, _text: [wrong, good] if file == good.file else [],
    )
    assert draw(load_block("adc"), 5, 1) == [good]
    monkeypatch.setattr("tilepath.cli.mutants.places", lambda _file, _text: [wrong])
    with pytest.raises(UsageError, match="nothing to mutate in block adc"):
        draw(load_block("adc"), 5, 1)


def test_without_pyslang(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyslang.syntax", None)
    with pytest.raises(UsageError, match=r"pip install 'tilepath\[mutate\]'"):
        draw(load_block("adc"), 5, 1)
