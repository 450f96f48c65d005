# SPDX-License-Identifier: Apache-2.0
"""The machine without time: what the cores did in a run, from L1 as it was written first.

Where L1 is written anew, all that was begun before is done: the machine gets there first.
"""

from __future__ import annotations

from collections.abc import Mapping
from operator import itemgetter

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
        self._stands = ""

    def follow(self, inputs: Mapping[str, Records], _expected: Mapping[str, Records]) -> None:
        """One block of cycles."""
        streams = ("l1_write", *(f"t{thread}.item" for thread in range(THREADS)))
        records = [(int(r["cycle"]), k, r) for k, name in enumerate(streams) for r in inputs[name]]
        for _, k, record in sorted(records, key=itemgetter(0)):
            if k:
                item = item_of(*(int(record[n]) for n in ("op", "index", "value")))
                self._programs[k - 1].append(item)
            else:
                self._run()
                self._machine.write_l1(LINE_BYTES * int(record["line"]), record["data"].tobytes())

    def _run(self) -> None:
        if any(self._programs):
            run = self._machine.run(self._programs)
            if run.end != "done":
                self._stands = self._stands or "; ".join(map(str, run.waiting))
            self._programs = [[] for _ in range(THREADS)]

    def state(self) -> State:
        """As ``Machine.run`` leaves it; ``ValueError`` if it does not come to an end."""
        m = self._machine
        self._run()
        if self._stands:
            raise ValueError(f"the machine without time does not come to the end: {self._stands}")
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
