# SPDX-License-Identifier: Apache-2.0
"""What instruction words ask for, as the kernels need it."""

from __future__ import annotations

from tilepath.models.jit import kernel
from tilepath.tb.control.coverage.layout import (
    ATGETM,
    CONFIG,
    DMANOP,
    MUTEXES,
    PACK,
    RDCFG,
    REG2FLOP,
    SCALAR_UNIT,
    SEMGET,
    STALLWAIT,
    STREAMWRCFG,
    SYNC,
    UNIT,
    UNPACK,
    XMOV,
)


@kernel
def mutex_place(index: int) -> int:
    """0 … 3 for the mutexes 0, 2, 3, 4; -1 for another index (16 bits)."""
    if index == 0:
        return 0
    return index - 1 if 2 <= index <= 4 else -1


@kernel
def resource(kind: int, word: int) -> int:
    """What the word needs (docs/control.md section 3); -1: nothing."""
    if STALLWAIT <= kind <= SEMGET:
        return SYNC
    if kind == ATGETM:
        place = mutex_place(word & 0xFFFF)
        return MUTEXES + place if place >= 0 else -1
    if STREAMWRCFG <= kind <= RDCFG:
        return CONFIG
    if DMANOP <= kind <= REG2FLOP:
        return SCALAR_UNIT
    if kind == UNPACK:
        return UNIT + (word >> 23 & 1)
    if PACK <= kind <= XMOV:
        return UNIT + 2 + kind - PACK
    return -1


@kernel
def two_operand_cycles(word: int) -> int:
    """Of ADDDMAREG, MULDMAREG: 3 with an immediate or operands of one aligned group; else 4."""
    same = word >> 2 & 0xF == word >> 8 & 0xF
    return 3 if word >> 23 & 1 or same else 4


@kernel
def two_operand_reads(word: int, gpr: int) -> int:
    """Of ADDDMAREG and MULDMAREG: bit 0: operand A is ``gpr``; bit 1: operand B is."""
    reads = 1 if word & 0x3F == gpr else 0
    if not word >> 23 & 1 and word >> 6 & 0x3F == gpr:
        reads |= 2
    return reads


@kernel
def group_of(word: int, kind: int) -> int:
    """Number of GPRs that WRCFG or REG2FLOP reads: 4 for the 128-bit forms, else 1."""
    if kind == REG2FLOP:
        return 4 if word >> 22 & 3 == 0 else 1
    return 4 if word >> 15 & 1 else 1
