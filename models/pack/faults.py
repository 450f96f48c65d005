# SPDX-License-Identifier: Apache-2.0
"""Faults of an instruction and of the lines it writes, as bits (section 10 of the contract)."""

from __future__ import annotations

from typing import Final

from tilepath.engine.description.boundary import fault_bits
from tilepath.isa.boundary.pack import FAULTS, RUN_FAULTS

Flag: Final = fault_bits("Flag", FAULTS)
"""Of an instruction: ``Flag.MASK``, …; names and order are those of the boundary."""
RunFlag: Final = fault_bits("RunFlag", RUN_FAULTS)
"""Of what an instruction writes, and reads of L1: ``RunFlag.L1_RANGE``, …"""

RUN_SHIFT: Final = 32  # where ``RunFlag`` bits are beside ``Flag`` bits
NAMES: Final = {
    **{1 << fault.bit: fault.name for fault in FAULTS},
    **{1 << (RUN_SHIFT + fault.bit): fault.name for fault in RUN_FAULTS},
}


def names(bits: int) -> tuple[str, ...]:
    """Names of the faults in ``Flag`` and, shifted, ``RunFlag`` bits, in their order."""
    return tuple(name for bit, name in NAMES.items() if bits & bit)
