# SPDX-License-Identifier: Apache-2.0
"""The model's memory: one flat int64 array, and the names of its places.

Times are cycles. Whatever an instruction will do is dated when it issues; rings of eight entries,
at ``cycle & 7``, hold what is dated for one of the next cycles.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tilepath.isa import constants
from tilepath.isa.profiles import Profile
from tilepath.models.control import streams

Memory = np.ndarray[Any, Any]

NEVER: Final = 1 << 62
LOW32: Final = 0xFFFFFFFF
NOBODY: Final = -(1 << 63)  # origin of events that no word caused

CFG_WORDS: Final = 224
GLOBAL: Final = 180  # words from here on: one copy for both banks
THCON: Final = 64  # REG2FLOP's word 0
FLOP_WORDS: Final = 116
THD_WORDS: Final = 68
GPRS: Final = 64
SCRATCH: Final = 209
STATE_RESET: Final = 4  # word that only RMWCIB writes (C18)
# ThreadConfig words
TC_PHASE_HI: Final = 57
TC_MSGS_HI: Final = 58
TC_STREAM: Final = 59
# Registers of a stream
REG_PHASE: Final = 29
REG_MSGS: Final = 259
STREAM_REGS: Final = 1024
STREAMS: Final = 64

# Kinds of word
ILLEGAL: Final = 0
NOP: Final = 1
UNSUPPORTED: Final = 2
ADC: Final = 3
UNIT: Final = 4
STALLWAIT: Final = 5
SEMWAIT: Final = 6
STREAMWAIT: Final = 7
SEMINIT: Final = 8
SEMPOST: Final = 9
SEMGET: Final = 10
ATGETM: Final = 11
ATRELM: Final = 12
SETC16: Final = 13
WRCFG: Final = 14
RDCFG: Final = 15
RMWCIB: Final = 16
CFGSHIFTMASK: Final = 17
STREAMWRCFG: Final = 18
SETDMAREG: Final = 19
ADDDMAREG: Final = 20
REG2FLOP: Final = 21
DMANOP: Final = 22
RISC: Final = 23  # no word: an access from the cores

# Resources: the six units, then
SCALAR: Final = 6
MUTEX: Final = 7  # four
CONFIG: Final = 11
SYNC: Final = 12
NONE: Final = 13

# Class bits beside B0 to B8: held by any wait; held by block 1FF only
ANY_WAIT: Final = 0x200
IS_NOP: Final = 0x400

# Fault bits
F_ILLEGAL: Final = 1
F_UNSUPPORTED: Final = 2
F_CFG_OOB: Final = 4
F_STATE_RESET: Final = 8
F_SEM_COND: Final = 16
F_MUTEX_INDEX: Final = 32
F_MUTEX_OWNER: Final = 64
F_FLOP_TARGET: Final = 128
F_FLOP_SIZE: Final = 256

# Streams: a thread's, seven a thread, then the common ones
O_ISSUE: Final = 0
O_LATCH: Final = 1
O_FAULT: Final = 2
O_SETC16: Final = 3
O_RDCFG: Final = 4
O_GPR: Final = 5
O_ADC: Final = 6
O_THREAD: Final = 7  # streams of a thread
O_UNIT: Final = 21
O_CONFIG_WRITE: Final = 27
O_FLOP_WRITE: Final = 28
O_FLOP_ADC: Final = 29
O_RISC_DONE: Final = 30
O_RISC_THREAD_WRITE: Final = 31
O_RISC_SEM_DONE: Final = 32
O_RISC_FAULT: Final = 33
O_SEMAPHORES: Final = 34
O_MUTEXES: Final = 35
O_CONFIG_PIPE: Final = 36
O_SCALAR: Final = 37
O_STICKY: Final = 38
O_VIEW: Final = 39

# --- Architectural state, shared with the functional model
CFG: Final = 0  # two banks
THD: Final = 448  # three threads
GPR: Final = 652  # three threads
SEM_VALUE: Final = 844
SEM_MAX: Final = 852
OWNER: Final = 860  # mutexes 0, 2, 3, 4: 0 free, else thread + 1
# Tables by opcode
KIND: Final = 864
CLASS: Final = 1120
RESOURCE: Final = 1376

# --- Each thread, SIZE_T places
T: Final = 1632
SIZE_T: Final = 32
ROW: Final = 0  # next row of the offers
END: Final = 1  # end of the thread's rows
TAKEN: Final = 2  # words taken so far
NEXT: Final = 3  # cycle of the next offer, if it has not come yet
HAVE: Final = 4  # a word is offered
WORD: Final = 5
W_KIND: Final = 6
W_CLASS: Final = 7
W_RES: Final = 8
ORIGIN: Final = 9
ISSUED: Final = 10  # cycle of the last issue
ASKS: Final = 11  # resource asked for in this cycle; -1: held
L_KIND: Final = 12  # latch: 0 none, 1 to 3
L_SET: Final = 13  # issue cycle of the wait
L_HOLD: Final = 14  # class bits that it holds
L_BLOCK: Final = 15
L_WHAT: Final = 16
L_TARGET: Final = 17
L_ORIGIN: Final = 18
L_MET: Final = 19
L_GONE: Final = 20  # first cycle without the latch
X_T: Final = 21  # SETC16: issue cycle, index, value, origin
X_INDEX: Final = 22
X_VALUE: Final = 23
X_ORIGIN: Final = 24
WON: Final = 25  # the word issues in this cycle

# --- Inputs: next row, and its cycle; value of the levels
A_ROW: Final = 1728  # risc
A_NEXT: Final = 1729
A_TAKEN: Final = 1730  # accesses that have won so far
A_DONE: Final = 1731  # last done
B_ROW: Final = 1732  # risc_sem
B_NEXT: Final = 1733
B_TAKEN: Final = 1734
B_DONE: Final = 1735
BUSY_ROW: Final = 1736
BUSY_NEXT: Final = 1737
BUSY: Final = 1738
READY_ROW: Final = 1739
READY_NEXT: Final = 1740
READY: Final = 1741
STALL_ROW: Final = 1742
STALL_NEXT: Final = 1743
STALL: Final = 1744
SW_ROW: Final = 1745
SW_NEXT: Final = 1746

ACTIVE: Final = 1748  # until this cycle something is dated
STICKY: Final = 1749
STICKY_SHOWN: Final = 1750
STICKY_ORIGIN: Final = 1751
SEM_DIRTY: Final = 1752
SEM_ORIGIN: Final = 1753
MUTEX_DIRTY: Final = 1754
MUTEX_ORIGIN: Final = 1755
PIPE_SHOWN: Final = 1756
SCALAR_SHOWN: Final = 1757
MUTEX_SHOWN: Final = 1758

# --- Config unit: what issued last (cycle, kind, requester, word or address, data, write, origin)
E_T: Final = 1760
E_KIND: Final = 1761
E_WHO: Final = 1762
E_WORD: Final = 1763
E_DATA: Final = 1764
E_WRITE: Final = 1765
E_ORIGIN: Final = 1766
FREE_WRCFG: Final = 1767  # first cycle from which a WRCFG, and the others, may issue
FREE_OTHERS: Final = 1768
# STREAMWRCFG in the prepare phase
P_ON: Final = 1769
P_WHO: Final = 1770
P_WORD: Final = 1771
P_BANK: Final = 1772
P_STREAM: Final = 1773
P_ORIGIN: Final = 1774
# RISC access to ThreadConfig in this cycle: thread word, or -1
RT_PLACE: Final = 1775
RT_DATA: Final = 1776

# --- Scalar unit: who is or was in it
S_T: Final = 1780  # issue cycle
S_END: Final = 1781  # last cycle in the unit; NEVER while that is not known
S_KIND: Final = 1782
S_WHO: Final = 1783
S_WORD: Final = 1784
S_ORIGIN: Final = 1785
S_SUM: Final = 1787
S_PLACE: Final = 1788  # GPR to write at the end of this cycle, or -1; halves
S_HALVES: Final = 1789
S_FLOP: Final = 1790  # configuration word to write at the end of this cycle, or -1
S_QUAD: Final = 1791
S_DATA: Final = 1792  # four
S_BANK: Final = 1777

# --- Sync unit: the operation that acts in the cycle after SO_T
SO_T: Final = 1796
SO_KIND: Final = 1797
SO_WORD: Final = 1798
SO_ORIGIN: Final = 1799

# --- Views: issue cycle, thread, index, origin of the last word of units 0 to 2
V: Final = 1800
SIZE_V: Final = 4
POINTER: Final = 1812  # round-robin pointers, one per resource

# --- Rings by cycle
OCCUPIED: Final = 1832  # stages from -3 on that something is in, as config_pipe shows them
R_ON: Final = 1840  # stage +1: valid, thread, register, data, origin
R_WHO: Final = 1848
R_GPR: Final = 1856
R_DATA: Final = 1864
R_ORIGIN: Final = 1872
Z: Final = 1880  # stage 0: SIZE_Z places for each of eight cycles
SIZE_Z: Final = 12
Z_ON: Final = 0  # a write is made
Z_WHO: Final = 1
Z_BANKS: Final = 2
Z_INDEX: Final = 3
Z_QUAD: Final = 4
Z_DATA: Final = 5  # four
Z_ORIGIN: Final = 9
Z_STREAM: Final = 10  # place of the stream register to read in stage -3

WP: Final = 1984  # write pointers into the arena of output records, one per stream
SIZE: Final = 2032

# 32-bit words of a record of each stream: cycle, fields, origin (2 words)
WIDTH: Final = tuple(
    3 + len(fields)
    for fields in (*(3 * [*streams.THREAD_OUTPUTS.values()]), *streams.COMMON_OUTPUTS.values())
)

_KINDS: Final = {
    constants.OP_NOP: NOP,
    constants.OP_STALLWAIT: STALLWAIT,
    constants.OP_SEMWAIT: SEMWAIT,
    constants.OP_STREAMWAIT: STREAMWAIT,
    constants.OP_SEMINIT: SEMINIT,
    constants.OP_SEMPOST: SEMPOST,
    constants.OP_SEMGET: SEMGET,
    constants.OP_ATGETM: ATGETM,
    constants.OP_ATRELM: ATRELM,
    constants.OP_SETC16: SETC16,
    constants.OP_WRCFG: WRCFG,
    constants.OP_RDCFG: RDCFG,
    constants.OP_RMWCIB0: RMWCIB,
    constants.OP_RMWCIB1: RMWCIB,
    constants.OP_RMWCIB2: RMWCIB,
    constants.OP_RMWCIB3: RMWCIB,
    constants.OP_CFGSHIFTMASK: CFGSHIFTMASK,
    constants.OP_STREAMWRCFG: STREAMWRCFG,
    constants.OP_SETDMAREG: SETDMAREG,
    constants.OP_ADDDMAREG: ADDDMAREG,
    constants.OP_REG2FLOP: REG2FLOP,
    constants.OP_DMANOP: DMANOP,
    **dict.fromkeys((*range(0x50, 0x57), 0x5E), ADC),
}
_RESOURCES: Final = {
    **dict.fromkeys((STALLWAIT, SEMWAIT, STREAMWAIT, SEMINIT, SEMPOST, SEMGET), SYNC),
    **dict.fromkeys((WRCFG, RDCFG, RMWCIB, CFGSHIFTMASK, STREAMWRCFG), CONFIG),
    **dict.fromkeys((SETDMAREG, ADDDMAREG, REG2FLOP, DMANOP), SCALAR),
    ATGETM: MUTEX,
}


def _unit(opcode: int) -> int:
    """Unit that takes the opcode; -1: none. For the unpackers that of unpacker 0."""
    if opcode in (0x42, 0x43):
        return 0
    if opcode in (0x41, 0x4A):
        return 2
    if opcode == 0x40:
        return 5
    blocks = constants.BLOCK_CLASS[opcode]
    return 3 if blocks & 1 << 6 else 4 if blocks & 1 << 8 else -1


def new_memory(profile: Profile) -> npt.NDArray[np.int64]:
    """Memory after reset: int64, shape (SIZE,).

    Raises ``ValueError`` for a profile that the cycle contract has no timing for.
    """
    if profile.streamwrcfg_prep != 1:
        raise ValueError(f"streamwrcfg_prep {profile.streamwrcfg_prep}: want 1")
    m = np.zeros(SIZE, dtype=np.int64)
    for opcode in range(256):
        unit = _unit(opcode)
        if constants.MUST_NOT_ISSUE[opcode]:
            kind = ILLEGAL
        else:
            kind = _KINDS.get(opcode, UNIT if unit >= 0 else UNSUPPORTED)
        m[KIND + opcode] = kind
        m[RESOURCE + opcode] = unit if kind == UNIT else _RESOURCES.get(kind, NONE)
        m[CLASS + opcode] = constants.BLOCK_CLASS[opcode]
        if constants.IS_WAIT[opcode]:
            m[CLASS + opcode] |= ANY_WAIT
    m[CLASS + constants.OP_NOP] |= IS_NOP
    # Nothing has happened before cycle 0.
    long_ago = -16
    for thread in range(streams.THREADS):
        m[[T + thread * SIZE_T + place for place in (NEXT, ISSUED, L_SET, L_GONE, X_T)]] = long_ago
        m[V + thread * SIZE_V] = long_ago
    m[[A_DONE, B_DONE, ACTIVE, E_T, FREE_WRCFG, FREE_OTHERS, S_T, S_END, SO_T]] = long_ago
    m[[RT_PLACE, S_PLACE, S_FLOP]] = -1
    return m
