# SPDX-License-Identifier: Apache-2.0
"""A warm simulator: loads once what all runs of a build need, then divides into a process for each.

The simulator calls :func:`serve` before it evaluates anything, as the first of cocotb's users. What
returns from it is a run's own process, in which all goes on as in a simulator that was started for
that run alone: files are opened there, by names relative to the run's folder. ``host/warm.py`` is
the other side.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import importlib
import json
import os
import select
import signal
import socket
import sys
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, Final, NoReturn

from tilepath.engine.description.registry import load_block, tests_of
from tilepath.engine.description.stimulus import TestSpec
from tilepath.engine.host.compiled import exercise
from tilepath.engine.host.request import REQUEST_VARIABLE, RunRequest
from tilepath.engine.host.warm import WARM_VARIABLE

MOST_HANDLES: Final = 16
_AHEAD: Final = 2_048  # cycles of stimulus that runs share
_MESSAGE_BYTES: Final = 1 << 20
_PR_SET_PDEATHSIG: Final = 1
_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_LIBC: Final = ctypes.CDLL(None)


def serve() -> None:
    """Wait for orders; return in the process of each run. At the end of orders this one ends."""
    told = json.loads(os.environ.pop(WARM_VARIABLE))
    os.sched_setaffinity(0, told["cores"])
    for number in _SIGNALS:  # which simulators take for the wish to stop in an orderly way
        signal.signal(number, signal.SIG_DFL)
    _load(told["block"], told["profile"])
    _become(_Division(socket.socket(fileno=told["socket"])).wait())


def _load(block: str, profile: str) -> None:
    """Everything that does not depend on the run."""
    importlib.import_module("tilepath.engine.simulation.entry")
    importlib.import_module("_pytest.assertion")  # what cocotb imports before any test
    load_block(block)
    importlib.import_module(f"tilepath.sequences.{block}")
    exercise(block, profile)
    gc.collect()
    gc.freeze()


class _Division:
    """The loop of the process that stays: a fork an order, and how each of them ended."""

    def __init__(self, orders: socket.socket) -> None:
        self._orders = orders
        self._poll = select.poll()
        self._poll.register(orders, select.POLLIN)
        self._running: dict[int, tuple[int, socket.socket]] = {}  # pidfd → process, who asked
        self._prepared: dict[tuple[Any, ...], TestSpec] = {}

    def wait(self) -> dict[str, Any]:
        """The order of this process, which is a new one."""
        while True:
            for handle, _ in self._poll.poll():
                if handle in self._running:
                    self._ended(handle)
                    continue
                data, handles, _, _ = socket.recv_fds(self._orders, _MESSAGE_BYTES, MOST_HANDLES)
                if not data:
                    self._end()
                order: dict[str, Any] = json.loads(data)
                request = RunRequest.from_json(Path(order["environment"][REQUEST_VARIABLE]))
                if request.prepare:
                    self._prepare(request)
                if self._divide(socket.socket(fileno=handles[0]), handles[1:]):
                    if request.prepare:
                        spec = self._prepared[_drawn(request)]
                        tests_of(request.block)[request.test] = spec
                    return order

    def _prepare(self, request: RunRequest) -> None:
        """Make the stimulus of the first cycles, for all runs of this test with this seed."""
        run = _drawn(request)
        if run in self._prepared:
            return
        players = load_block(request.block).player_table
        spec = tests_of(request.block)[request.test]
        stimulus = {}
        for name, source in spec.stimulus(request.context).items():
            rest, first, cycles = iter(source), [], 0
            while cycles < _AHEAD and (items := next(rest, None)) is not None:
                first.append(items)
                cycles += players[name].cycles(items)
            stimulus[name] = chain(first, rest)
        self._prepared[run] = replace(spec, stimulus=lambda _context: stimulus)
        gc.freeze()

    def _divide(self, answer: socket.socket, kept: list[int]) -> bool:
        """Whether this is the new process; it keeps the files ``kept`` open, which are locks."""
        sys.stdout.flush()
        _LIBC.fflush(None)  # else what is in the buffers is written twice
        parent = os.getpid()
        process = os.fork()
        if process == 0:
            os.setsid()
            _LIBC.prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL))
            if os.getppid() != parent:  # it ended before
                os._exit(1)
            answer.send(json.dumps({"started": os.getpid()}).encode())
            answer.close()
            self._forget()
            return True
        for handle in kept:
            os.close(handle)
        watched = os.pidfd_open(process)
        self._running[watched] = (process, answer)
        self._poll.register(watched, select.POLLIN)
        return False

    def _forget(self) -> None:
        """Close what belongs to the process that stays, and to other runs."""
        self._orders.close()
        for handle, (_, answer) in self._running.items():
            os.close(handle)
            answer.close()

    def _ended(self, watched: int) -> None:
        """Tell how a run ended, once nothing of its group is left."""
        process, answer = self._running.pop(watched)
        self._poll.unregister(watched)
        os.close(watched)
        _end_group(process)
        code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        with contextlib.suppress(OSError):  # whoever asked is gone
            answer.send(json.dumps({"ended": code}).encode())
        answer.close()

    def _end(self) -> NoReturn:
        """Nobody is there any more to give orders, or to hear how the runs end."""
        for process, _ in self._running.values():
            _end_group(process)
        os._exit(0)


def _drawn(request: RunRequest) -> tuple[Any, ...]:
    """What the stimulus of runs that share it depends on."""
    return request.test, request.seed, request.knobs, request.where


def _end_group(process: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process, signal.SIGKILL)


def _become(order: dict[str, Any]) -> None:
    """Folder, log and environment of the run."""
    os.chdir(order["folder"])
    log = os.open("sim.log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
    for descriptor in (1, 2):
        os.dup2(log, descriptor)
    os.close(log)
    os.environ.clear()
    os.environ.update(order["environment"])
