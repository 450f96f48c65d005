# SPDX-License-Identifier: Apache-2.0
"""Folders that ``tilepath pipe-timeline`` cannot draw: one line, status 2."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tilepath.tb.kernel.host.request import RunRequest
from tilepath.tests.cli.fakes import invoke
from tilepath.tests.commands import refused


@pytest.mark.parametrize(
    ("block", "ends", "expected"),
    [
        ("", [100], "is not the directory of a run"),
        ("adc", [100], "is a run of block adc, not of flag_pipe"),
        ("flag_pipe", None, "holds no run that came to an end"),
        ("flag_pipe", [], "holds no cycle"),
        ("flag_pipe", [100], "cannot be read"),
    ],
)
def test_what_is_no_run(tmp_path: Path, block: str, ends: list[int] | None, expected: str) -> None:
    request = RunRequest(block or "flag_pipe", "some", 1, "icarus", out_dir=tmp_path)
    request.run_dir.mkdir(parents=True)
    if block:
        request.write_json(request.run_dir / "request.json")
    if ends is not None:
        (request.run_dir / "outcome.json").write_text(json.dumps({"ends": ends}))
    refused(invoke("pipe-timeline", request.run_dir), expected)
