# SPDX-License-Identifier: Apache-2.0
"""What was measured on chips, or told from their RTL, on the machine and on the RTL."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest

from tilepath.engine.checking.state import read_state
from tilepath.engine.description.registry import tests_of
from tilepath.engine.host.run import RunRequest, run
from tilepath.isa.boundary.datapath import BOUNDARY
from tilepath.models import kernels
from tilepath.models.kernels import Verdict
from tilepath.models.machine import Machine
from tilepath.sequences.datapath.kernels import own_tests
from tilepath.tb.datapath.streams import LINE_BYTES, OWN_KERNELS
from tilepath.tests.cosim_runs import FAST, recorded
from tilepath.tests.silicon.scene import FOLDER, Reading, Scene, readings

PROFILES = ("baseline", "blackhole")
TABLES = tuple(
    sorted((path.stem for path in FOLDER.glob("*.toml") if path.stem != "scene"), reverse=True)
)
AGAINST = "against"  # readings that a decision of ours does not follow
CASES = [
    pytest.param(table, profile, reading, id=f"{profile} {reading}")
    for table in TABLES
    for profile in PROFILES
    for reading in readings(table)
    if profile in reading.chips
]


@functools.cache
def _played(table: str, profile: str, folder: Path) -> tuple[Scene, Verdict]:
    scene = Scene(profile)
    for reading in readings(table):
        if profile in reading.chips:
            scene.add(reading)
    kernel = kernels.load(scene.save(folder, f"{table}_{profile}"), profile)
    return scene, kernels.play(kernel)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("silicon")


@pytest.mark.parametrize("table, profile, reading", CASES)
def test_machine(table: str, profile: str, reading: Reading, folder: Path) -> None:
    scene, verdict = _played(table, profile, folder)
    assert verdict.run.end == "done", verdict.run.waiting
    m = verdict.machine
    found, wanted = scene.found(reading, np.asarray(m.unpack.l1), m.gpr[0])
    if table == AGAINST:  # follows the decision; when it is mended, the line moves to another table
        assert found != wanted
    else:
        assert found == wanted


def _faults(some: Iterable[Reading]) -> set[str]:
    """What the readings say that they raise."""
    return {name for one in some for name in one.given.get("faults", ())}


@pytest.mark.parametrize("profile", PROFILES)
def test_faults(profile: str, folder: Path) -> None:
    for table in TABLES:
        named = _faults(readings(table))
        _, verdict = _played(table, profile, folder)
        assert {fault.name for fault in verdict.machine.faults} <= named


@pytest.mark.parametrize("profile", PROFILES)
def test_rtl(profile: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One run with all of them: what the packers' ports brought to L1, and registers at the end."""
    scene = Scene(profile)
    for table in TABLES:
        for reading in readings(table):
            if table != AGAINST and profile in reading.chips:
                scene.add(reading)
    file = scene.save(tmp_path, "silicon")
    monkeypatch.setenv(OWN_KERNELS, str(file))
    monkeypatch.setitem(tests_of("datapath"), file.stem, own_tests()[file.stem])
    request = RunRequest("datapath", file.stem, 1, FAST, profile, out_dir=tmp_path, cold=True)
    result = run(request)
    report = result.report.read_text() if result.report else ""
    assert report or result.status == "pass", result.message
    # faults fail a kernel; in one program a reading's UNPACR also follows another's that is to Dst
    named = _faults(scene.readings) | {"spare_unpacr"}
    for line in report.split("\n\n")[1].splitlines() if report else ():
        fault = re.match(r"  without time: fault (\w+)", line)
        assert fault and fault[1] in named, report
    folder = result.run_dir
    l1 = np.zeros((Machine(profile).l1.size // LINE_BYTES, LINE_BYTES), np.uint8)
    for name, records in recorded(folder).items():
        if name.endswith(".stored"):
            l1[records["line"]] = records["data"].copy().view(np.uint8)
    arrays = [array for array in BOUNDARY.state if array.name == "gpr"]
    gprs = read_state(folder / "trace", arrays)["gpr"][0]
    seen = {str(one): scene.found(one, l1.reshape(-1), gprs) for one in scene.readings}
    assert {name: pair for name, pair in seen.items() if pair[0] != pair[1]} == {}


def test_tables() -> None:
    """Each reading has a source, its strength and a sentence; there are enough of them."""
    found = [reading for table in TABLES for reading in readings(table)]
    for reading in found:
        assert reading.given["source"] and reading.given["says"], reading
        assert reading.given["strength"] in ("A", "B", "C"), reading
        assert set(reading.chips) <= set(PROFILES), reading
    assert len({reading.name for reading in found}) == len(found) >= 60
