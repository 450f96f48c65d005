# SPDX-License-Identifier: Apache-2.0
"""Worked timelines of the contract (timelines.toml)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tilepath import isa
from tilepath.models.format_codes import INT8
from tilepath.models.pack.cycle import PackModel
from tilepath.tests.pack.pack_cover import Program
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


def played(case: dict[str, Any]) -> Program:
    """Configuration of all packers, and what a case does; PACRs step through the rows of a tile."""
    inner, to, wide = FORMATS[case.get("format", "bf16")]
    row = 16 * max(4 >> (inner & 3), 1)  # bytes
    program = Program(case.get("profile", "baseline"), y_stride=row, raw=int(inner == INT8))
    for packer in range(4):
        sections = {"exp_size": 0x100, "row_size": 0x40, "dst_offset": 16 * packer}
        program.config(packer, from_=inner, to=to, inner=inner, wide=wide, **sections)
    program.config(**case.get("given", {})).datums(case.get("count", 16))
    program.thread_word(0, 38, 4 if "profile" in case else 1)  # rows of a PACR with ``addr_mode`` 1
    assert program.cycle < START - 60
    for what in case["do"]:
        _do(program, **what)
    return program


def _do(program: Program, *, at: int = 0, thread: int = 0, **what: Any) -> None:
    """One of the things that a case does."""
    if "set" in what:
        program.cycle = START + at
        program.config(what.get("packer", 0), **what["set"])
    elif "stream" in what:
        program.add(what.pop("stream"), START + at, **what)
    elif "setreg" in what:
        program.add("issue", START + at, thread, isa.encode("PACR_SETREG", **what["setreg"]))
    else:
        cycles = records(what.pop("issue"))
        fields = {"read_intf_sel": what.pop("mask", 1), "addr_mode": 1} | what
        for (cycle,) in cycles:
            program.add("issue", START + cycle, thread, isa.encode("PACR", **fields))


@pytest.mark.parametrize("case", [pytest.param(case, id=case["name"]) for case in CASES])
def test_case(case: dict[str, Any]) -> None:
    model = PackModel(case.get("profile", "baseline"))
    out = model.step(played(case).inputs(), START + 400)
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
