# SPDX-License-Identifier: Apache-2.0
"""Runs of the RTL for tests, and what their recorders wrote."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np
import pytest

from tilepath.engine.checking.trace import stored_blocks
from tilepath.engine.description.registry import load_block
from tilepath.engine.description.stream import Records
from tilepath.engine.host import launch
from tilepath.engine.host.build import SIMULATORS, SimulatorMissing, check_simulator
from tilepath.engine.host.run import RunRequest, run

FAST: Final = "verilator"


def missing(sim: str) -> str:
    """Why ``sim`` cannot be used here; empty when it can. Verilator comes with the project."""
    try:
        check_simulator(sim)
    except SimulatorMissing as error:
        return str(error)
    return ""


SMALL: Final = FAST if missing("icarus") else "icarus"
"""What compiles sooner, for short runs."""

needs_icarus = pytest.mark.skipif(bool(missing("icarus")), reason=missing("icarus") or "-")

EACH_SIMULATOR: Final = [
    pytest.param(sim, marks=needs_icarus) if sim == "icarus" else sim for sim in SIMULATORS
]


@contextmanager
def loading(module: str, **variables: str) -> Iterator[None]:
    """Within, simulators load ``module`` instead of the usual entry, and see ``variables``."""
    usual = launch.environment

    def environment(request: RunRequest) -> dict[str, str]:
        return usual(request) | {"COCOTB_TEST_MODULES": module} | variables

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(launch, "environment", environment)
        yield


def simulate(request: RunRequest) -> Path:
    """Run ``request``; the run's folder. The test fails when the run does not pass."""
    result = run(request)
    assert result.status == "pass", f"{result.message}\n{result.command}"
    assert result.events > 0
    return result.run_dir


def trace_files(run_dir: Path) -> dict[str, bytes]:
    """File name → contents of a run's traces."""
    return {path.name: path.read_bytes() for path in sorted((run_dir / "trace").iterdir())}


def assert_complete(block: str, files: Mapping[str, bytes]) -> None:
    """Every stream and state array of ``block`` has a file, and no file is empty."""
    described = load_block(block)
    names = {f"{name}.bin" for name in described.stream_table}
    names |= {f"{name}.state" for array in described.state for name in array.instances}
    assert set(files) == names
    assert all(files.values())


def assert_equal(one: Mapping[str, bytes], other: Mapping[str, bytes]) -> None:
    """Assert that both have the same files with the same contents; say which differ, if not."""
    assert one.keys() == other.keys()
    different = [name for name in one if one[name] != other[name]]
    assert different == []


def recorded(run_dir: Path) -> dict[str, Records]:
    """Stream instance → all its records in a stored run."""
    block = json.loads((run_dir / "result.json").read_text())["block"]
    streams = load_block(block).stream_table
    ends = json.loads((run_dir / "outcome.json").read_text())["ends"]
    blocks = list(stored_blocks(run_dir / "trace", streams, ends))
    return {name: np.concatenate([b.streams[name] for b in blocks]) for name in streams}


def recorded_program(
    block: str, program: str, sim: str, profile: str, folder: Path
) -> dict[str, Records]:
    """Record a program that is run now, few cycles at a time, for those that end early."""
    request = RunRequest(block, program, 1, sim, profile=profile, coverage=False, out_dir=folder)
    return recorded(simulate(replace(request, block_cycles=1_024)))


def between(records: Records, first: int, last: int) -> Records:
    """The records of cycles ``first`` ≤ c < ``last``."""
    return records[(records["cycle"] >= first) & (records["cycle"] < last)]


def values(records: Records, field: str, cycles: Sequence[int]) -> list[int]:
    """What a level stream's field was in each of ``cycles``; 0 before its first record."""
    at = np.searchsorted(records["cycle"], np.asarray(cycles), side="right") - 1
    return [int(records[field][i]) if i >= 0 else 0 for i in at]
