# SPDX-License-Identifier: Apache-2.0
"""What an instruction will do, as sampled: which rows it reads and writes in which of its cycles.

Rows, cycles and effects are those of docs/standin.md, section 4: the functional model goes through
a plan at once, the cycle-exact one cycle by cycle.
"""

from __future__ import annotations

import enum
from typing import Final, NamedTuple

import numpy as np

from tilepath.engine.compiled.records import Records, record
from tilepath.engine.description.boundary import fault_bits, names
from tilepath.isa import constants, tables
from tilepath.isa.boundary.matrix import COLUMNS
from tilepath.isa.boundary.matrix import RWC as RWC_FIELDS
from tilepath.isa.boundary.standin import FAULTS
from tilepath.models.dst_rows import ACCESS
from tilepath.models.pack.fields import Config, ThreadConfig
from tilepath.models.standin.fields import SETTINGS

MATH_CLASS: Final = 1 << 6  # B6
OPCODES: Final = tuple(
    opcode for opcode, mask in enumerate(tables.block_class()) if mask & MATH_CLASS
)
Flag: Final = fault_bits("Flag", FAULTS)
FAULT_NAMES: Final = names(FAULTS)

SRC_ROWS: Final = 64
DST_ROWS: Final = 1024
COUNTERS: Final = len(RWC_FIELDS)  # of a thread
READ_ROWS: Final = 16  # of a file by one instruction, at most


class Op(enum.IntEnum):
    """Opcodes that are executed (M3: no others)."""

    MVMUL = constants.OP_MVMUL
    GAPOOL = constants.OP_GAPOOL
    GMPOOL = constants.OP_GMPOOL
    ELWMUL = constants.OP_ELWMUL
    ELWADD = constants.OP_ELWADD
    ELWSUB = constants.OP_ELWSUB
    MOVA2D = constants.OP_MOVA2D
    MOVB2D = constants.OP_MOVB2D
    MOVD2A = constants.OP_MOVD2A
    MOVD2B = constants.OP_MOVD2B
    MOVB2A = constants.OP_MOVB2A
    TRNSPSRCB = constants.OP_TRNSPSRCB
    ZEROACC = constants.OP_ZEROACC
    ZEROSRC = constants.OP_ZEROSRC
    SETRWC = constants.OP_SETRWC
    INCRWC = constants.OP_INCRWC
    CLEARDVALID = constants.OP_CLEARDVALID
    GATESRCRST = constants.OP_GATESRCRST
    CLREXPHIST = constants.OP_CLREXPHIST


OPS: Final = (*(op.name for op in Op), "unsupported")
"""Instructions by their numbers in accounts."""


class Source(enum.IntEnum):
    """A source is where a format is from (M9)."""

    OWN = 0
    OVERRIDE = 1
    IMPLIED = 2


class Target(enum.IntEnum):
    """Files, as the port numbers them."""

    SRC_A = 0
    SRC_B = 1
    DST = 2
    NOTHING = 3


class Rwc(enum.IntEnum):
    """Row counters of a thread (M4), as the boundary orders them: D is at twice 2, and so on."""

    A = 0
    A_CR = 1
    B = 2
    B_CR = 3
    D = 4
    D_CR = 5
    PHASE = 6
    BIAS = 7


# In cycle ``first`` + i, counted from the sampling cycle, row ``row`` + i * ``step``; i < ``count``
RUN: Final = record(first=np.int64, length=np.int64, row=np.int64, step=np.int64)
PLAN: Final = record(
    settings=SETTINGS,
    op=np.int64,
    thread=np.int64,
    cycles=np.int64,
    faults=np.int64,  # bits of ``Flag``
    # rows
    reads=(RUN, 3),  # of SrcA, SrcB, Dst
    writes=RUN,
    target=np.int64,
    banks=(np.int64, 2),  # that are read, written, given back
    wide_read=np.int64,
    wide_write=np.int64,
    access=ACCESS,
    # at the end
    next_rwc=(np.int64, COUNTERS),
    modifier=np.int64,  # number of the address modifier; -1: it has none
    releases=np.int64,  # a bit a file
    flips=np.int64,
    # in the sampling cycle
    clears=np.int64,  # bit 2 * file + bank
    neg_inf=np.int64,
    zeroes=np.int64,  # commands, one a cycle from there on
    zero_mode=np.int64,
    zero_row=np.int64,
    zero_wide=np.int64,
    undo=np.int64,
    # values
    codes=(np.int64, 2),  # formats of SrcA, SrcB, and each a ``Source`` (M9)
    sources=(np.int64, 2),
    forced=np.int64,  # FP16A_FORCE (M10)
    e5=(np.int64, 2),  # class of SrcA's, SrcB's format (M11)
    tf32=(np.int64, 2),
    wide=np.int64,  # Dst has 32 bits (M12)
    integers=np.int64,
    keeps_denormals=np.int64,
    phase=np.int64,
    exponent=np.int64,  # what is added to the exponents of factors (M17)
    accumulates=np.int64,
    b_column=np.int64,  # column 0 of SrcB's row for all
    low_half=np.int64,
    moved_e5=np.int64,  # as MOVA2D and MOVB2D write (M24): class, whether 32 bits are whole
    moved_tf32=np.int64,
    kept=np.int64,  # bits of SrcB's data that moves do not cut
    gives_zero=np.int64,  # MOVD2B (M25)
)
# What is noted of a datum of MVMUL or GAPOOL for an account
DOT_NOTE: Final = record(
    tops=(np.int64, 2),  # largest exponent of each group
    zeros=np.int64,  # a bit for each of the 16 products that has a factor that is 0
    # the others of groups whose top is positive, by the bits that they are shifted down: 0; 1 to
    # 10; 11, which leaves the highest bit; 12, which leaves its rounding; more, nothing
    shifts=(np.int64, 5),
)
# Rows that were read
ROWS: Final = record(
    a=(np.int64, (READ_ROWS, COLUMNS)),
    b=(np.int64, (READ_ROWS, COLUMNS)),
    d=(np.int64, (8, COLUMNS)),
    row_valid=(np.int64, 8),
    out=(np.int64, COLUMNS),  # a row to be written
    # MVMUL, GAPOOL: SrcA's data taken apart, and of the row at hand SrcB's (ELWMUL: a row of each
    # in ``factors``, ``exponents``); of each column's groups of products exponent and sum
    factors=(np.int64, (READ_ROWS, COLUMNS)),
    exponents=(np.int64, (READ_ROWS, COLUMNS)),
    row_factors=(np.int64, COLUMNS),
    row_exponents=(np.int64, COLUMNS),
    tops=(np.int64, (2, COLUMNS)),
    sums=(np.int64, (2, COLUMNS)),
    noted=np.int64,  # whether there is an account
    dots=(DOT_NOTE, COLUMNS),
)


class Sampled(NamedTuple):
    """What an instruction samples; integers of any type.

    ``rwc``: (3 threads, 8); ``owner``, ``implied``: (2 files, 2 banks); ``matrix_bank``,
    ``src_bank`` (of the unpackers): (2 files,).
    """

    config: Config
    thread_config: ThreadConfig
    rwc: Records
    owner: Records
    implied: Records
    matrix_bank: Records
    src_bank: Records


def fault_names(bits: int) -> tuple[str, ...]:
    """Names of the faults in ``Flag`` bits, bit 0 first."""
    return tuple(name for bit, name in enumerate(FAULT_NAMES) if bits >> bit & 1)
