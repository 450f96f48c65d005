# SPDX-License-Identifier: Apache-2.0
"""The machine without time: what the cores did in a run, from L1 as it was written first."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tilepath.isa.boundary.datapath import BOUNDARY, THREADS
from tilepath.models.datapath import l1_sums
from tilepath.models.machine import Machine, items
from tilepath.models.state import State
from tilepath.tb.datapath.streams import LINE_BYTES, item_of
from tilepath.tb.kernel.description.stream import Records


class UntimedDatapath:
    """Collects the cores' programs and L1; runs them when it is asked for the state."""

    def __init__(self, profile: str) -> None:
        self._machine = Machine(profile)
        self._programs: list[list[items.Item]] = [[] for _ in range(THREADS)]

    def follow(self, inputs: Mapping[str, Records], _expected: Mapping[str, Records]) -> None:
        """One block of cycles."""
        for record in inputs["l1_write"]:
            self._machine.write_l1(LINE_BYTES * int(record["line"]), record["data"].tobytes())
        for thread, program in enumerate(self._programs):
            for record in inputs[f"t{thread}.item"]:
                program.append(item_of(*(int(record[n]) for n in ("op", "index", "value"))))

    def state(self) -> State:
        """As ``Machine.run`` leaves it; ``ValueError`` if it does not come to an end."""
        m = self._machine
        run = m.run(self._programs)
        if run.end != "done":
            waiting = "; ".join(map(str, run.waiting))
            raise ValueError(f"the machine without time does not come to the end: {waiting}")
        its = {
            **m.state(),
            "src_owner": np.array(m.unpack.src_owner),
            "src_bank": np.array(m.unpack.src_bank),
            "rwc": np.array(m.matrix.rwc),
            "matrix_bank": np.array(m.matrix.matrix_bank),
            "l1_sum": l1_sums(np.array(m.unpack.l1).view(np.uint32)),
        }
        arrays = {array.name: array for array in BOUNDARY.state}
        return {name: its[name].astype(array.dtype) for name, array in arrays.items()}
