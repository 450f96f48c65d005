# SPDX-License-Identifier: Apache-2.0
"""Runs of the cycle-exact model: configuration first, then words from cycle ``START`` on."""

from __future__ import annotations

from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any

import numpy as np

from tilepath import isa
from tilepath.engine.compiled.records import Records
from tilepath.isa import constants
from tilepath.isa.boundary.pack import BOUNDARY
from tilepath.models.pack.cycle import PackModel
from tilepath.tests.pack.model_helpers import TILE, put

START = 100  # everything before is configuration
LINE = TILE >> 4
FORMATS = {"bf16": (5, 5, 0), "fp32": (0, 0, 1), "int8": (14, 14, 0), "bfp8": (5, 6, 0)}


class Script:
    """Input records of a run, by cycle."""

    def __init__(
        self, profile: str = "baseline", fmt: str = "bf16", count: int = 16, **fields: int
    ) -> None:
        """Configuration of all packers, for PACRs of ``count`` datums.

        ``fields``: short names of ``model_helpers``.
        """
        self.profile = profile
        self.records: dict[str, list[tuple[int, dict[str, Any]]]] = {}
        self.config = np.zeros((2, constants.CFG_WORDS), np.uint32)
        self.written = np.zeros_like(self.config)
        state = SimpleNamespace(config=self.config)
        inner, to, wide = FORMATS[fmt]
        rows = 4 if profile.startswith("blackhole") else 1  # of a PACR with ``addr_mode`` 1
        for packer in range(4):
            put(state, packer, plain=1, l1=LINE + 0x400 * packer, sub=1, reads=16, to=to)
            put(state, packer, from_=inner, exp_size=0x100, row_size=0x40, dst_offset=16 * packer)
        row = 16 * max(4 >> (inner & 3), 1)  # bytes
        put(state, inner=inner, r32=wide, raw=int(fmt == "int8"), y_stride=row)
        put(state, mask0=0xFFFF, mask1=0xFFFF, mask2=0xFFFF, mask3=0xFFFF, **fields)
        self.configure(0)
        self.add("l1_ready", 0, value=0xF)
        self.add("l1_latency", 0, cycles=4)
        self.add("t0.setc16", 1, index=38, value=rows)
        self.datums(START - 10, count)

    def add(self, stream: str, cycle: int, **fields: Any) -> None:
        """A record of an input."""
        self.records.setdefault(stream, []).append((cycle, fields))

    def configure(self, cycle: int, packer: int = 0, **fields: int) -> None:
        """Configuration words that have changed, four a cycle from ``cycle`` on."""
        put(SimpleNamespace(config=self.config), packer, **fields)
        for index in range(0, constants.CFG_WORDS, 4):
            words = self.config[0, index : index + 4]
            if (words != self.written[0, index : index + 4]).any():
                self.add("cfg", cycle, banks=3, index=index, wide=1, data=words.copy())
                cycle += 1
        self.written[:] = self.config

    def datums(self, cycle: int, count: int) -> None:
        """X of both channels of thread 0, for that many datums from now on."""
        word = isa.encode("SETADCXX", target=4, x0_val=0, x1_val=(count - 1) & 0x3FF)
        self.add("t0.counter", cycle, word=word)

    def issue(self, cycles: Iterable[int], mask: int = 1, **fields: int) -> None:
        """PACRs in these cycles; those of a tile step through its rows (``addr_mode`` 1)."""
        for cycle in cycles:
            word = isa.encode("PACR", read_intf_sel=mask, **{"addr_mode": 1, **fields})
            self.add("issue", cycle, thread=0, word=word)

    def inputs(self) -> dict[str, Records]:
        """As the model takes them."""
        found = {}
        for stream, given in self.records.items():
            rows = np.zeros(len(given), BOUNDARY.stream(stream).dtype)
            for row, (cycle, fields) in zip(rows, sorted(given, key=lambda r: r[0]), strict=True):
                row["cycle"] = cycle
                for name, value in fields.items():
                    row[name] = value
            found[stream] = rows
        return found

    def run(self, until: int) -> Run:
        """Outputs of cycles 0 to ``until`` - 1."""
        model = PackModel(self.profile)
        return Run(model, model.step(self.inputs(), until))


class Run:
    """Outputs of a run; cycles count from ``START`` on."""

    def __init__(self, model: PackModel, out: dict[str, Records]) -> None:
        self.model, self.out = model, out

    def cycles(self, stream: str) -> list[int]:
        """When the records of a stream are."""
        return [int(cycle) - START for cycle in self.out[stream]["cycle"]]

    def records(self, stream: str, *fields: str) -> list[tuple[int, ...]]:
        """Cycle and fields of the records of a stream from ``START`` on."""
        return [
            (int(r["cycle"]) - START, *(int(r[name]) for name in fields))
            for r in self.out[stream]
            if r["cycle"] >= START
        ]
