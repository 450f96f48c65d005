# SPDX-License-Identifier: Apache-2.0
"""The flag pipe's netlist: it records what its RTL records, and a bug in it alone is caught."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Final

from typer.testing import CliRunner

from tilepath.cli.main import app
from tilepath.engine.commands.gate import different, netlist
from tilepath.engine.description.registry import load_block
from tilepath.engine.host.run import RunRequest, RunResult, run
from tilepath.tests.cosim_runs import FAST

TEST: Final = "random_bidirectional"
SEED: Final = 5


def verdict(tree: Path, out: Path, *, gates: bool) -> str:
    """The status of the test on the RTL below ``tree``, or on the netlist there."""
    request = RunRequest("flag_pipe", TEST, SEED, FAST, cycles=3_000, out_dir=out, netlist=gates)
    request = replace(request, source_root=tree, coverage=False)
    return run(request).status


def test_a_netlist_records_what_its_rtl_does(tmp_path: Path) -> None:
    options = f"gate --block flag_pipe --test {TEST} --seed {SEED} --cycles 3000 --out {tmp_path}"
    done = CliRunner().invoke(app, options.split())
    assert done.exit_code == 0, done.output
    folders = [path / "flag_pipe" / f"{TEST}-{SEED}" for path in (tmp_path, tmp_path / "rtl")]
    for folder, gates in zip(folders, (True, False), strict=True):
        assert json.loads((folder / "request.json").read_text())["netlist"] is gates
        assert RunResult.from_json(folder / "result.json").netlist is gates
    command = RunResult.from_json(folders[0] / "result.json").command
    assert command.startswith("tilepath gate --sim verilator --block flag_pipe")
    traces = [folder / "trace" for folder in folders]
    assert different(*traces) == []
    (traces[0] / "core0.cmd.bin").write_bytes(b"")
    (traces[1] / "pipe0.flags.bin").unlink()
    assert different(*traces) == ["core0.cmd", "pipe0.flags"]


def test_a_bug_in_the_netlist_is_caught(tmp_path: Path) -> None:
    """One gate is another: L1 is asked to read for tiles that are popped, too."""
    shutil.copytree(netlist(load_block("flag_pipe"), "baseline"), tmp_path / "tree")
    file = tmp_path / "tree" / "rtl" / "flag_pipe" / "flag_pipe.sv"
    text, number = re.subn(r"(assign l1_rd_valid_o = \S+ +)&", r"\1|", file.read_text())
    assert number == 1
    file.write_text(text)
    assert verdict(tmp_path / "tree", tmp_path / "runs", gates=True) == "fail"
