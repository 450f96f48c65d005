# SPDX-License-Identifier: Apache-2.0
"""From a mismatch onwards: waves around it, the same run again, the stored run checked again."""

from __future__ import annotations

import gzip
import re
import struct
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from tilepath.engine.checking.stored import check_run
from tilepath.engine.host.run import RunRequest, RunResult, run
from tilepath.engine.host.waves import make_waves
from tilepath.tests.blocks.test_bugs_in_batches import ROWS
from tilepath.tests.cosim_runs import EACH_SIMULATOR
from tilepath.tests.planted import plant

BUG: Final = "fifo_depth_31"
SEED: Final = 0x5EED

PICOSECONDS: Final = 10_000  # a cycle; cycle 0 ends with the fifth rising edge, after 45 ns
FIRST: Final = 45_000


@pytest.mark.parametrize("sim", EACH_SIMULATOR)
def test_from_mismatch_to_waves(sim: str, tmp_path: Path) -> None:
    bug = ROWS["frontend"].bugs.entries[BUG]
    request = RunRequest(
        block="frontend",
        test=bug.caught_by,
        seed=SEED,
        sim=sim,
        coverage=False,
        source_root=plant(bug, tmp_path, "frontend"),
        build_root=tmp_path / "build",
        out_dir=tmp_path / "first",
    )
    result = run(request)
    assert (result.status, result.waves) == ("fail", None)
    assert make_waves(result.run_dir, lambda _: None) is not None
    result = RunResult.from_json(result.run_dir / "result.json")
    assert result.report is not None
    report = result.report.read_text()

    # the waves begin before the event and end soon after it, long before the run did
    cycle = int(re.findall(r"cycle (\d+):", report)[0])
    assert (
        result.waves is not None
        and f"  waves   {result.waves.relative_to(result.run_dir)}\n" in report
    )
    assert_waves(result.waves, first=cycle - 200, last=cycle + 50, run_ends=result.cycles)
    assert RunResult.from_json(result.waves.parent / "result.json").message == result.message

    # what the report prints is enough to get there again
    printed = dict(re.findall(r"--(\w+) (\w+)", report.split("  again   ")[1].splitlines()[0]))
    repeated = replace(
        request,
        sim=printed["sim"],
        block=printed["block"],
        test=printed["test"],
        seed=int(printed["seed"]),
        out_dir=tmp_path / "again",
    )
    again = run(repeated)
    assert again.message == result.message and again.status == "fail"
    assert again.report is not None and again.waves is None
    assert mismatch(again.report.read_text()) == mismatch(report)

    # and so are the traces alone
    checked = check_run(result.run_dir)
    assert checked.status == "fail" and mismatch(checked.message) == mismatch(report)
    assert check_run(again.run_dir) == checked


def mismatch(report: str) -> str:
    """A report without the launcher's part: what differs, and why."""
    return report.split("\n  run     ")[0].strip()


def assert_waves(path: Path, first: int, last: int, run_ends: int) -> None:
    """The file covers these cycles, not many more, and has signals of the DUT."""
    begin, end = fst_extent(path) if path.suffix == ".fst" else vcd_extent(path, first, last)
    first_end, last_end = FIRST + PICOSECONDS * first, FIRST + PICOSECONDS * last
    assert first_end - 2 * PICOSECONDS < begin <= first_end
    # up to a cycle for each block of cycles that the run has
    assert last_end - PICOSECONDS <= end < last_end + 60 * PICOSECONDS
    assert end < FIRST + PICOSECONDS * (run_ends - 500)


def vcd_extent(path: Path, first: int, last: int) -> tuple[int, int]:
    """First and last time in a VCD file, in ps; ``u_dut`` changes in the cycles between."""
    header, _, body = path.read_text().partition("$enddefinitions $end")
    assert re.search(r"\$timescale\s+1ps\s+\$end", header)
    dut = header.partition("$scope module u_dut $end")[2].partition("u_play_sfpu_cc")[0]
    ours = set(re.findall(r"\$var \w+ +\d+ (\S+)", dut))
    assert len(ours) > 100
    times: list[int] = []
    changes: dict[int, int] = {}
    for line in body.splitlines():
        if line.startswith("#"):
            times.append(int(line[1:]))
        elif line and line.removeprefix("$").split()[-1][line[0] in "01xz" :] in ours:
            index = (times[-1] - FIRST) // PICOSECONDS if times else -1
            changes[index] = changes.get(index, 0) + 1
    assert sum(first < cycle < last for cycle in changes) > (last - first) // 2
    return times[0], times[-1]


def fst_extent(path: Path) -> tuple[int, int]:
    """First and last time in an FST file, in ps; it has value changes and a ``u_dut``."""
    data = path.read_bytes()
    blocks: dict[int, bytes] = {}
    at = 0
    while at < len(data):  # each block: a byte for its type, then its length without that byte
        size = struct.unpack_from(">Q", data, at + 1)[0]
        blocks[data[at]] = data[at + 9 : at + 1 + size]
        at += 1 + size
    header = blocks[0]
    begin, end, _, _, scopes, variables, signals, changes = struct.unpack_from(">8Q", header)
    assert scopes > 10 and variables >= signals > 100 and changes >= 1
    scale = 10 ** (header[64] - 256 * (header[64] > 127) + 12)
    assert b"u_dut" in gzip.decompress(blocks[4][8:])
    return begin * scale, end * scale
