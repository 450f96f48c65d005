# SPDX-License-Identifier: Apache-2.0
"""Drivers of the control block."""

from __future__ import annotations

from typing import Any, ClassVar

from tilepath.tests.bench.ordinary.drivers import HeldDriver, LevelDriver, Progress
from tilepath.tests.bench.ordinary.ports import Reader

THREAD_SOURCE, RISC_SOURCE, SEM_SOURCE, BELOW = 1, 4, 5, 6


class Shared(Progress):
    """What items wait for: accesses of each source, or a semaphore; and levels without pins."""

    def __init__(self, semaphores: Reader) -> None:
        super().__init__(SEM_SOURCE + 1, 0xFFFF)
        self._semaphores = semaphores
        self.conditions: Any = None
        self.work: Any = None

    def free(self, item: Any) -> bool:
        """Source 0 is nothing."""
        return not item.after_source

    def met(self, item: Any) -> bool:
        """Enough was done, or the semaphore is below or above the limit."""
        source = item.after_source
        if source < BELOW:
            return bool(self.counts[source] >= item.after_count)
        value = self._semaphores() >> 4 * item.after_semaphore & 15
        return bool(value < item.after_limit if source == BELOW else value > item.after_limit)


class IssueDriver(HeldDriver):
    """Offers the words of one thread."""

    valid, ready = "issue_valid_i", "issue_ready_o"
    fields: ClassVar = {"word": "issue_word_i"}

    def build_phase(self) -> None:
        """The thread is known."""
        super().build_phase()
        assert self.ports.index is not None
        self.source = THREAD_SOURCE + self.ports.index


class RiscDriver(HeldDriver):
    """Configuration accesses."""

    source = RISC_SOURCE
    valid, ready = "risc_valid_i", "risc_done_o"
    fields: ClassVar = {name: f"risc_{name}_i" for name in ("write", "address", "data")}


class SemDriver(HeldDriver):
    """Semaphore accesses."""

    source = SEM_SOURCE
    valid, ready = "risc_sem_valid_i", "risc_sem_done_o"
    fields: ClassVar = {name: f"risc_sem_{name}_i" for name in ("write", "index", "get")}


class StreamDriver(HeldDriver):
    """Writes stream registers, which have no pins: in the cycle in which the item begins."""

    def end(self, item: Any) -> None:
        """The register shows it from now on."""
        self.shared.registers.write(item.stream, item.register, item.data)


class ConditionsDriver(LevelDriver):
    """``stream_busy``, and what is forced upon conditions and units, which the stubs do."""

    fields: ClassVar = {"stream_busy": "stream_busy_i"}

    def show(self, item: Any) -> None:
        """Tell the stubs, too."""
        super().show(item)
        self.shared.conditions = item


class WorkDriver(LevelDriver):
    """How long words keep units busy."""

    def show(self, item: Any) -> None:
        """Tell the stubs."""
        self.shared.work = item
