# SPDX-License-Identifier: Apache-2.0
"""Instruction words of the control block, and the sets of opcodes that stimulus draws from.

Layouts and classes: ``isa``.
"""

from __future__ import annotations

from typing import Final

from tilepath.isa import tables
from tilepath.isa.codec import maker
from tilepath.models.control.instructions import INSTRUCTIONS, Kind

WARNINGS: Final = ("sem_lost", "stale_gpr")
"""Faults that any words can have: other words decide it (C26, C27)."""
NOP: Final = 0x0200_0000
DMANOP: Final = 0x6000_0000

# Configuration (frontend-config section 2)
CONFIG_WORDS: Final = 224
GLOBAL: Final = 180
STATE_RESET: Final = 4
THREAD_WORDS: Final = 68
FLOP_BASE: Final = 64
FLOPS: Final = 116
SCRATCH: Final = (209, 210, 211)
STATE_ID: Final = 0
PHASE_HI: Final = 57
COUNT_HI: Final = 58
BANK_SEL: Final = (59, 60, 61, 62)

# RISC addresses (docs/control.md section 4)
RISC_BANK: Final = (0, 224)
RISC_BOTH: Final = 448
RISC_THREAD: Final = 672
RISC_END: Final = 876

MUTEXES: Final = (0, 2, 3, 4)
UNITS: Final = 6
CFG_PIPE: Final = 12

ADC: Final = (0x50, 0x51, 0x52, 0x53, 0x54, 0x55, 0x56, 0x5E)
UNPACK: Final = (0x42, 0x43)
PACK: Final = (0x41, 0x4A)
XMOV: Final = 0x40
UNSUPPORTED: Final = tuple(
    opcode for opcode, row in enumerate(INSTRUCTIONS) if row.kind == Kind.UNSUPPORTED
)  # docs/control.md section 3
WAITS: Final = (0xA2, 0xA6, 0xA7)


def _of_class(bit: int) -> tuple[int, ...]:
    return tuple(op for op, mask in enumerate(tables.block_class()) if mask == 1 << bit)


MATH: Final = _of_class(6)
SFPU: Final = _of_class(8)
ILLEGAL: Final = tuple(op for op, barred in enumerate(tables.must_not_issue()) if barred)
"""Opcodes that must not issue, unassigned ones included (F17)."""


seminit: Final = maker("SEMINIT", "sem_mask value max")
setc16: Final = maker("SETC16", "cfg_index value")
