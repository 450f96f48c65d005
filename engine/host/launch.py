# SPDX-License-Identifier: Apache-2.0
"""Starts the simulator of one run, in a process group of its own, and waits for its end.

Cold: a process is started for the run. Warm: one that has loaded everything divides (``warm.py``).
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import find_libpython
from cocotb_tools import config

from tilepath.engine.host import children, start, warm
from tilepath.engine.host.request import REQUEST_VARIABLE, RunRequest
from tilepath.engine.host.verilator import fst_available
from tilepath.engine.host.wave_views import SCOPES

# signals that a program brings upon itself; any other one was sent
_CRASHES: Final = {
    *(signal.SIGABRT, signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGTRAP),
    *(signal.SIGSYS, signal.SIGXFSZ),
}

KILLED: Final = "the simulator was killed"
"""How the message of a run begins that neither ended by itself nor reached a limit."""

BY_ITSELF: Final = ("the simulator ended", "the simulator crashed")
"""How the message of a run begins that an assertion or a fault has ended: it does so again."""

_LOOK_SECONDS: Final = 0.1

_running: set[int] = set()  # process groups of runs
_lock = threading.Lock()


class Ended(NamedTuple):
    """How a simulator ended: its process, what was wrong with that, and whether others did it."""

    pid: int
    problem: str = ""
    from_outside: bool = False


def simulate(request: RunRequest, program: Path) -> Ended | None:
    """Run the simulator to its end, or to the end of its time.

    ``None`` if it was lost together with the warm process that it came from: what it left is to be
    thrown away, and the run to be started cold.
    """
    if request.cold or request.waves or not request.check:
        return _cold(request, program)
    return _warm(request, program)


def kill_all() -> None:
    """Kill every simulation that :func:`simulate` has started in this process."""
    with _lock:
        for pid in _running:
            _end_group(pid)
    warm.close_all()


class _Watch:
    """Ends a process that has taken more than so many MiB, if that is given; ``over``: it did."""

    def __init__(self, pid: int, most: int | None) -> None:
        self.over = False
        self._pid = pid
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._look, args=[most], daemon=True)
        if most is not None:
            self._thread.start()

    def _look(self, most: int) -> None:
        with contextlib.suppress(OSError, IndexError, ValueError):  # it has ended
            while True:
                status = Path(f"/proc/{self._pid}/status").read_text()
                peak = int(status.split("VmHWM:")[1].split()[0])  # KiB, since it was started
                if peak > most << 10:
                    self.over = True
                    _end_group(self._pid)
                if self.over or self._done.wait(_LOOK_SECONDS):
                    return

    def close(self) -> None:
        """Look no more."""
        self._done.set()
        if self._thread.ident is not None:
            self._thread.join()


def _cold(request: RunRequest, program: Path) -> Ended:
    with (request.run_dir / "sim.log").open("w") as log:
        process = subprocess.Popen(
            children.guarded(_command(request, program)),
            cwd=request.run_dir,
            env={**environment(request), **_of_run(request)},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            pass_fds=children.inherited(),
        )
        with _noted(process.pid, request.memory) as watch:
            try:
                code = process.wait(timeout=request.timeout)
            except subprocess.TimeoutExpired:
                return _too_long(process.pid, request)
            finally:
                _end_group(process.pid)
                process.wait()
    return _too_much(process.pid, request) if watch.over else ended(process.pid, code)


def _warm(request: RunRequest, program: Path) -> Ended | None:
    simulator = warm.Simulator(
        tuple(_command(request, program)), environment(request), request.block, request.profile
    )
    surroundings = {**simulator.environment, **_of_run(request)}
    with warm.divided(simulator, request.run_dir, surroundings) as fork:
        if fork is None:  # the simulator does not even load; started cold it will say why
            return _cold(request, program)
        with _noted(fork.pid, request.memory) as watch:
            code = fork.wait(request.timeout)
            if code is None:
                return None
    if watch.over:
        return _too_much(fork.pid, request)
    if fork.late:
        return _too_long(fork.pid, request)
    return ended(fork.pid, code)


@contextlib.contextmanager
def _noted(pid: int, memory: int | None) -> Iterator[_Watch]:
    """Inside, :func:`kill_all` ends this run, and so does taking more than ``memory`` MiB."""
    with _lock:
        _running.add(pid)
    watch = _Watch(pid, memory)
    try:
        yield watch
    finally:
        watch.close()
        with _lock:
            _running.discard(pid)


def _end_group(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)


def _too_long(pid: int, request: RunRequest) -> Ended:
    problem = f"no end after {request.timeout:.0f} s, which is the time limit of a run"
    return Ended(pid, problem, from_outside=True)


def _too_much(pid: int, request: RunRequest) -> Ended:
    problem = f"more than {request.memory} MiB of memory, which is the limit of a run"
    return Ended(pid, problem, from_outside=True)


def ended(pid: int, code: int) -> Ended:
    """What a process' exit status means; negative: the signal that ended it."""
    if code >= 0:
        return Ended(pid, f"the simulator ended with status {code}" if code else "")
    name = signal.Signals(-code).name if -code in set(signal.Signals) else f"signal {-code}"
    if -code in _CRASHES:
        return Ended(pid, f"the simulator crashed ({name})")
    why = ": by somebody, or by the system for want of memory" if name == "SIGKILL" else ""
    return Ended(pid, f"{KILLED} ({name}){why}", from_outside=True)


def _command(request: RunRequest, program: Path) -> list[str]:
    plusargs = [
        # relative to the run's folder: Icarus opens no path that is long or not ASCII
        f"+trace_dir={request.trace_dir.name}",
        f"+stim_dir={request.stimulus_dir.name}",
    ]
    if not request.keeps_trace:
        plusargs.append("+trace_rewind")
    if request.replay is not None:
        plusargs.append("+trace_off")
    if request.waves:
        plusargs += [f"+wave_file={wave_path(request).name}", f"+wave_scopes={SCOPES}"]
    if request.wave_window is not None:
        plusargs.append(f"+wave_start={request.wave_window[0]}")
    if request.sim == "icarus":
        library = config.lib_entry("vpi", "icarus")
        command = ["vvp", "-n", "-m", library, str(program), *plusargs]
        return [*command, "-fst" if request.waves else "-none"]
    if request.rtl_coverage:  # all 0: what a register holds before it is written counts for no bit
        return [str(program), *plusargs, start.ZEROS]
    return [str(program), *plusargs, *start.plusargs(request.begins_with)]


def environment(request: RunRequest) -> dict[str, str]:
    """What all runs of a build get, beside the variables of this process."""
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
        "COCOTB_TEST_MODULES": "tilepath.engine.simulation.entry",
        "COCOTB_TRUST_INERTIAL_WRITES": "1",
        # else every module, Numba's too, goes through pytest's assertion rewriting at each start
        "COCOTB_REWRITE_ASSERTION_FILES": "",
        "COVERAGE": "0",  # cocotb's means Python's; make hands on its own, which is the RTL's
        "TOPLEVEL_LANG": "verilog",
        "OPENBLAS_NUM_THREADS": "1",  # no linear algebra here, and its idle threads spin
        # else glibc returns what a block of cycles needed, and the next one takes it page by page
        "MALLOC_TRIM_THRESHOLD_": str(256 << 20),
        "MALLOC_MMAP_THRESHOLD_": str(32 << 20),
    }


def _of_run(request: RunRequest) -> dict[str, str]:
    return {
        "COCOTB_RESULTS_FILE": str(request.run_dir / "cocotb.xml"),
        "COCOTB_RANDOM_SEED": str(request.seed & 0xFFFF_FFFF),
        REQUEST_VARIABLE: str(request.run_dir / "request.json"),
    }


def wave_format(request: RunRequest) -> str:
    """``fst`` or ``vcd`` for a run with waves, else empty."""
    if not request.waves:
        return ""
    if request.sim == "icarus":
        return "fst"
    return "fst" if fst_available() else "vcd"


def wave_path(request: RunRequest) -> Path:
    """The file of waves of a run that has them."""
    return request.run_dir / f"waves.{wave_format(request)}"
