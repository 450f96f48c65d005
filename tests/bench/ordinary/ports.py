# SPDX-License-Identifier: Apache-2.0
"""The pins of one interface, looked up once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

CLOCK_AND_RESET = ("clk_i", "rst_ni")


def plain(port: str) -> str:
    """A port's name without ``_i``, ``_ni`` or ``_o``."""
    return port.rpartition("_")[0]


class Ports:
    """Handles under the DUT's port names without ``_i``, ``_ni``, ``_o``.

    ``names`` are ports; with ``index``, the number of a thread, that element of each of them.
    """

    def __init__(self, dut: Any, names: Iterable[str], index: int | None = None) -> None:
        self.dut = dut
        self.index = index
        for port in CLOCK_AND_RESET:
            setattr(self, plain(port), getattr(dut, port))
        for port in names:
            handle = getattr(dut, port)
            setattr(self, plain(port), handle if index is None else handle[index])

    def name_of(self, stream: str) -> str:
        """Full name of this interface's ``stream`` or player."""
        return stream if self.index is None else f"t{self.index}.{stream}"

    def idle(self) -> None:
        """Drive all inputs to rest."""
