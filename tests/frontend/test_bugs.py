# SPDX-License-Identifier: Apache-2.0
"""The default regression catches every deliberate bug, and says where and how to see it again."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from sequences.frontend import TESTS
from tb.kernel.registry import load_block
from tb.kernel.run import RunRequest, RunResult, run
from tests.frontend.bugs import catalogue
from tests.frontend.helpers_cosim import FAST, missing
from tilepath.plan import run_seed

SIM: Final = FAST if missing("icarus") else "icarus"  # Icarus compiles in a second

# Verilator takes most of a minute to compile: where there is only that, these will do.
FEW: Final = (
    "fifo_depth_31",
    "mop_mask_hi_cleared",
    "mop_no_trans",
    "mop_trans_before_mop",
    "qstatus_not_registered",
    "replay_count0_is_none",
    "replay_record_executes_replay",
    "t0_mask_sticky",
    "t1_end1_without_end0",
    "t1_flip_skipped_on_override",
    "t1_hardware_bug_left_out",
)

ROOT_SEED: Final = 1
HEADLINE: Final = re.compile(
    r"MISMATCH ((?P<stream>[\w.]+) event (?P<event>\d+), cycle (?P<cycle>\d+): .+)\n"
)


def test_catalogue() -> None:
    """Enough bugs, each with its header and in one place; nearly every decision is broken."""
    bugs = [catalogue.read(name) for name in catalogue.names()]
    assert len(bugs) >= 24 and set(FEW) <= {bug.name for bug in bugs}
    assert len({bug.diff for bug in bugs}) == len(bugs)
    # nothing is built of F23
    assert {f"F{i}" for i in range(1, 23)} <= {bug.breaks for bug in bugs}
    assert {bug.caught_by for bug in bugs} <= set(TESTS)


def test_a_patch_that_does_not_fit(tmp_path: Path) -> None:
    bug = catalogue.read("mop_no_trans")
    stale = catalogue.Bug(**{**vars(bug), "diff": bug.diff.replace("next[53]", "next[54]")})
    with pytest.raises(ValueError, match="mop_no_trans no longer applies to rtl/frontend/mop_exp"):
        catalogue.plant(stale, tmp_path)


@pytest.mark.parametrize("name", catalogue.names())
def test_bug_is_caught(name: str, tmp_path: Path) -> None:
    if SIM != "icarus" and name not in FEW:
        pytest.skip("without Icarus only some bugs are planted: compiling takes too long")
    bug = catalogue.read(name)
    root = catalogue.plant(bug, tmp_path)
    for test, seed in regression(first=bug.caught_by):
        request = RunRequest(
            block="frontend",
            test=test,
            seed=seed,
            sim=SIM,
            coverage=False,
            source_root=root,
            build_root=tmp_path / "build",
            out_dir=tmp_path / "runs",
            rerun_for_waves=False,
        )
        result = run(request)
        if result.report is not None:
            assert_report(result)
            break
    else:
        pytest.fail(f"no test of the default regression catches {name}: {bug.what} ({bug.breaks})")
    shutil.rmtree(tmp_path)


def regression(first: str) -> Iterator[tuple[str, int]]:
    """Tests and seeds of the default regression; the runs of test ``first`` come first."""
    for test in sorted(TESTS, key=lambda name: name != first):
        for index in range(TESTS[test].seeds):
            yield test, run_seed(ROOT_SEED, "frontend", test, index)


def assert_report(result: RunResult) -> None:
    """A mismatch, told with everything that is needed to understand it and to see it again."""
    assert result.status == "fail" and result.report is not None
    report = result.report.read_text()
    found = HEADLINE.match(report)
    assert found is not None and found[1] == result.message
    stream = load_block("frontend").stream_table[found["stream"]]
    assert stream.direction == "output"
    assert int(found["cycle"]) < result.cycles
    table = report.split("\n\n")[1].splitlines()
    assert table[0].split() == ["field", "expected", "(model)", "observed", "(RTL)"]
    assert [row.split()[0] for row in table[1:]] == ["cycle", *(f.name for f in stream.fields)]
    assert re.search(r"^  caused by: \S", report, re.MULTILINE)
    assert f"test {result.test}, seed {result.seed}, profile baseline, {result.sim}\n" in report
    command = f"make SIM={result.sim} BLOCK=frontend TEST={result.test} SEED={result.seed}"
    assert result.command == command and f"  again   {command}\n" in report
