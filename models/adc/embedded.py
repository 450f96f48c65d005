# SPDX-License-Identifier: Apache-2.0
"""The address counters beside a block that updates them: their records under the block's names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from tilepath.engine.compiled.records import Records
from tilepath.engine.description.boundary import NOT_KNOWN, ORIGIN_STREAMS
from tilepath.isa.boundary import Boundary
from tilepath.isa.boundary.adc import BOUNDARY, SETS
from tilepath.models.adc.timing import AdcModel

_FLOP: Final = BOUNDARY.number("flop")


class Beside:
    """The counters' own cycle-exact model; theirs are the records, the block's names and origins.

    The block has a ``counter`` stream for each thread; it gives commands to ``stream`` of theirs.
    ``levels`` are those that it shows, under the same names.

    Attributes:
        commands: those of the last :meth:`advance`.
        flops: what REG2FLOP writes to counters in the cycles of the next :meth:`advance`, which
            forgets it (stream ``flop`` of the counters).
    """

    def __init__(self, profile: str, block: Boundary, stream: str, levels: str) -> None:
        """Begin after reset. Raises ``ValueError`` for an unknown profile."""
        self._adc = AdcModel(profile)
        self._stream = stream
        self.commands: Records = BOUNDARY.table[stream].empty()
        self.flops: Records = BOUNDARY.table["flop"].empty()
        self._shown = {name: name for name in block.outputs if levels in name}
        self._shown |= {f"t{n}.counter_fault": f"t{n}.fault" for n in range(SETS)}
        self._shown["counter_conflict"] = "conflict"
        self._dtypes = {name: block.stream(name).expected_dtype for name in self._shown}
        self._apart = block.number("t0.counter") - BOUNDARY.number("t0.issue")
        self._origins: npt.NDArray[np.int64] = np.zeros(0, np.int64)  # of the last commands
        self._first = 0  # the number of the command that the first of them is of

    def keep_account(self) -> None:
        """Leave an account, as ``compiled.account`` says."""
        self._adc.keep_account()

    @property
    def account(self) -> Sequence[Mapping[str, Records]]:
        """What the counters tell of the last :meth:`advance`, with their own cycles and numbers."""
        return self._adc.account

    def advance(
        self,
        commands: Records,
        origins: npt.NDArray[np.int64],
        inputs: Mapping[str, Records],
        until: int,
    ) -> tuple[dict[str, Records], dict[str, Records]]:
        """Output streams of the block, and those of the counters, of the cycles before ``until``.

        ``origins``: of ``commands``; ``inputs``: the block's, as they came.
        """
        self.commands = commands
        given = {self._stream: commands, "flop": self.flops}
        self.flops = self.flops[:0]
        for thread in range(SETS):
            if f"t{thread}.counter" in inputs:
                given[f"t{thread}.issue"] = inputs[f"t{thread}.counter"]
        found = self._adc.step(given, until)
        self._origins = np.concatenate((self._origins, origins))
        out = {}
        for ours, theirs in self._shown.items():
            records: Records = np.empty(found[theirs].shape[0], self._dtypes[ours])
            if records.shape[0]:
                for field in records.dtype.names or ():
                    records[field] = found[theirs][field]
                records["origin"] = self._translated(found[theirs]["origin"])
            out[ours] = records
        kept = self._origins[-2:].copy()  # a level shows in the cycle after its command
        self._first += self._origins.shape[0] - kept.shape[0]
        self._origins = kept
        return out, found

    def _translated(self, origins: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Origins of the counters' model as the block's."""
        index, number = np.divmod(origins, ORIGIN_STREAMS)
        out = index * ORIGIN_STREAMS + self._apart + number
        ours = number == BOUNDARY.number(self._stream)
        out[ours] = self._origins[index[ours] - self._first]
        out[number == _FLOP] = NOT_KNOWN
        return out
