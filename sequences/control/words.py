# SPDX-License-Identifier: Apache-2.0
"""Instruction words of the control block, and the sets of opcodes that stimulus draws from.

Functions named after an instruction make one word from numbers; ``isa.IsaError``, a ``ValueError``,
when one does not fit. :func:`words` makes many from arrays. Layouts and classes: ``isa``.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from tilepath.engine.description.player import Items
from tilepath.isa import encode, tables
from tilepath.isa.codec import layout_of
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
ALL_BLOCKED: Final = 0x1FF
UNITS: Final = 6
UNIT_CONDITION: Final = (1, 2, 3, 4, 11, 9)
"""The condition of STALLWAIT that tells that unit u is busy (C17)."""
TRISC_CFG: Final = 10
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


def words(mnemonic: str, **fields: ArrayLike) -> Items:
    """Words of ``mnemonic``: ``fields`` or views are arrays, which broadcast, cut off to width."""
    layout = layout_of(mnemonic)
    result = np.asarray(layout.template, np.uint32)
    for name, values in fields.items():
        field = layout.find(name)
        placed = np.asarray(values).astype(np.uint32) << np.uint32(field.lsb)
        result = result | placed & np.uint32(field.mask)
    return result


def opaque(opcode: int, payload: int = 0) -> int:
    """A word of which only the opcode matters here; ``payload`` is 24 bits."""
    return opcode << 24 | payload & 0xFF_FFFF


def look(unit: int, index: int, number: int = 0) -> int:
    """A word for unit 0, 1 (UNPACR) or 2 (PACR), which samples ``index`` (9 bits) as it enters.

    index[8] picks ThreadConfig; ``number`` (14 bits) tells one word from another.
    """
    payload = (number & 0x3FFF) << 9 | index & 0x1FF
    if unit == 2:
        return opaque(PACK[0], payload)
    return opaque(UNPACK[0], unit << 23 | payload)


def wrcfg(gpr: int, index: int, wide: bool = False) -> int:
    """WRCFG; ``wide``: four words."""
    return encode("WRCFG", gpr=gpr, cfg_index=index, is128=int(wide))


def rdcfg(gpr: int, index: int) -> int:
    """RDCFG."""
    return encode("RDCFG", gpr=gpr, cfg_index=index)


def rmwcib(byte: int, index: int, data: int, mask: int = 0xFF) -> int:
    """RMWCIB of ``byte`` 0 … 3."""
    return encode(f"RMWCIB{byte}", cfg_index=index, data=data, mask=mask)


def shiftmask(
    index: int, alu: int = 3, mode: int = 1, width: int = 31, rotate: int = 0, scratch: int = 0
) -> int:
    """CFGSHIFTMASK; by default adds the whole of SCRATCH_SEC0."""
    return encode(
        "CFGSHIFTMASK",
        mask_mode=mode,
        alu=alu,
        mask_width=width,
        rotate=rotate,
        scratch=scratch,
        cfg_index=index,
    )


def streamwrcfg(select: int, register: int, index: int) -> int:
    """STREAMWRCFG."""
    return encode("STREAMWRCFG", stream_sel=select, reg_index=register, cfg_index=index)


def setc16(index: int, value: int) -> int:
    """SETC16."""
    return encode("SETC16", cfg_index=index, value=value)


def stallwait(block: int, cond: int) -> int:
    """STALLWAIT on condition bits ``cond``."""
    return encode("STALLWAIT", block=block, cond=cond)


def semwait(block: int, mask: int, cond: int) -> int:
    """SEMWAIT; ``cond`` 1: while at 0, 2: while at max, 3: both."""
    return encode("SEMWAIT", block=block, sem_mask=mask, cond=cond)


def streamwait(block: int, target: int, cond: int = 0, select: int = 0) -> int:
    """STREAMWAIT; ``cond`` 0: phase, 1: message count; ``target``: the low ten bits."""
    return encode("STREAMWAIT", block=block, target_lo=target, cond_idx=cond, stream_sel=select)


def seminit(mask: int, value: int, limit: int) -> int:
    """SEMINIT of value and max."""
    return encode("SEMINIT", sem_mask=mask, value=value, max=limit)


def sempost(mask: int) -> int:
    """SEMPOST."""
    return encode("SEMPOST", sem_mask=mask)


def semget(mask: int) -> int:
    """SEMGET."""
    return encode("SEMGET", sem_mask=mask)


def atgetm(index: int) -> int:
    """ATGETM."""
    return encode("ATGETM", index=index)


def atrelm(index: int) -> int:
    """ATRELM."""
    return encode("ATRELM", index=index)


def setdmareg(half: int, value: int) -> int:
    """SETDMAREG of half ``half`` & 1 of GPR ``half`` >> 1."""
    return encode("SETDMAREG", half_reg=half, value=value)


def setgpr(gpr: int, value: int) -> list[int]:
    """The two SETDMAREG that set a GPR to 32 bits."""
    return [setdmareg(2 * gpr, value & 0xFFFF), setdmareg(2 * gpr + 1, value >> 16)]


def adddmareg(result: int, a: int, b: int, immediate: bool = False) -> int:
    """ADDDMAREG; with ``immediate``, ``b`` is a number of six bits."""
    return encode("ADDDMAREG", result=result, a=a, b=b, imm=int(immediate))


def muldmareg(result: int, a: int, b: int, immediate: bool = False) -> int:
    """MULDMAREG; with ``immediate``, ``b`` is a number of six bits."""
    return encode("MULDMAREG", result=result, a=a, b=b, imm=int(immediate))


def reg2flop(
    gpr: int, flop: int, size: int = 1, target: int = 0, byte: int = 0, ctx: int = 0
) -> int:
    """REG2FLOP; ``flop`` is the whole field of ten bits."""
    return encode("REG2FLOP", gpr=gpr, flop=flop, size=size, target=target, byte_ofs=byte, ctx=ctx)


def flop_of(channel: int, select: int, counter: int, checkpoint: int = 0) -> int:
    """``flop`` of a counter write: channel, set, X 0 … W 3, checkpoint (C14)."""
    return channel << 5 | select << 3 | checkpoint << 2 | counter


def risc_thread(thread: int, index: int) -> int:
    """RISC address of word ``index`` of a thread's configuration."""
    return RISC_THREAD + THREAD_WORDS * thread + index
