# SPDX-License-Identifier: Apache-2.0
"""Kernels one behind the other on one machine: each comes to what it comes to alone."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from tilepath.engine.description.stimulus import Context
from tilepath.models import Machine
from tilepath.models.kernels.play import machine_of
from tilepath.sequences.datapath.drawn_kernel import plan
from tilepath.sequences.datapath.random_kernels import NAMES, TESTS, loaded
from tilepath.tb.datapath.streams import CORE, L1_WRITE, LINE_BYTES, item_of
from tilepath.tests.datapath.kernel_files import PROFILES

_KERNELS = 24


def _phases(found: dict[str, Any]) -> list[tuple[int, Any]]:
    """What is done together, in order: lines for L1, thread -1, and items of cores."""
    phases: dict[int, dict[int, list[Any]]] = {}
    for thread, player in enumerate((L1_WRITE, CORE, CORE, CORE), -1):
        values = player.unpack(found["l1_write" if thread < 0 else f"t{thread}.core"])
        fields = ("line", "data") if thread < 0 else ("op", "index", "value")
        for after, *item in zip(*(values[name] for name in ("after_count", *fields)), strict=True):
            phases.setdefault(int(after), {}).setdefault(thread, []).append(item)
    return sorted(phases.items())


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("name, table", [("random_default", "kernel"), ("random_plans", "plan")])
def test_a_kernel_leaves_nothing_to_the_next(name: str, table: str, profile: str) -> None:
    test = TESTS[name]
    ctx = Context("datapath", name, 3, profile, 0).with_tables(test.tables)
    rows = ctx.table(table).drawn(ctx.rng(table), 64)
    stimulus = test.stimulus(ctx)
    cores = ("l1_write", "t0.core", "t1.core", "t2.core")
    every = zip(*(stimulus[name] for name in cores), strict=True)
    m, drawn = Machine(profile), set()
    for row, arrays in itertools.islice(zip(rows, every, strict=False), _KERNELS):
        kernel = loaded(row, profile) if table == "kernel" else plan(row).kernel(profile)
        alone = machine_of(kernel)
        for _, done in _phases(dict(zip(cores, arrays, strict=True))):
            for line, data in done.pop(-1, ()):
                m.write_l1(LINE_BYTES * int(line), np.asarray(data, "<u4"))
            if done:
                alone.l1[:] = m.l1
                programs = [[item_of(*map(int, one)) for one in done.get(t, ())] for t in range(3)]
                assert m.run(programs).end == "done", row
        alone.run(kernel.programs)
        assert m.faults == [] == m.events
        assert (np.asarray(m.l1) == np.asarray(alone.l1)).all(), row
        drawn.add(NAMES[row.kernel] if table == "kernel" else str(row))
    assert len(drawn) == (len(NAMES) if table == "kernel" else 4)
