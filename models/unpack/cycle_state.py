# SPDX-License-Identifier: Apache-2.0
"""Memory of the cycle-exact model: flat int64 arrays, and the names of their places.

``m`` is described by the constants here; an unpacker's part of it begins at ``unit(u)``. Whatever
is known in advance is dated: times are cycles.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from tilepath.models.jit import part
from tilepath.models.unpack import streams
from tilepath.models.unpack.layout import NEVER, PLAN
from tilepath.models.unpack.stepping import S_SIZE

LOW32: Final = 0xFFFFFFFF
THREADS: Final = 3
SLOTS: Final = 16  # plans of an unpacker: instructions that are somewhere in it
QUEUE: Final = 4  # places of the queue; two are used unless ``ready`` is not heeded
ENTRIES: Final = 8  # of the beat buffer
BEAT: Final = 128  # most datums of a beat, and slots of a step
GROUP: Final = 32  # slots of a record; most slots of a step that is not plain

# --- the whole block
TURN: Final = 0
ACTIVE: Final = 1  # something happened in this cycle: the next one may differ
MATRIX_BANK: Final = 2  # input levels
SETREG_BASE: Final = 3  # two
LATENCY: Final = 5
READY_SHOWN: Final = 6  # output levels as last recorded, and who changed them
HOLD_SHOWN: Final = 7
OWNER_SHOWN: Final = 8
BUSY_SHOWN: Final = 9
CHANGED_BY: Final = 10  # origin of the last issue, load or end of an instruction
OWNER_BY: Final = 11
OWNER: Final = 12  # A0, A1, B0, B1
STALE: Final = 16  # two
BUSY: Final = 18  # instructions in flight, place 2t + u
ZERO_FILE: Final = 24  # file that the Matrix Unit zeroes in this cycle, or -1
MATRIX_AT: Final = 25  # cycle of the next matrix_read record, its origin, ``valid``, data
MATRIX_BY: Final = 26
MATRIX_VALID: Final = 27
MATRIX_DATA: Final = 28  # 16
UNIT_FAULT: Final = 44  # flags of this cycle, origin
UNIT_FAULT_BY: Final = 45
# Next row of each input, in the order of ``streams.INPUT_NAMES``, and records before row 0
ROW: Final = 48
BASE: Final = 64
LIVE_ROW: Final = 80
# Write pointers into the arena of output records, in the order of ``streams.OUTPUT_NAMES``
WP: Final = 82

# --- an unpacker
UNIT: Final = 128
SIZE_UNIT: Final = 192
# UNPACR that was issued: it waits for its address phase or has it
X_ON: Final = 0
X_THREAD: Final = 1
X_WORD: Final = 2
X_BY: Final = 3
X_SAMPLE: Final = 4  # sampling cycle; NEVER while the other unpacker's phase goes on
X_LAST: Final = 5  # last cycle of the phase; NEVER before the sampling cycle
X_SLOT: Final = 6  # its plan
# NOP that is sampled in cycle N_AT
N_AT: Final = 7
N_THREAD: Final = 8
N_WORD: Final = 9
N_BY: Final = 10
# Queue: plans in order, from where on the head is in it as registered
Q_COUNT: Final = 12
Q_SLOT: Final = 13  # four
Q_FROM: Final = 17  # four
# Fetch stage
F_SLOT: Final = 21  # -1: empty
F_FROM: Final = 22  # first cycle of work
F_STAGE: Final = 23  # 0 nothing done, 1 RSI requested, 2 beats
F_RUN: Final = 24  # first cycle of beats
F_LEFT: Final = 25  # datums left
F_ANSWER: Final = 26  # cycle of the last answer
# Beat buffer: entries in order, HEAD first
B_HEAD: Final = 28
B_USED: Final = 29  # as registered
B_NEW: Final = 30  # 1: one more from the next cycle on
B_GONE: Final = 31  # 1: one less from the next cycle on
# Step that the head entry makes next: built once, then it may have to wait
S_BUILT: Final = 32
S_COUNT: Final = 33  # slots
S_MASK: Final = 34  # 1: some slot is written
S_ADDRESS: Final = 35  # as recorded
S_FAULTS: Final = 36
S_OUT: Final = 37  # what the step leaves: OutAddr, items to drop, to emit, and where it stops
S_DROP: Final = 38
S_ITEMS: Final = 39
S_DATUM: Final = 40
S_ZERO: Final = 41
S_SUB: Final = 42
S_GONE: Final = 43  # the entry is used up
S_LAST: Final = 44  # ... and with it the instruction
# Where the write stage is in the entry: datum; zeros behind it left, -1: the datum itself; slot
W_DATUM: Final = 45
W_ZERO: Final = 46
W_SUB: Final = 47
# Bank + 1 that becomes the Matrix Unit's at the start of a cycle, by cycle & 3; origins
FLIP: Final = 48
FLIP_BY: Final = 52
# Faults of an instruction in this cycle
FAULT: Final = 56
FAULT_THREAD: Final = 57
FAULT_BY: Final = 58
POINTERS_SHOWN: Final = 60  # eight
POINTERS_BY: Final = 68
POINTERS_DIRTY: Final = 69
# Entries: SIZE_E each
E: Final = 70
SIZE_E: Final = 4
E_SLOT: Final = 0
E_COUNT: Final = 1  # datums; 0: a token
E_FROM: Final = 2  # first cycle in the write stage
E_LAST: Final = 3  # the last entry of its instruction
# Plans in use, and the origin of each
USED: Final = 110
SLOT_BY: Final = 126
WALK: Final = 144  # where the fetch stage is in L1: stepping.S_SIZE places

SIZE: Final = UNIT + streams.UNPACKERS * SIZE_UNIT


@part
def unit(u: int) -> int:
    """Where the part of an unpacker begins."""
    return UNIT + SIZE_UNIT * u


class State:
    """All arrays of the model, as after reset.

    ``config``, ``thread_config``, ``live``, ``pointers``, ``plans``: as in ``layout``, plans with a
    row for each of 2 × SLOTS plans. ``values``, ``own`` (a fault of the value), ``nibbles``:
    shape (2, ENTRIES, BEAT), what a beat brought. ``out``: the slots of the step to be made, shape
    (2, BEAT, 3): written, address, value. ``l1``: uint8, shape (l1_bytes,). ``src``: shape
    (2 files, 2 banks, 64, 16); ``dst``: shape (1024, 16); ``valid``: shape (1024,).
    """

    def __init__(self, l1_bytes: int) -> None:
        units = streams.UNPACKERS
        self.m = new_memory()
        self.config = np.zeros((2, 224), dtype=np.int64)
        self.thread_config = np.zeros((THREADS, 68), dtype=np.int64)
        self.live = np.zeros((3, 3, 2, 4), dtype=np.int64)
        self.pointers = np.zeros(8 * units, dtype=np.int64)
        self.plans = np.zeros((units * SLOTS, PLAN), dtype=np.int64)
        self.values = np.zeros((units, ENTRIES, BEAT), dtype=np.int64)
        self.own = np.zeros((units, ENTRIES, BEAT), dtype=np.uint8)
        self.nibbles = np.zeros((units, ENTRIES, BEAT), dtype=np.uint8)
        self.out = np.zeros((units, BEAT, 3), dtype=np.int64)
        self.l1 = np.zeros(l1_bytes, dtype=np.uint8)
        self.src = np.zeros((2, 2, 64, 16), dtype=np.int64)
        self.dst = np.zeros((1024, 16), dtype=np.int64)
        self.valid = np.zeros(1024, dtype=np.int64)


def new_memory() -> npt.NDArray[np.int64]:
    """``m`` after reset."""
    if E + ENTRIES * SIZE_E > USED or WALK + S_SIZE > SIZE_UNIT:
        raise AssertionError("places of an unpacker overlap")
    m = np.zeros(SIZE, dtype=np.int64)
    m[[CHANGED_BY, OWNER_BY, ZERO_FILE, MATRIX_AT]] = -1
    for u in range(streams.UNPACKERS):
        at = UNIT + SIZE_UNIT * u
        m[[at + X_SAMPLE, at + X_LAST]] = NEVER
        m[[at + place for place in (N_AT, F_SLOT, F_ANSWER, W_ZERO, POINTERS_BY)]] = -1
    return m
