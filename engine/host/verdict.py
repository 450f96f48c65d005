# SPDX-License-Identifier: Apache-2.0
"""Judges what a simulator left behind: verdict, message, report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from cocotb_tools.check_results import get_results

from tilepath.engine.host.files import write_whole
from tilepath.engine.host.launch import Ended, wave_path
from tilepath.engine.host.request import RunRequest, RunResult, started_by_make
from tilepath.engine.host.traits import digest, signature


def judge(request: RunRequest, ended: Ended, seconds: float) -> RunResult:
    """The result of a run that has ended, from what it left in its folder."""
    outcome = read_outcome(request.run_dir, ended.pid)
    problem = ended.problem or _reported_error(request.run_dir)
    status = str(outcome.get("status", "error"))
    message = str(outcome.get("message", ""))
    if status in ("pass", "unchecked") and (problem or not _cocotb_passed(request.run_dir)):
        status, message = "error", problem or "cocotb reports a failure"
    if status == "error":
        message = message or problem or "no outcome"
        # of one that was stopped the log has no reason, whatever is in its last line
        hint = "" if ended.from_outside else f": {_log_hint(request.run_dir)}"
        message += f"{hint} (see sim.log)"
    report = waves = None
    if request.waves and request.wave_window is None:
        waves = wave_path(request)
    if "report" in outcome:
        report = write_report(request, outcome["report"], waves)
    failed = status not in ("pass", "unchecked")
    coverage = request.run_dir / "coverage.json"
    return request.result(
        status=status,
        cycles=int(outcome.get("cycles", 0)),
        events=int(outcome.get("events", 0)),
        seconds=seconds,
        message=message,
        faults=sum(outcome.get("faults", {}).values()),
        coverage_file=coverage if coverage.exists() else None,
        report=report,
        waves=waves,
        build=request.build,
        spent=outcome.get("spent", {}),
        digest="" if status == "error" else digest(request.trace_dir),
        signature=signature(message, str(outcome.get("signature", ""))) if failed else "",
        compiled=tuple(outcome.get("compiled", ())),
        counts=outcome.get("counts", {}),
    )


def write_report(request: RunRequest, text: str, waves: Path | None) -> Path:
    """Write ``text``, and what run it is about, into the run's folder; the file."""
    path = request.run_dir / "report.txt"
    write_whole(path, (text + _context(request, waves)).encode())
    return path


def _context(request: RunRequest, waves: Path | None) -> str:
    option = "WAVES=1" if started_by_make() else "--waves"
    whose = {"rtl": request.whose} if request.whose else {}
    lines = {
        **whose,
        "run": f"block {request.block}, test {request.test}, seed {request.seed}, "
        f"profile {request.profile}, {request.sim}",
        "again": request.command,
        "waves": str(waves.relative_to(request.run_dir))  # with the report they can be moved
        if waves
        else f"none; add {option} to the command",
        "traces": f"{request.trace_dir.name}/ (tilepath check, and this folder)"
        if request.keeps_trace
        else "not kept by so long a run",
    }
    return "\n" + "".join(f"  {key:<8}{value}\n" for key, value in lines.items())


def read_outcome(folder: Path, pid: int) -> dict[str, Any]:
    """What the simulator left, if it was this one and not one that outlived its launcher."""
    try:
        outcome = json.loads((folder / "outcome.json").read_text())
    except (OSError, ValueError):
        return {}
    return outcome if isinstance(outcome, dict) and outcome.get("pid") == pid else {}


def _reported_error(folder: Path) -> str:
    """An ``$error`` of the HDL: Verilator ends with it, Icarus prints it and goes on."""
    log = folder / "sim.log"
    lines = log.read_text(errors="replace").splitlines() if log.exists() else []
    return next((line.strip() for line in lines if line.startswith("ERROR: ")), "")


def _cocotb_passed(folder: Path) -> bool:
    try:
        tests, failures = get_results(folder / "cocotb.xml")
    except Exception:  # an unreadable result file is a failed run, whatever is wrong with it
        return False
    return bool(tests == 1 and failures == 0)


def _log_hint(folder: Path) -> str:
    """The line of the log that most likely says what happened to one that ended by itself."""
    log = folder / "sim.log"
    lines = log.read_text(errors="replace").splitlines() if log.exists() else []
    # cocotb's guess, and what $error ends with: both are behind the real reason
    lines = [x for x in lines if "SimFailure" not in x and not x.endswith("Verilog $stop")]
    telling = [x for x in lines if x.startswith("tp_")]
    telling = telling or [x for x in lines if "%Fatal" in x or "FATAL" in x]
    telling = telling or [x for x in lines if "Error" in x or "assert" in x]
    last = telling[-1] if telling else (lines[-1] if lines else "no output")
    return last.strip()[:300]
