# SPDX-License-Identifier: Apache-2.0
"""Peak memory of a long checked run.

``python -m tilepath.tests.bench.memory BLOCK SIM SEED CYCLES [small]`` prints it in MB. It is a
process of its own, so that the only children it has waited for are the simulator it started.
"""

from __future__ import annotations

import resource
import sys
from dataclasses import replace

from tilepath.tests.bench.measure import WHOLE, BenchError, kernel_request, passed
from tilepath.tests.commands import python


def peak_megabytes(block: str, sim: str, seed: int, cycles: int, small: bool = False) -> float:
    """Peak resident set of the simulator process, in 10**6 bytes, coverage included.

    The design must have been built, or the compiler is measured: as belongs to a run of this
    length, or ``small`` for a figure that nobody judges. Raises :class:`BenchError`.
    """
    run = (block, sim, str(seed), str(cycles), *(["small"] if small else []))
    done = python("-m", "tilepath.tests.bench.memory", *run)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise BenchError(f"the long run of {block} under {sim} failed: {last}")
    return float(done.stdout)


if __name__ == "__main__":
    block, sim, seed, cycles, *small = sys.argv[1:]
    request = kernel_request(block, sim, int(seed), int(cycles), WHOLE)
    passed(replace(request, fast=False if small else None))
    print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024 / 1e6)
