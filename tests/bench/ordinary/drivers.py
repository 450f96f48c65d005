# SPDX-License-Identifier: Apache-2.0
"""The drivers of all blocks: each has a player, the fields of whose items ports show.

What they drive changes right behind a rising edge of the clock, or, where an item waits for what
happened in the cycle before, behind the falling one: by then all drivers have done their part.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from cocotb.triggers import ClockCycles, RisingEdge
from pyuvm import uvm_component, uvm_driver

from tilepath.tests.bench.ordinary.items import Item
from tilepath.tests.bench.ordinary.ports import Ports, Reader

_MOST = (1 << 28) - 1  # items that are counted of a source


class Waits:
    """What items of ``engine/description/waiting.py`` wait for: others, and that units are idle.

    Sources are instances of players and have numbers from 1 on; 0 is nothing, and the one behind
    the last is all together. Drivers count right behind a rising edge; it is read at falling edges,
    when all have.
    """

    def __init__(self, sources: Sequence[str], busy: Reader) -> None:
        self.number = {source: number for number, source in enumerate(sources, 1)}
        self.counts = [0] * (2 + len(sources))
        self._busy = busy

    def count(self, source: int) -> None:
        """One more item of ``source`` was done."""
        for which in (source, -1):
            self.counts[which] = min(_MOST, self.counts[which] + 1)

    def free(self, item: Any) -> bool:
        """Whether ``item`` waits for nothing."""
        return not (item.idle or item.after_source or item.and_source)

    def met(self, item: Any) -> bool:
        """Whether enough was done of both sources, and nothing that must be idle is busy."""
        counts = self.counts
        return bool(
            (not item.after_source or counts[item.after_source] >= item.after_count)
            and (not item.and_source or counts[item.and_source] >= item.and_count)
            and not (item.idle and self._busy() & item.idle)
        )


class ItemDriver(uvm_driver):
    """Drives the items of a ``player``, one after another, from reset on.

    The ports are those of the stream that records them; where that is an event, one of them is 1
    meanwhile. ``ready``: the port that ends an item; without one it is there for a cycle.
    ``pinless``: there are no such ports. ``others``: further ports that it drives. All of them are
    in ``pin``, and rest at 0 or what the player says.
    """

    pinless: ClassVar[bool] = False
    others: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self, name: str, parent: uvm_component, ports: Ports, player: str, ready: str = ""
    ) -> None:
        super().__init__(name, parent)
        self.ports = ports
        self.shared: Any = ports.shared
        self.source = ports.name_of(player)
        self.edge = ports.clk.rising_edge
        described = ports.player(player)
        self._valid, self._port = ("", {}) if self.pinless else ports.played(described)
        driven = (*filter(None, [self._valid]), *self._port.values(), *self.others)
        self.pin = {port: ports[port] for port in driven}
        self._rest = {port: described.rest.get(field, 0) for field, port in self._port.items()}
        self._shown = [(field, self.pin[port]) for field, port in self._port.items()]
        self._ready = ports.reader(ready) if ready else None

    def idle(self) -> None:
        """Drive all ports to rest."""
        for port, handle in self.pin.items():
            handle.value = self._rest.get(port, 0)

    async def run_phase(self) -> None:
        """Drive item after item; the next one may begin in the cycle after the one before."""
        await RisingEdge(self.ports.rst)
        await self.edge
        while True:
            item = await self.seq_item_port.get_next_item()
            await self.drive(item)
            self.seq_item_port.item_done()

    async def drive(self, item: Any) -> None:
        """Drive ``item``, and return behind the edge at which the next one may begin."""
        for _ in range(item.gap):
            await self.edge
        if not self.free(item):
            falling = self.ports.clk.falling_edge
            await falling
            while not self.met(item):
                await falling
        self.begin(item)
        await self.edge
        while self._ready is not None and not self._ready():
            await self.edge
        self.end(item)

    def free(self, item: Any) -> bool:
        """Whether ``item`` waits for nothing but its gap."""
        return True

    def met(self, item: Any) -> bool:
        """Whether ``item`` may begin in this cycle."""
        return True

    def begin(self, item: Any) -> None:
        """Show ``item``."""
        if self._valid:
            self.pin[self._valid].value = 1
        self.show(item)

    def show(self, item: Item) -> None:
        """Drive the fields of ``item``."""
        for field, handle in self._shown:
            handle.value = getattr(item, field)

    def end(self, item: Any) -> None:
        """Take back what must not stay."""
        if self._valid:
            self.pin[self._valid].value = 0


class HeldDriver(ItemDriver):
    """Drives items that can wait for others, and be waited for if they are a source."""

    def free(self, item: Any) -> bool:
        """Return what :class:`Waits` says."""
        return bool(self.shared.free(item))

    def met(self, item: Any) -> bool:
        """Return what :class:`Waits` says."""
        return bool(self.shared.met(item))

    def end(self, item: Any) -> None:
        """Count it, too."""
        super().end(item)
        if number := self.shared.number.get(self.source):
            self.shared.count(number)


class LevelDriver(ItemDriver):
    """Drives values, each for a number of cycles."""

    async def drive(self, item: Any) -> None:
        """Drive what ``item`` says for as long as it says."""
        self.show(item)
        await ClockCycles(self.ports.clk, max(1, item.cycles))


class PinlessDriver(LevelDriver):
    """Tells ``shared`` the value of a player that has no pins, by the player's name."""

    pinless = True

    def show(self, item: Any) -> None:
        """Tell it."""
        setattr(self.shared, self.source, item)
