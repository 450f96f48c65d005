# SPDX-License-Identifier: Apache-2.0
"""The assertion of the stand-in's HDL fires when what it watches is broken."""

from __future__ import annotations

from pathlib import Path

from tilepath.cli.planted import copy_sources
from tilepath.tb.kernel.description.registry import load_block
from tilepath.tb.kernel.host.run import RunRequest, run
from tilepath.tests.planted import SIM, assertions, broken

HARNESS = "tb/standin/hdl/standin_harness.sv"


def test_all_assertions_are_known() -> None:
    assert assertions("tb/standin") == {"math_standin.sv": 1}


def test_a_word_that_does_not_wait(tmp_path: Path) -> None:
    copy_sources(tmp_path, load_block("standin"))
    path = tmp_path / HARNESS
    text = path.read_text()
    assert text.count("issue_valid = item_valid && ready;") == 1
    path.write_text(text.replace("item_valid && ready;", "item_valid;"))
    request = RunRequest(
        block="standin",
        test="counters",
        seed=1,
        sim=SIM,
        coverage=False,
        source_root=tmp_path,
        build_root=tmp_path / "build",
        out_dir=tmp_path / "runs",
    )
    broken(run(request), "math_standin: a word while one is inside")
