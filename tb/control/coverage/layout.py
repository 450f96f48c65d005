# SPDX-License-Identifier: Apache-2.0
"""What the kernels share: columns of a cycle's row, codes, axes of bins.

A block of cycles is an array of uint32 with one row a cycle, behind ``HISTORY`` rows of the block
before, so that a kernel may look back. Columns hold what the streams record in the cycle, packed,
and what ``derive`` makes of it. A packed column of an event is 0 without the event; ``VALID`` is
set with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from tilepath.isa.tables import block_class, must_not_issue, src_waits

if TYPE_CHECKING:

    def i64(value: Any) -> int:
        """A column's element as the signed integer that kernels calculate with."""
        return int(value)

else:
    i64 = np.int64

U32 = NDArray[np.uint32]
I64 = NDArray[np.int64]

HISTORY: Final = 8
VALID: Final = 1 << 31

# Columns of each thread: n * PER_THREAD + ...
PER_THREAD: Final = 16
WORD: Final = 0  # the word offered, and its kind and class bits
KIND: Final = 1
CLASSES: Final = 2  # ..., [17:16] the banks that it waits for
EV: Final = 3
LATCH: Final = 4  # [0] valid, [2:1] kind, [11:3] block
WHAT: Final = 5
TARGET: Final = 6
FAULT: Final = 7
SETC: Final = 8  # [15:0] data, [23:16] index
RDC: Final = 9  # [5:0] gpr
GPRW: Final = 10  # [1:0] halves, [7:2] gpr
HELD: Final = 11  # derived: why the word offered cannot issue
SREG: Final = 12  # derived: [19:0] register, [25:20] stream that the latched STREAMWAIT looks at
RDCD: Final = 13  # data of RDC, of GPRW
GPRD: Final = 14
COND: Final = 15  # condition bits of STALLWAIT as the thread sees them (C17)
# Columns of the block
PIPE: Final = 3 * PER_THREAD  # stages
SCALAR: Final = PIPE + 1  # [0] busy, [2:1] thread
SEMV: Final = PIPE + 2
SEMM: Final = PIPE + 3
MUTEX: Final = PIPE + 4
HOLDS: Final = PIPE + 5  # threads that must not issue
READY: Final = PIPE + 6
SBUSY: Final = PIPE + 7
GEV: Final = PIPE + 8
RISC: Final = PIPE + 9  # [9:0] address, [10] write: of the access under way
RSEM: Final = PIPE + 10  # [2:0] index, [3] get, [4] write
CW: Final = PIPE + 11  # config_write: [1:0] source, [3:2] banks, [11:4] index, [12] quad
CD: Final = PIPE + 12  # ... and its four words
FW: Final = PIPE + 16  # flop_write: [1:0] thread, [3:2] banks, [11:4] index, [12] quad
FD: Final = PIPE + 17
FA: Final = PIPE + 21  # flop_adc: [1:0] thread, [3:2] select, [7:4] channel, checkpoint, counter
RT: Final = PIPE + 22  # risc_thread_write: [15:0] data, [22:16] index, [24:23] thread
SW: Final = PIPE + 23  # stream_write: [9:0] register, [15:10] stream
SWD: Final = PIPE + 24
VIEW: Final = PIPE + 25  # three views: [8:0] index, [10:9] thread
VIEWD: Final = PIPE + 28
STATE: Final = PIPE + 31  # derived: StateID of the three threads
ENTRY: Final = PIPE + 32  # derived: the config instruction in its entry cycle
REQ: Final = PIPE + 33  # derived: who competes; [3:0] CONFIG, [7:4] SYNC, [10:8] SCALAR, units
REQM: Final = PIPE + 34  # ... for mutexes 0, 2, 3, 4, three bits each
CWK: Final = PIPE + 35  # derived: what wrote config_write, as a WRITER + 1
COLUMNS: Final = PIPE + 36

# EV
OFFERED: Final = 1 << 0
ISSUED: Final = 1 << 1
MET: Final = 1 << 2  # the condition latched last is met in this cycle
HI_CHANGE: Final = 1 << 3  # STREAMWAIT's high target bits change with this cycle's write
BANK_CHANGE: Final = 1 << 4  # ... the latched STREAMWAIT's stream does
BY_SETC16: Final = 1 << 5  # ... through a SETC16
OLD_MET: Final = 1 << 6  # the stream selected in the first valid cycle is at the target
UP: Final = 1 << 7  # a stream_write of the cycle before lifted the register to the target
DOWN: Final = 1 << 8  # ... put it below the target
SETC_CHANGE: Final = 1 << 9  # the SETC16 in this cycle changes the word
HI_JUNK: Final = 1 << 10  # bits above the field are set in the words of the latched STREAMWAIT
BANK_JUNK: Final = 1 << 11
INSIDE_NOW: Final = 1 << 12  # the thread is inside a scalar instruction
# GEV
RISC_FIRST: Final = 1 << 0  # an access is first offered; is under way; is done
RISC_ON: Final = 1 << 1
RISC_DONE: Final = 1 << 2
RSEM_ON: Final = 1 << 3
RSEM_DONE: Final = 1 << 4
RISC_OOB: Final = 1 << 5
RISC_RESET: Final = 1 << 6
RT_CHANGE: Final = 1 << 7  # risc_thread_write changes the word
STICKY: Final = 1 << 8  # the sticky bit rose
# HELD
INSIDE: Final = 1
LATCHED: Final = 2
UNAVAILABLE: Final = 4
NO_RESOURCE: Final = 8  # it needs none
HOLD: Final = 16
BANK: Final = 32  # not available because of a bank

# What a word is to the gate
ILLEGAL: Final = 0
NOP: Final = 1
STALLWAIT: Final = 2
SEMWAIT: Final = 3
STREAMWAIT: Final = 4
SEMINIT: Final = 5
SEMPOST: Final = 6
SEMGET: Final = 7
ATGETM: Final = 8
ATRELM: Final = 9
STREAMWRCFG: Final = 10
WRCFG: Final = 11
CFGSHIFTMASK: Final = 12
RMWCIB: Final = 13
RDCFG: Final = 14
SETC16: Final = 15
DMANOP: Final = 16
SETDMAREG: Final = 17
ADDDMAREG: Final = 18
MULDMAREG: Final = 19
REG2FLOP: Final = 20
UNPACK: Final = 21
PACK: Final = 22
MATH: Final = 23
SFPU: Final = 24
XMOV: Final = 25
ADC: Final = 26
UNSUPPORTED: Final = 27

_BY_OPCODE: Final = {
    0x02: NOP, 0xA2: STALLWAIT, 0xA6: SEMWAIT, 0xA7: STREAMWAIT, 0xA3: SEMINIT, 0xA4: SEMPOST,
    0xA5: SEMGET, 0xA0: ATGETM, 0xA1: ATRELM, 0xB7: STREAMWRCFG, 0xB0: WRCFG, 0xB8: CFGSHIFTMASK,
    0xB3: RMWCIB, 0xB4: RMWCIB, 0xB5: RMWCIB, 0xB6: RMWCIB, 0xB1: RDCFG, 0xB2: SETC16,
    0x60: DMANOP, 0x45: SETDMAREG, 0x58: ADDDMAREG, 0x5A: MULDMAREG, 0x48: REG2FLOP,
    0x42: UNPACK, 0x43: UNPACK, 0x41: PACK, 0x4A: PACK, 0x40: XMOV, 0x5E: ADC,
    **dict.fromkeys(range(0x50, 0x57), ADC),
}  # fmt: skip


def _kind(opcode: int) -> int:
    if must_not_issue()[opcode]:
        return ILLEGAL
    if opcode in _BY_OPCODE:
        return _BY_OPCODE[opcode]
    return {1 << 6: MATH, 1 << 8: SFPU}.get(block_class()[opcode], UNSUPPORTED)


KINDS: Final = np.array([_kind(opcode) for opcode in range(256)], np.uint32)
CLASS_BITS: Final = np.array(block_class(), np.uint32) | np.array(src_waits(), np.uint32) << 16

# Resources
CONFIG: Final = 0
SYNC: Final = 1
SCALAR_UNIT: Final = 2
UNIT: Final = 3  # six of them
MUTEXES: Final = 9  # four of them

# Instructions of the config unit as ENTRY has them, and writers as CWK has them
# ENTRY: [10:0] index, [11] writes, [13:12] banks, [14] quad, [16:15] thread (3: RISC),
# [19:17] instruction, [20] prepare phase that ends in the entry cycle
I_STREAM: Final = 0
I_WRCFG: Final = 1
I_SHIFT: Final = 2
I_RMW: Final = 3
I_RDCFG: Final = 4
I_RISC: Final = 5
W_WRCFG: Final = 0
W_WRCFG128: Final = 1
W_SHIFT: Final = 2
W_STREAM: Final = 3
W_RMW: Final = 4
W_RISC: Final = 5

CFG_WORDS: Final = 224
GLOBAL_BASE: Final = 180
THREAD_WORDS: Final = 68
SCRATCH: Final = 209
PHASE_HI: Final = 57
BANKSEL: Final = 59

# Axes
WAITS: Final = ("stallwait", "semwait", "streamwait")
CONFIG_INSTR: Final = ("streamwrcfg", "wrcfg", "cfgshiftmask", "rmwcib", "rdcfg")
THREAD_AXIS: Final = ("t0", "t1", "t2")
WHOSE: Final = ("own_thread", "other_thread")
SAME_OTHER: Final = ("same", "other")
UNITS: Final = ("unpack0", "unpack1", "pack", "math", "sfpu", "xmov")
VIEWS: Final = UNITS[:3]
READ_WRITE: Final = ("read", "write")
LIVED: Final = ("1", "2", ">2")
