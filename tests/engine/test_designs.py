# SPDX-License-Identifier: Apache-2.0
"""Designs that are no part of the data path, with the engine alone; harnesses are made of ports."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tilepath.engine.description.naming import ports, proposed
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
