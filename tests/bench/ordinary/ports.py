# SPDX-License-Identifier: Apache-2.0
"""The pins of one interface, and how they are read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tilepath.tb.kernel.description.block import Block
from tilepath.tb.kernel.description.player import Player
from tilepath.tb.kernel.description.stream import Stream

Reader = Callable[[], int]


def reader(handle: Any) -> Reader:
    """A function that reads a signal as an unsigned number; ``ValueError`` for X and Z."""
    bits = handle._handle.get_signal_val_binstr
    return lambda: int(bits(), 2)


class Ports:
    """The ports of ``dut``, or with ``index`` that element of each of them.

    Streams and players of an interface with an index are named ``<prefix><index>.<name>``.
    ``shared``: what components have in common besides pins.
    """

    def __init__(
        self,
        dut: Any,
        block: Block,
        index: int | None = None,
        prefix: str = "t",
        shared: Any = None,
    ) -> None:
        self.dut = dut
        self.index = index
        self.shared = shared
        self.clk, self.rst = dut.clk_i, dut.rst_ni
        self._streams: Mapping[str, Stream] = block.stream_table
        self._players: Mapping[str, Player] = block.player_table
        self._prefix = "" if index is None else f"{prefix}{index}."

    def __getitem__(self, port: str) -> Any:
        """The handle of ``port``."""
        handle = getattr(self.dut, port)
        return handle if self.index is None else handle[self.index]

    def reader(self, port: str, element: int | None = None) -> Reader:
        """What reads ``port``, or an ``element`` of it."""
        return reader(self[port] if element is None else getattr(self.dut, port)[element])

    def name_of(self, name: str) -> str:
        """Full name of this interface's stream or player ``name``."""
        return self._prefix + name

    def stream(self, name: str) -> Stream:
        """Description of the stream with this full name."""
        return self._streams[name]

    def player(self, name: str) -> Player:
        """Description of the player with this full name."""
        return self._players[name]
