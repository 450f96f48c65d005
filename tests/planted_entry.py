# SPDX-License-Identifier: Apache-2.0
"""What the simulator loads to make many runs: it starts once and divides into a process for each.

Python, Numba and the model then start once for all runs, which takes longer than most of them.
"""

from __future__ import annotations

import atexit
import gc
import os
import signal
from pathlib import Path
from typing import Final

import pyuvm

from tilepath.tb.kernel.checking.checker import Checker
from tilepath.tb.kernel.description.registry import load_block, tests_of
from tilepath.tb.kernel.host.request import REQUEST_VARIABLE, RunRequest
from tilepath.tb.kernel.simulation.test import CosimTest

_SECONDS: Final = 300
"""A run that takes longer is stopped: a bug can make a simulation go on for ever."""


def _divide(folders: list[str]) -> None:
    """Return in a process for each of ``folders``, which have requests; this process ends."""
    request = RunRequest.from_json(Path(os.environ[REQUEST_VARIABLE]))
    tests_of(request.block)
    Checker(load_block(request.block), request.profile)  # loads what is compiled of the model
    gc.freeze()
    for folder in folders:
        child = os.fork()
        if child == 0:
            os.chdir(folder)
            log = os.open("sim.log", os.O_WRONLY | os.O_CREAT)
            os.dup2(log, 1)
            os.dup2(log, 2)
            os.environ[REQUEST_VARIABLE] = f"{folder}/request.json"
            os.environ["COCOTB_RESULTS_FILE"] = f"{folder}/cocotb.xml"
            signal.alarm(_SECONDS)
            atexit.register(os._exit, 0)  # else the simulator waits for threads that stayed behind
            return
        os.waitpid(child, 0)
    os._exit(0)


_divide(os.environ["PLANTED_FOLDERS"].split(os.pathsep))


@pyuvm.test()
class Cosim(CosimTest):
    """Runs the request of the folder that this process is in."""
