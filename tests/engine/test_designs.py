# SPDX-License-Identifier: Apache-2.0
"""Designs that are no part of the data path, with the engine alone; harnesses are made of ports."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tilepath.engine.description.cycle_model import CycleModel
from tilepath.engine.description.naming import ports, proposed, text_of
from tilepath.engine.stimulus.at_random import anything
from tilepath.tests.commands import python, refused
from tilepath.tests.cosim_runs import EACH_SIMULATOR
from tilepath.tests.cosim_runs import SMALL as SIM
from tilepath.tests.engine.test_run import SCRIPT, environment_of, tiny_project

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


def _run(project: Path, out: Path, block: str, sim: str = SIM) -> dict[str, Any]:
    given = {"block": block, "test": "random", "seed": 1, "sim": sim, "out_dir": str(out)}
    script = ("-c", SCRIPT, json.dumps(given | {"cycles": 4000}))
    done = python(*script, cwd=project, env=environment_of(project), timeout=240)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.mark.parametrize("sim", EACH_SIMULATOR)
@pytest.mark.parametrize("block", DESIGNS)
def test_it_passes_and_hits_all_bins(block: str, sim: str, project: Path, tmp_path: Path) -> None:
    found = _run(project, tmp_path, block, sim)
    assert (found["status"], found["message"], found["again"]) == ("pass", "", "pass")
    points = json.loads(Path(found["coverage_file"]).read_text())["points"]
    assert all(count for bins in points.values() for count in bins.values())


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
    found = _run(root, tmp_path / "runs", block)
    assert found["status"] == "fail" and found["message"].startswith(f"{stream} event ")


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
