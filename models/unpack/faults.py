# SPDX-License-Identifier: Apache-2.0
"""Faults of an instruction, of what it reads and of what it writes, as bits (section 8)."""

from __future__ import annotations

from typing import Final

from tilepath.engine.description.boundary import fault_bits, names
from tilepath.isa.boundary import unpack as boundary

FAULTS = names(boundary.FAULTS)
READ_FAULTS = names(boundary.READ_FAULTS)
WRITE_FAULTS = names(boundary.WRITE_FAULTS)
UNIT_FAULTS = names(boundary.UNIT_FAULTS)

# Bits by name, as ``Flag.RESERVED_BIT``; names and order are those of the boundary
Flag: Final = fault_bits("Flag", boundary.FAULTS)
"""Of an instruction."""
ReadFlag: Final = fault_bits("ReadFlag", boundary.READ_FAULTS)
"""Of a request to L1."""
WriteFlag: Final = fault_bits("WriteFlag", boundary.WRITE_FAULTS)
"""Of a step or a token."""
UnitFlag: Final = fault_bits("UnitFlag", boundary.UNIT_FAULTS)
"""Of the unit; that of unpacker u is ``UNSIGNED0`` << u."""


def flag_names(flags: int, of: tuple[str, ...]) -> tuple[str, ...]:
    """Names of the bits set in ``flags``, bit 0 first."""
    return tuple(name for bit, name in enumerate(of) if flags >> bit & 1)
