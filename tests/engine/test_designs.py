# SPDX-License-Identifier: Apache-2.0
"""Designs that are no part of the data path: the engine's, and as other people write them."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

from tilepath.engine.description.bound import bound_recorder
from tilepath.engine.description.cycle_model import CycleModel
from tilepath.engine.description.naming import ports, proposed, text_of
from tilepath.engine.description.wired_block import wired_block
from tilepath.engine.project import PROJECT_VARIABLE
from tilepath.engine.stimulus.at_random import anything
from tilepath.tests.commands import Done, call, passed, python, refused
from tilepath.tests.cosim_runs import EACH_SIMULATOR, needs_icarus
from tilepath.tests.cosim_runs import SMALL as SIM
from tilepath.tests.engine.test_run import Outcome, environment_of, simulated, tiny_project

DESIGNS = ("fifo", "regs", "arbiter")
# design, text of its RTL, what stands there instead, and where it shows first
BUGS = [
    ("fifo", "level_q != 3'd4", "level_q != 3'd3", "push_ready"),
    ("regs", "? seen_q & ~bus_data_i[3:0]", "? 4'd0", "rsp"),
    ("arbiter", "client == 2'd2 ? 2'd0", "client == 2'd1 ? 2'd0", "out"),
]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_project(tmp_path_factory.mktemp("project") / "tilepath")


def _run(project: Path, out: Path, sim: str, *blocks: str) -> list[Outcome]:
    given = {"test": "random", "seed": 1, "sim": sim, "out_dir": str(out), "cycles": 4000}
    return simulated(project, *({**given, "block": block} for block in blocks))


@pytest.mark.parametrize("sim", EACH_SIMULATOR)
def test_they_pass_and_hit_all_bins(sim: str, project: Path, tmp_path: Path) -> None:
    for found in _run(project, tmp_path, sim, *DESIGNS):
        assert (found.status, found.message, found.again) == ("pass", "", "pass"), found.block
        points = json.loads(Path(found.coverage_file).read_text())["points"]
        assert all(count for bins in points.values() for count in bins.values()), found.block


@pytest.mark.parametrize(("block", "old", "new", "stream"), BUGS, ids=[bug[0] for bug in BUGS])
def test_a_bug_is_found(
    block: str, old: str, new: str, stream: str, project: Path, tmp_path: Path
) -> None:
    root = tmp_path / "tilepath"
    root.symlink_to(project)
    shutil.copytree(project.parent / "designs", tmp_path / "designs")
    path = tmp_path / "designs" / "rtl" / block / f"{block}.sv"
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    (found,) = _run(root, tmp_path / "runs", SIM, block)
    assert found.status == "fail" and found.message.startswith(f"{stream} event ")


def test_a_table_without_a_player_is_refused_in_a_line(project: Path, tmp_path: Path) -> None:
    shutil.copytree(project.parent / "designs", tmp_path / "designs")
    path = tmp_path / "designs" / "sequences" / "regs" / "__init__.py"
    path.write_text(path.read_text().replace('"events"', '"event"'))
    env = environment_of(tmp_path / "tilepath")
    done = python("-m", "tilepath", "run", "--block", "regs", cwd=tmp_path, env=env)
    refused(done, "regs/random: ", "no player 'event'; did you mean events? there are: bus, events")


def test_ports_go_together_by_their_names() -> None:
    made = proposed(
        "axi",
        ports(
            "aclk aresetn s_axis_tvalid s_axis_tdata:8 s_axis_tlast m_axis_tready mode_i:2",
            "s_axis_tready m_axis_tvalid m_axis_tdata:8 busy_o",
        ),
    )
    streams = {s.name: (s.direction, s.kind) for s in made.boundary().streams}
    assert streams == {
        "s_axis": ("input", "event"),
        "s_axis_valid": ("input", "level"),
        "m_axis_ready": ("input", "level"),
        "mode": ("input", "level"),
        "m_axis": ("output", "event"),
        "s_axis_ready": ("output", "level"),
        "m_axis_valid": ("output", "level"),
        "busy": ("output", "level"),
    }
    assert [f.name for f in made.boundary().table["s_axis"].fields] == ["data", "last"]
    assert [player.name for player in made.players()] == ["s_axis", "m_axis_ready", "mode"]
    assert (made.clocks, made.resets) == (("aclk",), {"aresetn": True})
    assert ".aresetn(tp_rst_n)" in made.harness()


@pytest.mark.parametrize("clocks", ["", "clk_a clk_b"])
def test_one_clock_is_wanted(clocks: str) -> None:
    with pytest.raises(ValueError, match="x: want one clock among its ports: "):
        proposed("x", ports(f"{clocks} a_valid_i", ""))


def test_fields_have_names_that_items_do_not_use() -> None:
    made = proposed("x", ports("clk a_valid_i a_gap_i:4 a_cycle_i:8 a_word_i:8", ""))
    (stream,) = made.boundary().streams
    assert [field.name for field in stream.fields] == ["gap_value", "cycle_value", "word"]
    (player,) = made.players()
    assert player.unpack(player.pack(gap=3, gap_value=5))["gap_value"].tolist() == [5]


NAMES = {  # ports in, ports out: what they are taken for
    "fifo": ("i_clk i_reset i_wr i_data:8 i_rd", "o_full o_data:8 o_empty o_almost_full", {
        "i_reset": "reset, high active", "i_wr": "valid of push, level push_valid",
        "i_data": "push.data", "o_full": "not ready of push, level push_ready",
        "i_rd": "ready of pop, level pop_ready", "o_empty": "not valid of pop, level pop_valid",
        "o_data": "pop.data", "o_almost_full": "level almost_full",
    }),
    "bare": ("clk clk_en nrst flush_i valid_i a_i:4 b_i ready_i", "ready_o valid_o sum_o busy_o", {
        "nrst": "reset, low active", "clk_en": "valid of clk", "flush_i": "level flush",
        "a_i": "in.a", "b_i": "in.b", "ready_i": "ready of out, level out_ready",
        "sum_o": "out.sum", "busy_o": "level busy",
    }),
    "axi": ("aclk aresetn s_awvalid s_awaddr:8 s_wvalid s_wdata:8 s_wide:2", "s_awready s_wready", {
        "s_awaddr": "s_aw.addr", "s_wdata": "s_w.data", "s_wide": "level s_wide",
        "s_wready": "ready of s_w, level s_w_ready",
    }),
    "clients": ("clk req_i:3 data_i:32[3] gnt_i dft_i", "gnt_o:3 req_o data_o:32 idx_o:2", {
        "req_i": "valid of in, level in_valid, 3 copies", "data_i": "in.data, 3 copies",
        "gnt_o": "ready of in, level in_ready, 3 copies", "idx_o": "out.idx", "dft_i": "tied to 0",
    }),
    "structs": (
        "clk tl_i:10{a_valid:1,a_op:8,d_ready:1} cfg_i:9{a:4,b:5}",
        "tl_o:6{d_valid:1,d_data:4,a_ready:1} map_o:4*3{x:1,y:2}", {
        "tl_i": "valid of tl_a, level tl_a_valid; tl_a.op; ready of tl_d, level tl_d_ready",
        "cfg_i": "level cfg.a; level cfg.b",
        "map_o": "level map.x, 4 copies; level map.y, 4 copies",
    }),
}  # fmt: skip


@pytest.mark.parametrize(("inputs", "outputs", "roles"), NAMES.values(), ids=NAMES)
def test_names_that_open_designs_have(inputs: str, outputs: str, roles: dict[str, str]) -> None:
    given = ports(inputs, outputs)
    found = proposed("x", given).roles()
    assert {name: found[name] for name in roles} == roles
    assert found.keys() == {port.name for port in given}
    sides = (" ".join(text_of(p) for p in given if p.direction == s) for s in ("input", "output"))
    assert ports(*sides) == given


def test_what_names_do_not_tell() -> None:
    given = ports("ck go_i op_i:4 take_i", "busy_o res_o:4 none_o")
    told = {"op": "go_i !busy_o op_i", "res": "!none_o take_i res_o"}
    made = proposed("x", given, clocks=("ck",), events=told, late=("res",), gated=("op", "res"))
    harness = made.harness()
    assert "assign go_i = (tp_offer && !busy_o);" in harness
    assert "assign take_i = (tp_value && !none_o);" in harness
    assert "tp_late <= tp_rst_n && !none_o && take_i;" in harness
    assert (
        "op_offer" in proposed("x", given, clocks=(), events=told, offers=("op",)).boundary().table
    )
    for more, says in (
        ({"clocks": ("cl",)}, "x has no port cl"),
        ({"events": {"op": "go_i busy"}}, "x has no port busy"),
        ({"events": {"op": "go_i"}}, "op, 'go_i': want valid, ready or -, fields"),
        ({"events": {"op": "- go_i"}}, "op, '- go_i': want valid"),
        ({"events": {"op": "go_i -", "again": "go_i -"}}, "again, 'go_i -': want valid"),
        ({"late": ("pop",)}, "x has no stream pop; there are: op, res"),
    ):
        with pytest.raises(ValueError, match=says):
            proposed("x", given, **{"clocks": ("ck",), "events": told, **more})
    with pytest.raises(ValueError, match="no port: 'a:b'"):
        ports("a:b", "")


def test_random_values_stay_below() -> None:
    made = proposed("x", ports("clk flush_i mode_i:4 in_valid_i in_sel_i:2 in_word_i:33", ""))
    rng = np.random.default_rng(1)
    drawn = {p.name: anything(p, rng, {"in.sel": 3, "mode": 1}) for p in made.players()}
    assert set(drawn["in"]["sel"]) == {0, 1, 2} and not drawn["mode"]["value"].any()
    assert 0 < drawn["flush"]["value"].sum() < 400
    assert drawn["in"]["word"].max(axis=0)[1] == 1


def test_what_has_no_clock_is_not_recorded() -> None:
    block = wired_block(proposed("x", ports("a_i", "b_o"), clocks=()), _Wide)
    with pytest.raises(ValueError, match="block x has no clock by which it could be recorded"):
        bound_recorder(block, "baseline")


class _Wide(CycleModel):
    boundary = proposed("x", ports("clk in_valid_i in_word_i:70 go_valid_i", "out_o:70")).boundary()

    def cycle(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        return {"out": given["in"] + 1} if given["in"] else {"oud": 0} if given["go"] else {}


def test_a_model_has_whole_numbers_and_its_outputs_alone() -> None:
    table = _Wide.boundary.table
    given = {
        "in": np.array([(2, (0xFFFF_FFFF, 0, 3))], table["in"].dtype),
        "go": table["go"].empty(),
    }
    model = _Wide()
    assert model.step(given, 5)["out"]["value"].tolist() == [[0, 1, 3]]
    given["in"], given["go"] = given["in"][:0], np.array([(6, 0)], table["go"].dtype)
    with pytest.raises(ValueError, match="gave 'oud'; did you mean out"):
        model.step(given, 9)


# -- with a header, a macro, a package, structs, arrays of ports, a type as a parameter


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
    assert first.returncode == 1 and "MISMATCH" in first.stdout
    assert "(tb/xbar/block.py: Model.cycle is to be filled in)" in first.stdout
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
