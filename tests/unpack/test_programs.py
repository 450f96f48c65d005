# SPDX-License-Identifier: Apache-2.0
"""Real programs on the RTL: the Matrix Unit reads the numbers of the tiles, without a model."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilepath.tests.cosim_runs import EACH_SIMULATOR, needs_icarus, recorded_program
from tilepath.tests.unpack.model_cycle_helpers import answers
from tilepath.tests.unpack.program_reads import PROGRAMS, check, valid

FAULTS = ("fault", "read_fault", "write_fault")


def play(program: str, sim: str, profile: str, folder: Path) -> None:
    streams = recorded_program("unpack", program, sim, profile, folder)
    read = answers(streams)
    check(program, profile, read["data"])
    assert read["row_valid"].tolist() == (valid(program) or [0] * len(read))
    quiet = [f"u{u}.{name}" for u in (0, 1) for name in FAULTS] + ["unit_fault"]
    assert not [name for name in quiet if len(streams[name])]


@pytest.mark.parametrize("sim", EACH_SIMULATOR)
@pytest.mark.parametrize("program", PROGRAMS)
def test_the_matrix_unit_reads_the_tiles(program: str, sim: str, tmp_path: Path) -> None:
    play(program, sim, "baseline", tmp_path)


@needs_icarus
@pytest.mark.parametrize(
    ("program", "profile"), [("tilize", "baseline,row_w=16"), ("unpack_a", "blackhole")]
)
def test_profiles(program: str, profile: str, tmp_path: Path) -> None:
    """Narrow rows: a tile has half rows of twice as many; the newer encoding of UNPACR_NOP."""
    play(program, "icarus", profile, tmp_path)
