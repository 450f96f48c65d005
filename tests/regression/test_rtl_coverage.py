# SPDX-License-Identifier: Apache-2.0
"""``--rtl-coverage`` over a whole regression: every line and toggle is reached, or has a reason."""

from __future__ import annotations

import os
from pathlib import Path

from tilepath.tb.kernel.coverage.rtl import FILE, by_line, read_counts
from tilepath.tests.commands import python


def test_the_address_counters_have_nothing_uncovered(tmp_path: Path) -> None:
    """The list's being true is checked by the command, with its status.

    ``COVERAGE=rtl`` is in the environment, as make has it, where cocotb has one of that name.
    """
    options = ("--block", "adc", "--rtl-coverage", "--root-seed", "1", "--jobs", "1")
    asked = {**os.environ, "COVERAGE": "rtl"}
    done = python("-m", "tilepath", "run", *options, "--out", tmp_path, env=asked)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr
    assert "not reached" not in done.stdout and "RTL of adc, by module:" in done.stdout
    assert not list(tmp_path.glob(f"adc/*-*/{FILE}"))
    counts = read_counts(tmp_path / "adc" / "rtl" / FILE)
    assert {point.kind for point in counts} == {"line", "branch", "toggle"}
    assert {point.file.split("/")[0] for point in counts} == {"rtl"}
    lines = by_line(counts)
    assert len(lines) > 5 and all(all(found.values()) for found in lines.values())
    assert (tmp_path / "adc" / "rtl" / "adc_pack.sv").is_file()
