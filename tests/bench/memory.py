# SPDX-License-Identifier: Apache-2.0
"""Peak memory of a long checked run.

``python -m tilepath.tests.bench.memory BLOCK SIM SEED CYCLES`` prints it in MB. It is a process of
its own, so that the only children it has waited for are the simulator it started.
"""

from __future__ import annotations

import resource
import sys
from dataclasses import replace

from tilepath.tests.bench.measure import WHOLE, BenchError, kernel_request, passed
from tilepath.tests.commands import python


def peak_megabytes(block: str, sim: str, seed: int, cycles: int) -> float:
    """Peak resident set of the simulator process, in 10**6 bytes, coverage included.

    The design must have been built, or the compiler is measured. Raises :class:`BenchError`.
    """
    done = python("-m", "tilepath.tests.bench.memory", block, sim, str(seed), str(cycles))
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise BenchError(f"the long run of {block} under {sim} failed: {last}")
    return float(done.stdout)


if __name__ == "__main__":
    block, sim, seed, cycles = sys.argv[1:]
    request = kernel_request(block, sim, int(seed), int(cycles), WHOLE)
    passed(replace(request, fast=None))  # the build that a run of this length has
    print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024 / 1e6)
