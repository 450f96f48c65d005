# SPDX-License-Identifier: Apache-2.0
"""The math stand-in without time, led by what a run recorded.

At the end of the run everything is executed in the order of these cycles: a write to the
configuration or of a row its own; an instruction that in which it samples, in front of what is
written there. Tests load no rows while an instruction is inside, so it finds all that came before.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from tilepath.isa.boundary.standin import BOUNDARY, THREADS
from tilepath.isa.constants import CFG_GLOBAL_BASE
from tilepath.models.standin import MatrixUnit
from tilepath.models.state import State
from tilepath.tb.kernel.description.stream import Records

_SETC16: Final = tuple(f"t{thread}.setc16" for thread in range(THREADS))
_LEVELS: Final = ("owner", "implied", "unpack_bank", "pause")
_KEPT: Final = ("issue", "cfg", *_SETC16, "load", *_LEVELS)
_DST: Final = 2


class UntimedStandin:
    """Leads a ``MatrixUnit``; ``ValueError`` for an unknown profile."""

    def __init__(self, profile: str) -> None:
        self._unit = MatrixUnit(profile)
        self._kept: dict[str, list[Records]] = {
            name: [np.zeros(int(name in _LEVELS), BOUNDARY.stream(name.rpartition(".")[2]).dtype)]
            for name in _KEPT
        }

    def follow(self, inputs: Mapping[str, Records], _expected: Mapping[str, Records]) -> None:
        """Keep what one block of cycles has recorded."""
        for name, kept in self._kept.items():
            kept.append(inputs[name])

    def state(self) -> State:
        """As the boundary describes it, after everything that has been followed."""
        run = {name: np.concatenate(kept) for name, kept in self._kept.items()}
        for name, kept in self._kept.items():
            kept[:] = [run[name][-1:] if name in _LEVELS else run[name][:0]]
        acts: list[tuple[int, int, str, Any]] = [
            (int(record["cycle"]), 1, name, record)
            for name in ("cfg", *_SETC16, "load")
            for record in run[name]
        ]
        acts += [(_sampled(run, int(word["cycle"])), 0, "issue", word) for word in run["issue"]]
        for cycle, _, name, record in sorted(acts, key=lambda act: act[:2]):
            if name == "issue":
                self._sample(run, cycle)
                self._unit.execute(int(record["thread"]), int(record["word"]))
            elif name == "load":
                self._load(record)
            else:
                self._configure(name, record)
        return self._unit.state()

    def _sample(self, run: Mapping[str, Records], cycle: int) -> None:
        """The levels of a cycle."""
        unit = self._unit
        owner, implied, banks = (_level(run[name], cycle) for name in _LEVELS[:3])
        for place in range(4):
            unit.src_owner[place >> 1, place & 1] = owner >> place & 1
            unit.implied[place >> 1, place & 1] = implied >> 4 * place & 15
        unit.src_bank[:] = banks & 1, banks >> 1

    def _load(self, record: Any) -> None:
        unit, row = self._unit, int(record["row"])
        if record["target"] == _DST:
            unit.dst[row], unit.dst_valid[row] = record["data"], record["row_valid"]
        else:
            file = unit.src_b if record["target"] else unit.src_a
            file[record["bank"], row & 63] = record["data"]

    def _configure(self, name: str, record: Any) -> None:
        unit, index = self._unit, int(record["index"])
        if name != "cfg":
            if index < unit.thread_config.shape[1]:
                unit.thread_config[int(name[1]), index] = record["value"]
            return
        first, count = (index & ~3, 4) if record["wide"] else (index, 1)
        for word in range(first, min(first + count, unit.config.shape[1])):
            for bank in (0, 1):
                if record["banks"] >> bank & 1 or word >= CFG_GLOBAL_BASE:
                    unit.config[bank, word] = record["data"][word - first]


def _level(records: Records, cycle: int) -> int:
    return int(records["value"][np.searchsorted(records["cycle"], cycle, side="right") - 1])


def _sampled(run: Mapping[str, Records], issue: int) -> int:
    """The first cycle behind ``issue`` without a pause."""
    pause = run["pause"]
    if not _level(pause, issue + 1):
        return issue + 1
    behind = pause[np.searchsorted(pause["cycle"], issue + 1, side="right") :]
    return int(behind["cycle"][behind["value"] == 0][0])
