# SPDX-License-Identifier: Apache-2.0
"""Drivers of the packers, of Dst and of L1."""

from __future__ import annotations

from typing import Any, ClassVar

from tilepath.isa.boundary.pack import RUN
from tilepath.tb.pack.streams import HOLDING, LATENCY
from tilepath.tests.bench.ordinary.drivers import HeldDriver, LevelDriver, Waits
from tilepath.tests.bench.ordinary.ports import Reader


class Shared(Waits):
    """What components have in common besides pins."""

    def __init__(self, busy: Reader) -> None:
        super().__init__(len(HOLDING.sources), busy)
        self.latency = LATENCY


class HeldPlayer(HeldDriver):
    """A driver that knows its source from its name."""

    def build_phase(self) -> None:
        """Look it up."""
        super().build_phase()
        player = self.get_name().removesuffix("_driver")
        self.source = 1 + HOLDING.sources.index(self.ports.name_of(player))


class CfgDriver(HeldPlayer):
    """Configuration writes."""

    valid = "cfg_valid_i"
    fields: ClassVar = {name: f"cfg_{name}_i" for name in ("banks", "index", "wide", "data")}


class Setc16Driver(HeldPlayer):
    """Writes of a thread's own configuration."""

    valid = "setc16_valid_i"
    fields: ClassVar = {"index": "setc16_index_i", "value": "setc16_value_i"}


class DstDriver(HeldPlayer):
    """Runs of rows of Dst."""

    valid = "dst_offered_i"
    ready = "dst_ready_o"
    fields: ClassVar = {name: f"dst_{name}_i" for name in ("row", "count", "mask", "data")}

    def show(self, item: Any) -> None:
        """Masks follow one another."""
        item.mask = sum((item.mask >> 32 * k & 0xFFFF) << 16 * k for k in range(RUN))
        super().show(item)


class ZeroDriver(HeldPlayer):
    """ZEROACC."""

    valid = "zero_valid_i"
    fields: ClassVar = {"all": "zero_all_i", "half": "zero_half_i"}


class HistDriver(HeldPlayer):
    """The histograms."""

    valid = "hist_valid_i"
    fields: ClassVar = {name: f"hist_{name}_i" for name in ("op", "mode", "packer")}


class OffsetDriver(HeldPlayer):
    """l1_dest_addr_offset."""

    valid = "offset_valid_i"
    fields: ClassVar = {"packers": "offset_packers_i", "value": "offset_value_i"}


class L1Driver(HeldPlayer):
    """Writes L1, which has no pins for it."""

    def end(self, item: Any) -> None:
        """The write is over."""
        super().end(item)
        self.shared.l1.write(item.line, item.data)


class BaseDriver(LevelDriver):
    """Base and scalers of SETREG; the scalers have one port."""

    fields: ClassVar = {"base": "setreg_base_i"}
    others = ("setreg_scaler_i",)

    def show(self, item: Any) -> None:
        """Scaler 0 lowest."""
        super().show(item)
        scalers = (item.scaler0, item.scaler1, item.scaler2, item.scaler3)
        self.pin["setreg_scaler_i"].value = sum(s << 9 * k for k, s in enumerate(scalers))


class ReadyDriver(LevelDriver):
    """Whether L1 takes anything."""

    fields: ClassVar = {"value": "l1_ready_i"}
    rest: ClassVar = {"l1_ready_i": 0xF}


class LatencyDriver(LevelDriver):
    """How long L1 takes."""

    def show(self, item: Any) -> None:
        """Tell L1."""
        self.shared.latency = item.latency
