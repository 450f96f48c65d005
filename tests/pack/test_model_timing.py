# SPDX-License-Identifier: Apache-2.0
"""Worked timelines of the contract (timelines.toml)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tilepath import isa
from tilepath.engine.compiled.records import Records
from tilepath.isa import constants
from tilepath.isa.boundary.pack import BOUNDARY
from tilepath.models.pack.cycle import PackModel
from tilepath.tests.pack.model_helpers import plain, put
from tilepath.tests.tables import beside

START = 100  # of what is told; everything before is configuration
FORMATS = {"bf16": (5, 5, 0), "fp32": (0, 0, 1), "int8": (14, 14, 0), "bfp8": (5, 6, 0)}
CASES = beside(__file__, "timelines")["case"]


def records(text: str) -> Iterator[tuple[int, ...]]:
    """Cycle and fields of each record of a text."""
    for part in text.split():
        first, last, step, fields = re.fullmatch(r"(\d+)-?(\d*)/?(\d*)((?::\d+)*)", part).groups()  # type: ignore[union-attr]
        for cycle in range(int(first), int(last or first) + 1, int(step or 1)):
            yield cycle, *map(int, fields.split(":")[1:])


class Script:
    """Input records of a run, by cycle."""

    def __init__(self, case: dict[str, Any]) -> None:
        self._given: dict[str, list[tuple[int, dict[str, Any]]]] = {}
        self._config = np.zeros((2, constants.CFG_WORDS), np.uint32)
        self._written = np.zeros_like(self._config)
        form, count = case.get("format", "bf16"), case.get("count", 16)
        inner, to, wide = FORMATS[form]
        state = SimpleNamespace(config=self._config)
        plain(state, 0x400)
        for packer in range(4):
            put(state, packer, from_=inner, to=to, exp_size=0x100, row_size=0x40)
            put(state, packer, dst_offset=16 * packer)
        row = 16 * max(4 >> (inner & 3), 1)  # bytes
        put(state, inner=inner, wide=wide, raw=int(form == "int8"), y_stride=row)
        self.configure(-START, 0, case.get("given", {}))
        self.add("l1_ready", -START, value=0xF)
        self.add("l1_latency", -START, cycles=4)
        rows = 4 if case.get("profile") == "blackhole" else 1  # of a PACR with ``addr_mode`` 1
        self.add("t0.setc16", 1 - START, index=38, value=rows)
        word = isa.encode("SETADCXX", target=4, x0_val=0, x1_val=(count - 1) & 0x3FF)
        self.add("t0.counter", -10, word=word)
        for what in case["do"]:
            self._do(**what)

    def add(self, stream: str, cycle: int, **fields: Any) -> None:
        """A record of an input."""
        self._given.setdefault(stream, []).append((cycle + START, fields))

    def configure(self, cycle: int, packer: int, fields: dict[str, int]) -> None:
        """Configuration words that change, four a cycle from ``cycle`` on."""
        put(SimpleNamespace(config=self._config), packer, **fields)
        for index in range(0, constants.CFG_WORDS, 4):
            words = self._config[0, index : index + 4]
            if (words != self._written[0, index : index + 4]).any():
                self.add("cfg", cycle, banks=3, index=index, wide=1, data=words.copy())
                cycle += 1
        self._written[:] = self._config

    def _do(self, *, at: int = 0, packer: int = 0, thread: int = 0, **what: Any) -> None:
        """One of the things that a case does; PACRs step through the rows of a tile."""
        if "set" in what:
            self.configure(at, packer, what["set"])
        elif "stream" in what:
            self.add(what.pop("stream"), at, **what)
        elif "setreg" in what:
            word = isa.encode("PACR_SETREG", **what["setreg"])
            self.add("issue", at, thread=thread, word=word)
        else:
            cycles = records(what.pop("issue"))
            fields = {"read_intf_sel": what.pop("mask", 1), "addr_mode": 1} | what
            for (cycle,) in cycles:
                self.add("issue", cycle, thread=thread, word=isa.encode("PACR", **fields))

    def inputs(self) -> dict[str, Records]:
        """As the model takes them."""
        found = {}
        for stream, given in self._given.items():
            rows = np.zeros(len(given), BOUNDARY.stream(stream).dtype)
            for row, (cycle, fields) in zip(rows, sorted(given, key=lambda r: r[0]), strict=True):
                for name, value in {"cycle": cycle, **fields}.items():
                    row[name] = value
            found[stream] = rows
        return found


@pytest.mark.parametrize("case", [pytest.param(case, id=case["name"]) for case in CASES])
def test_case(case: dict[str, Any]) -> None:
    model = PackModel(case.get("profile", "baseline"))
    out = model.step(Script(case).inputs(), START + 400)
    for which, text in case["want"].items():
        name, *fields = which.split()
        wanted, behind, _ = text.partition("...")
        parts = re.fullmatch(r"(\w)(\d)-(\d)(\..*)", name)
        streams = (
            [f"{parts[1]}{n}{parts[4]}" for n in range(int(parts[2]), int(parts[3]) + 1)]
            if parts
            else [name]
        )
        for stream in streams:
            found = [
                (int(row["cycle"]) - START, *(int(np.sum(row[field])) for field in fields))
                for row in out[stream]
                if row["cycle"] >= START
            ]
            want = [*records(wanted)]
            assert (found[: len(want)] if behind else found) == want, stream
    assert model.waiting() == []
    if "valid" in case:
        assert np.flatnonzero(model.state()["dst_valid"]).tolist() == case["valid"]
