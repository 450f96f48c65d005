# SPDX-License-Identifier: Apache-2.0
"""What the simulator loads to make many runs: it starts once and divides into a process for each.

Python, the model and the stimulus then start once for all runs, which takes longer than most of
them.
"""

from __future__ import annotations

import atexit
import gc
import os
import signal
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Final

import pyuvm

from tilepath.tb.kernel.checking.checker import Checker
from tilepath.tb.kernel.description.registry import load_block, tests_of
from tilepath.tb.kernel.description.stimulus import Context, TestSpec
from tilepath.tb.kernel.host.request import REQUEST_VARIABLE, RunRequest
from tilepath.tb.kernel.simulation.test import CosimTest

_AHEAD: Final = 2_048
"""Cycles of stimulus that all runs of a test share, as the first of them need."""

_SECONDS: Final = 300
"""A run that takes longer is stopped: a bug can make a simulation go on for ever."""


def _divide(folders: list[str]) -> None:
    """Return in a process for each of ``folders``, which have requests; this process ends."""
    prepared: dict[tuple[str, int], TestSpec] = {}
    for folder in folders:
        request = RunRequest.from_json(Path(folder, "request.json"))
        if not prepared:
            Checker(load_block(request.block), request.profile)  # loads what the model compiled
        run = (request.test, request.seed)
        if run not in prepared:
            prepared[run] = _prepared(request)
            gc.freeze()
        child = os.fork()
        if child == 0:
            os.chdir(folder)
            log = os.open("sim.log", os.O_WRONLY | os.O_CREAT)
            os.dup2(log, 1)
            os.dup2(log, 2)
            os.environ[REQUEST_VARIABLE] = f"{folder}/request.json"
            os.environ["COCOTB_RESULTS_FILE"] = f"{folder}/cocotb.xml"
            tests_of(request.block)[request.test] = prepared[run]
            signal.alarm(_SECONDS)
            atexit.register(os._exit, 0)  # else the simulator waits for threads that stayed behind
            return
        os.waitpid(child, 0)
    os._exit(0)


def _prepared(request: RunRequest) -> TestSpec:
    """The test of ``request`` with the stimulus of the first cycles already made."""
    players = load_block(request.block).player_table
    spec = tests_of(request.block)[request.test]
    context = Context(
        request.block, request.test, request.seed, request.profile, request.endless_cycles
    )
    stimulus = {}
    for name, source in spec.stimulus(context).items():
        rest, first, cycles = iter(source), [], 0
        while cycles < _AHEAD and (items := next(rest, None)) is not None:
            first.append(items)
            cycles += players[name].cycles(items)
        stimulus[name] = chain(first, rest)
    return replace(spec, stimulus=lambda _context: stimulus)


_divide(os.environ["PLANTED_FOLDERS"].split(os.pathsep))


@pyuvm.test()
class Cosim(CosimTest):
    """Runs the request of the folder that this process is in."""
