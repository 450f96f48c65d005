# SPDX-License-Identifier: Apache-2.0
"""What an instruction is going to do, from its sampling cycle on: ``PLAN``; and the pointers.

Pointers into L1 are kept in the smallest part of a byte that they move by: datum pointers in
quarters, exponent pointers in sixteenths, delta pointers in halves of a byte, each modulo 2³²
bytes.
"""

from __future__ import annotations

import enum
from typing import Final

import numpy as np

from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Record, record
from tilepath.isa import constants
from tilepath.models.dst_rows import ACCESS

OPCODE_UNPACR: Final = constants.OP_UNPACR
OPCODE_NOP: Final = constants.OP_UNPACR_NOP
LOW32: Final = 0xFFFFFFFF
QUARTERS: Final = (1 << 34) - 1  # masks of the pointers
SIXTEENTHS: Final = (1 << 36) - 1
HALVES: Final = (1 << 33) - 1
UNLIMITED: Final = 1 << 40  # count of datums, or of items, that something else ends
AS_IT_WAS: Final = -1
NOT_READ: Final = -1


class Kind(enum.IntEnum):
    """What an instruction is (U2, U3)."""

    REGULAR = 0
    INCREMENT = 1
    FLUSH = 2
    OVERLAY = 3  # of the stream of ThreadConfig (U60)
    OVERLAY_EXPLICIT = 4
    NOP = 5
    RESERVED = 6  # mode 6 of the WH encoding, a NOP
    SETREG = 7
    ZEROSRC = 8
    SETDVALID = 9
    ZEROSRC_DVALID = 10  # BH: hands the bank over, too


@part
def is_overlay(plan: Record) -> bool:
    """Whether it is an OverlayClear."""
    return Kind.OVERLAY <= plan.kind <= Kind.OVERLAY_EXPLICIT  # type: ignore[no-any-return]


@part
def is_zerosrc(plan: Record) -> bool:
    """Whether it clears banks."""
    return plan.kind == Kind.ZEROSRC or plan.kind == Kind.ZEROSRC_DVALID  # type: ignore[no-any-return]


# What the instructions of an unpacker leave behind for the next one (section 6)
POINTERS: Final = record(
    bank=np.int64,  # src_bank
    row=(np.int64, 3),  # src_row of each thread
    context=(np.int64, 3),  # of each thread
    acc=np.int64,
    sel_dst=np.int64,  # unpacker 0: its last Regular UNPACR was to Dst (U68)
)

# Regular: which datums, and from where
SOURCE: Final = record(
    in_format=np.int64,
    quarters=np.int64,  # of a byte, in a datum: 1, 2, 4, 8, 16
    compressed=np.int64,
    bounded=np.int64,  # bounded output; only if compressed
    tilize=np.int64,
    want=np.int64,  # lines: 1, 2, 4
    row_w=np.int64,  # datums
    stride=np.int64,  # from row begin to row begin, quarters; not if compressed
    limit=np.int64,  # bytes
    fifo=np.int64,  # bytes
    datums=np.int64,  # byte address of the datums
    exponents=np.int64,  # byte address of the exponents
    reads_exponents=np.int64,
    forced_exponent=np.int64,  # where none is read; 0 if the format has none
    # uncompressed: when sampled; compressed: from the RSI entries
    first=np.int64,  # index of the first datum, modulo 2³²
    count=np.int64,  # of datums; UNLIMITED for a bounded output that is to emit something
    datum=np.int64,  # the first datum, quarters, wrapped
    exponent=np.int64,  # its exponent, sixteenths, wrapped; only if exponents are read
    delta=np.int64,  # its nibble, halves, wrapped; only if compressed
    # compressed
    rsi_first=np.int64,  # byte address of the entry of the first datum
    rsi_end=np.int64,  # of the entry of the end, or NOT_READ
    drop=np.int64,  # items to drop; 0 unless bounded
    items=np.int64,  # items to emit
)
# Regular: converted how, to which row and column
TARGET: Final = record(
    out_format=np.int64,
    conversion=np.int64,  # a convert.Conversion
    shift=np.int64,  # BFP: of the datum's bits, to the left, to eight bits
    all_zero=np.int64,
    plain=np.int64,  # uncompressed and zeros = 0: one slot a datum
    zeros=np.int64,
    interleave=np.int64,
    to_dst=np.int64,
    wide=np.int64,  # Dst is 32 bits wide
    access=ACCESS,
    transposes=np.int64,
    ovrd=np.int64,
    burst_rows=np.int64,  # SrcA (U33)
    row_end=np.int64,  # SrcA: rows of OutAddr from here on are a fault (U31)
    row_fault=np.int64,  # a faults.WriteFlag: which
    src_row=np.int64,  # src_row[thread] as sampled
    out_addr=np.int64,  # of the first slot
    col_shift=np.int64,
    # The address of a slot is (its OutAddr + address_add) & address_mask, masked or not; where it
    # is written, that is 16 × register row (before the exchange) + column.
    address_add=np.int64,
    address_mask=np.int64,
    # Slots are in one block of rows if their addresses are equal above these bits; 0: all are
    block_bits=np.int64,
)
PLAN: Final = record(
    kind=np.int64,
    unit=np.int64,  # unpacker
    thread=np.int64,
    word=np.int64,
    faults=np.int64,  # faults.Flag
    state=np.int64,  # bank of the configuration
    multi=np.int64,
    ctx=np.int64,
    # what it leaves behind at the end of the sampling cycle, or AS_IT_WAS
    new_context=np.int64,
    new_row=np.int64,
    new_bank=np.int64,
    flips=np.int64,  # hands ``bank`` over, with its last step or token
    bank=np.int64,  # src_bank of before
    # increments of the counters (A11)
    adc=np.int64,  # WhichADC
    y0=np.int64,
    z0=np.int64,
    y1=np.int64,
    z1=np.int64,
    source=SOURCE,
    target=TARGET,
    # NOP
    stream=np.int64,  # OVERLAY
    clear_count=np.int64,
    reg_select=np.int64,  # SETREG: which setreg_base
    reg_offset=np.int64,  # added to FFB00000 + setreg_base
    reg_value=np.int64,
    accumulate=np.int64,
    both_banks=np.int64,  # ZEROSRC
    clear_value=np.int64,
    wait_unpacr=np.int64,  # waits for ``bank``; else for the bank that matrix_bank names
)
