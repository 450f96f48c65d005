# SPDX-License-Identifier: Apache-2.0
"""Drivers of the unpackers."""

from __future__ import annotations

from typing import Any, ClassVar

from tilepath.tb.unpack.streams import LATENCY
from tilepath.tests.bench.ordinary.drivers import HeldDriver, LevelDriver, Waits
from tilepath.tests.bench.ordinary.ports import Reader

CFG, SETC16, MATRIX, L1_WRITE = 4, 5, 8, 9
"""Sources of what items wait for, behind the threads' words; ``SETC16`` of thread 0."""
_SOURCES = 9
_SRCB = 1  # file of a command of the Matrix Unit


class Shared(Waits):
    """What components have in common besides pins."""

    def __init__(self, busy: Reader, owner: Reader) -> None:
        super().__init__(_SOURCES, busy)
        self.owner = owner
        self.latency = LATENCY
        self.matrix_banks = 0


class CfgDriver(HeldDriver):
    """Configuration writes."""

    source = CFG
    valid = "cfg_valid_i"
    fields: ClassVar = {name: f"cfg_{name}_i" for name in ("banks", "index", "wide", "data")}


class Setc16Driver(HeldDriver):
    """Writes of a thread's own configuration."""

    valid = "setc16_valid_i"
    fields: ClassVar = {"index": "setc16_index_i", "value": "setc16_value_i"}

    def build_phase(self) -> None:
        """The thread is known."""
        super().build_phase()
        assert self.ports.index is not None
        self.source = SETC16 + self.ports.index


class MatrixDriver(HeldDriver):
    """The Matrix Unit, with its bank pointers."""

    source = MATRIX
    valid = "matrix_valid_i"
    fields: ClassVar = {name: f"matrix_{name}_i" for name in ("op", "file", "bank", "row")}
    others = ("matrix_banks_i",)

    def free(self, item: Any) -> bool:
        """Neither does it wait for a bank."""
        return super().free(item) and not item.wait

    def met(self, item: Any) -> bool:
        """A bank may have to be the Matrix Unit's."""
        bank = 2 * (item.file == _SRCB) + self._bank(item)
        return super().met(item) and bool(not item.wait or self.shared.owner() >> bank & 1)

    def _bank(self, item: Any) -> int:
        banks = self.shared.matrix_banks >> (item.file == _SRCB)
        return int(banks & 1 if item.follow else item.bank)

    def show(self, item: Any) -> None:
        """The bank may be that of the pointer."""
        item.bank = self._bank(item)
        super().show(item)

    def end(self, item: Any) -> None:
        """The pointer may change."""
        super().end(item)
        if item.toggle and item.file <= _SRCB:
            self.shared.matrix_banks ^= 1 << item.file
            self.pin["matrix_banks_i"].value = self.shared.matrix_banks


class BaseDriver(LevelDriver):
    """The bases of SETREG."""

    fields: ClassVar = {"base0": "setreg_base0_i", "base1": "setreg_base1_i"}


class LatencyDriver(LevelDriver):
    """How long L1 takes."""

    def show(self, item: Any) -> None:
        """Tell L1."""
        self.shared.latency = item.latency


class L1Driver(HeldDriver):
    """Writes L1, which has no pins for it."""

    source = L1_WRITE

    def end(self, item: Any) -> None:
        """The write is over."""
        super().end(item)
        self.shared.l1.write(item.line, item.data)
