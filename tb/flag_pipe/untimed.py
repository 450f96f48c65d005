# SPDX-License-Identifier: Apache-2.0
"""The flag pipe without time, led by what a run recorded.

Commands are taken in the order in which they were offered, core by core. Whether a clear was
granted depends on time: that is seen from the endpoints, which are not initialised in the next
cycle. Where neither was before, a clear changes nothing that is compared.
"""

from __future__ import annotations

from collections.abc import Mapping

from tilepath.engine.compiled.state import State
from tilepath.engine.description.stream import Records
from tilepath.isa.boundary.flag_pipe import CORES, ENDPOINTS, PAIRS
from tilepath.models.flag_pipe import Command, FlagPipe

Act = tuple[int, int, Command | None, int]  # cycle, core or behind them, command or pairs to clear


class UntimedFlagPipe:
    """Leads ``FlagPipe``."""

    def __init__(self, profile: str) -> None:
        self._pipe = FlagPipe(profile)
        self._acts: list[Act] = []
        self._gone: set[tuple[int, int]] = set()  # cycle, pair: an endpoint is not initialised

    def follow(self, inputs: Mapping[str, Records], expected: Mapping[str, Records]) -> None:
        """Execute what one block of cycles has recorded, but for the last cycle that is known."""
        for number in range(ENDPOINTS):
            level = expected[f"end{number}.endpoint"]
            self._gone |= {(int(c), number % PAIRS) for c in level["cycle"][level["init"] == 0]}
        for record in inputs["clr"]:
            self._acts.append((int(record["cycle"]), len(CORES), None, int(record["pairs"])))
        for number in range(len(CORES)):
            offered = inputs[f"core{number}.cmd"]
            columns = [offered[name].tolist() for name in ("cycle", *Command._fields)]
            for cycle, *fields in zip(*columns, strict=True):
                self._acts.append((cycle, number, Command(*fields), 0))
        records = (*inputs.values(), *expected.values())
        self._run(max((int(r["cycle"][-1]) for r in records if len(r)), default=0))

    def _run(self, until: int) -> None:
        """Execute what was recorded before cycle ``until``."""
        todo = sorted((act for act in self._acts if act[0] < until), key=lambda act: act[:2])
        self._acts = [act for act in self._acts if act[0] >= until]
        for cycle, number, command, pairs in todo:
            if command is not None:
                self._pipe.run([[command] if n == number else [] for n in range(len(CORES))])
            bits = [pair for pair in range(PAIRS) if pairs >> pair & 1]
            self._pipe.clear(*(pair for pair in bits if (cycle + 1, pair) in self._gone))
        self._gone = {(cycle, pair) for cycle, pair in self._gone if cycle >= until}

    def state(self) -> State:
        """As the boundary describes."""
        self._run(1 << 32)
        return self._pipe.state()
