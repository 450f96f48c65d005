# SPDX-License-Identifier: Apache-2.0
"""The control block without time, led by what a run recorded.

Words take effect in the order in which they issued, accesses of the cores in that in which they
won. A program that waits where it must comes to the same state as with time; one that lets
instructions overtake each other need not (``TestSpec.untimed``).
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

import numpy as np

from tilepath.engine.compiled.state import State
from tilepath.engine.description.stream import Records
from tilepath.isa.boundary.control import THREADS
from tilepath.isa.constants import CFG_GLOBAL_BASE, CFG_WORDS, THD_WORDS
from tilepath.isa.registers import config_field
from tilepath.models.control import ControlState

_STATE_RESET: Final = config_field("STATE_RESET_EN").addr32
_POST: Final = 15  # the largest value of a semaphore


class _Act(NamedTuple):
    """One thing that changes the state: of a stream, in the order of cycles."""

    cycle: int
    order: int  # within a cycle: stream registers, the cores, the threads
    stream: str
    record: np.void


class UntimedControl:
    """``issue``: the name of the stream of issued words."""

    def __init__(self, profile: str, issue: str = "issue") -> None:
        self._state = ControlState(profile)
        self._issue = issue
        self._waiting: dict[str, list[np.void]] = {"risc": [], "risc_sem": []}

    def follow(self, inputs: Mapping[str, Records], expected: Mapping[str, Records]) -> None:
        """Execute what took effect in one block of cycles."""
        parts = [_acts("stream_write", inputs["stream_write"], 0, 1)]
        for order, name in enumerate(self._waiting, 1):
            self._waiting[name] += list(inputs[name])
            parts.append(self._accesses(name, expected[f"{name}_done"], order))
        for thread in range(THREADS):
            name = f"t{thread}.{self._issue}"
            parts.append(_acts(f"t{thread}.issue", expected[name], 3 + thread, 0))
        for act in heapq.merge(*parts, key=lambda act: act[:2]):
            self._perform(act)

    def _accesses(self, name: str, done: Records, order: int) -> Iterator[_Act]:
        """Accesses of the cores: each has its effect in the cycle in which it is done."""
        waiting = self._waiting[name]
        finished, self._waiting[name] = waiting[: len(done)], waiting[len(done) :]
        for cycle, access in zip(done["cycle"].tolist(), finished, strict=True):
            # it won in the cycle before, as words issue in the cycle before they act
            yield _Act(cycle - 1, order, name, access)

    def _perform(self, act: _Act) -> None:
        record = act.record
        if act.stream == "stream_write":
            self._state.streams[record["stream"], record["register"]] = record["data"]
        elif act.stream == "risc":
            self._write(record)
        elif act.stream == "risc_sem":
            self._change_semaphore(record)
        else:
            self._state.execute(int(act.stream[1]), int(record["word"]))

    def _write(self, access: np.void) -> None:
        """A write of the cores (docs/control.md section 4, RISC addresses; C5, C6, C18)."""
        if not access["write"]:
            return
        place, data = int(access["address"]), int(access["data"])
        copy, index = divmod(place, CFG_WORDS)
        if copy < 3:
            banks = (0, 1) if copy == 2 or index >= CFG_GLOBAL_BASE else (copy,)
            if index != _STATE_RESET:
                for bank in banks:
                    self._state.config[bank, index] = data
            return
        thread, index = divmod(place - 3 * CFG_WORDS, THD_WORDS)
        if thread < THREADS:
            self._state.thread_config[thread, index] = data & 0xFFFF

    def _change_semaphore(self, access: np.void) -> None:
        """A post or a get of the cores, which saturates (C20)."""
        if access["write"]:
            value = int(self._state.semaphores[access["index"], 0])
            changed = max(value - 1, 0) if access["get"] else min(value + 1, _POST)
            self._state.semaphores[access["index"], 0] = changed

    def state(self) -> State:
        """As of ``ControlState.state``."""
        return self._state.state()


def _acts(stream: str, records: Records, order: int, delay: int) -> Iterator[_Act]:
    for record in records:
        yield _Act(int(record["cycle"]) + delay, order, stream, record)
