# SPDX-License-Identifier: Apache-2.0
"""Runs one simulation in a process group of its own and judges what it left behind."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import find_libpython
from cocotb_tools import config
from cocotb_tools.check_results import get_results

from tilepath.tb.kernel.description.block import ROOT
from tilepath.tb.kernel.description.registry import load_block, tests_of
from tilepath.tb.kernel.host import children, files
from tilepath.tb.kernel.host.build import BuildError, BuildOptions, build, fst_available
from tilepath.tb.kernel.host.compiled import compile_model
from tilepath.tb.kernel.host.folders import build_folder
from tilepath.tb.kernel.host.origin import now, origin
from tilepath.tb.kernel.host.request import (
    REQUEST_VARIABLE,
    RunRequest,
    RunResult,
    started_by_make,
)
from tilepath.tb.kernel.host.start import plusargs as start_plusargs
from tilepath.tb.kernel.host.views import SCOPES, write_views

__all__ = ["RunRequest", "RunResult", "kill_all", "run", "wave_format"]

_MEMORY = Path("/dev/shm")  # never holds more than a block of cycles or two of a run
_PREFIX = "tilepath-"
# signals that a program brings upon itself; any other one was sent
_CRASHES = {
    *(signal.SIGABRT, signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGTRAP),
    *(signal.SIGSYS, signal.SIGXFSZ),
}

_children: set[int] = set()
_lock = threading.Lock()


def kill_all() -> None:
    """Kill every simulation that :func:`run` has started in this process."""
    with _lock:
        for pid in _children:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(pid, signal.SIGKILL)


def run(request: RunRequest) -> RunResult:
    """Run one simulation and return its result, which is also stored in the run's folder.

    The folder is emptied first; ``result.json`` appears last and at once, so what a killed run
    leaves is no result. Raises ``ValueError`` for a request that cannot be run, ``OSError`` where
    there is no room to write, and :class:`tilepath.tb.kernel.host.build.BuildError` when the design
    does not compile.
    """
    tests = tests_of(request.block)
    if request.test not in tests:
        raise ValueError(f"block {request.block} has no test {request.test!r}")
    request = replace(request, out_dir=request.out_dir.resolve())
    # before the build: when that fails, no earlier verdict may stay behind
    shutil.rmtree(request.run_dir, ignore_errors=True)
    program = build(request.block, _build_options(request))
    if request.check:
        compile_model(request.block, request.profile)
    request.run_dir.mkdir(parents=True)
    request.write_json(request.run_dir / "request.json")
    date = now()
    with _data_folders(request):
        began = time.monotonic()
        ended = _simulate(request, program, tests[request.test].endless)
        if request.waves:
            write_views(load_block(request.block), _wave_path(request))
        result = _judge(request, ended, time.monotonic() - began)
        result = replace(result, began=date, origin=origin(request.sim))
        if result.status not in ("pass", "unchecked"):
            _blame_disk(request, result.message)
    result.write_json()
    return result


@contextlib.contextmanager
def _data_folders(request: RunRequest) -> Iterator[None]:
    """Make the folders of traces and stimulus; in memory when the run does not keep them."""
    folders = (request.trace_dir, request.stimulus_dir)
    if request.keeps_trace or not os.access(_MEMORY, os.W_OK):
        for folder in folders:
            folder.mkdir()
        yield
        return
    _remove_orphans()
    with (
        tempfile.TemporaryDirectory(prefix=_PREFIX, dir=_MEMORY) as memory,
        (Path(memory) / "unlocked").open("w") as lock,
        children.own_inherit(lock.fileno()),
    ):
        fcntl.flock(lock, fcntl.LOCK_EX)
        Path(lock.name).rename(Path(memory) / "lock")
        for folder in folders:
            target = Path(memory) / folder.name
            target.mkdir()
            folder.symlink_to(target)
        try:
            yield
        finally:
            for folder in folders:
                folder.unlink()


def _remove_orphans() -> None:
    """Remove from memory what runs have left there that were killed."""
    for lock in _MEMORY.glob(f"{_PREFIX}*/lock"):
        with contextlib.suppress(OSError), lock.open() as handle:  # in use, or somebody else's
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(lock.parent, ignore_errors=True)


def wave_format(request: RunRequest) -> str:
    """``fst`` or ``vcd`` for a run with waves, else empty."""
    if not request.waves:
        return ""
    if request.sim == "icarus":
        return "fst"
    return "fst" if fst_available() else "vcd"


def _build_options(request: RunRequest) -> BuildOptions:
    return BuildOptions(
        sim=request.sim,
        profile=request.profile,
        waves=wave_format(request),
        record=request.check,
        source_root=request.source_root or ROOT,
        build_root=request.build_root or build_folder(),
    )


class Ended(NamedTuple):
    """How a simulator ended: its process, what was wrong with that, and whether others did it."""

    pid: int
    problem: str = ""
    from_outside: bool = False


def _simulate(request: RunRequest, program: Path, endless: bool) -> Ended:
    """Run the simulator to its end, or to the end of its time."""
    folder = request.run_dir
    plusargs = [
        # relative to the run's folder: Icarus opens no path that is long or not ASCII
        f"+trace_dir={request.trace_dir.name}",
        f"+stim_dir={request.stimulus_dir.name}",
        f"+block_cycles={request.cycles_per_block(endless)}",
    ]
    if not request.keeps_trace:
        plusargs.append("+trace_rewind")
    if request.waves:
        plusargs += [f"+wave_file={_wave_path(request).name}", f"+wave_scopes={SCOPES}"]
    if request.wave_window is not None:
        plusargs.append(f"+wave_start={request.wave_window[0]}")
    if request.sim == "icarus":
        library = config.lib_entry("vpi", "icarus")
        command = ["vvp", "-n", "-m", library, str(program), *plusargs]
        command += ["-fst"] if request.waves else ["-none"]
    else:
        command = [str(program), *plusargs, *start_plusargs(request.begins_with)]
    with (folder / "sim.log").open("w") as log:
        process = subprocess.Popen(
            children.guarded(command),
            cwd=folder,
            env=_environment(request),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            pass_fds=children.inherited(),
        )
        with _lock:
            _children.add(process.pid)
        try:
            code = process.wait(timeout=request.timeout)
        except subprocess.TimeoutExpired:
            problem = f"no end after {request.timeout:.0f} s, which is the time limit of a run"
            return Ended(process.pid, problem, from_outside=True)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            with _lock:
                _children.discard(process.pid)
    return _ended(process.pid, code)


def _ended(pid: int, code: int) -> Ended:
    """What a process' exit status means; negative: the signal that ended it."""
    if code >= 0:
        return Ended(pid, f"the simulator ended with status {code}" if code else "")
    name = signal.Signals(-code).name if -code in set(signal.Signals) else f"signal {-code}"
    if -code in _CRASHES:
        return Ended(pid, f"the simulator crashed ({name})")
    why = ": by somebody, or by the system for want of memory" if name == "SIGKILL" else ""
    return Ended(pid, f"the simulator was killed ({name}){why}", from_outside=True)


def _environment(request: RunRequest) -> dict[str, str]:
    python = find_libpython.find_libpython()
    libraries = [str(config.libs_dir), *filter(None, [os.environ.get("LD_LIBRARY_PATH")])]
    return {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}:{config.libs_dir}",
        "LD_LIBRARY_PATH": os.pathsep.join(libraries),  # cocotb's, for what Verilator compiled
        "PYTHONPATH": os.pathsep.join(p for p in sys.path if p),
        "PYGPI_PYTHON_BIN": sys.executable,
        "GPI_USERS": f"{python};{config.pygpi_entry_point()}",
        "COCOTB_TOPLEVEL": f"{request.block}_harness",
        "COCOTB_TEST_MODULES": "tilepath.tb.kernel.simulation.entry",
        "COCOTB_RESULTS_FILE": str(request.run_dir / "cocotb.xml"),
        "COCOTB_RANDOM_SEED": str(request.seed & 0xFFFF_FFFF),
        "COCOTB_TRUST_INERTIAL_WRITES": "1",
        # else every module, Numba's too, goes through pytest's assertion rewriting at each start
        "COCOTB_REWRITE_ASSERTION_FILES": "",
        "TOPLEVEL_LANG": "verilog",
        "OPENBLAS_NUM_THREADS": "1",  # no linear algebra here, and its idle threads spin
        # else glibc returns what a block of cycles needed, and the next one takes it page by page
        "MALLOC_TRIM_THRESHOLD_": str(256 << 20),
        "MALLOC_MMAP_THRESHOLD_": str(32 << 20),
        REQUEST_VARIABLE: str(request.run_dir / "request.json"),
    }


def _wave_path(request: RunRequest) -> Path:
    return request.run_dir / f"waves.{wave_format(request)}"


def _judge(request: RunRequest, ended: Ended, seconds: float) -> RunResult:
    outcome = _read_outcome(request.run_dir, ended.pid)
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
        waves = _wave_path(request)
    if "report" in outcome:
        if "mismatch_cycle" in outcome and request.rerun_for_waves and not request.waves:
            waves = _waves_around(
                request, int(outcome["mismatch_cycle"]), int(outcome.get("cycles", 0))
            )
        report = request.run_dir / "report.txt"
        report.write_text(outcome["report"] + _context(request, waves))
    coverage = request.run_dir / "coverage.json"
    return RunResult(
        block=request.block,
        test=request.test,
        seed=request.seed,
        sim=request.sim,
        profile=request.profile,
        status=status,
        cycles=int(outcome.get("cycles", 0)),
        events=int(outcome.get("events", 0)),
        seconds=seconds,
        message=message,
        run_dir=request.run_dir,
        command=request.command,
        faults=sum(outcome.get("faults", {}).values()),
        coverage_file=coverage if coverage.exists() else None,
        report=report,
        waves=waves,
        start=request.begins_with,
    )


def _blame_disk(request: RunRequest, message: str) -> None:
    """``OSError`` if a run failed because there was no room to write; then it says nothing else."""
    folder = request.run_dir
    files.check_text(message, folder)
    files.check_text((folder / "sim.log").read_text(errors="replace"), folder)
    files.check_limit(folder.glob("**/*"))
    for written in (folder, request.trace_dir, build_folder()):
        if written.is_dir():
            files.check_room(written)


def _waves_around(request: RunRequest, cycle: int, ran: int) -> Path | None:
    """Run again with waves around ``cycle``; the file, or ``None`` if that did not work.

    ``ran``: the cycles that the run had, all or up to the block in which it failed.
    """
    again = request.for_waves(cycle)
    assert again.wave_window is not None
    endless = tests_of(request.block)[request.test].endless
    block_cycles = usual = request.cycles_per_block(endless)
    if endless or cycle < ran:
        # a run ends with the block of the mismatch: make one end where the waves shall
        blocks = -(-again.wave_window[1] // usual)
        block_cycles = -(-again.wave_window[1] // blocks)
    # else it was found at the end of a finite test, which depends on the length of the blocks
    with contextlib.suppress(BuildError):  # the mismatch matters more
        run(replace(again, block_cycles=block_cycles))
    path = _wave_path(again)
    return path if path.exists() else None


def _context(request: RunRequest, waves: Path | None) -> str:
    option = "WAVES=1" if started_by_make() else "--waves"
    lines = {
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


def _read_outcome(folder: Path, pid: int) -> dict[str, Any]:
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
    lines = [x for x in lines if "SimFailure" not in x]  # cocotb's guess, behind the real reason
    telling = [x for x in lines if x.startswith("tp_")]
    telling = telling or [x for x in lines if "%Fatal" in x or "FATAL" in x]
    telling = telling or [x for x in lines if "Error" in x or "assert" in x]
    last = telling[-1] if telling else (lines[-1] if lines else "no output")
    return last.strip()[:300]
