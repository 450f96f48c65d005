# SPDX-License-Identifier: Apache-2.0
"""``--rtl-coverage`` over a whole regression: every line and toggle is reached, or has a reason."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tilepath.engine.coverage.rtl import FILE, by_line, read_counts
from tilepath.tests.commands import passed, python


@pytest.mark.parametrize("block", ["adc", "unpack", "pack"])
def test_nothing_is_uncovered(block: str, tmp_path: Path) -> None:
    """The list's being true is checked by the command, with its status.

    ``COVERAGE=rtl`` is in the environment, as make has it, where cocotb has one of that name.
    """
    options = ("--block", block, "--rtl-coverage", "--root-seed", "1", "--jobs", "1")
    asked = {**os.environ, "COVERAGE": "rtl"}
    text = passed(python("-m", "tilepath", "run", *options, "--out", tmp_path, env=asked))
    assert "not reached" not in text and f"RTL of {block}, by module:" in text
    assert not list(tmp_path.glob(f"{block}/*-*/{FILE}"))
    counts = read_counts(tmp_path / block / "rtl" / FILE)
    assert {point.kind for point in counts} == {"line", "branch", "toggle"}
    assert {point.file.split("/")[0] for point in counts} == {"rtl"}
    lines = by_line(counts)
    # all but what has a reason, such as functions that only constants are made by
    reached = [all(found.values()) for found in lines.values()]
    assert len(lines) > 5 and (all(reached) or block != "adc") and any(reached)
    assert all((tmp_path / block / "rtl" / Path(file).name).is_file() for file in lines)
