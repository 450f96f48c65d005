# SPDX-License-Identifier: Apache-2.0
"""What the gate knows of an opcode: kind, block classes, resource, banks. And the faults."""

from __future__ import annotations

import enum
from typing import Final

from tilepath.engine.compiled.records import Records, record, zeros
from tilepath.engine.description.boundary import fault_bits
from tilepath.isa import constants, tables
from tilepath.isa.boundary import control as boundary


class Kind(enum.IntEnum):
    """Kinds of word; the instructions of a unit lie together."""

    ILLEGAL = 0
    NOP = 1
    UNSUPPORTED = 2
    ADC = 3  # the eight counter instructions
    UNIT = 4  # of one of the six units
    STALLWAIT = 5
    SEMWAIT = 6
    STREAMWAIT = 7
    SEMINIT = 8
    SEMPOST = 9
    SEMGET = 10
    ATGETM = 11
    ATRELM = 12
    SETC16 = 13
    WRCFG = 14
    RDCFG = 15
    RMWCIB = 16
    CFGSHIFTMASK = 17
    STREAMWRCFG = 18
    SETDMAREG = 19
    ADDDMAREG = 20
    MULDMAREG = 21
    REG2FLOP = 22
    DMANOP = 23
    RISC = 24  # no word: an access of the cores to configuration


class Resource(enum.IntEnum):
    """What a word asks for (section 3 of the contract).

    The order counts: the units outside as the bits of ``unit_ready``, before ``SCALAR``; the four
    mutexes between it and ``CONFIG``; the resources from ``CONFIG`` on have the cores as a
    requester, too; ``NONE`` is last, and their number.
    """

    UNPACK0 = 0
    UNPACK1 = 1
    PACK = 2
    MATH = 3
    SFPU = 4
    XMOV = 5
    SCALAR = 6
    MUTEX = 7  # 7 to 10: mutexes 0, 2, 3, 4
    CONFIG = 11
    SYNC = 12
    NONE = 13


Fault: Final = fault_bits("Fault", boundary.FAULTS)
"""The faults of a word, as bits (section 8 of the contract): ``Fault.ILLEGAL``, …"""

THREADS: Final = boundary.THREADS
CORES: Final = THREADS  # the requester behind the threads
FAULTS: Final = tuple(fault.name for fault in boundary.FAULTS)
# Class bits beside B0 to B8
ANY_WAIT: Final = 1 << 9  # what every valid latch holds (C12)
IS_NOP: Final = 1 << 10  # what only block 1FF holds (C21)
ALL_CLASSES: Final = 0x1FF

INSTRUCTION: Final = record(
    kind="i8",
    block_class="i8",
    resource="i8",
    banks="i8",  # bits 7 and 8: the Matrix Unit's banks that the word waits for (M8)
)

_KINDS: Final = {
    constants.OP_NOP: Kind.NOP,
    constants.OP_STALLWAIT: Kind.STALLWAIT,
    constants.OP_SEMWAIT: Kind.SEMWAIT,
    constants.OP_STREAMWAIT: Kind.STREAMWAIT,
    constants.OP_SEMINIT: Kind.SEMINIT,
    constants.OP_SEMPOST: Kind.SEMPOST,
    constants.OP_SEMGET: Kind.SEMGET,
    constants.OP_ATGETM: Kind.ATGETM,
    constants.OP_ATRELM: Kind.ATRELM,
    constants.OP_SETC16: Kind.SETC16,
    constants.OP_WRCFG: Kind.WRCFG,
    constants.OP_RDCFG: Kind.RDCFG,
    constants.OP_RMWCIB0: Kind.RMWCIB,
    constants.OP_RMWCIB1: Kind.RMWCIB,
    constants.OP_RMWCIB2: Kind.RMWCIB,
    constants.OP_RMWCIB3: Kind.RMWCIB,
    constants.OP_CFGSHIFTMASK: Kind.CFGSHIFTMASK,
    constants.OP_STREAMWRCFG: Kind.STREAMWRCFG,
    constants.OP_SETDMAREG: Kind.SETDMAREG,
    constants.OP_ADDDMAREG: Kind.ADDDMAREG,
    constants.OP_MULDMAREG: Kind.MULDMAREG,
    constants.OP_REG2FLOP: Kind.REG2FLOP,
    constants.OP_DMANOP: Kind.DMANOP,
    constants.OP_SETADC: Kind.ADC,
    constants.OP_SETADCXY: Kind.ADC,
    constants.OP_INCADCXY: Kind.ADC,
    constants.OP_ADDRCRXY: Kind.ADC,
    constants.OP_SETADCZW: Kind.ADC,
    constants.OP_INCADCZW: Kind.ADC,
    constants.OP_ADDRCRZW: Kind.ADC,
    constants.OP_SETADCXX: Kind.ADC,
}
_OP_XMOV: Final = 0x40  # its words are not among those that ``isa`` describes
_RESOURCES: Final[dict[int, Resource]] = {
    **dict.fromkeys((Kind.STALLWAIT, Kind.SEMWAIT, Kind.STREAMWAIT), Resource.SYNC),
    **dict.fromkeys((Kind.SEMINIT, Kind.SEMPOST, Kind.SEMGET), Resource.SYNC),
    **dict.fromkeys(range(Kind.WRCFG, Kind.STREAMWRCFG + 1), Resource.CONFIG),
    **dict.fromkeys(range(Kind.SETDMAREG, Kind.DMANOP + 1), Resource.SCALAR),
    Kind.ATGETM: Resource.MUTEX,
}


def _unit(opcode: int) -> Resource:
    """Unit that takes the opcode, or ``NONE``; for the unpackers that of unpacker 0."""
    if opcode in (constants.OP_UNPACR, constants.OP_UNPACR_NOP):
        return Resource.UNPACK0
    if opcode in (constants.OP_PACR, constants.OP_PACR_SETREG):
        return Resource.PACK
    if opcode == _OP_XMOV:
        return Resource.XMOV
    blocks = tables.block_class()[opcode]
    if blocks >> constants.CLS_MATH & 1:
        return Resource.MATH
    return Resource.SFPU if blocks >> constants.CLS_SFPU & 1 else Resource.NONE


def _kind(opcode: int) -> Kind:
    if tables.must_not_issue()[opcode]:
        return Kind.ILLEGAL
    unsupported = Kind.UNSUPPORTED if _unit(opcode) == Resource.NONE else Kind.UNIT
    return _KINDS.get(opcode, unsupported)


def _table() -> Records:
    table = zeros(INSTRUCTION, 256)
    for opcode in range(256):
        kind = _kind(opcode)
        unit = _unit(opcode) if kind == Kind.UNIT else Resource.NONE
        table[opcode].kind = kind
        table[opcode].resource = _RESOURCES.get(kind, unit)
        table[opcode].banks = tables.src_waits()[opcode] << constants.STALL_COND_SRCA_MATH_BANK
        table[opcode].block_class = (
            tables.block_class()[opcode]
            | (ANY_WAIT if tables.is_wait()[opcode] else 0)
            | (IS_NOP if kind == Kind.NOP else 0)
        )
    return table


# By opcode
INSTRUCTIONS: Final = _table()

# What this block executes: the assigned opcodes but those of the units, the counter instructions
# and NOP. One that no unit takes is here too: this block tells its fault, ``unsupported``.
OPCODES: Final = tuple(
    opcode
    for opcode in range(256)
    if _kind(opcode) == Kind.UNSUPPORTED or Kind.STALLWAIT <= _kind(opcode) <= Kind.DMANOP
)
