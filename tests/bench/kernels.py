# SPDX-License-Identifier: Apache-2.0
"""How fast kernels run: a long one beside its replay, and short ones drawn at random."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Final

from tilepath.engine.host.request import RunRequest
from tilepath.sequences.datapath import TESTS
from tilepath.sequences.datapath.kernels import FOLDER, kernel_test
from tilepath.sequences.datapath.random_kernels import FEW
from tilepath.tests.bench.measure import KERNELS, Comparison, Say, compare_replay, known, passed

_SIZES: Final = {"R": 8, "C": 8, "K": 2}  # 64 tiles of out, each a sum of two products
(LONG,) = KERNELS
BUSY: Final = 50_000  # cycles, of not many more
RUNS: Final = 40  # of random kernels, as many as say something about the kernels' mean
TEST: Final = replace(kernel_test(KERNELS[LONG][1], FOLDER / "matmul.kernel", _SIZES), endless=True)
"""Ends as random tests do, after as many cycles with checks as without."""


def compare(sim: str, seed: int, cycles: int, rounds: int, say: Say) -> Comparison:
    """Whole runs of the long kernel, and their replay, in turn.

    Its first ``cycles``, but no more than those in which it is busy to the end.
    """
    with known(TESTS, TEST):
        return compare_replay(LONG, sim, seed, min(cycles, BUSY), rounds, say, others=())


def per_minute(seed: int, runs: int, out_dir: Path) -> tuple[float, float]:
    """Kernels a minute of ``random_plans``: by the CPU time of two cores, and by the clock.

    ``runs`` are counted, as ``make`` does them, two at once; two before them start the simulator.
    :class:`BenchError` unless all pass.
    """

    def spent(number: int) -> float:
        request = RunRequest(
            *("datapath", "random_plans", (seed + number) % (1 << 64), "verilator"), out_dir=out_dir
        )
        passed(request)
        parts = json.loads((request.run_dir / "result.json").read_text())["spent"]
        return sum(parts.values())

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(spent, range(2)))
        began = time.monotonic()
        seconds = sum(pool.map(spent, range(2, 2 + runs)))
        minutes = (time.monotonic() - began) / 60
    return FEW * runs * 120 / seconds, FEW * runs / minutes
