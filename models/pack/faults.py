# SPDX-License-Identifier: Apache-2.0
"""Faults of an instruction and of the lines it writes, as bits (section 10 of the contract)."""

from __future__ import annotations

import enum
from typing import Final

from tilepath.isa.boundary.pack import FAULTS, RUN_FAULTS


class Flag(enum.IntEnum):
    """Of an instruction; names and order are those of the boundary."""

    MASK = 1 << 0
    FIELDS = 1 << 1
    COUNT = 1 << 2
    ROW_END = 1 << 3
    WRAP = 1 << 4
    EARLY = 1 << 5
    PAIR_IF = 1 << 6
    PAIR_LATE = 1 << 7
    LATE_TF32 = 1 << 8
    STOCHASTIC = 1 << 9
    DESCALE_MODE = 1 << 10
    RELU = 1 << 11
    EDGE_INT = 1 << 12
    THRESHOLD = 1 << 13
    DIS_SHARED_EXP = 1 << 14
    ACC_FORMAT = 1 << 15
    ACC_COMPRESS = 1 << 16
    COMPRESS_BFP2 = 1 << 17
    OPEN_CHANGE = 1 << 18
    RELATIVE_FIFO = 1 << 19
    LIMIT_FIFO = 1 << 20
    ALIGN = 1 << 21
    STRIDE = 1 << 22
    COUNTERS = 1 << 23
    READS_PER_PLANE = 1 << 24
    L1_SOURCE = 1 << 25
    SETREG_ADDRESS = 1 << 26
    SETREG_FIELDS = 1 << 27
    THREADS = 1 << 28
    INTF_GROUP = 1 << 29
    STRIDED = 1 << 30


class RunFlag(enum.IntEnum):
    """Of what an instruction writes, and reads of L1."""

    L1_RANGE = 1 << 0
    EXP_OVERLAP = 1 << 1
    RSI_OVERFLOW = 1 << 2
    ROWS = 1 << 3
    SOURCE_RANGE = 1 << 4


RUN_SHIFT: Final = 32  # where ``RunFlag`` bits are beside ``Flag`` bits
_NAMES: Final = {
    **{1 << bit: fault.name for bit, fault in enumerate(FAULTS)},
    **{1 << (RUN_SHIFT + bit): fault.name for bit, fault in enumerate(RUN_FAULTS)},
}


def names(bits: int) -> tuple[str, ...]:
    """Names of the faults in ``Flag`` and, shifted, ``RunFlag`` bits, in their order."""
    return tuple(name for bit, name in _NAMES.items() if bits & bit)
