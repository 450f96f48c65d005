# SPDX-License-Identifier: Apache-2.0
"""Places in the arrays that the kernels of ``unpack`` share.

All int64 and flat, unless said otherwise:

- *tables*: the profile, and where the configuration fields are: ``tables.new_tables``.
- the state that an instruction samples: ``config`` (any integers, shape (2 banks, 224)),
  ``thread_config`` (any integers, shape (3 threads, 68)), ``live`` (the live address counters, any
  integers, shape (3 sets, 3 targets, 2 channels, 4 counters X Y Z W)), and ``pointers`` (below).
- *plan*: what an instruction is going to do, from its sampling cycle on. ``plan.sample`` fills it.

Pointers into L1 are kept in the smallest part of a byte that they move by: datum pointers in
quarters, exponent pointers in sixteenths, delta pointers in halves of a byte, each modulo 2³²
bytes.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tilepath.isa.boundary import unpack_faults
from tilepath.isa.boundary.description import names

Memory = np.ndarray[Any, Any]

LOW32: Final = 0xFFFFFFFF
NEVER: Final = 1 << 62
UNLIMITED: Final = 1 << 40  # count of datums of a bounded output
QUARTERS: Final = (1 << 34) - 1  # masks of the pointers
SIXTEENTHS: Final = (1 << 36) - 1
HALVES: Final = (1 << 33) - 1

CFG_WORDS: Final = 224
GLOBAL: Final = 180  # words from here on: one copy for both banks
THD_WORDS: Final = 68
MISC_CFG: Final = 41  # ThreadConfig word whose bits 4 and 12 reset the context counters (U6)
MISC_RESET: Final = (1 << 4, 1 << 12)
SRC_ROWS: Final = 64
DST_ROWS: Final = 1024

# --- pointers: eight words an unpacker
POINTERS: Final = 8
P_BANK: Final = 0  # src_bank
P_ROW: Final = 1  # src_row, three threads
P_CONTEXT: Final = 4  # context, three threads
P_ACC: Final = 7

# --- plan
# What the instruction is. Those below REGULAR enter no queue; TOKENS and above are tokens always.
FLUSH: Final = 0
INCREMENT: Final = 1
REGULAR: Final = 2
NOP: Final = 3
OVERLAY: Final = 4
SETREG: Final = 5
ZEROSRC: Final = 6
SETDVALID: Final = 7
TOKENS: Final = 6

KIND: Final = 0  # one of the above
UNIT: Final = 1  # unpacker
THREAD: Final = 2
WORD: Final = 3
FLAGS: Final = 4  # faults, bit k for FAULTS[k]
# What it leaves behind at the end of the sampling cycle; -1: as it was
NEW_CONTEXT: Final = 5  # context[thread]
NEW_ROW: Final = 6  # src_row[thread]
NEW_BANK: Final = 7  # src_bank
FLIP: Final = 8  # hands over BANK with its last step or token (ZEROSRC of BH and SETDVALID too)
BANK: Final = 9  # src_bank of before
ADC: Final = 10  # WhichADC
INCREMENTS: Final = 11  # Y0, Z0, Y1, Z1: as models.adc's unpack_update takes them
STATE: Final = 15  # bank of the configuration
MULTI: Final = 16
CTX: Final = 17

# Regular: input
IN: Final = 18  # format codes
OUT: Final = 19
SIZE: Final = 20  # of a datum, quarter bytes: 1, 2, 4, 8, 16
COMPRESSED: Final = 21
BOUNDED: Final = 22  # bounded output (only if compressed)
TILIZE: Final = 23
PLAIN: Final = 24  # uncompressed and zeros = 0: one slot a datum
WANT: Final = 25  # lines: 1, 2, 4
ROW_W: Final = 26  # datums
STRIDE: Final = 27  # from row begin to row begin, quarter bytes (not if compressed)
LIMIT: Final = 28  # bytes
FIFO: Final = 29  # bytes
DATUMS: Final = 30  # byte address of the datums section
EXPONENTS: Final = 31  # byte address of the exponents section
READS_EXP: Final = 32  # an exponent is read for each datum
FORCED: Final = 33  # the exponent otherwise (0 if the format has none)
# Uncompressed: from sample; compressed: from resolve_compressed
FIRST: Final = 34  # index of the first datum, modulo 2³²
COUNT: Final = 35  # of datums; UNLIMITED for a bounded output that is to emit something
DATUM: Final = 36  # first datum, quarter bytes, wrapped
EXPONENT: Final = 37  # its exponent, sixteenths, wrapped (only if READS_EXP)
DELTA: Final = 38  # its nibble, halves, wrapped (only if compressed)
# Compressed
RSI_FIRST: Final = 39  # byte address of the entry of the first datum
RSI_END: Final = 40  # of the entry of the end; -1: bounded, not read
DROP: Final = 41  # items to drop; 0 unless bounded
ITEMS: Final = 42  # items to emit, if bounded

# Regular: conversion
CONVERSION: Final = 43  # see below
SHIFT: Final = 44  # BFP: left shift of the datum's bits to 8 bits
ALL_ZERO: Final = 45

# Regular: output
ZEROS: Final = 46
INTERLEAVE: Final = 47
DST: Final = 48  # 1: to Dst
WIDE: Final = 49  # Dst is 32 bits wide
TRANSPOSE: Final = 50
OVRD: Final = 51
SRC_ROW: Final = 52  # src_row[thread] as sampled
OUT_ADDR: Final = 53  # of the first slot
COL_SHIFT: Final = 54
# The recorded address of a slot is (its OutAddr + ADDRESS_ADD) & ADDRESS_MASK, masked or not; where
# it is written, that is 16 × register row (before the exchange) + column
ADDRESS_ADD: Final = 55
ADDRESS_MASK: Final = 56

# NOP
STREAM: Final = 57  # OVERLAY
CLEAR_COUNT: Final = 58
REG_SELECT: Final = 59  # SETREG: which setreg_base
REG_OFFSET: Final = 60  # added to FFB00000 + setreg_base
REG_VALUE: Final = 61
ACCUMULATE: Final = 62
BOTH_BANKS: Final = 63  # ZEROSRC
CLEAR_VALUE: Final = 64
WAIT_UNPACR: Final = 65  # waits for BANK; else for the bank that matrix_bank names

PLAN: Final = 66

# --- opcodes and format codes
OPCODE_UNPACR: Final = 0x42
OPCODE_NOP: Final = 0x43
FP32: Final = 0
FP16: Final = 1
BFP8A: Final = 2
BFP4A: Final = 3
TF32: Final = 4
BF16: Final = 5
BFP8: Final = 6
BFP4: Final = 7
INT32: Final = 8
INT16: Final = 9
FP8: Final = 10
BFP2A: Final = 11
INT8: Final = 14
BFP2: Final = 15

# --- what CONVERSION says: how the bits of a datum become the value
C_ZERO: Final = 0  # format codes 12 and 13
C_BF16: Final = 1
C_FP16: Final = 2
C_INT16: Final = 3
C_WIDE: Final = 4  # 32 bits: FP32 to TF32 and all that is not below
C_FP32_BF16: Final = 5
C_FP32_FP16: Final = 6
C_E5M2: Final = 7
C_E5M2_FILL: Final = 8
C_E4M3: Final = 9
C_INT8: Final = 10
C_UINT8: Final = 11
C_BFP: Final = 12
C_BFPA: Final = 13

SETREG_BASE: Final = 0xFFB00000

# --- faults of an instruction, bit 0 first (contract, section 8)
FAULTS: Final = names(unpack_faults.FAULTS)
_FLAG: Final = {fault.name: 1 << fault.bit for fault in unpack_faults.FAULTS}
F_RESERVED_BIT: Final = _FLAG["reserved_bit"]
F_CONTEXT_ADC: Final = _FLAG["context_adc"]
F_CONTEXT_RANGE: Final = _FLAG["context_range"]
F_FORMAT_CODE: Final = _FLAG["format_code"]
F_FORMAT_PAIR: Final = _FLAG["format_pair"]
F_FORMAT_FP32: Final = _FLAG["format_fp32"]
F_FORMAT_SRC: Final = _FLAG["format_src"]
F_COMPRESSED_BFP2: Final = _FLAG["compressed_bfp2"]
F_BFP_ALIAS: Final = _FLAG["bfp_alias"]
F_OUT_ALIGN: Final = _FLAG["out_align"]
F_X_WINDOW: Final = _FLAG["x_window"]
F_X_ORDER: Final = _FLAG["x_order"]
F_BLOBS_INDEX: Final = _FLAG["blobs_index"]
F_START_ALIGN: Final = _FLAG["start_align"]
F_Y_RANGE: Final = _FLAG["y_range"]
F_TILIZE_COMBO: Final = _FLAG["tilize_combo"]
F_DST_MODES: Final = _FLAG["dst_modes"]
F_DST_OVRD: Final = _FLAG["dst_ovrd"]
F_THROTTLE: Final = _FLAG["throttle"]
F_NOP_RESERVED: Final = _FLAG["nop_reserved"]
F_NOP_FOREIGN: Final = _FLAG["nop_foreign"]
F_TRANSPOSE_SRCB: Final = _FLAG["transpose_srcb"]
F_BURST: Final = _FLAG["burst"]
F_OUT_ROW: Final = _FLAG["out_row"]
F_OUT_LOW: Final = _FLAG["out_low"]
F_NEGINF_SRCB: Final = _FLAG["neginf_srcb"]
F_NOT_LAST: Final = _FLAG["not_last"]
F_EMPTY_FLIP: Final = _FLAG["empty_flip"]

# Faults of a request, of a step or token, and of the unit, bit 0 first
READ_FAULTS: Final = names(unpack_faults.READ_FAULTS)
_READ_FLAG: Final = {fault.name: 1 << fault.bit for fault in unpack_faults.READ_FAULTS}
R_DATUM: Final = _READ_FLAG["datum"]
R_EXPONENT: Final = _READ_FLAG["exponent"]
R_RSI: Final = _READ_FLAG["rsi"]
R_DELTA: Final = _READ_FLAG["delta"]
R_START_ALIGN: Final = _READ_FLAG["start_align"]
WRITE_FAULTS: Final = names(unpack_faults.WRITE_FAULTS)
_WRITE_FLAG: Final = {fault.name: 1 << fault.bit for fault in unpack_faults.WRITE_FAULTS}
W_BFPA: Final = _WRITE_FLAG["bfpa"]
W_SRCA_ROW: Final = _WRITE_FLAG["srca_row"]
W_SRCB_ROW: Final = _WRITE_FLAG["srcb_row"]
W_FLIP_OWNER: Final = _WRITE_FLAG["flip_owner"]
W_ZEROSRC_MATRIX: Final = _WRITE_FLAG["zerosrc_matrix"]
W_ZEROSRC_RACE: Final = _WRITE_FLAG["zerosrc_race"]
W_EMPTY_FLIP: Final = _WRITE_FLAG["empty_flip"]
UNIT_FAULTS: Final = names(unpack_faults.UNIT_FAULTS)


def flag_names(flags: int, names: tuple[str, ...]) -> tuple[str, ...]:
    """Names of the bits set in ``flags``, bit 0 first."""
    return tuple(name for bit, name in enumerate(names) if flags >> bit & 1)
