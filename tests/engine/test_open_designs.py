# SPDX-License-Identifier: Apache-2.0
"""Designs as other people write them: a bench for one by ``new-block``, a foreign bench recorded.

The crossbar has what open designs have: a header, a macro, a package found beside it, structs,
arrays of ports, a type as a parameter, a reset that is high active.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Final

import numpy as np
import pytest

from tilepath.engine.project import PROJECT_VARIABLE
from tilepath.tests.commands import Done, call, passed, python, refused
from tilepath.tests.cosim_runs import needs_icarus

_PROJECT: Final = """
from pathlib import Path
from tilepath.engine.project import Project
PROJECT = Project(root=Path(__file__).resolve().parent, package="mine")
"""
_HEADER: Final = "`define LANE(j) (sel_i[i] == j)\n"
_PACKAGE: Final = """
package hub_pkg;
  typedef struct packed {logic last; logic [39:0] data;} word_t;
endpackage
"""
_HUB: Final = """
`include "hub/defs.svh"
module hub import hub_pkg::*; #(
  parameter int N = 1, parameter type tag_t = logic
) (
  input logic clk, input logic rst, input logic scan_mode, input logic clear_i,
  input word_t [N-1:0] data_i, input logic [N-1:0] sel_i, valid_i, output logic [N-1:0] ready_o,
  output word_t data_o [2], output logic [1:0] valid_o, input logic [1:0] ready_i,
  input tag_t tag_i, output tag_t tag_o
);
  logic [N-1:0] gets [2];
  always_comb begin
    ready_o = '0;
    for (int j = 0; j < 2; j++) begin
      gets[j] = '0;
      data_o[j] = '0;
      for (int i = N - 1; i >= 0; i--)
        if (valid_i[i] && `LANE(j)) begin
          gets[j] = N'(1) << i;
          data_o[j] = data_i[i];
        end
      valid_o[j] = |gets[j];
      ready_o |= ready_i[j] ? gets[j] : '0;
    end
  end
  always_ff @(posedge clk)
    if (rst || (clear_i & `KEEP)) tag_o <= '0;
    else tag_o <= tag_i;
endmodule
"""
_CYCLE: Final = """
    tag = 0

    def cycle(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        out: dict[str, Any] = {"tag_o": self.tag}
        self.tag = 0 if given["clear"] else given["tag"]
        for i in range(3):
            out[f"p{i}.in_ready"] = 0
        for j in range(2):
            asks = [i for i in range(3) if given[f"p{i}.in_valid"]]
            asks = [i for i in asks if given[f"p{i}.in_offer"][2] == j]
            out[f"p{j}.out_valid"] = int(bool(asks))
            out[f"p{j}.out"] = None
            if asks and given[f"p{j}.out_ready"]:
                out[f"p{asks[0]}.in_ready"] = 1
                out[f"p{j}.out"] = given[f"p{asks[0]}.in_offer"][:2]
        return out

"""


def _tilepath(root: Path, project: str, *words: str | Path) -> Done:
    told = {PROJECT_VARIABLE: project, "PYTHONPATH": str(root)}
    return python("-m", "tilepath", *words, cwd=root, env={**os.environ, **told}, timeout=240)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project of somebody's, ``mine``, and a design beside it."""
    root = tmp_path_factory.mktemp("own")
    texts = {"mine/project.py": _PROJECT, "hub/include/hub/defs.svh": _HEADER}
    texts |= {"hub/src/hub_pkg.sv": _PACKAGE, "hub/src/hub.sv": _HUB}
    for name, text in texts.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


@pytest.fixture(scope="module")
def proposal(root: Path) -> str:
    words = ("--define", "KEEP", "--param", "tag_t=logic [4:0]", "--param")
    command = ("new-block", "xbar", "--module", "hub", "--top", root / "hub/src/hub.sv", *words)
    refused(_tilepath(root, "mine.project", *command, "N"), "'N' is not NAME=VALUE")
    assert not (root / "mine/rtl").exists()
    return passed(_tilepath(root, "mine.project", *command, "N=3"))


def test_all_of_it_comes_along(root: Path, proposal: str) -> None:
    rows = [line.split(maxsplit=3) for line in proposal.splitlines()]
    table = {
        row[0]: (row[2], row[3].strip()) for row in rows if row[1:2] in (["input"], ["output"])
    }
    assert table["rst"] == ("1", "reset, high active")
    assert table["scan_mode"] == ("1", "tied to 0")
    assert table["data_i"] == ("3*41", "in.last, 3 copies; in.data, 3 copies")
    assert table["ready_o"] == ("3", "ready of in, level in_ready, 3 copies")
    assert table["data_o"][0] == "41[2]" and table["tag_i"] == ("5", "level tag")
    assert (root / "mine/rtl/xbar/design.f").read_text() == (
        "+incdir+rtl/xbar/include\n+incdir+rtl/xbar/include/hub\n+define+KEEP=1\n"
        "rtl/xbar/src/hub_pkg.sv\nrtl/xbar/src/hub.sv\n"
    )


def test_it_runs_at_once_and_passes_with_a_model(root: Path, proposal: str) -> None:
    assert proposal
    run = ("run", "--block", "xbar", "--cycles", "2000", "--seeds", "1")
    first = _tilepath(root, "mine.project", *run)
    assert first.returncode == 1 and "Model.cycle is to be filled in" in first.stdout
    path = root / "mine/tb/xbar/block.py"
    text = path.read_text()
    begin, end = text.index("    def cycle("), text.index("\ndef explain(")
    path.write_text(text[:begin] + _CYCLE + text[end:])
    assert "1 runs: 1 passed" in passed(_tilepath(root, "mine.project", *run))


_BENCH: Final = """
module bench;
  logic clk = 0, rst_n = 0, valid = 0, ready = 0, taken, offered;
  logic [15:0] word = 0, out;
  logic [2:0] level;
  fifo dut (clk, rst_n, valid, word, taken, offered, out, ready, level);
  fifo_recorder rec (.clk_i(clk), .rst_ni(rst_n), .push_valid_i(valid), .push_word_i(word),
    .push_ready_o(taken), .pop_valid_o(offered), .pop_word_o(out), .pop_ready_i(ready),
    .level_o(level));
  always #5 clk = !clk;
  initial begin
    repeat (2) @(negedge clk);
    rst_n = 1;
    repeat (300) begin
      @(negedge clk);
      if (!valid || taken) {valid, word} = $random;
      ready = $random;
    end
    $finish;
  end
endmodule
"""


@needs_icarus
def test_a_foreign_bench_is_recorded(tmp_path: Path) -> None:
    designs = Path(__file__).parent
    recorder, bench, program = (tmp_path / name for name in ("rec.sv", "bench.sv", "sim"))
    told = _tilepath(designs, "designs.project", "recorders", "--block", "fifo", "--out", recorder)
    passed(told)
    bench.write_text(_BENCH)
    rtl = designs / "designs/rtl/fifo/fifo.sv"
    passed(call("iverilog", "-g2012", "-s", "bench", "-o", program, rtl, recorder, bench))
    (tmp_path / "same").mkdir()
    passed(call("vvp", "-n", program, f"+fifo_trace={tmp_path / 'same'}"))
    check = ("check", "--block", "fifo", "--out", tmp_path / "out")
    same = passed(_tilepath(designs, "designs.project", *check, tmp_path / "same"))
    assert "300 cycles of fifo" in same and "1 runs: 1 passed" in same
    changed = shutil.copytree(tmp_path / "same", tmp_path / "changed") / "pop.bin"
    rows = np.fromfile(changed, "<u4").reshape(-1, 2)
    rows[20, 1] ^= 4
    rows.tofile(changed)
    told = _tilepath(designs, "designs.project", *check, tmp_path / "changed")
    assert told.returncode == 1
    assert f"pop event 20, cycle {rows[20, 0]}: word differs" in told.stdout
