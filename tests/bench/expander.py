# SPDX-License-Identifier: Apache-2.0
"""Speed of the golden model alone: the functional expander, and the cycle-exact model."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import numpy as np

from models.frontend import FrontendModel, FunctionalThread
from sequences.frontend.programs import DIRECTORY, load_program
from tb.frontend.items import INDEX_SHIFT, MOPCFG, PUSH
from tb.frontend.streams import THREADS
from tb.kernel.player import Items
from tb.kernel.registry import load_block, tests_of
from tb.kernel.stimulus import Context
from tb.kernel.trace import stored_blocks
from tests.bench.measure import TEST

Program = tuple[np.ndarray, np.ndarray]  # words, MopCfg writes (position, index, data)
_BEST_OF = 5


def matmul(repeats: int) -> list[Program]:
    """What the three threads of the matrix multiplication push and write, ``repeats`` times."""
    players = load_program(DIRECTORY / "matmul.tt", "baseline").players
    return [_program([players[f"t{t}.core"]] * repeats) for t in range(THREADS)]


def busy(blocks: int, seed: int) -> list[Program]:
    """The same of ``blocks`` blocks of the benchmark's stimulus."""
    context = Context("frontend", TEST, seed, "baseline", 0)
    stimulus = tests_of("frontend")[TEST].stimulus(context)
    return [_program(list(islice(stimulus[f"t{t}.core"], blocks))) for t in range(THREADS)]


def _program(parts: list[Items]) -> Program:
    items = np.concatenate(parts)
    pushes = (items[:, 0] & PUSH) != 0
    writes = (items[:, 0] & MOPCFG) != 0
    before = np.cumsum(pushes) - pushes
    columns = (before, (items[:, 0] >> INDEX_SHIFT) & 15, items[:, 2])
    return items[pushes, 1].copy(), np.stack(columns, axis=1)[writes].astype(np.int64)


def words_per_second(programs: list[Program]) -> tuple[int, float]:
    """Words that leave the expander, and how many of them in a second of CPU time (best run)."""
    count = sum(len(FunctionalThread().feed(*program)) for program in programs)

    def work() -> None:
        for program in programs:
            FunctionalThread().feed(*program)

    return count, count / _best(work)


def model_cycles_per_second(run_dir: Path) -> tuple[int, float]:
    """The cycle-exact model alone, on the recorded inputs of a stored run: cycles, and rate."""
    ends = json.loads((run_dir / "outcome.json").read_text())["ends"]
    table = load_block("frontend").stream_table
    blocks = [
        ({n: r for n, r in block.streams.items() if table[n].direction == "input"}, block.end)
        for block in stored_blocks(run_dir / "trace", table, ends)
    ]

    def work() -> None:
        model = FrontendModel()
        for inputs, end in blocks:
            model.step(inputs, end)

    work()
    return ends[-1], ends[-1] / _best(work)


def _best(work: Callable[[], None]) -> float:
    times = []
    for _ in range(_BEST_OF):
        began = time.process_time()
        work()
        times.append(time.process_time() - began)
    return min(times)
