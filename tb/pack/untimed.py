# SPDX-License-Identifier: Apache-2.0
"""The packers without time, led by what a run recorded.

Instructions take effect in the order of issue. What is written in the cycle in which an instruction
issues is there when it is sampled (docs/pack.md section 4), so it comes before it; of the
histograms, Dst and L1 that is so only where tests leave the packers alone meanwhile.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import numpy as np

from tilepath.isa.boundary.pack import PACKERS, RUN, THREADS
from tilepath.isa.constants import CFG_GLOBAL_BASE
from tilepath.models.pack import PackState
from tilepath.models.pack.functional import Effect
from tilepath.models.state import State
from tilepath.tb.kernel.description.stream import Records

SUM_FACTOR: Final = 0x9E3779B97F4A7C15
_CLEAR: Final = 1  # op of ``hist``

Act = tuple[int, int, str, Any]  # cycle, place within the cycle, stream, record


class UntimedPackers:
    """Leads ``PackState``; ``told`` is called with thread, word and effect of each instruction."""

    def __init__(self, profile: str) -> None:
        self._state = PackState(profile)
        self.told: Callable[[int, int, Effect], None] = lambda _thread, _word, _effect: None
        counters = {f"t{t}.counter": self._counter for t in range(THREADS)}
        setc16 = {f"t{t}.setc16": self._setc16 for t in range(THREADS)}
        self._actions: Final[dict[str, Callable[[str, Any], None]]] = {
            **counters,
            "cfg": self._cfg,
            "flop": self._flop,
            "store": self._store,
            **setc16,
            "dst_zero": self._dst_zero,
            "dst_write": self._dst_write,
            "hist": self._hist,
            "offset": self._offset,
            "l1_write": self._l1_write,
            "issue": self._issue,
        }

    def follow(self, inputs: Mapping[str, Records], _expected: Mapping[str, Records]) -> None:
        """Execute what one block of cycles has recorded."""
        order = enumerate(self._actions)
        parts = [_acts(name, inputs[name], place) for place, name in order]
        for _, _, name, record in heapq.merge(*parts, key=lambda act: act[:2]):
            self.perform(name, record)

    def perform(self, name: str, record: Any) -> None:
        """What one record of an input stream does."""
        self._actions[name](name, record)

    def _issue(self, _name: str, record: Any) -> None:
        thread, word = int(record["thread"]), int(record["word"])
        self.told(thread, word, self._state.execute(thread, word))

    def _counter(self, name: str, record: Any) -> None:
        self._state.adc.execute(int(name[1]), int(record["word"]))

    def _cfg(self, _name: str, record: Any) -> None:
        self._written(int(record["banks"]), record)

    def _flop(self, _name: str, record: Any) -> None:
        self._written(1 << int(record["bank"]), record)

    def _written(self, banks: int, record: Any) -> None:
        index = int(record["index"])
        for bank in (0, 1):
            if not banks >> bank & 1 and index < CFG_GLOBAL_BASE:
                continue
            if record["wide"]:
                self._state.config[bank, index & ~3 : (index & ~3) + 4] = record["data"]
            else:
                self._state.config[bank, index] = record["data"][0]

    def _store(self, _name: str, record: Any) -> None:
        self._state.thread_config[record["thread"], record["index"]] = record["value"]

    def _setc16(self, name: str, record: Any) -> None:
        self._state.thread_config[int(name[1]), record["index"]] = record["value"]

    def _dst_write(self, _name: str, record: Any) -> None:
        rows = record["data"].view("<u2").reshape(RUN, 16)
        for k in range(int(record["count"])):
            row = (int(record["row"]) + k) % 1024
            columns = record["mask"][k] >> np.arange(16) & 1 == 1
            self._state.dst[row, columns] = rows[k, columns]
            self._state.dst_valid[row] = 1

    def _dst_zero(self, _name: str, record: Any) -> None:
        first = 0 if record["all"] else 512 * int(record["half"])
        self._state.dst_valid[first : 1024 if record["all"] else first + 512] = 0

    def _hist(self, _name: str, record: Any) -> None:
        if record["op"] == _CLEAR:
            self._state.bins[:] = 0
            self._state.maximum[:] = 0

    def _offset(self, _name: str, record: Any) -> None:
        for packer in range(PACKERS):
            if record["packers"] >> packer & 1:
                self._state.l1_dest_addr_offset[packer] = record["value"]

    def _l1_write(self, _name: str, record: Any) -> None:
        lines = self._state.l1.view("<u4").reshape(-1, 4)
        for k, data in enumerate(record["data"].reshape(-1, 4)):
            line = (int(record["line"]) + k) % (1 << 17)
            if line < len(lines):
                lines[line] = data

    def state(self) -> State:
        """As the boundary describes it."""
        words = self._state.l1.view("<u4").astype(np.uint64)
        weighted = words * (2 * np.arange(len(words), dtype=np.uint64) + np.uint64(1))
        total = int(weighted.sum(dtype=np.uint64)) * SUM_FACTOR % (1 << 64)
        return {
            "dst": self._state.dst.copy(),
            "dst_valid": self._state.dst_valid.copy(),
            "bins": self._state.bins.copy(),
            "maximum": self._state.maximum.copy(),
            "l1_sum": np.array([total & 0xFFFF_FFFF, total >> 32], np.uint32),
        }


def _acts(name: str, records: Records, place: int) -> Iterator[Act]:
    for cycle, record in zip(records["cycle"].tolist(), records, strict=True):
        yield cycle, place, name, record
