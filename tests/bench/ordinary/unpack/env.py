# SPDX-License-Identifier: Apache-2.0
"""The unpackers' ordinary bench."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

from tilepath.tb.unpack.streams import HOLDING, SLOTS, THREADS, UNPACKERS, WRITES
from tilepath.tests.bench.ordinary.agent import BlockEnv
from tilepath.tests.bench.ordinary.counters import CounterMonitor
from tilepath.tests.bench.ordinary.drivers import HeldDriver, LevelDriver, PinlessDriver, Waits
from tilepath.tests.bench.ordinary.monitors import PortMonitor
from tilepath.tests.bench.ordinary.ports import reader
from tilepath.tests.bench.ordinary.unpack.gate import Gate, GateDriver
from tilepath.tests.bench.ordinary.unpack.surroundings import L1Driver, L1Memory

_DST = 2  # target of a row of the Matrix Unit
_GROUP = (1 << SLOTS) - 1
_LOW = (1 << 19) - 1
_HIGH = (1 << 13) - 1


class BankDriver(HeldDriver):
    """Drives what may wait for a bank, or for unpacker 0."""

    def build_phase(self) -> None:
        """Look up whose the banks are, and when unpacker 0 writes Dst."""
        super().build_phase()
        self._owner = self.ports.reader("owner_o")
        self._pause = self.ports.reader("pause_o")


class FlopMonitor(PortMonitor):
    """REG2FLOP's writes, in the cycle in which they are made."""

    def valid(self, _stream: str) -> str:
        """Leave out the field that says that a write is there."""
        return "flop_done_o"


class MatrixDriver(BankDriver):
    """The Matrix Unit's commands, with its bank pointers."""

    others = ("matrix_pointers_i",)
    banks = 0

    def free(self, item: Any) -> bool:
        """Neither does it wait for a bank, nor for unpacker 0."""
        return super().free(item) and not item.wait and not item.zero

    def met(self, item: Any) -> bool:
        """Banks may have to be the Matrix Unit's."""
        return (
            super().met(item)
            and not (item.zero and self._pause())
            and all(
                self._owner() >> 2 * file + (self._banks(item) >> file & 1) & 1
                for file in range(2)
                if item.wait >> file & 1
            )
        )

    def _banks(self, item: Any) -> int:
        return self.banks if item.follow else int(item.banks)

    def show(self, item: Any) -> None:
        """The banks may be those of the pointers."""
        item.banks = self._banks(item)
        super().show(item)

    def end(self, item: Any) -> None:
        """The pointers may change."""
        super().end(item)
        if item.toggle:
            self.banks ^= item.toggle
            self.pin["matrix_pointers_i"].value = self.banks


class MatrixWriteDriver(BankDriver):
    """Rows that the Matrix Unit writes."""

    def free(self, item: Any) -> bool:
        """Neither does it wait for a bank, nor for unpacker 0."""
        return super().free(item) and not item.wait and item.target != _DST

    def met(self, item: Any) -> bool:
        """A bank may have to be the Matrix Unit's; Dst is written when unpacker 0 does not."""
        if item.target == _DST:
            return super().met(item) and not self._pause()
        owned = self._owner() >> 2 * item.target + item.bank & 1
        return super().met(item) and bool(not item.wait or owned)


class UnpackerMonitor(PortMonitor):
    """What one unpacker takes, reads, writes and reports."""

    def build_phase(self) -> None:
        """Look up what makes a write."""
        super().build_phase()
        read = self.ports.reader
        names = ("dst", "wide", "bank", "transpose", "address", "mask", "low", "high")
        *self._common, self._mask, self._low, self._high = (read(f"write_{n}_o") for n in names)
        self._write_valid = read("write_valid_o")
        self._writes = [self.name_of(name) for name in WRITES]

    def sample(self, cycle: int) -> None:
        """Look at all of them."""
        super().sample(cycle)
        if self._write_valid():
            self._write(cycle)

    def _write(self, cycle: int) -> None:
        """A record for each 32 slots of which any is written; a slot's data in its own word."""
        common = [read() for read in self._common]
        mask, low, high = self._mask(), self._low(), self._high()
        for group, name in enumerate(self._writes):
            some = mask >> SLOTS * group & _GROUP
            if some:
                words = 0
                for slot in range(SLOTS):
                    word = low >> 19 * (SLOTS * group + slot) & _LOW
                    if group == 0:
                        word |= (high >> 13 * slot & _HIGH) << 19
                    words |= word << 32 * slot
                self.event(name, cycle, *common, some, words)


class Env(BlockEnv):
    """An agent for each thread and each unpacker, and three more."""

    block = "unpack"
    names: ClassVar = {
        **{"matrix_bank": "matrix_pointers", "setreg_base": "setreg"},
        "flop": [f"flop_{name}_i" for name in ("offered", "bank", "index", "wide", "data")],
        "read": (
            *("l1_valid_o", "l1_count_o", "l1_lines_o", "l1_has_exponent_o", "l1_exponent_o"),
            *("l1_has_delta_o", "l1_delta_o", "l1_rsi_count_o", "l1_rsi_o"),
        ),
    }

    def make_agents(self) -> None:
        """Eight of them."""
        dut = self.dut
        self.shared = Waits(HOLDING.sources, reader(dut.busy_o))
        counters = ("unpacker0", "unpacker1", "counter", "setc16", "counter_fault")
        for t in range(THREADS):
            drivers = {"issue": GateDriver, "setc16": HeldDriver}
            self.agent(f"t{t}", drivers, {CounterMonitor: counters}, index=t, prefix="t")
        streams = (
            *("issue", "read", "clear", "overlay", "setreg", "fault", "read_fault", "write_fault"),
            "pointers",
        )
        for u in range(UNPACKERS):
            self.agent(f"u{u}", monitors={UnpackerMonitor: streams}, index=u, prefix="u")
        self.agent(
            "unit",
            {
                **{"cfg": HeldDriver, "matrix": MatrixDriver, "matrix_write": MatrixWriteDriver},
                # comes beside other writes: waits for the config unit
                **{"flop": partial(HeldDriver, ready="flop_done_o"), "store": HeldDriver},
                "setreg_base": LevelDriver,
            },
            {
                FlopMonitor: ("flop",),
                PortMonitor: (
                    *("cfg", "store", "matrix", "matrix_write", "unit_fault", "counter_conflict"),
                    *("answer_a", "answer_b", "answer_d", "pause", "stale", "implied"),
                    *("matrix_bank", "setreg_base", "ready", "hold", "owner", "busy"),
                ),
            },
        )
        self.agent("gate", responder=Gate)
        self.agent(
            "l1",
            {"l1_write": L1Driver, "l1_latency": PinlessDriver},
            responder=partial(L1Memory, profile=self.profile),
        )
