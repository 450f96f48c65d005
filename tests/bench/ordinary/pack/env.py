# SPDX-License-Identifier: Apache-2.0
"""The packers' ordinary bench, with Dst."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

from tilepath.isa.boundary.pack import LANES, PACKERS, RUN, SLOTS
from tilepath.tb.pack.streams import HOLDING, OPCODES
from tilepath.tests.bench.ordinary.agent import BlockEnv
from tilepath.tests.bench.ordinary.drivers import (
    HeldDriver,
    ItemDriver,
    LevelDriver,
    PinlessDriver,
    Waits,
)
from tilepath.tests.bench.ordinary.gate import (
    FLOP_PORTS,
    SECOND_DRIVERS,
    FlopMonitor,
    Gate,
    add_threads,
)
from tilepath.tests.bench.ordinary.l1 import L1Driver
from tilepath.tests.bench.ordinary.monitors import PortMonitor, Sample
from tilepath.tests.bench.ordinary.pack.surroundings import L1Memory
from tilepath.tests.bench.ordinary.ports import Reader, reader


class DstDriver(HeldDriver):
    """Runs of rows of Dst."""

    def show(self, item: Any) -> None:
        """Masks follow one another."""
        item.mask = sum((item.mask >> 32 * k & 0xFFFF) << 16 * k for k in range(RUN))
        super().show(item)


class BaseDriver(LevelDriver):
    """Base and scalers of SETREG; the scalers have one port."""

    def show(self, item: Any) -> None:
        """Scaler 0 lowest."""
        scalers = (item.scaler0, item.scaler1, item.scaler2, item.scaler3)
        item.scaler0 = sum(s << 9 * k for k, s in enumerate(scalers))
        super().show(item)


def _names(prefix: str, count: int, stream: str) -> tuple[str, ...]:
    return tuple(f"{prefix}{k}.{stream}" for k in range(count))


class LineMonitor(PortMonitor):
    """Rows of Dst, lines of L1 and their faults: of each kind several streams at once."""

    # streams → the vector that says which of them have something, the ports of the fields
    vectors: ClassVar = {
        _names("l", LANES, "row"): ("row_granted_o", "row_row_o"),
        _names("w", SLOTS, "write"): (
            *("write_valid_o", "write_line_o", "write_kind_o", "write_data_o"),
        ),
        _names("p", PACKERS, "run_fault"): ("run_fault_valid_o", "run_fault_o"),
        _names("p", PACKERS, "read"): ("read_valid_o", "read_line_o", "read_count_o"),
    }

    def build_phase(self) -> None:
        """Look all signals up; the read of the source is the last one's last."""
        super().build_phase()
        dut, stream = self.ports.dut, self.ports.stream
        self._vectors: list[tuple[Reader, list[tuple[str, Sample]]]] = []
        for names, (valid, *ports) in self.vectors.items():
            samples = [
                (name, Sample(stream(name), [getattr(dut, port)[k] for port in ports]))
                for k, name in enumerate(names)
            ]
            self._vectors.append((self.ports.reader(valid), samples))
        self._vectors[-1][1].append(
            ("source", Sample(stream("source"), [dut.read_line_o[PACKERS]]))
        )

    def sample(self, cycle: int) -> None:
        """Look at what is valid."""
        for read, streams in self._vectors:
            valid = read()
            while valid:
                low = valid & -valid
                name, fields = streams[low.bit_length() - 1]
                self.event(name, cycle, *fields())
                valid ^= low


class UnitMonitor(PortMonitor):
    """What all packers have in common."""

    def build_phase(self) -> None:
        """Look up what makes a run of rows."""
        super().build_phase()
        self._written = self.ports.reader("dst_written_o")
        self._run = [
            self.ports.reader(f"dst_{name}_i") for name in ("row", "count", "mask", "data")
        ]

    def sample(self, cycle: int) -> None:
        """Look at all of them; each mask has a word of its own."""
        super().sample(cycle)
        if self._written():
            row, count, mask, data = (read() for read in self._run)
            words = sum((mask >> 16 * k & 0xFFFF) << 32 * k for k in range(RUN))
            self.event("dst_write", cycle, row, count, words, data)


class Env(BlockEnv):
    """An agent for each thread, and three more."""

    block = "pack"
    names: ClassVar = {
        **{"dst_zero": "zero", "hist_data": "hist", "flop": FLOP_PORTS},
        "dst_write": ("dst_offered_i", "dst_row_i", "dst_count_i", "dst_mask_i", "dst_data_i"),
        "setreg_base": ("", "setreg_base_i", "setreg_scaler_i"),
    }

    def make_agents(self) -> None:
        """Six of them."""
        dut = self.dut
        self.shared = Waits(HOLDING.sources, reader(dut.busy_o))
        add_threads(self, "packers")
        commands = ("cfg", "dst_zero", "hist", "offset")
        self.agent(
            "unit",
            {
                **SECOND_DRIVERS,
                **dict.fromkeys(commands, HeldDriver),
                "dst_write": partial(DstDriver, ready="dst_ready_o"),
                "dst_read": ItemDriver,
                "setreg_base": BaseDriver,
            },
            {
                FlopMonitor: ("flop",),
                UnitMonitor: (
                    *("issue", *commands, "store", "dst_read", "setreg", "hist_data"),
                    *("fault", "unit_fault", "counter_conflict", "setreg_base", "l1_ready"),
                    *("ready", "busy"),
                ),
            },
        )
        issue = [(dut.issue_valid_i, dut.issue_thread_i, dut.issue_word_i)]
        self.agent("gate", responder=partial(Gate, issue=issue, unit=_unit))
        self.agent(
            "l1",
            {"l1_write": L1Driver, "l1_latency": PinlessDriver, "l1_ready": LevelDriver},
            {LineMonitor: ()},
            responder=partial(L1Memory, profile=self.profile),
        )


def _unit(word: int) -> int | None:
    """All packers are one unit."""
    return 0 if word >> 24 in OPCODES else None
