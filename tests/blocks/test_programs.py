# SPDX-License-Identifier: Apache-2.0
"""Real programs on the RTL of the packers and unpackers: the numbers of the tiles, no model."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilepath.tests.cosim_runs import EACH_SIMULATOR, FAST, needs_icarus, recorded_program
from tilepath.tests.pack import program_bytes as pack
from tilepath.tests.pack.program_bytes import l1_of
from tilepath.tests.unpack import program_reads as unpack
from tilepath.tests.unpack.model_cycle_helpers import answers


def play(block: str, program: str, profile: str, sim: str, folder: Path) -> None:
    """What packers write to L1, or what the Matrix Unit reads behind unpackers; no fault."""
    streams = recorded_program(block, program, sim, profile, folder)
    assert not [name for name, found in streams.items() if "fault" in name and len(found)]
    if block == "pack":
        pack.check(program, profile, l1_of(streams, profile, pack.UNTOUCHED))
        return
    read = answers(streams)
    unpack.check(program, profile, read["data"])
    assert read["row_valid"].tolist() == (unpack.valid(program) or [0] * len(read))


@pytest.mark.parametrize(
    ("program", "profile"),
    [
        *(("matmul", "baseline"), ("pack_tile", "baseline"), ("pack_accumulate", "baseline")),
        *(("pack_tile", "blackhole"), ("pack_untilize", "blackhole")),
    ],
)
def test_l1_gets_the_tiles(program: str, profile: str, tmp_path: Path) -> None:
    play("pack", program, profile, FAST, tmp_path)


@pytest.mark.parametrize("sim", EACH_SIMULATOR)
@pytest.mark.parametrize("program", unpack.PROGRAMS)
def test_the_matrix_unit_reads_the_tiles(program: str, sim: str, tmp_path: Path) -> None:
    play("unpack", program, "baseline", sim, tmp_path)


@needs_icarus
@pytest.mark.parametrize(
    ("block", "program", "profile"),
    [
        ("pack", "add1", "blackhole"),
        ("unpack", "tilize", "baseline,row_w=16"),  # a tile has half rows of twice as many
        ("unpack", "unpack_a", "blackhole"),  # the newer encoding of UNPACR_NOP
    ],
)
def test_on_icarus(block: str, program: str, profile: str, tmp_path: Path) -> None:
    play(block, program, profile, "icarus", tmp_path)
