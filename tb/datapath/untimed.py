# SPDX-License-Identifier: Apache-2.0
"""The machine without time: what the cores did in a run, from L1 as it was written first.

Where L1 is written anew, all that was begun before is done: the machine gets there first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import itemgetter

import numpy as np

from tilepath.engine.compiled.state import Difference, State
from tilepath.engine.description.stream import Records
from tilepath.isa.boundary.datapath import BOUNDARY, THREADS
from tilepath.isa.boundary.pack import SLOTS
from tilepath.models.datapath import l1_sums
from tilepath.models.kernels import Kernel, play
from tilepath.models.machine import Machine, items
from tilepath.tb.datapath.l1_writes import RTL, L1Writes
from tilepath.tb.datapath.streams import item_of


class UntimedDatapath:
    """Collects the cores' programs and L1; runs them when it is asked for the state.

    ``kernel``: what the cores play, whose tiles are told apart in L1; ``judged``: what it expects
    is checked as well.
    """

    def __init__(self, profile: str, kernel: Kernel | None = None, judged: bool = False) -> None:
        self._machine = Machine(profile)
        self._l1 = L1Writes(self._machine)
        self._tiles = list(kernel.tiles.values()) if kernel else []
        self._judged = kernel if judged else None
        self._programs: list[list[items.Item]] = [[] for _ in range(THREADS)]
        self._stands = ""

    def follow(self, inputs: Mapping[str, Records], expected: Mapping[str, Records]) -> None:
        """One block of cycles."""
        self._l1.words[RTL].extend(inputs["pack_issue"][["thread", "word"]].tolist())
        # in a cycle the packers' lines come first, as in L1
        streams = [expected[f"w{slot}.pack_write"] for slot in range(SLOTS)]
        streams += [inputs["l1_write"], *(inputs[f"t{t}.item"] for t in range(THREADS))]
        records = [(int(r["cycle"]), k, r) for k, some in enumerate(streams) for r in some]
        for _, k, record in sorted(records, key=itemgetter(0)):
            if k < SLOTS:
                self._l1.store(record)
            elif k > SLOTS:
                item = item_of(*(int(record[n]) for n in ("op", "index", "value")))
                self._programs[k - SLOTS - 1].append(item)
            else:
                self._run()
                self._l1.write(int(record["line"]), record["data"].tobytes())

    def _run(self) -> None:
        if any(self._programs):
            run = self._machine.run(self._programs)
            self._l1.settle()
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

    def explain(self, found: Sequence[Difference]) -> list[str]:
        """Numbers and lines of L1 in the place of sums that are as the RTL's writes make them.

        Behind all: what ``Machine.run`` finds wrong with the kernel itself.
        """
        sums = l1_sums(self._l1.bytes_.view(np.uint32))
        known = [d for d in found if d.name == "l1_sum" and sums[d.place] == d.got]
        lines = self._l1.differences(self._tiles) if known else []
        lines += [str(difference) for difference in found if difference not in known]
        failed = play(self._judged).failed if self._judged else []
        return [*lines, *(f"without time: {line}" for line in failed)]
