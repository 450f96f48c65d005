# SPDX-License-Identifier: Apache-2.0
"""The cycle-exact model on random programs: invariants, long runs."""

from __future__ import annotations

import numpy as np

from tilepath.isa.boundary.control import BOUNDARY
from tilepath.models.control import ControlModel
from tilepath.sequences.control.words import WAITS
from tilepath.tests.control.model_helpers import (
    Records,
    random_words,
)


def busy_inputs(rng: np.random.Generator, first: int, last: int, gap: int) -> dict[str, Records]:
    """Input events in each ``gap``-th cycle of ``first`` to ``last - 1``; nothing waits forever."""
    cycles = np.arange(first, last, gap)
    pool = np.array(random_words(rng, "default", 500, but=(*WAITS, 0xA0, 0xA1)))  # no mutex, either

    def events(name: str, **fields: np.ndarray | int) -> Records:
        records = np.zeros(cycles.size, dtype=BOUNDARY.stream(name).dtype)
        records["cycle"] = cycles
        for field, values in fields.items():
            records[field] = values
        return records

    def draw(limit: int) -> np.ndarray:
        return rng.integers(0, limit, cycles.size)

    return {
        **{f"t{t}.offer": events("offer", word=rng.choice(pool, cycles.size)) for t in range(3)},
        "risc": events("risc", write=draw(2), address=draw(1024), data=draw(1 << 32)),
        "risc_sem": events("risc_sem", write=draw(2), index=draw(8), get=draw(2)),
        **{f"t{t}.busy": events("busy", value=draw(1 << 13)) for t in range(3)},
        "hold": events("hold", value=draw(8) & draw(8)),
        "unit_ready": events("unit_ready", value=63),
        "stream_busy": events("stream_busy", value=draw(2)),
        "stream_write": events("stream_write", stream=draw(4), register=29, data=draw(1 << 32)),
    }


def test_long_runs_forget_what_is_over() -> None:
    model = ControlModel()
    rng = np.random.default_rng(6)
    block = 10_000
    kept = set()
    for n in range(12):
        given = busy_inputs(rng, n * block, (n + 1) * block, 8)
        got = model.step(given, (n + 1) * block)
        assert len(got["t2.issue"]) > 1000
        assert int(got["t2.issue"]["origin"][0]) // 256 >= n * block // 8 - 10
        records = sum(map(len, model._inputs._last.values()))
        kept.add(records - sum(map(len, given.values())))
    assert max(kept) < 10
    assert all(value.dtype != object for value in vars(model).values() if hasattr(value, "dtype"))
