# SPDX-License-Identifier: Apache-2.0
"""Warm simulators: processes that have loaded what all runs of a build need, and fork for each run.

A run's process has its own group, folder, log, environment and limits, and dies with the warm one,
which dies with this process. ``simulation/warm.py`` is the other side.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import select
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tilepath.engine.host import children

KEEP: Final = 4
"""Warm simulators that a process keeps; beyond that the longest idle ones go."""

WARM_VARIABLE: Final = "TILEPATH_WARM"
"""Environment variable of a warm simulator: what it is to load, and its socket for orders."""

_USERS: Final = (
    "cocotb.logging:_configure",
    "tilepath.engine.simulation.warm:serve",
    "cocotb._init:init_package_from_simulation",
    "cocotb.regression:_run_regression",
)
"""What is called when the simulator has started: cocotb's own, and ours before they begin."""

_OF_ONE_TEST: Final = ("PYTEST_CURRENT_TEST",)  # changes from run to run, and nothing loads by it
_LIMITS: Final = tuple(value for name, value in vars(resource).items() if name[:7] == "RLIMIT_")
_MESSAGE_BYTES: Final = 4096


@dataclass(frozen=True)
class Simulator:
    """What a warm simulator is started with, and what it loads: runs that agree in it share it."""

    command: tuple[str, ...]
    environment: Mapping[str, str]
    block: str
    profile: str

    @property
    def key(self) -> tuple[object, ...]:
        """Equal for simulators that are the same."""
        variables = {k: v for k, v in self.environment.items() if k not in _OF_ONE_TEST}
        limits = tuple(resource.getrlimit(limit) for limit in _LIMITS)
        return (self.command, tuple(sorted(variables.items())), self.block, self.profile, limits)


class Fork:
    """The process of one run."""

    def __init__(self, pid: int, answers: socket.socket) -> None:
        self.pid = pid
        self.late = False
        self._answers = answers
        self._watched: int | None = None
        with contextlib.suppress(ProcessLookupError):  # it has ended already
            self._watched = os.pidfd_open(pid)

    def wait(self, seconds: float) -> int | None:
        """Its exit status once it has ended, negative: the signal; ``None`` if it was lost.

        What has not ended after ``seconds`` is killed, and ``late``.
        """
        answer = _receive(self._answers, seconds)
        if answer is None:
            self.late = True
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)
            answer = _receive(self._answers, None)
        assert answer is not None
        if "ended" not in answer:  # the warm simulator died, and took it along: not quite at once
            self._end()
        return answer.get("ended")

    def _end(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        if self._watched is not None:
            select.select([self._watched], [], [])

    def close(self) -> None:
        """Hear no more of it."""
        self._answers.close()
        if self._watched is not None:
            os.close(self._watched)


def _receive(answers: socket.socket, seconds: float | None) -> dict[str, int] | None:
    """An answer, empty at the end of the warm simulator; ``None`` after so many seconds."""
    answers.settimeout(seconds)
    try:
        data = answers.recv(_MESSAGE_BYTES)
    except TimeoutError:
        return None
    except ConnectionError:
        return {}
    found: dict[str, int] = json.loads(data) if data else {}
    return found


@contextlib.contextmanager
def _one_core() -> Iterator[None]:
    """Processes started inside see one core.

    Verilator's library starts a thread for each further one, which would be missing in a fork, and
    waited for at its end.
    """
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


class _Warm:
    """One warm simulator."""

    def __init__(self, simulator: Simulator) -> None:
        self.busy = 0
        self.used = time.monotonic()
        self._orders, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        told = {
            "block": simulator.block,
            "profile": simulator.profile,
            "socket": theirs.fileno(),
            "cores": sorted(os.sched_getaffinity(0)),
        }
        variables = {WARM_VARIABLE: json.dumps(told), "PYGPI_USERS": ",".join(_USERS)}
        with theirs, _one_core():
            self._process = subprocess.Popen(
                children.guarded(simulator.command),
                cwd="/",
                env={**simulator.environment, **variables},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                pass_fds=(theirs.fileno(),),
            )

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def divide(self, folder: Path, environment: Mapping[str, str], seconds: float) -> Fork | None:
        """A process for the run in ``folder``; ``None`` if there is no warm simulator to divide."""
        order = json.dumps({"folder": str(folder), "environment": dict(environment)}).encode()
        answers, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            try:
                handles = [theirs.fileno(), *children.inherited()]
                socket.send_fds(self._orders, [order], handles)
            except OSError:
                answers.close()
                return None
        answer = _receive(answers, seconds)
        if not answer or "started" not in answer:
            answers.close()
            return None
        return Fork(answer["started"], answers)

    def close(self) -> None:
        """End it, and what came from it."""
        self._orders.close()
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        self._process.wait()


_pool: dict[tuple[object, ...], _Warm] = {}
_lock = threading.Lock()


@contextlib.contextmanager
def divided(
    simulator: Simulator, folder: Path, environment: Mapping[str, str], seconds: float = 300.0
) -> Iterator[Fork | None]:
    """The process of a run in ``folder`` with ``environment``; ``None`` if none could be made.

    ``seconds``: how long the simulator may take to load.
    """
    warm = _taken(simulator)
    fork = None
    try:
        fork = warm.divide(folder, environment, seconds)
        yield fork
    finally:
        with _lock:
            warm.busy -= 1
            warm.used = time.monotonic()
        if fork is not None:
            fork.close()


def _taken(simulator: Simulator) -> _Warm:
    key = simulator.key
    with _lock:
        for other, warm in list(_pool.items()):
            if not warm.alive:
                _pool.pop(other).close()
        if key not in _pool:
            idle = sorted((k for k, w in _pool.items() if not w.busy), key=lambda k: _pool[k].used)
            for other in idle[: max(0, len(_pool) + 1 - KEEP)]:
                _pool.pop(other).close()
            _pool[key] = _Warm(simulator)
        _pool[key].busy += 1
        return _pool[key]


def close_all() -> None:
    """End every warm simulator of this process, and the runs that came from them."""
    with _lock:
        for warm in _pool.values():
            warm.close()
        _pool.clear()
