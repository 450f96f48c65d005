# SPDX-License-Identifier: Apache-2.0
"""Every assertion of the HDL fires, and whatever breaks in a run, it is not reported as a pass."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

import tilepath.engine.host.run as kernel_run
from tilepath.engine.checking.stored import check_run
from tilepath.engine.host import verdict
from tilepath.engine.host.build import BuildError
from tilepath.engine.host.run import RunRequest, run
from tilepath.tests.cosim_runs import EACH_SIMULATOR, loading, needs_icarus
from tilepath.tests.frontend import sabotage
from tilepath.tests.planted import SIM, Edit, broken, changed_rtl

# What has to be wrong for an assertion of the RTL to fire; one copy of the RTL has it all.
BROKEN_STEPS: Final = (
    ("mop_expander.sv", "step_q <= next.step;", "step_q <= '0;"),
    ("replay_expander.sv", "left_q <= head_count - 7'd1;", "left_q <= '0;"),
)


def request(folder: Path, sim: str = SIM, test: str = "random_mix") -> RunRequest:
    """A run of several blocks of cycles and chunks, built where all runs are built."""
    return RunRequest(
        block="frontend",
        test=test,
        seed=1,
        sim=sim,
        cycles=4000,
        block_cycles=500,
        coverage=False,
        out_dir=folder / "runs",
    )


@pytest.mark.parametrize("sim", EACH_SIMULATOR)
def test_assertions_of_the_rtl(sim: str, tmp_path: Path) -> None:
    root = changed_rtl(tmp_path, "frontend", BROKEN_STEPS)
    base = replace(request(tmp_path, sim), source_root=root, build_root=tmp_path / "build")
    result = run(replace(base, test="zero_masks"))
    broken(result, "mop_expander", ".sv:")
    result = run(replace(base, test="replay_standalone"))
    broken(result, "replay_expander", ".sv:")


def test_a_depth_that_cannot_be(tmp_path: Path) -> None:
    """The queues' assertion, which fires before the first cycle."""
    queue = "fe_queue #(.Depth(MDepth)) u_m"
    depth = ("frontend_thread.sv", queue, queue.replace("MDepth", "MDepth - 1"))
    root = changed_rtl(tmp_path, "frontend", [depth])
    result = run(replace(request(tmp_path), source_root=root, build_root=tmp_path / "build"))
    broken(result, "fe_queue: Depth = 7 is not")
    assert result.cycles == 0


@pytest.mark.parametrize("sim", EACH_SIMULATOR)
def test_an_error_that_does_not_stop(sim: str, tmp_path: Path) -> None:
    """Icarus goes on after ``$error``; the run must not pass all the same."""
    edit = ("mop_expander.sv", "if (start) begin", 'if (start) begin $error("planted");')
    root = changed_rtl(tmp_path, "frontend", [edit])
    base = replace(request(tmp_path, sim), source_root=root, build_root=tmp_path / "build")
    result = run(replace(base, test="zero_masks"))
    assert result.status == "error"
    assert ".sv:" in result.message


def test_an_outcome_of_another_process(tmp_path: Path) -> None:
    """What a simulator that outlived its launcher leaves is nobody's verdict."""
    result = run(request(tmp_path))
    assert result.status == "pass"
    outcome = json.loads((result.run_dir / "outcome.json").read_text())
    assert verdict.read_outcome(result.run_dir, outcome["pid"]) == outcome
    assert verdict.read_outcome(result.run_dir, outcome["pid"] + 1) == {}


def test_no_earlier_verdict_behind_a_failed_build(tmp_path: Path) -> None:
    """A run that does not get as far as compiling takes the last result away."""
    good = request(tmp_path)
    assert run(good).status == "pass"
    root = changed_rtl(tmp_path, "frontend", [("mop_expander.sv", "endmodule", "endmodul")])
    with pytest.raises(BuildError):
        run(replace(good, source_root=root, build_root=tmp_path / "build"))
    assert not (good.run_dir / "result.json").exists()


@needs_icarus
@pytest.mark.parametrize(
    ("stream", "edit"),
    [
        ("qstatus", ("frontend.sv", "qstatus_q <= '0;", "qstatus_q <= 'x;")),
        (
            "mq",
            ("frontend_thread.sv", "brisc_i.valid ? brisc_i.word :", "brisc_i.valid ? 32'bx :"),
        ),
        (
            "ingest",
            (
                "mop_expander.sv",
                "ingest_o = pop_o &&",
                "ingest_o = (head_i.word == '1 ? 1'b0 : 1'bx) && pop_o &&",
            ),
        ),
    ],
)
def test_an_x_on_a_recorded_signal(stream: str, edit: Edit, tmp_path: Path) -> None:
    """A level, the word of an event, and whether there is an event."""
    root = changed_rtl(tmp_path, "frontend", [edit])
    base = replace(request(tmp_path, "icarus"), source_root=root, build_root=tmp_path / "build")
    message = broken(run(base), "X or Z", f"stream {stream} ")
    assert re.search(r"index [012]\) in cycle \d+", message)


def sabotaged(kind: str) -> AbstractContextManager[None]:
    """Within, simulators load :mod:`tilepath.tests.frontend.sabotage`."""
    return loading(sabotage.__name__, **{sabotage.VARIABLE: kind})


def test_without_sabotage_the_run_passes(tmp_path: Path) -> None:
    """Else the tests below would show nothing."""
    with sabotaged("nothing"):
        assert run(request(tmp_path)).status == "pass"


@pytest.mark.parametrize("sim", EACH_SIMULATOR)
@pytest.mark.parametrize(
    ("kind", "what"),
    [("truncated_chunk", "truncated in chunk 0"), ("missing_chunk", "chunk 1 of .* is missing")],
)
def test_stimulus_that_is_not_whole(kind: str, what: str, sim: str, tmp_path: Path) -> None:
    with sabotaged(kind):
        result = run(request(tmp_path, sim))
    message = broken(result, "tp_player", sabotage.PLAYER)
    assert re.search(what, message)


@pytest.mark.parametrize("sim", EACH_SIMULATOR)
def test_no_place_for_traces(sim: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def stimulus_only(request: RunRequest) -> Iterator[None]:
        request.stimulus_dir.mkdir()
        yield

    monkeypatch.setattr(kernel_run, "_data_folders", stimulus_only)
    broken(run(request(tmp_path, sim)), "tp_recorder", "cannot write the trace")


@pytest.mark.parametrize("sim", EACH_SIMULATOR)
def test_no_place_for_the_state(sim: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = kernel_run._data_folders

    @contextmanager
    def taken(request: RunRequest) -> Iterator[None]:
        with usual(request):
            (request.trace_dir / "t0.mop_cfg.state").mkdir()
            yield

    monkeypatch.setattr(kernel_run, "_data_folders", taken)
    broken(run(request(tmp_path, sim)), "tp_state", "cannot write mop_cfg")


@needs_icarus
def test_an_x_in_the_state(tmp_path: Path) -> None:
    """In a register that nothing has read so far."""
    edit = ("mop_expander.sv", "mask_hi_q <= '0;", "mask_hi_q <= 'x;")
    root = changed_rtl(tmp_path, "frontend", [edit])
    base = replace(request(tmp_path, "icarus"), source_root=root, build_root=tmp_path / "build")
    broken(run(replace(base, test="replay_standalone")), "X or Z in the architectural state")


@pytest.mark.parametrize(
    ("kind", "what"),
    [
        ("missing_trace", "cannot be read"),
        ("empty_trace", "is truncated"),
        ("short_trace", "is truncated"),
        ("damaged_trace", "cycles do not rise"),
    ],
)
def test_trace_that_is_not_whole(kind: str, what: str, tmp_path: Path) -> None:
    """In the course of the run, and when the stored run is checked again."""
    with sabotaged(kind):
        result = run(request(tmp_path))
    broken(result, f"{sabotage.STREAM}.bin", what)
    again = check_run(result.run_dir)
    assert again.status == "fail" and sabotage.STREAM in again.message


def test_an_error_of_the_model(tmp_path: Path) -> None:
    """It is named by its kind, with the place where the rest stands."""
    with sabotaged("model_that_fails"):
        result = run(request(tmp_path))
    broken(result, "KeyError: 'planted'; see sim.log")
    assert "KeyError" in (result.run_dir / "sim.log").read_text()


@pytest.mark.parametrize("sim", EACH_SIMULATOR)
def test_killed_simulator(sim: str, tmp_path: Path) -> None:
    """What an earlier run left in the folder is not taken for its result."""
    passed = run(request(tmp_path, sim))
    assert passed.status == "pass"
    with sabotaged("killed"):
        result = run(request(tmp_path, sim))
    broken(result, "the simulator was killed (SIGKILL)")
    assert result.status == "error" and result.run_dir == passed.run_dir
    left = [p for p in result.run_dir.glob("*.json") if json.loads(p.read_text()).get("status")]
    assert [path.name for path in left] == ["result.json"]
    with pytest.raises(ValueError, match="no run that came to an end"):
        check_run(result.run_dir)
