# SPDX-License-Identifier: Apache-2.0
"""The pins of one interface, and how they are read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tilepath.engine.description.block import Block
from tilepath.engine.description.player import Player
from tilepath.engine.description.stream import Stream

Reader = Callable[[], int]


def reader(handle: Any) -> Reader:
    """A function that reads a signal as an unsigned number; ``ValueError`` for X and Z."""
    bits = handle._handle.get_signal_val_binstr
    return lambda: int(bits(), 2)


class Ports:
    """The ports of ``dut``, or with ``index`` that element of each of them.

    Streams and players of an interface with a prefix are named ``<prefix><index>.<name>``.
    ``names``: stream → what its ports are called after, where that is not the stream's own name; or
    all of them: the one that says that it happens (``""``: none), and those of its fields.
    ``shared``: what components have in common besides pins.
    """

    def __init__(
        self,
        dut: Any,
        block: Block,
        names: Mapping[str, str | Sequence[str]],
        shared: Any,
        index: int | None = None,
        prefix: str = "",
    ) -> None:
        self.dut = dut
        self.index = index
        self.shared = shared
        self.clk, self.rst = dut.clk_i, dut.rst_ni
        self._block = block
        self._names = names
        self._prefix = f"{prefix}{index}." if prefix else ""

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
        """Description of this interface's stream ``name``, or of the one with this full name."""
        table = self._block.stream_table
        return table[self.name_of(name)] if self.name_of(name) in table else table[name]

    def player(self, name: str) -> Player:
        """Description of this interface's player ``name``."""
        return self._block.player_table[self.name_of(name)]

    def pins(self, stream: Stream) -> tuple[str, Sequence[str]]:
        """The port that says that ``stream`` happens, or ``""``, and the ports of its fields.

        Where ``names`` does not list them, each field has a port of its own, or one port has all.
        """
        name = self._names.get(stream.name, stream.name)
        if not isinstance(name, str):
            return name[0], name[1:]
        end = "_i" if stream.direction == "input" else "_o"
        fields = [f"{name}_{field.name}{end}" for field in stream.fields]
        if not all(hasattr(self.dut, port) for port in fields):
            fields = [f"{name}{end}"]
        for valid in (f"{name}_valid{end}", f"{name}{end}"):
            if valid not in fields and hasattr(self.dut, valid):
                return valid, fields
        return "", fields

    def played(self, player: Player) -> tuple[str, dict[str, str]]:
        """The port that says that an item of ``player`` is there, and field → port.

        A port that has several fields is that of the first of them.
        """
        record = player.records[0]
        stream = next(s for s in self._block.streams if s.name == record.stream)
        valid, ports = self.pins(stream)
        fields = [record.named.get(field.name, field.name) for field in stream.fields]
        return valid, dict(zip(fields, ports, strict=False))
